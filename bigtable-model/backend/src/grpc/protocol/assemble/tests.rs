#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

mod bounds;
mod corrupted;
mod cuts;

use proptest::prelude::*;

use super::*;
use crate::data::{Cell, Row};
use crate::grpc::protocol::chunk::Chunks;
use crate::grpc::protocol::wire::{BytesValue, CellChunk, ReadRowsResponse};

impl RowAssembler {
    /// Takes a chunk that comes in a message of its own.
    pub(crate) fn take(&mut self, chunk: CellChunk) -> Result<Option<Row>, Status> {
        let message = ReadRowsResponse {
            chunks: vec![chunk],
            ..ReadRowsResponse::default()
        };
        self.take_message(prost::Message::encode_to_vec(&message).into())?;
        let rows = self.take_rows();
        Ok(rows.and_then(|rows| Some(rows.row(0)?.to_row())))
    }

    /// Takes the chunks of a message.
    fn take_message(&mut self, message: Bytes) -> Result<(), Status> {
        let mut chunks = Chunks::new(message);
        while let Some(mut chunk) = chunks.next()? {
            self.push(&mut chunk)?;
        }
        Ok(())
    }
}

fn b(text: &'static str) -> Bytes {
    Bytes::from_static(text.as_bytes())
}

/// A chunk that continues everything and carries a value.
fn more(value: &'static str) -> CellChunk {
    CellChunk {
        value: b(value),
        ..CellChunk::default()
    }
}

/// A chunk that names its column.
fn column(family: &'static str, qualifier: &'static str, value: &'static str) -> CellChunk {
    CellChunk {
        family_name: Some(BytesValue { value: b(family) }),
        qualifier: Some(BytesValue {
            value: b(qualifier),
        }),
        ..more(value)
    }
}

/// A chunk that begins a row.
fn start(key: &'static str, value: &'static str) -> CellChunk {
    CellChunk {
        row_key: b(key),
        ..column("f", "q", value)
    }
}

trait Chunk {
    fn at(self, micros: i64) -> CellChunk;
    fn sized(self, size: i32) -> CellChunk;
    fn labelled(self, label: &str) -> CellChunk;
    fn commit(self) -> CellChunk;
    fn reset(self) -> CellChunk;
}

impl Chunk for CellChunk {
    fn at(mut self, micros: i64) -> CellChunk {
        self.timestamp_micros = micros;
        self
    }

    fn sized(mut self, size: i32) -> CellChunk {
        self.value_size = size;
        self
    }

    fn labelled(mut self, label: &str) -> CellChunk {
        self.labels.push(label.to_owned());
        self
    }

    fn commit(mut self) -> CellChunk {
        self.row_status = Some(RowStatus::CommitRow(true));
        self
    }

    fn reset(mut self) -> CellChunk {
        self.row_status = Some(RowStatus::ResetRow(true));
        self
    }
}

/// The rows of a whole stream, or its error: with one message for each chunk, and with one message
/// for all of them.
fn read(chunks: impl IntoIterator<Item = CellChunk>) -> Result<Vec<Row>, Status> {
    let chunks: Vec<CellChunk> = chunks.into_iter().collect();
    let rows = read_one_by_one(chunks.clone());
    let together = read_together(chunks);
    assert_eq!(format!("{together:?}"), format!("{rows:?}"));
    rows
}

fn read_one_by_one(chunks: Vec<CellChunk>) -> Result<Vec<Row>, Status> {
    let mut assembler = RowAssembler::new(false);
    let mut rows = Vec::new();
    for chunk in chunks {
        rows.extend(assembler.take(chunk)?);
    }
    assembler.finish()?;
    Ok(rows)
}

fn read_together(chunks: Vec<CellChunk>) -> Result<Vec<Row>, Status> {
    let message = ReadRowsResponse {
        chunks,
        ..ReadRowsResponse::default()
    };
    let mut assembler = RowAssembler::new(false);
    assembler.take_message(prost::Message::encode_to_vec(&message).into())?;
    assembler.finish()?;
    let rows = assembler.take_rows().unwrap_or_default();
    Ok(rows.rows().map(|row| row.to_row()).collect())
}

/// As `family:qualifier@timestamp=value[labels]`, cell by cell.
fn show(row: &Row) -> String {
    let cells = row.cells.iter().map(|cell| {
        format!(
            "{}:{}@{}={}{}",
            cell.family,
            cell.qualifier.escape_ascii(),
            cell.timestamp_micros,
            cell.value.escape_ascii(),
            cell.labels
                .iter()
                .map(|l| format!("[{l}]"))
                .collect::<String>()
        )
    });
    let cells: Vec<_> = cells.collect();
    format!("{} {}", row.key.escape_ascii(), cells.join(" "))
}

