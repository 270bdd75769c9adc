//! Streams of chunks with random mistakes, against a state machine of its own that knows nothing of
//! buffers, spans and messages.
//!
//! 3,000 streams, or 200,000 with `BIGTABLE_MODEL_NIGHTLY=1`. A failure prints its seed.

use super::*;

/// SplitMix64.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) % sides as u64).unwrap()
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.roll(100) < percent
    }

    fn bytes(&mut self, most: usize) -> Bytes {
        (0..self.roll(most + 1))
            .map(|_| b"abc"[self.roll(3)])
            .collect()
    }
}

/// The protocol in plain values. After a mistake nothing more is taken.
#[derive(Default)]
struct Machine {
    rows: Vec<Row>,
    last: Bytes,
    open: Option<Row>,
    /// A cell of the open row whose value is not complete.
    split: Option<(Cell, Vec<u8>)>,
}

impl Machine {
    fn take(&mut self, chunk: &CellChunk) -> Option<()> {
        let is_bare = chunk.row_key.is_empty()
            && chunk.family_name.is_none()
            && chunk.qualifier.is_none()
            && chunk.timestamp_micros == 0
            && chunk.labels.is_empty();
        if chunk.row_status == Some(RowStatus::ResetRow(true)) {
            let empty = is_bare && chunk.value.is_empty() && chunk.value_size == 0;
            self.split = None;
            return (empty && self.open.take().is_some()).then_some(());
        }
        let goes_on = chunk.value_size > 0;
        if let Some((cell, mut value)) = self.split.take() {
            if !is_bare {
                return None;
            }
            value.extend_from_slice(&chunk.value);
            self.cell(cell, value, goes_on)?;
        } else {
            let cell = self.new_cell(chunk)?;
            self.cell(cell, chunk.value.to_vec(), goes_on)?;
        }
        if chunk.row_status == Some(RowStatus::CommitRow(true)) {
            let row = self.open.take()?;
            if self.split.is_some() {
                return None;
            }
            self.last = row.key.clone();
            self.rows.push(row);
        }
        Some(())
    }

    fn cell(&mut self, mut cell: Cell, value: Vec<u8>, goes_on: bool) -> Option<()> {
        if goes_on {
            self.split = Some((cell, value));
            return Some(());
        }
        cell.value = value.into();
        self.open.as_mut()?.cells.push(cell);
        Some(())
    }

    fn new_cell(&mut self, chunk: &CellChunk) -> Option<Cell> {
        let family = chunk.family_name.as_ref().map(|name| name.value.clone());
        let qualifier = chunk.qualifier.as_ref().map(|name| name.value.clone());
        let column = match &self.open {
            None => {
                if chunk.row_key.is_empty() || chunk.row_key <= self.last {
                    return None;
                }
                self.open = Some(Row {
                    key: chunk.row_key.clone(),
                    cells: Vec::new(),
                });
                (family?, qualifier?)
            }
            Some(row) => {
                if !chunk.row_key.is_empty() && chunk.row_key != row.key {
                    return None;
                }
                if family.is_some() && qualifier.is_none() {
                    return None;
                }
                let before = row.cells.last()?;
                let held = before.family.as_bytes().clone();
                (
                    family.unwrap_or(held),
                    qualifier.unwrap_or_else(|| before.qualifier.clone()),
                )
            }
        };
        Some(Cell {
            family: bytestring::ByteString::try_from(column.0).ok()?,
            qualifier: column.1,
            timestamp_micros: chunk.timestamp_micros,
            value: Bytes::new(),
            labels: chunk.labels.clone(),
        })
    }
}

fn name(value: Bytes) -> Option<BytesValue> {
    Some(BytesValue { value })
}

