//! Marks of roll-ups before rows are deleted.

use bytes::Bytes;
use futures::TryStreamExt as _;

use crate::backend::{Backend, Method};
use crate::data::{ReadRows, RowSet};
use crate::model::{EventReader, EventTimes, RowEvents, Schema};
use crate::send::{at_table, mark};
use crate::{Error, Timestamp};

/// Marks the buckets of the events of some rows in all roll-ups of a model. Cells that do not fit
/// the model are in no bucket.
pub(crate) async fn mark_rows(
    backend: &dyn Backend,
    schema: &Schema,
    table: &str,
    keys: &[Bytes],
) -> Result<(), Error> {
    let mut batches = backend.read_rows(ReadRows {
        table: table.to_owned(),
        rows: RowSet {
            keys: keys.to_vec(),
            ..RowSet::default()
        },
        filter: schema.marks(),
        ..ReadRows::default()
    });
    let reader = EventReader::new(schema);
    let mut events = RowEvents::default();
    let mut places: Vec<(Bytes, Option<Timestamp>)> = Vec::new();
    let read = |source| at_table(table, Method::ReadRows, source);
    while let Some(batch) = batches.try_next().await.map_err(read)? {
        events.put(batch);
        while let Some(loaded) = reader.load_next(&EventTimes::All, &mut events) {
            if loaded.is_err() {
                continue;
            }
            for index in 0..events.len() {
                if let (Ok(()), Ok(time)) = (events.check_key_of(schema, index), events.time(index))
                {
                    places.push((events.shared_key_at(index), time));
                }
            }
        }
    }
    let places = places.iter().map(|(key, time)| (&**key, *time));
    mark(backend, schema, places).await
}
