//! Every way in which a few rows can be cut into chunks, and the chunks into messages.

use super::*;

fn cell(family: &'static str, qualifier: &'static str, time: i64, value: &'static str) -> Cell {
    Cell {
        family: family.into(),
        qualifier: b(qualifier),
        timestamp_micros: time,
        value: b(value),
        labels: Vec::new(),
    }
}

/// Rows of one cell and of several, some empty values, one column twice.
fn sample() -> Vec<Row> {
    let row = |key: &'static str, cells: Vec<Cell>| Row { key: b(key), cells };
    let first = vec![
        cell("f", "q", 2, "abc"),
        cell("f", "q", 1, ""),
        cell("g", "", 0, "xy"),
    ];
    vec![
        row("a", first),
        row("b", vec![cell("f", "q", 0, "")]),
        row("c", vec![cell("f", "q", 3, "vw")]),
    ]
}

/// All ways to cut a value: its parts. An empty value is one part.
fn parts(value: &Bytes) -> Vec<Vec<Bytes>> {
    let places = value.len().saturating_sub(1);
    let ways = (0..1_u32 << places).map(|way| {
        let mut rest = value.clone();
        let mut parts = Vec::new();
        for place in (0..places).rev().filter(|place| way >> place & 1 == 1) {
            parts.push(rest.split_off(place + 1));
        }
        parts.push(rest);
        parts.reverse();
        parts
    });
    ways.collect()
}

/// All ways to cut rows into chunks.
fn chunkings(rows: &[Row]) -> Vec<Vec<CellChunk>> {
    let mut ways = vec![Vec::new()];
    for row in rows {
        for (number, cell) in row.cells.iter().enumerate() {
            let more = parts(&cell.value).into_iter().map(|parts| {
                let mut chunks = in_parts(cell, parts);
                if let (0, Some(first)) = (number, chunks.first_mut()) {
                    first.row_key = row.key.clone();
                }
                if let (true, Some(last)) = (number + 1 == row.cells.len(), chunks.last_mut()) {
                    last.row_status = Some(RowStatus::CommitRow(true));
                }
                chunks
            });
            let more: Vec<_> = more.collect();
            let longer = ways.iter().flat_map(|way: &Vec<CellChunk>| {
                more.iter().map(|chunks| [&way[..], &chunks[..]].concat())
            });
            ways = longer.collect();
        }
    }
    ways
}

/// The chunks of one cell; all but the last say that more follows.
fn in_parts(cell: &Cell, parts: Vec<Bytes>) -> Vec<CellChunk> {
    let last = parts.len() - 1;
    let name = |value: &Bytes| {
        Some(BytesValue {
            value: value.clone(),
        })
    };
    let chunks = parts.into_iter().enumerate().map(|(number, value)| {
        let first = CellChunk {
            family_name: name(cell.family.as_bytes()),
            qualifier: name(&cell.qualifier),
            timestamp_micros: cell.timestamp_micros,
            ..CellChunk::default()
        };
        CellChunk {
            value,
            value_size: if number < last {
                i32::try_from(cell.value.len()).unwrap()
            } else {
                0
            },
            ..if number == 0 {
                first
            } else {
                CellChunk::default()
            }
        }
    });
    chunks.collect()
}

/// All ways to cut chunks into messages. Every second way has an empty message after each, and
/// names the last row before a message that begins a new one as scanned.
fn messages(chunks: &[CellChunk]) -> impl Iterator<Item = Vec<Bytes>> {
    let places = chunks.len() - 1;
    (0..2_u32 << places).map(move |way| {
        let (cuts, wordy) = (way >> 1, way & 1 == 1);
        let mut messages = Vec::new();
        let mut message = ReadRowsResponse::default();
        let mut key = Bytes::new();
        for (place, chunk) in chunks.iter().enumerate() {
            if !chunk.row_key.is_empty() {
                key = chunk.row_key.clone();
            }
            message.chunks.push(chunk.clone());
            if cuts >> place & 1 == 1 || place == places {
                if wordy && chunk.row_status.is_some() {
                    message.last_scanned_row_key = key.clone();
                }
                messages.push(prost::Message::encode_to_vec(&message).into());
                message = ReadRowsResponse::default();
                if wordy {
                    messages.push(Bytes::new());
                }
            }
        }
        messages
    })
}

/// Takes messages as a read does.
fn take(assembler: &mut RowAssembler, messages: &[Bytes], rows: &mut Vec<Row>) {
    for message in messages {
        let mut chunks = Chunks::new(message.clone());
        while let Some(mut chunk) = chunks.next().unwrap() {
            assembler.push(&mut chunk).unwrap();
        }
        let (scanned, tail) = chunks.finish();
        assembler.message_ended(tail).unwrap();
        if !scanned.is_empty() {
            assembler.scanned(&scanned).unwrap();
        }
        let batch = assembler.take_rows().unwrap_or_default();
        rows.extend(batch.rows().map(|row| row.to_row()));
    }
}

#[test]
fn rows_survive_every_cut_into_chunks_and_messages() {
    let sample = sample();
    let chunkings = chunkings(&sample);
    // "abc" has two places, "xy" and "vw" have one each.
    assert_eq!(chunkings.len(), 16);
    let mut ways = 0;
    for chunks in &chunkings {
        for messages in messages(chunks) {
            let mut assembler = RowAssembler::new(false);
            let mut rows = Vec::new();
            take(&mut assembler, &messages, &mut rows);
            assembler.finish().unwrap();
            assert_eq!(rows, sample, "{messages:?}");
            ways += 1;
        }
    }
    let expected: u32 = chunkings.iter().map(|chunks| 1 << chunks.len()).sum();
    assert_eq!(ways, expected);
}

/// Then it continues with what is left, one chunk for each cell: no row is lost, none comes twice.
#[test]
fn a_read_may_break_off_after_any_message_of_any_cut() {
    let sample = sample();
    let whole = |rows: &[Row]| {
        let chunks = chunkings(rows).swap_remove(0);
        messages(&chunks).next().unwrap()
    };
    for chunks in chunkings(&sample) {
        for messages in messages(&chunks) {
            for taken in 0..=messages.len() {
                let mut assembler = RowAssembler::new(false);
                let mut rows = Vec::new();
                take(&mut assembler, &messages[..taken], &mut rows);
                assembler.interrupt();
                let position = assembler.position();
                let left = sample.partition_point(|row| Some(&row.key) <= position.as_ref());
                assert_eq!(left, rows.len(), "the position is after the last row");
                if left < sample.len() {
                    take(&mut assembler, &whole(&sample[left..]), &mut rows);
                }
                assembler.finish().unwrap();
                assert_eq!(rows, sample, "{taken} of {messages:?}");
            }
        }
    }
}
