//! Memory that many events share.

use std::mem;

use bytes::{Bytes, BytesMut};

/// The first block; each next one is twice as large.
const FIRST_BLOCK_BYTES: usize = 512;

/// The largest block. It is small, since it lives as long as any of its events, which a backend may
/// keep.
const BLOCK_BYTES: usize = 16 << 10;

/// An event of at least this size has its own memory.
const LARGE_BYTES: usize = BLOCK_BYTES / 4;

/// The memory to which the bytes of complete events are moved.
#[derive(Debug, Default)]
pub(super) struct Block {
    /// What is left of it.
    rest: BytesMut,
    size: usize,
}

impl Block {
    pub(super) fn hold(&mut self, bytes: &mut Vec<u8>) -> Bytes {
        if bytes.len() >= LARGE_BYTES {
            return hold_alone(bytes);
        }
        if self.rest.capacity() < bytes.len() {
            self.size = (self.size * 2).clamp(FIRST_BLOCK_BYTES, BLOCK_BYTES);
            self.rest = BytesMut::with_capacity(self.size.max(bytes.len()));
        }
        self.rest.extend_from_slice(bytes);
        self.rest.split().freeze()
    }
}

/// Gives the buffer away and leaves one for an event of about the same size; if it is much too
/// large, its bytes are copied instead.
fn hold_alone(bytes: &mut Vec<u8>) -> Bytes {
    let len = bytes.len();
    if bytes.capacity() - len > len / 8 {
        let held = Bytes::copy_from_slice(bytes);
        *bytes = Vec::with_capacity(len + len / 16);
        return held;
    }
    mem::replace(bytes, Vec::with_capacity(len + len / 16)).into()
}
