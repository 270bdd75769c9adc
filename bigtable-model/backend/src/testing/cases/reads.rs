//! Row sets, order, limits, and reads during writes.

use std::ops::Bound;

use bytes::Bytes;
use futures::TryStreamExt;
use futures::future::try_join;

use super::cases;
use crate::data::{Mutation, ReadRows, Row, RowFilter, RowRange, RowSet};
use crate::testing::expect::{CaseResult, expect, expect_code, expect_eq};
use crate::testing::scratch::{Scratch, entry, set, strings};
use crate::{Code, Status};

cases! { "reads":
    no_keys_and_ranges_are_all_rows,
    keys_come_in_byte_order,
    keys_and_ranges_are_united,
    bounds_of_ranges,
    an_open_end_of_nothing_is_the_table_end,
    a_range_of_one_key_is_valid,
    an_inverted_range_is_refused,
    an_empty_range_is_refused,
    a_range_without_a_key_has_no_rows,
    a_prefix,
    reversed,
    reversed_ranges_and_limit,
    a_limit_counts_rows_delivered,
    a_negative_limit_is_refused,
    a_missing_table_is_not_found,
    a_long_scan_is_complete,
    a_long_reversed_scan_is_complete,
    a_stream_ends_after_an_error,
    a_stream_may_be_dropped,
    writes_during_a_scan_do_not_wait,
    many_keys,
    reads_see_whole_rows,
    a_large_value,
    a_wide_row,
}

async fn fill(t: &Scratch<'_>) -> Result<(), Status> {
    t.fill(&["a", "b", "c", "d", "e"]).await
}

fn range(start: Bound<&'static str>, end: Bound<&'static str>) -> RowRange {
    let bytes = |text: &'static str| Bytes::from_static(text.as_bytes());
    RowRange {
        start: start.map(bytes),
        end: end.map(bytes),
    }
}

fn ranges(ranges: &[RowRange]) -> RowSet {
    RowSet {
        keys: Vec::new(),
        ranges: ranges.to_vec(),
    }
}

async fn no_keys_and_ranges_are_all_rows(t: &Scratch<'_>) -> CaseResult {
    fill(t).await?;
    let keys = t.keys_of(RowSet::all()).await?;
    expect_eq("keys", &keys, &strings(&["a", "b", "c", "d", "e"]))
}

async fn keys_come_in_byte_order(t: &Scratch<'_>) -> CaseResult {
    t.fill(&["b", "a", "B", "aa", "\u{e9}", "a\0"]).await?;
    let keys = t.keys(t.request()).await?;
    let expected = strings(&["B", "a", "a\\x00", "aa", "b", "\\xc3\\xa9"]);
    expect_eq("keys", &keys, &expected)
}

async fn keys_and_ranges_are_united(t: &Scratch<'_>) -> CaseResult {
    fill(t).await?;
    let rows = RowSet {
        keys: ["e", "b", "b", "a", "x"].map(Bytes::from).to_vec(),
        ranges: vec![RowRange::half_open("b", "d"), RowRange::half_open("c", "d")],
    };
    let keys = t.keys_of(rows).await?;
    expect_eq("keys", &keys, &strings(&["a", "b", "c", "e"]))
}

async fn bounds_of_ranges(t: &Scratch<'_>) -> CaseResult {
    use Bound::{Excluded, Included, Unbounded};
    fill(t).await?;
    for (start, end, expected) in [
        (Included("b"), Included("d"), ["b", "c", "d"].as_slice()),
        (Included("b"), Excluded("d"), &["b", "c"]),
        (Excluded("b"), Included("d"), &["c", "d"]),
        (Excluded("b"), Excluded("d"), &["c"]),
        (Unbounded, Excluded("c"), &["a", "b"]),
        (Unbounded, Included("c"), &["a", "b", "c"]),
        (Included("c"), Unbounded, &["c", "d", "e"]),
        (Excluded("c"), Unbounded, &["d", "e"]),
        (Included("bb"), Excluded("cc"), &["c"]),
        (Unbounded, Unbounded, &["a", "b", "c", "d", "e"]),
    ] {
        let range = range(start, end);
        let what = format!("keys of {range}");
        let keys = t.keys_of(RowSet::range(range)).await?;
        expect_eq(&what, &keys, &strings(expected))?;
    }
    Ok(())
}

async fn an_open_end_of_nothing_is_the_table_end(t: &Scratch<'_>) -> CaseResult {
    fill(t).await?;
    let open = range(Bound::Included("d"), Bound::Excluded(""));
    let keys = t.keys_of(RowSet::range(open)).await?;
    expect_eq("keys", &keys, &strings(&["d", "e"]))
}