/// A stream as a server writes it.
fn stream(dice: &mut Dice) -> Vec<CellChunk> {
    let mut chunks = Vec::new();
    let mut number = 0;
    for _ in 0..dice.roll(5) {
        number += 1 + dice.roll(3);
        let first = chunks.len();
        for cell in 0..=dice.roll(4) {
            let mut chunk = CellChunk {
                value: dice.bytes(6),
                timestamp_micros: i64::try_from(dice.roll(3)).unwrap(),
                ..CellChunk::default()
            };
            if cell == 0 {
                chunk.row_key = format!("{number:02}").into();
            }
            if cell == 0 || dice.chance(60) {
                chunk.qualifier = name(dice.bytes(2));
            }
            if chunk.qualifier.is_some() && (cell == 0 || dice.chance(40)) {
                chunk.family_name = name([b"f", b"g"][dice.roll(2)].as_slice().into());
            }
            if dice.chance(15) {
                chunk = chunk.labelled(["x", ""][dice.roll(2)]);
            }
            chunks.push(chunk);
            while dice.chance(25) {
                let last = chunks.last_mut().unwrap();
                last.value_size = 7;
                let value = dice.bytes(6);
                chunks.push(CellChunk {
                    value,
                    ..CellChunk::default()
                });
            }
        }
        if dice.chance(15) {
            chunks.push(more("").reset());
            let again = chunks[first..chunks.len() - 1].to_vec();
            chunks.extend(again);
        }
        let last = chunks.pop().unwrap();
        chunks.push(last.commit());
    }
    chunks
}

/// Makes a mistake, or a harmless change.
fn corrupt(dice: &mut Dice, chunks: &mut Vec<CellChunk>) {
    if chunks.is_empty() {
        return;
    }
    let at = dice.roll(chunks.len());
    let other = dice.roll(chunks.len());
    match dice.roll(13) {
        0 => drop(chunks.remove(at)),
        1 => chunks.insert(other, chunks[at].clone()),
        2 => chunks.swap(at, other),
        3 => chunks.truncate(at),
        4 => chunks[at].row_key = chunks[other].row_key.clone(),
        5 => chunks[at].family_name = chunks[other].family_name.clone(),
        6 => chunks[at].qualifier = chunks[other].qualifier.clone(),
        7 => chunks[at].row_status = chunks[other].row_status,
        8 => chunks[at].value_size = [-1, 0, 1, i32::MAX][dice.roll(4)],
        9 => chunks[at].timestamp_micros = [-1, 0, i64::MAX][dice.roll(3)],
        10 => chunks[at].labels = chunks[other].labels.clone(),
        11 => {
            let status = [RowStatus::ResetRow(false), RowStatus::CommitRow(false)];
            chunks[at].row_status = Some(status[dice.roll(2)]);
        }
        _ => chunks.insert(at, more("").reset()),
    }
}

/// The rows up to the first mistake, and whether there was one.
fn assembled(dice: &mut Dice, chunks: &[CellChunk]) -> (Vec<Row>, bool) {
    let mut assembler = RowAssembler::new(false);
    let mut rows = Vec::new();
    let mut rest = chunks;
    let mut broken = false;
    while !rest.is_empty() && !broken {
        let (now, later) = rest.split_at(1 + dice.roll(rest.len()));
        rest = later;
        let message = ReadRowsResponse {
            chunks: now.to_vec(),
            ..ReadRowsResponse::default()
        };
        let message = prost::Message::encode_to_vec(&message).into();
        broken = assembler.take_message(message).is_err();
        let batch = assembler.take_rows().unwrap_or_default();
        rows.extend(batch.rows().map(|row| row.to_row()));
    }
    (rows, broken || assembler.finish().is_err())
}

#[test]
fn mistakes_are_found_as_by_a_simple_machine() {
    let nightly = std::env::var("BIGTABLE_MODEL_NIGHTLY").is_ok_and(|value| value == "1");
    let streams = if nightly { 200_000 } else { 3_000 };
    let (mut accepted, mut refused) = (0, 0);
    for seed in 0..streams {
        let mut dice = Dice(seed);
        let mut chunks = stream(&mut dice);
        for _ in 0..dice.roll(4) {
            corrupt(&mut dice, &mut chunks);
        }
        let mut machine = Machine::default();
        let taken = chunks
            .iter()
            .try_for_each(|chunk| machine.take(chunk).ok_or(()));
        let broken = taken.is_err() || machine.open.is_some();
        let found = assembled(&mut dice, &chunks);
        assert_eq!(found, (machine.rows, broken), "seed {seed}: {chunks:?}");
        match broken {
            true => refused += 1,
            false => accepted += 1,
        }
    }
    let few = streams / 10;
    assert!(accepted > few && refused > few, "{accepted} {refused}");
}
