//! Models, questions and writes from numbers.

pub mod draw;
pub mod models;
pub mod places;
pub mod pools;
pub mod steps;
pub mod writes;