fn shown(chunks: impl IntoIterator<Item = CellChunk>) -> Vec<String> {
    read(chunks).unwrap().iter().map(show).collect()
}

fn refused(chunks: impl IntoIterator<Item = CellChunk>, words: &str) {
    let error = read(chunks).unwrap_err();
    assert_eq!(error.code, Code::Internal);
    assert!(error.message.contains(words), "{}", error.message);
}

#[test]
fn a_row_of_one_chunk() {
    assert_eq!(shown([start("k", "v").at(5).commit()]), ["k f:q@5=v"]);
    assert_eq!(shown([start("k", "").commit()]), ["k f:q@0="]);
    assert_eq!(shown([]), [] as [&str; 0]);
}

/// A row that is not complete keeps its place while others are taken.
#[test]
fn rows_are_taken_while_another_is_in_progress() {
    let mut assembler = RowAssembler::new(false);
    let message = |chunks: Vec<CellChunk>| {
        let message = ReadRowsResponse {
            chunks,
            ..ReadRowsResponse::default()
        };
        prost::Message::encode_to_vec(&message).into()
    };
    let first = vec![
        start("a", "1").commit(),
        start("b", "2").labelled("x"),
        column("g", "r", "3").sized(2),
    ];
    assembler.take_message(message(first)).unwrap();
    let rows = assembler.take_rows().unwrap();
    assert_eq!(rows.len(), 1);
    assert!(assembler.take_rows().is_none());
    let second = vec![more("4").commit(), start("c", "5").commit()];
    assembler.take_message(message(second)).unwrap();
    let more = assembler.take_rows().unwrap();
    let shown: Vec<_> = rows
        .rows()
        .chain(more.rows())
        .map(|row| show(&row.to_row()))
        .collect();
    assert_eq!(shown, ["a f:q@0=1", "b f:q@0=2[x] g:r@0=34", "c f:q@0=5"]);
}

/// Every message ends inside a row: of earlier messages, only those of that row are held.
#[test]
fn messages_of_complete_rows_are_not_held() {
    let mut assembler = RowAssembler::new(false);
    for number in 0..50 {
        let tail = (number > 0).then(|| more("tail").commit());
        let head = CellChunk {
            row_key: format!("{number:04}").into(),
            ..start("", "head").labelled("x").sized(8)
        };
        let message = ReadRowsResponse {
            chunks: tail.into_iter().chain([head]).collect(),
            ..ReadRowsResponse::default()
        };
        let message = prost::Message::encode_to_vec(&message).into();
        assembler.take_message(message).unwrap();
        let rows = assembler.take_rows();
        let shown = rows.map(|rows| show(&rows.row(0).unwrap().to_row()));
        let expected = (number > 0).then(|| format!("{:04} f:q@0=headtail[x]", number - 1));
        assert_eq!(shown, expected);
        assert!(assembler.batch.buffers() <= 1, "{:?}", assembler.batch);
    }
    assembler.interrupt();
    assert_eq!(assembler.batch.buffers(), 0);
}

#[test]
fn a_batch_is_full_with_some_cells() {
    let mut assembler = RowAssembler::new(false);
    for number in 0..CELLS {
        assert!(!assembler.is_full());
        let key = format!("{number:04}");
        let chunk = CellChunk {
            row_key: key.into(),
            ..start("", "v").commit()
        };
        let message = ReadRowsResponse {
            chunks: vec![chunk],
            ..ReadRowsResponse::default()
        };
        assembler
            .take_message(prost::Message::encode_to_vec(&message).into())
            .unwrap();
    }
    assert!(assembler.is_full());
    assert_eq!(assembler.take_rows().map(|rows| rows.len()), Some(CELLS));
    assert!(!assembler.is_full());
}

#[test]
fn cells_continue_the_column_of_the_one_before() {
    let rows = shown([
        start("k", "1").at(9),
        more("2").at(8),
        CellChunk {
            family_name: None,
            ..column("", "r", "3")
        },
        column("g", "q", "4").at(7),
        column("f", "", "5").commit(),
    ]);
    assert_eq!(rows, ["k f:q@9=1 f:q@8=2 f:r@0=3 g:q@7=4 f:@0=5"]);
}

#[test]
fn a_cell_without_a_timestamp_has_0_and_not_the_one_before() {
    assert_eq!(
        shown([start("k", "1").at(9), more("2").commit()]),
        ["k f:q@9=1 f:q@0=2"]
    );
}

#[test]
fn a_bare_commit_is_an_empty_cell() {
    assert_eq!(
        shown([start("k", "1").at(9), more("").commit()]),
        ["k f:q@9=1 f:q@0="]
    );
}

#[test]
fn the_key_may_be_repeated_inside_its_row() {
    let rows = shown([start("k", "1"), start("k", "2").commit()]);
    assert_eq!(rows, ["k f:q@0=1 f:q@0=2"]);
}

