//! What happens to stored data beside a program: its calls fail, or others write between two of
//! them, and garbage is collected by half.

mod between;
mod collect;

pub use between::{Act, Between};
pub use collect::collect_some;
