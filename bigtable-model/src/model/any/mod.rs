//! A model and its events as data, without the struct.

mod column_type;
mod described;
pub(crate) mod stored;
mod value;

pub use column_type::ColumnType;
pub(crate) use column_type::Form;
pub use described::{Described, Effect};
pub use value::Value;
pub(crate) use value::single;