#[test]
fn a_split_value_keeps_what_its_first_chunk_said() {
    let rows = shown([
        start("k", "ab").at(9).labelled("l").sized(6),
        more("cd").sized(6),
        more("ef"),
        more("x").at(8).sized(2),
        more("y").commit(),
    ]);
    assert_eq!(rows, ["k f:q@9=abcdef[l] f:q@8=xy"]);
}

#[test]
fn the_size_of_a_split_value_is_not_trusted_with_memory() {
    let rows = shown([start("k", "a").sized(i32::MAX), more("b").commit()]);
    assert_eq!(rows, ["k f:q@0=ab"]);
}

#[test]
fn labels_stay_with_their_cell() {
    let rows = shown([
        start("k", "1").labelled("a"),
        more("2"),
        more("3").labelled("b").commit(),
    ]);
    assert_eq!(rows, ["k f:q@0=1[a] f:q@0=2 f:q@0=3[b]"]);
}

#[test]
fn a_reset_drops_the_row_in_progress() {
    let reset = || more("").reset();
    let rows = shown([
        start("a", "1"),
        more("2"),
        reset(),
        start("a", "3").commit(),
    ]);
    assert_eq!(rows, ["a f:q@0=3"]);
    let rows = shown([start("a", "1").sized(9), reset(), start("b", "2").commit()]);
    assert_eq!(rows, ["b f:q@0=2"]);
    assert_eq!(shown([start("a", "1"), reset()]), [] as [&str; 0]);
    refused([reset()], "reset_row outside a row");
    refused(
        [start("a", "1").commit(), reset()],
        "reset_row outside a row",
    );
    refused([start("a", "1"), more("2").reset()], "reset_row with data");
    refused(
        [start("a", "1"), start("a", "").reset()],
        "reset_row with data",
    );
    refused(
        [start("a", "1"), more("").sized(1).reset()],
        "reset_row with data",
    );
    refused(
        [start("a", "1"), reset(), more("2").commit()],
        "without a key",
    );
}

#[test]
fn a_row_begins_with_key_family_and_qualifier() {
    refused([column("f", "q", "v").commit()], "a row without a key");
    let bare = CellChunk {
        row_key: b("k"),
        ..more("v")
    };
    refused([bare.clone().commit()], "no family or no qualifier");
    let no_qualifier = CellChunk {
        qualifier: None,
        ..start("k", "v")
    };
    refused([no_qualifier.commit()], "no family or no qualifier");
    let no_family = CellChunk {
        family_name: None,
        ..start("k", "v")
    };
    refused([no_family.commit()], "no family or no qualifier");
}

#[test]
fn a_family_comes_with_a_qualifier() {
    let family_only = CellChunk {
        qualifier: None,
        ..column("g", "", "2")
    };
    refused(
        [start("k", "1"), family_only.commit()],
        "a family without a qualifier",
    );
}

#[test]
fn a_family_is_text() {
    let mut chunk = start("k", "v").commit();
    chunk.family_name = Some(BytesValue {
        value: Bytes::from_static(b"\xff"),
    });
    refused([chunk], "not UTF-8");
}

#[test]
fn rows_do_not_interleave() {
    refused(
        [start("a", "1"), start("b", "2").commit()],
        "row \"b\" began before row \"a\" was committed",
    );
}

#[test]
fn nothing_but_value_comes_inside_a_split_value() {
    let split = || start("k", "a").sized(2);
    for chunk in [
        start("k", "b"),
        column("f", "q", "b"),
        more("b").at(1),
        more("b").labelled("l"),
    ] {
        refused([split(), chunk.commit()], "a new cell inside a split value");
    }
    refused([split().commit()], "commit_row inside a split value");
    refused(
        [split(), more("b").sized(2).commit()],
        "commit_row inside a split value",
    );
}

#[test]
fn a_stream_does_not_end_inside_a_row() {
    refused([start("a", "1")], "ended inside row \"a\"");
    refused(
        [start("a", "1").commit(), start("b", "2").sized(3)],
        "ended inside row \"b\"",
    );
}

#[test]
fn keys_ascend() {
    let rows = shown([start("a", "1").commit(), start("b", "2").commit()]);
    assert_eq!(rows, ["a f:q@0=1", "b f:q@0=2"]);
    for key in ["a", "b"] {
        refused(
            [start("b", "1").commit(), start(key, "2").commit()],
            "strictly increasing",
        );
    }
}

#[test]
fn keys_descend_in_a_reversed_read() {
    let mut assembler = RowAssembler::new(true);
    assert!(assembler.take(start("b", "1").commit()).unwrap().is_some());
    assert!(assembler.take(start("a", "1").commit()).unwrap().is_some());
    for key in ["a", "c"] {
        let error = assembler.take(start(key, "1").commit()).unwrap_err();
        assert!(error.message.contains("strictly decreasing"), "{error}");
    }
}

