//! Derive macros of [`bigtable-model`](https://docs.rs/bigtable-model), which re-exports and
//! documents them. Depend on that crate, not on this one: the generated code uses its paths.
//!
//! | macro | its attributes are listed at |
//! |---|---|
//! | [`Model`](macro@Model) | [`bigtable_model::Model`](https://docs.rs/bigtable-model/latest/bigtable_model/derive.Model.html) |
//! | [`Projection`](macro@Projection) | [`bigtable_model::Projection`](https://docs.rs/bigtable-model/latest/bigtable_model/derive.Projection.html) |
//! | [`Rollup`](macro@Rollup) | [`bigtable_model::rollup::Rollup`](https://docs.rs/bigtable-model/latest/bigtable_model/rollup/derive.Rollup.html) |
//! | [`KeySegment`](macro@KeySegment) | [`bigtable_model::KeySegment`](https://docs.rs/bigtable-model/latest/bigtable_model/derive.KeySegment.html) |
//! | [`CellValue`](macro@CellValue) | [`bigtable_model::CellValue`](https://docs.rs/bigtable-model/latest/bigtable_model/derive.CellValue.html) |
//!
//! Offline: `cargo doc --open -p bigtable-model`, which lists the macros beside the traits of the
//! same names.
//!
//! Each macro runs the same three stages: `syntax` reads the attributes with their spans, `check`
//! turns them into a checked model and reports every mistake of the struct at once, `emit` writes
//! code from the checked model and cannot fail. Trait bounds and constants in the runtime check
//! what depends on types.

mod check;
mod emit;
mod errors;
mod model;
mod syntax;
#[cfg(test)]
mod tests;

use proc_macro::TokenStream;

use crate::errors::Errors;

/// Makes a struct a model: see the documentation of `bigtable_model::Model`.
#[proc_macro_derive(Model, attributes(bigtable))]
pub fn derive_model(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as syn::DeriveInput);
    let mut errors = Errors::default();
    let code = syntax::model(&input, &mut errors)
        .and_then(|raw| check::model(raw, &mut errors))
        .map(|model| emit::model(&model, errors.is_empty()));
    errors.report_beside(code).into()
}

/// Makes a struct a projection of a model: see the documentation of `bigtable_model::Projection`.
#[proc_macro_derive(Projection, attributes(bigtable))]
pub fn derive_projection(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as syn::DeriveInput);
    let mut errors = Errors::default();
    let code = syntax::projection(&input, &mut errors)
        .and_then(|raw| check::projection(raw, &mut errors))
        .map(|projection| emit::projection(&projection));
    errors.report_beside(code).into()
}

/// Makes a model a roll-up of another: see the documentation of `bigtable_model::rollup::Rollup`.
#[proc_macro_derive(Rollup, attributes(rollup))]
pub fn derive_rollup(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as syn::DeriveInput);
    let mut errors = Errors::default();
    let code = syntax::rollup(&input, &mut errors)
        .and_then(|raw| check::rollup(raw, &mut errors))
        .map(|rollup| emit::rollup(&rollup, errors.is_empty()));
    errors.report_beside(code).into()
}

/// Makes a newtype or an enum without fields a key segment: see the documentation of
/// `bigtable_model::KeySegment`.
#[proc_macro_derive(KeySegment, attributes(bigtable))]
pub fn derive_key_segment(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as syn::DeriveInput);
    let mut errors = Errors::default();
    let code = syntax::segment(&input, syntax::StandsIn::Key, &mut errors)
        .map(|raw| check::segment(raw, syntax::StandsIn::Key, &mut errors))
        .map(|segment| emit::segment(&segment));
    errors.report_beside(code).into()
}

/// Makes a newtype or an enum without fields a cell's value: see the documentation of
/// `bigtable_model::CellValue`.
#[proc_macro_derive(CellValue, attributes(bigtable))]
pub fn derive_cell_value(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as syn::DeriveInput);
    let mut errors = Errors::default();
    let code = syntax::segment(&input, syntax::StandsIn::Cell, &mut errors)
        .map(|raw| check::segment(raw, syntax::StandsIn::Cell, &mut errors))
        .map(|value| emit::cell_value(&value));
    errors.report_beside(code).into()
}
