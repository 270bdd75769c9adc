//! Rows that take more memory than they may, and rows that nobody asked for.

use super::*;
use crate::data::{RowRange, RowSet};
use crate::grpc::protocol::assemble::Asked;

const MOST: usize = 1 << 20;

/// Feeds messages until the row is refused; returns how many there were.
fn endless(mut message: impl FnMut(usize) -> Bytes) -> (usize, Status) {
    let mut assembler = RowAssembler::new(false).with_most(MOST);
    let mut number = 0;
    loop {
        assert!(number < 1_000_000, "no end");
        let mut chunks = Chunks::new(message(number));
        let taken = loop {
            match chunks.next() {
                Ok(Some(mut chunk)) => match assembler.push(&mut chunk) {
                    Ok(()) => {}
                    Err(status) => break Err(status),
                },
                Ok(None) => break assembler.message_ended(chunks.finish().1),
                Err(status) => break Err(status),
            }
        };
        if let Err(status) = taken {
            return (number, status);
        }
        number += 1;
    }
}

fn message(chunk: CellChunk) -> Vec<u8> {
    let chunks = vec![chunk];
    prost::Message::encode_to_vec(&ReadRowsResponse {
        chunks,
        ..ReadRowsResponse::default()
    })
}

/// The first chunk of a row, then others.
fn first_or(number: usize, other: CellChunk) -> CellChunk {
    match number {
        0 => CellChunk {
            row_key: "the key".into(),
            ..column("f", "q", "")
        },
        _ => other,
    }
}

#[test]
fn a_row_without_an_end_is_refused_by_name() {
    let kib: &'static str = Box::leak("v".repeat(1 << 10).into());
    // An unknown field, which is skipped and kept with its message.
    let mut junk = Vec::new();
    prost::encoding::bytes::encode(15, &vec![0; 1 << 10], &mut junk);
    type Endless<'a> = (&'a str, &'a dyn Fn(usize) -> Bytes, usize);
    let endings: [Endless<'_>; 6] = [
        ("values", &|n| message(first_or(n, more(kib))).into(), 1_024),
        (
            "a value",
            &|n| {
                let sized = more(kib).sized(1 << 30);
                message(if n == 0 {
                    start("the key", "").sized(9)
                } else {
                    sized
                })
                .into()
            },
            1_024,
        ),
        (
            "cells",
            &|n| message(first_or(n, more(""))).into(),
            MOST / (CELL + 2),
        ),
        (
            "labels",
            &|n| message(first_or(n, more("").labelled(kib))).into(),
            1_024,
        ),
        (
            "families",
            &|n| {
                let family = format!("{n:08}").leak();
                message(first_or(n, column(family, "", ""))).into()
            },
            12_000,
        ),
        (
            "junk",
            &|n| {
                [message(first_or(n, more(""))), junk.clone()]
                    .concat()
                    .into()
            },
            1_024,
        ),
    ];
    for (what, message, most) in endings {
        let (messages, error) = endless(message);
        assert_eq!(error.code, Code::ResourceExhausted, "{what}");
        let words = "row \"the key\" takes over 1 MiB after the filter";
        assert!(error.message.contains(words), "{what}: {error}");
        assert!(
            (most / 2..=most + 1).contains(&messages),
            "{what}: {messages}"
        );
    }
}

/// The limit is for one row, however many rows there are.
#[test]
fn rows_of_the_allowed_size_are_taken() {
    let half: &'static str = Box::leak("v".repeat(MOST / 2).into());
    let mut assembler = RowAssembler::new(false).with_most(MOST);
    for key in ["a", "b", "c", "d"] {
        let chunks = [
            start(key, half),
            more("").reset(),
            start(key, half),
            more(half).commit(),
        ];
        let rows = chunks.map(|mut chunk| {
            // The qualifier counts too.
            chunk.qualifier = chunk.qualifier.map(|_| BytesValue::default());
            assembler.take(chunk).unwrap()
        });
        assert_eq!(rows.into_iter().flatten().count(), 1);
    }
}

#[test]
fn labels_that_no_filter_makes_are_refused() {
    let labels = |count| CellChunk {
        labels: vec![String::new(); count],
        ..start("k", "v").commit()
    };
    assert_eq!(shown([labels(4_096)]).len(), 1);
    let error = read([labels(4_097)]).unwrap_err();
    assert!(error.message.contains("over 4096 labels"), "{error}");
}

#[test]
fn rows_that_were_not_asked_for_are_refused() {
    let set = RowSet {
        keys: vec![b("x"), b("b")],
        ranges: vec![RowRange::half_open("d", "g")],
    };
    let read = |keys: &[&'static str], reversed: bool| {
        let mut assembler = RowAssembler::new(reversed);
        assembler.ask(Asked::rows(&set, reversed));
        let taken = keys
            .iter()
            .map(|key| assembler.take(start(key, "v").commit()));
        taken.collect::<Result<Vec<_>, _>>().map(|rows| rows.len())
    };
    assert_eq!(read(&["b", "d", "f", "x"], false), Ok(4));
    assert_eq!(read(&["x", "e", "b"], true), Ok(3));
    assert_eq!(read(&[], false), Ok(0));
    for reversed in [false, true] {
        for wrong in ["a", "c", "g", "y"] {
            let error = read(&[wrong], reversed).unwrap_err();
            assert_eq!(error.code, Code::Internal);
            let words = format!("row \"{wrong}\" was not asked for");
            assert!(error.message.contains(&words), "{error}");
        }
    }
    assert!(read(&["b", "d", "h"], false).is_err());
    assert!(read(&["x", "c"], true).is_err());
}
