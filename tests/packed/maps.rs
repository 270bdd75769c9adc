//! Columns named at run time in packed rows, in either layout.

mod cells;
mod columns;