async fn a_range_of_one_key_is_valid(t: &Scratch<'_>) -> CaseResult {
    fill(t).await?;
    let one = range(Bound::Included("c"), Bound::Included("c"));
    let keys = t.keys_of(RowSet::range(one)).await?;
    expect_eq("keys", &keys, &strings(&["c"]))
}

async fn an_inverted_range_is_refused(t: &Scratch<'_>) -> CaseResult {
    fill(t).await?;
    let rows = RowSet::range(RowRange::half_open("d", "b"));
    expect_code("[d, b)", t.keys_of(rows).await, Code::InvalidArgument)
}

async fn an_empty_range_is_refused(t: &Scratch<'_>) -> CaseResult {
    fill(t).await?;
    let rows = RowSet::range(RowRange::half_open("b", "b"));
    expect_code("[b, b)", t.keys_of(rows).await, Code::InvalidArgument)
}

/// Its end is after its start, but no key is between them.
async fn a_range_without_a_key_has_no_rows(t: &Scratch<'_>) -> CaseResult {
    t.fill(&["b", "b\0"]).await?;
    let between = range(Bound::Excluded("b"), Bound::Excluded("b\0"));
    let keys = t.keys_of(RowSet::range(between)).await?;
    expect_eq("keys", &keys, &Vec::new())
}

async fn a_prefix(t: &Scratch<'_>) -> CaseResult {
    t.fill(&["a", "a#1", "a#2", "a$", "b"]).await?;
    let keys = t.keys_of(RowSet::range(RowRange::prefix("a#"))).await?;
    expect_eq("keys", &keys, &strings(&["a#1", "a#2"]))
}

async fn reversed(t: &Scratch<'_>) -> CaseResult {
    fill(t).await?;
    let request = ReadRows {
        reversed: true,
        ..t.request()
    };
    let keys = t.keys(request).await?;
    expect_eq("keys", &keys, &strings(&["e", "d", "c", "b", "a"]))
}

async fn reversed_ranges_and_limit(t: &Scratch<'_>) -> CaseResult {
    fill(t).await?;
    let request = ReadRows {
        rows: ranges(&[RowRange::half_open("a", "c"), RowRange::half_open("d", "f")]),
        rows_limit: 3,
        reversed: true,
        ..t.request()
    };
    let keys = t.keys(request).await?;
    expect_eq("keys", &keys, &strings(&["e", "d", "b"]))
}

async fn a_limit_counts_rows_delivered(t: &Scratch<'_>) -> CaseResult {
    fill(t).await?;
    let request = ReadRows {
        filter: Some(RowFilter::ValueRegex(Bytes::from_static(b"[b-e]"))),
        rows_limit: 2,
        ..t.request()
    };
    let keys = t.keys(request).await?;
    expect_eq("keys", &keys, &strings(&["b", "c"]))
}

async fn a_negative_limit_is_refused(t: &Scratch<'_>) -> CaseResult {
    let request = ReadRows {
        rows_limit: -1,
        ..t.request()
    };
    expect_code("limit -1", t.keys(request).await, Code::InvalidArgument)
}

async fn a_missing_table_is_not_found(t: &Scratch<'_>) -> CaseResult {
    let request = ReadRows {
        table: t.new_name(),
        ..ReadRows::default()
    };
    expect_code("read", t.keys(request).await, Code::NotFound)?;
    let row = entry("r", vec![set("f", "q", 1_000, "v")]);
    let got = t.db.mutate_row(&t.new_name(), row).await;
    expect_code("write", got, Code::NotFound)
}

/// Writes rows `r0000` and so on, with values of some size.
async fn many(t: &Scratch<'_>, count: usize) -> Result<Vec<String>, Status> {
    let keys: Vec<_> = (0..count).map(|number| format!("r{number:04}")).collect();
    let rows = keys.iter().map(|key| {
        let mut row = entry("", vec![set("f", "q", 1_000, &key.repeat(20))]);
        row.key = Bytes::copy_from_slice(key.as_bytes());
        row
    });
    for outcome in t.mutate_rows(rows.collect()).await? {
        outcome?;
    }
    Ok(keys)
}

async fn a_long_scan_is_complete(t: &Scratch<'_>) -> CaseResult {
    let expected = many(t, 1_500).await?;
    let keys = t.keys(t.request()).await?;
    expect_eq("keys", &keys, &expected)
}

async fn a_long_reversed_scan_is_complete(t: &Scratch<'_>) -> CaseResult {
    let mut expected = many(t, 1_500).await?;
    expected.reverse();
    let request = ReadRows {
        reversed: true,
        ..t.request()
    };
    let keys = t.keys(request).await?;
    expect_eq("keys", &keys, &expected)
}

