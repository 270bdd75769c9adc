//! The cases are in `ui`, one mistake each; `tests/ui.rs` compiles them.
