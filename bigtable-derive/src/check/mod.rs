//! Checks raw structures and returns checked ones. Every check reports a mistake and continues with
//! something harmless in its place, so that one build shows every mistake, and the code that is
//! emitted anyway raises no further errors.

mod columns;
mod gc;
mod generics;
pub(crate) mod key;
mod kinds;
mod layout;
mod layouts;
mod mirror;
mod model;
pub(crate) mod names;
mod payload;
mod projection;
mod roles;
mod rollup;
mod segment_type;
mod table;
pub(crate) mod time;

pub(crate) use model::model;
pub(crate) use projection::projection;
pub(crate) use rollup::rollup;
pub(crate) use segment_type::segment;

use syn::Path;

/// The path of the runtime crate: the declared one, or the name it is published under.
fn runtime(declared: Option<Path>) -> Path {
    declared.unwrap_or_else(|| syn::parse_quote!(::bigtable_model))
}