async fn a_stream_ends_after_an_error(t: &Scratch<'_>) -> CaseResult {
    let request = ReadRows {
        table: t.new_name(),
        ..ReadRows::default()
    };
    let mut rows = t.db.read_rows(request).rows();
    expect("the first item is an error", rows.try_next().await.is_err())?;
    expect_eq("what follows", &rows.try_next().await, &Ok(None))
}

async fn a_stream_may_be_dropped(t: &Scratch<'_>) -> CaseResult {
    many(t, 200).await?;
    let mut rows = t.db.read_rows(t.request()).rows();
    let first = rows.try_next().await?;
    expect("there is a row", first.is_some())?;
    drop(rows);
    t.fill(&["after"]).await?;
    t.expect_cells("after", &["f:q@1=after"]).await
}

async fn writes_during_a_scan_do_not_wait(t: &Scratch<'_>) -> CaseResult {
    let expected = many(t, 600).await?;
    let mut rows = t.db.read_rows(t.request()).rows();
    let mut keys = Vec::new();
    while let Some(row) = rows.try_next().await? {
        if keys.len() % 100 == 0 {
            // Before the first row, so the scan has passed it.
            t.mutate("a", vec![set("f", "q", 1_000, "v")]).await?;
        }
        keys.push(String::from_utf8_lossy(&row.key).into_owned());
    }
    expect_eq("keys", &keys, &expected)
}

async fn many_keys(t: &Scratch<'_>) -> CaseResult {
    let all = many(t, 700).await?;
    let expected: Vec<_> = all.into_iter().step_by(2).collect();
    let rows = RowSet {
        keys: expected
            .iter()
            .rev()
            .map(|key| Bytes::from(key.clone()))
            .collect(),
        ranges: Vec::new(),
    };
    let keys = t.keys_of(rows).await?;
    expect_eq("keys", &keys, &expected)
}

async fn reads_see_whole_rows(t: &Scratch<'_>) -> CaseResult {
    let write = async {
        for round in 0..60 {
            let value = round.to_string();
            let both = vec![set("f", "a", 1_000, &value), set("f", "b", 1_000, &value)];
            t.mutate("r", both).await?;
        }
        Ok(())
    };
    let read = async {
        for _ in 0..60 {
            // Each is a read of its own.
            let rows: Vec<Row> = t.db.read_rows(t.request()).rows().try_collect().await?;
            for row in rows {
                let values: Vec<_> = row.cells.iter().map(|cell| &cell.value).collect();
                let whole = matches!(values.as_slice(), [a, b] if a == b);
                expect(&format!("two cells of one write, not {values:?}"), whole)?;
            }
        }
        Ok(())
    };
    try_join(write, read).await.map(|_: ((), ())| ())
}

async fn a_large_value(t: &Scratch<'_>) -> CaseResult {
    // A row in more than one chunk on the wire.
    let value: String = "0123456789abcdef".repeat(3 << 16);
    t.mutate(
        "r",
        vec![set("f", "a", 1_000, "before"), set("f", "q", 1_000, &value)],
    )
    .await?;
    let rows = t.read(t.request()).await?;
    let cells: Vec<_> = rows.iter().flat_map(|row| &row.cells).collect();
    expect_eq("number of cells", &cells.len(), &2)?;
    let same = cells.last().is_some_and(|cell| cell.value == value);
    expect("3 MiB to come back as they were", same)
}

async fn a_wide_row(t: &Scratch<'_>) -> CaseResult {
    let writes = |family: &'static str| {
        (0..1_000_i64)
            .rev()
            .map(move |number| set(family, "q", number * 1_000, "v"))
    };
    let columns = (0..1_000_u16).rev().map(|number| {
        let name = Bytes::from(format!("{number:04}"));
        Mutation::SetCell {
            family: "f".into(),
            qualifier: name.clone(),
            timestamp_micros: 1_000,
            value: name,
        }
    });
    t.mutate("r", writes("g").chain(columns).collect()).await?;
    let rows = t.read(t.request()).await?;
    expect_eq("number of rows", &rows.len(), &1)?;
    let cells: Vec<_> = rows.iter().flat_map(|row| &row.cells).collect();
    expect_eq("number of cells", &cells.len(), &2_000)?;
    let of = |family: &'static str| cells.iter().filter(move |cell| cell.family == *family);
    let names: Vec<_> = of("f").map(|cell| &cell.qualifier).collect();
    expect("columns in order", names.is_sorted())?;
    let times: Vec<_> = of("g").map(|cell| cell.timestamp_micros).collect();
    expect("versions newest first", times.is_sorted_by(|a, b| a > b))
}
