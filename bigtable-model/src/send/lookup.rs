//! Reads of many rows by their keys.

use std::future::ready;

use futures::{Stream, StreamExt as _, TryStreamExt as _, stream};

use super::call::{at_table, lacks};
use super::expired::unexpired_now;
use super::limits::{KEY_BYTES_PER_REQUEST, READS_IN_FLIGHT, ROWS_PER_REQUEST};
use crate::Error;
use crate::backend::{Backend, Method};
use crate::data::{ReadRows, RowBatch};
use crate::model::ModelSchema;

/// The maximum overhead of a key in a request, in bytes.
const KEY_OVERHEAD: usize = 16;

/// The room for keys in one request.
#[derive(Debug)]
pub(crate) struct KeyRoom {
    keys: usize,
    bytes: usize,
}

impl Default for KeyRoom {
    fn default() -> Self {
        Self {
            keys: ROWS_PER_REQUEST,
            bytes: KEY_BYTES_PER_REQUEST,
        }
    }
}

impl KeyRoom {
    /// Takes a key, if there is room for it.
    pub(crate) fn take(&mut self, key: &[u8]) -> bool {
        let bytes = key.len() + KEY_OVERHEAD;
        let has_room = self.keys > 0 && self.bytes >= bytes;
        if has_room {
            self.keys -= 1;
            self.bytes -= bytes;
        }
        has_room
    }
}

/// Reads rows, several requests at once; the index of the request comes with its rows. Cells that
/// have expired are left out. A missing table by period has no rows.
pub(crate) fn look_up<'a>(
    backend: &'a dyn Backend,
    schema: &'a ModelSchema,
    requests: Vec<ReadRows>,
) -> impl Stream<Item = Result<(usize, RowBatch), Error>> + 'a {
    let reads = stream::iter(requests.into_iter().enumerate());
    let reads = reads.map(move |(index, request)| {
        read(backend, schema, request).map_ok(move |rows| (index, rows))
    });
    reads.flatten_unordered(READS_IN_FLIGHT)
}

fn read<'a>(
    backend: &'a dyn Backend,
    schema: &'a ModelSchema,
    mut request: ReadRows,
) -> impl Stream<Item = Result<RowBatch, Error>> + Unpin + 'a {
    match unexpired_now(backend, schema, request.filter.take()) {
        Ok(filter) => request.filter = filter,
        Err(error) => return stream::once(ready(Err(error))).left_stream(),
    }
    let table = request.table.clone();
    let rows = backend.read_rows(request).filter_map(move |rows| {
        ready(match rows {
            Err(status) if lacks(schema, &status) => None,
            rows => Some(rows.map_err(|source| at_table(&table, Method::ReadRows, source))),
        })
    });
    rows.right_stream()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_has_so_many_keys_and_bytes_of_keys() {
        let taken = |length: usize| {
            let mut room = KeyRoom::default();
            let key = vec![b'k'; length];
            (0..10_000).take_while(|_| room.take(&key)).count()
        };
        assert_eq!(taken(10), ROWS_PER_REQUEST);
        let longest = crate::data::limits::KEY;
        let bytes = taken(longest) * longest;
        assert!(bytes <= KEY_BYTES_PER_REQUEST && bytes + 2 * longest > KEY_BYTES_PER_REQUEST);
    }
}