#[test]
fn a_scan_marker_moves_the_position_forward_only() {
    let mut assembler = RowAssembler::new(false);
    assembler.scanned(&b("m")).unwrap();
    assembler.scanned(&b("c")).unwrap();
    let error = assembler.take(start("m", "1").commit()).unwrap_err();
    assert!(error.message.contains("strictly increasing"), "{error}");
    assert!(assembler.take(start("n", "1").commit()).unwrap().is_some());
    assembler.scanned(&b("n")).unwrap();
    assert!(assembler.take(start("o", "1")).unwrap().is_none());
    let error = assembler.scanned(&b("p")).unwrap_err();
    assert!(error.message.contains("inside a row"), "{error}");

    let mut reversed = RowAssembler::new(true);
    reversed.scanned(&b("m")).unwrap();
    let error = reversed.take(start("n", "1").commit()).unwrap_err();
    assert!(error.message.contains("strictly decreasing"), "{error}");
}

/// Cuts rows into chunks: columns named when they change, values split as `cuts` say.
fn cut(rows: &[Row], cuts: &[usize]) -> Vec<CellChunk> {
    let mut cuts = cuts.iter().cycle();
    let mut chunks = Vec::new();
    for row in rows {
        let mut before: Option<&Cell> = None;
        for cell in &row.cells {
            let mut chunk = CellChunk {
                timestamp_micros: cell.timestamp_micros,
                ..CellChunk::default()
            };
            if before.is_none() {
                chunk.row_key = row.key.clone();
            }
            if before.is_none_or(|before| before.family != cell.family) {
                chunk.family_name = Some(BytesValue {
                    value: cell.family.as_bytes().clone(),
                });
            }
            if chunk.family_name.is_some()
                || before.is_none_or(|before| before.qualifier != cell.qualifier)
            {
                chunk.qualifier = Some(BytesValue {
                    value: cell.qualifier.clone(),
                });
            }
            let mut rest = cell.value.clone();
            let size = *cuts.next().unwrap();
            while size > 0 && rest.len() > size {
                chunk.value = rest.split_to(size);
                chunk.value_size = i32::try_from(cell.value.len()).unwrap();
                chunks.push(std::mem::take(&mut chunk));
            }
            chunk.value = rest;
            chunks.push(chunk);
            before = Some(cell);
        }
        chunks.last_mut().unwrap().row_status = Some(RowStatus::CommitRow(true));
    }
    chunks
}

fn cells() -> impl Strategy<Value = Vec<Cell>> {
    let cell = ("[fg]", "[a-b]{0,1}", 0i64..3, "[x-z]{0,9}");
    let cell = cell.prop_map(|(family, qualifier, time, value)| Cell {
        family: family.into(),
        qualifier: qualifier.into(),
        timestamp_micros: time,
        value: value.into(),
        labels: Vec::new(),
    });
    prop::collection::vec(cell, 1..6)
}

proptest! {
    /// However rows are cut into chunks, they come out as they were.
    #[test]
    fn rows_survive_any_cut(
        rows in prop::collection::btree_map("[a-z]{1,3}", cells(), 0..6),
        cuts in prop::collection::vec(0usize..5, 1..8),
    ) {
        let rows: Vec<_> = rows
            .into_iter()
            .map(|(key, cells)| Row { key: key.into(), cells })
            .collect();
        prop_assert_eq!(read(cut(&rows, &cuts)), Ok(rows));
    }

    /// No sequence of chunks makes it panic.
    #[test]
    fn any_chunks_are_rows_or_an_error(
        chunks in prop::collection::vec(
            (0u8..64, "[ab]?", "[ab]?", "[ab]{0,3}", -1i32..3).prop_map(|(bits, key, name, value, size)| {
                let name = || Some(BytesValue { value: name.clone().into() });
                CellChunk {
                    row_key: key.into(),
                    family_name: (bits & 1 != 0).then(name).flatten(),
                    qualifier: (bits & 2 != 0).then(name).flatten(),
                    timestamp_micros: i64::from(bits & 4),
                    labels: Vec::new(),
                    value: value.into(),
                    value_size: size,
                    row_status: match bits >> 3 {
                        0 => Some(RowStatus::ResetRow(true)),
                        1 | 2 => Some(RowStatus::CommitRow(true)),
                        3 => Some(RowStatus::CommitRow(false)),
                        _ => None,
                    },
                }
            }),
            0..12,
        )
    ) {
        if let Ok(rows) = read(chunks) {
            prop_assert!(rows.is_sorted_by(|a, b| a.key < b.key));
            prop_assert!(rows.iter().all(|row| !row.cells.is_empty()));
        }
    }
}
