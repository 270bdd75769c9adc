//! The events of a bucket as one block of bytes, a column after the other, each by the shortest of
//! a few coders.
//!
//! A cell of Bigtable costs its key, qualifier and timestamp besides a value of eight bytes. Values
//! of one series are similar: a block has about a byte for each.
//!
//! ```
//! use bigtable_pack::{Block, Column, Values};
//!
//! let block = Block {
//!     times: (0..1_440).map(|minute| minute * 60_000_000).collect(),
//!     columns: vec![Column {
//!         name: "temperature".into(),
//!         present: vec![true; 1_440],
//!         values: Values::Floats((0..1_440).map(|minute| 20.0 + f64::from(minute / 60) / 10.0).collect()),
//!     }],
//! };
//! let bytes = block.encode()?;
//! assert!(bytes.len() < 300); // 1,440 times and as many values
//! assert_eq!(Block::decode(&bytes)?, block);
//! # Ok::<(), bigtable_pack::PackError>(())
//! ```
//!
//! Every value comes back bit for bit: -0.0, NaN with its bits, the lowest of all integers. Bytes
//! that are not a block are an error, whatever they are, and take no more memory than a block may.
//!
//! # The format, byte by byte
//!
//! A *varint* is a number in bytes of seven bits, the lowest first; the highest bit says that
//! another byte follows. A *signed* number is `0, -1, 1, -2, ...` as the varint `0, 1, 2, 3, ...`.
//! Bits go from the highest of a byte to the lowest; the last byte is filled with zeros.
//!
//! | a block | |
//! |---|---|
//! | 1 byte | the version, 1 |
//! | varint | the number of events |
//! | integers | their times |
//! | varint | the number of columns |
//! | for each column: varint, bytes | the length of its name, and the name: they rise |
//! | varint, bytes | the length of what follows, and the column |
//! | 4 bytes | CRC-32C of all before, big-endian |
//!
//! | a column | |
//! |---|---|
//! | 1 byte | in its lowest two bits the form of presence, above them the type: 0 integers, 1 floats, 2 bools, 3 bytes |
//! | presence | form 0: nothing, all events have it; 1: a bit for each event; 2: varints, the lengths of runs, the first of those that have it |
//! | values | of the events that have it: bools as one byte with a form and then as presence |
//!
//! | integers | the lowest three bits of the first byte |
//! |---|---|
//! | nothing | of no values there is not even that byte |
//! | 0 | signed, signed: the first value, and the step from each to the next |
//! | 1 | signed: the first value; then the differences as Rice codes, whose parameter is the rest of the first byte |
//! | 2 | signed, signed: the first value and the first difference; then the differences of differences as such codes |
//! | 3 | varint, bytes: as the crate `pco` writes them |
//! | 4 | eight bytes each, big-endian |
//! | 5, 6 | as 1 and 2, with a varint before the codes by which each is multiplied |
//!
//! A Rice code of parameter `k` writes the number as a signed one: the part above its lowest `k`
//! bits as that many ones and a zero, then these bits. After twenty ones there is no zero, and all
//! 64 bits follow.
//!
//! | floats | the lowest two bits of the first byte |
//! |---|---|
//! | 0 | integers, divided by ten to the power of the rest of the byte |
//! | 1 | integers: the bits of each |
//! | 2 | varint, bytes: as the crate `pco` writes them |
//! | 3 | eight bytes, a float by which the integers after it are multiplied |
//!
//! | texts and other bytes | the first byte |
//! |---|---|
//! | 0 | varint: the number of different values, these as one of the following, and the place of each value as an integer |
//! | 1 | integers: the lengths; then all bytes |
//! | 2 | integers: the lengths; then a varint, the length of all bytes as LZ4 has packed them, and these |

mod bits;
mod block;
mod by_pco;
mod error;
mod floats;
mod integers;
mod presence;
mod texts;

#[cfg(test)]
#[allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "tests"
)]
mod tests;

pub use block::{Block, Column, MOST_VALUES, Values};
pub use error::PackError;
