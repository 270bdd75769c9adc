//! The emulator and the memory backend with one table.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};

use bigtable_model::backend::memory::{ManualClock, MemoryBackend, Profile};
use bigtable_model::data::{
    FamilySchema, Mutation, ReadRows, RowFilter, RowMutations, RowSet, TableSchema,
};
use bigtable_model::{Backend, Timestamp};
use bytes::Bytes;

use crate::compare::same;
use crate::copies::are_shuffled;
use crate::operation::{Operation, Outcome};

/// The number of answers that differed for a reason in the request: two server times, or the order
/// of copies.
pub(crate) static EXCUSED: AtomicU64 = AtomicU64::new(0);

/// Two backends with the same requests.
pub(crate) struct Pair<'a> {
    emulator: &'a dyn Backend,
    memory: MemoryBackend,
    /// The server's time for the memory backend: the emulator's.
    clock: ManualClock,
    table: String,
}

/// Two answers that should be equal.
#[derive(Debug)]
pub(crate) struct Difference {
    /// The index of the operation in the case; the index after the last is the read of the whole
    /// table.
    pub(crate) at: usize,
    pub(crate) operation: Operation,
    pub(crate) emulator: Outcome,
    pub(crate) memory: Outcome,
}

/// Runs the operations on their own table, and finally reads it all.
pub(crate) async fn run(
    emulator: &dyn Backend,
    families: &BTreeMap<String, FamilySchema>,
    operations: &[Operation],
) -> Option<Box<Difference>> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let clock = ManualClock::new(now());
    let builder = MemoryBackend::builder().profile(Profile::Emulator);
    let pair = Pair {
        emulator,
        memory: builder.clock(clock.clone()).build(),
        clock,
        table: format!("t{}", NEXT.fetch_add(1, Ordering::Relaxed)),
    };
    let schema = TableSchema {
        families: families.clone(),
        ..Default::default()
    };
    let create = [Operation::CreateTable(schema)];
    let last = [
        Operation::GetTable,
        Operation::Read(ReadRows::default()),
        Operation::DeleteTable,
    ];
    let mut found = None;
    for (at, operation) in create.iter().chain(operations).chain(&last).enumerate() {
        if let Err((theirs, ours)) = pair.step(operation).await {
            found = Some(Box::new(Difference {
                at,
                operation: operation.clone(),
                emulator: theirs,
                memory: ours,
            }));
            break;
        }
    }
    if found.is_some() {
        // Keeps the emulator small while a case is shrunk; a failure after a deletion does no harm.
        let _ = emulator.tables().delete(&pair.table).await;
    }
    found
}

impl Pair<'_> {
    async fn step(&self, operation: &Operation) -> Result<(), (Outcome, Outcome)> {
        let before = now();
        let theirs = operation.run(self.emulator, &self.table).await;
        let written = operation.written();
        let mut torn = false;
        if operation.stamps() {
            let stamps = self.stamps(before, &written, &theirs).await;
            // Two times in one request cannot be set on one clock.
            torn = stamps.len() > 1;
            if let Some(stamp) = stamps.first() {
                self.clock.set(Timestamp::from_micros(*stamp));
            }
        }
        // A conditional write depends on the table before it.
        let shuffled = are_shuffled(operation, &self.memory, &self.table).await;
        let ours = operation.run(&self.memory, &self.table).await;
        let differ = !same(&theirs, &ours);
        if differ && !torn && !shuffled {
            return Err((theirs, ours));
        }
        if differ {
            EXCUSED.fetch_add(1, Ordering::Relaxed);
            torn = true;
        }
        if torn {
            for key in written {
                self.clear(key).await;
            }
        }
        Ok(())
    }

    /// The server's times among the cells that a write left.
    async fn stamps(&self, before: Timestamp, keys: &[Bytes], answer: &Outcome) -> BTreeSet<i64> {
        let start = before.as_micros() - before.as_micros().rem_euclid(1_000);
        let end = now().as_micros() + 1;
        let read = Operation::Read(ReadRows {
            rows: RowSet {
                keys: keys.to_vec(),
                ranges: Vec::new(),
            },
            filter: Some(RowFilter::TimestampRange {
                start_micros: start,
                end_micros: end,
            }),
            ..Default::default()
        });
        let mut rows = match read.run(self.emulator, &self.table).await {
            Outcome::Rows(rows, Ok(())) => rows,
            _ => Vec::new(),
        };
        if let Outcome::Row(Ok(row)) = answer {
            rows.push(row.clone());
        }
        let times = rows.iter().flat_map(|row| &row.cells);
        let times = times.map(|cell| cell.timestamp_micros);
        times.filter(|time| (start..end).contains(time)).collect()
    }

    async fn clear(&self, key: Bytes) {
        let delete = Operation::MutateRow(RowMutations {
            key,
            mutations: vec![Mutation::DeleteFromRow],
        });
        delete.run(self.emulator, &self.table).await;
        delete.run(&self.memory, &self.table).await;
    }
}

fn now() -> Timestamp {
    Timestamp::now()
}
