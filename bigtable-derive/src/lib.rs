//! Derive macros of `bigtable-model`.
