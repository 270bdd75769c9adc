//! Judges raw structures and gives checked ones. Every check reports and goes on with something harmless in place of
//! the mistake, so that one build shows every mistake and the code that is emitted anyway raises no further ones.

mod bucket;
mod columns;
mod duration;
pub(crate) mod format;
mod gc;
mod kinds;
mod label;
mod layout;
mod mirror;
mod model;
pub(crate) mod names;
mod offset;
mod origin;
mod payload;
mod projection;
mod roles;
mod salt;
mod segment_type;
pub(crate) mod segments;
mod table;
pub(crate) mod volume;
mod zone;

pub(crate) use model::model;
pub(crate) use projection::projection;
pub(crate) use segment_type::segment;

use syn::Path;

/// The path of the runtime crate: the declared one, or the name it is published under.
fn runtime(declared: Option<Path>) -> Path {
    declared.unwrap_or_else(|| syn::parse_quote!(::bigtable_model))
}
