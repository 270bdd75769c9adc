//! What happens to stored data while a program runs: its calls fail, or others write between two of
//! them, and garbage collection is half done.

mod between;
mod collect;

pub use between::{Act, Between};
pub use collect::collect_some;
