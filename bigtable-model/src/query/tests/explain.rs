use super::*;
use crate::query::{Explanation, plan};

fn explained(schema: &ModelSchema, selection: &Selection) -> String {
    Explanation::new(schema, plan(schema, selection)).to_string()
}

/// The line with the only range.
fn range(schema: &ModelSchema, segments: impl Into<Vec<SegmentSelection>>) -> String {
    let text = explained(schema, &select(segments));
    text.lines().nth(2).unwrap().trim().to_owned()
}

#[test]
fn one_series() {
    let selection = Selection {
        limit: Some(10),
        descending: true,
        ..by_time(select([
            texts(&["NASDAQ"]),
            texts(&["ZXZZT"]),
            times(1_426_535_612_000, 1_426_535_613_000),
        ]))
    };
    assert_eq!(
        explained(&quotes(), &selection),
        "table QUOTE, keys {exchange:<6}#{symbol:<5}#{at:013ms}, events marked by MD:BID\n\
         1 scan over 1 range\n\
         \x20 exchange=NASDAQ symbol=ZXZZT at from 2015-03-16T19:53:32Z to before 2015-03-16T19:53:33Z\n\
         filter: the newest cell of each column\n\
         order: by time, newest first, which is from the last key to the first\n\
         limit: 10 events, for every scan\n\
         memory: one batch of rows at a time\n\
         key in SQL: `_key` alone, since segment \"exchange\" of the row key holds bytes at or below the separator, \
         which Bigtable's own encoding refuses: choose a lower separator, such as \"!\", or another pad than a space"
    );
}

#[test]
fn ranges_in_decoded_form() {
    let exchange = || texts(&["NASDAQ"]);
    let symbol = |start, end| SegmentSelection::Range(start, end);
    let (a, b) = (|| text("A"), || text("B"));
    let schema = quotes();
    for (asked, expected) in [
        (
            symbol(Bound::Unbounded, Bound::Unbounded),
            "exchange=NASDAQ",
        ),
        (texts(&["ZXZZT"]), "exchange=NASDAQ symbol=ZXZZT"),
        (
            symbol(Bound::Included(a()), Bound::Excluded(b())),
            "exchange=NASDAQ symbol from A to before B",
        ),
        (
            symbol(Bound::Excluded(a()), Bound::Included(b())),
            "exchange=NASDAQ symbol after A up to B",
        ),
        (
            symbol(Bound::Included(a()), Bound::Unbounded),
            "exchange=NASDAQ symbol from A on",
        ),
        (
            symbol(Bound::Unbounded, Bound::Included(b())),
            "exchange=NASDAQ symbol up to B",
        ),
        (
            symbol(Bound::Unbounded, Bound::Excluded(b())),
            "exchange=NASDAQ symbol before B",
        ),
        (
            SegmentSelection::Prefix("ZX".into()),
            "keys that begin with \"NASDAQ#ZX\"",
        ),
    ] {
        assert_eq!(range(&schema, [exchange(), asked]), expected);
    }
    let all_times = [
        exchange(),
        texts(&["ZXZZT"]),
        symbol(Bound::Excluded(at(0)), Bound::Included(at(1))),
    ];
    for reverse in [false, true] {
        assert_eq!(
            range(&quotes_with(time(reverse)), all_times.clone()),
            "exchange=NASDAQ symbol=ZXZZT at after 1970-01-01T00:00:00Z up to 1970-01-01T00:00:00.001Z"
        );
    }
}

#[test]
fn many_series_are_cut() {
    let names: Vec<String> = (0..12).map(|at| format!("S{at:02}")).collect();
    let symbols: Vec<&str> = names.iter().map(String::as_str).collect();
    let text = explained(
        &quotes(),
        &by_time(select([texts(&["NYSE"]), texts(&symbols)])),
    );
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[1], "12 scans at once, merged over 12 ranges");
    assert_eq!(lines[2], "  exchange=NYSE symbol=S00");
    assert_eq!(lines[11], "  exchange=NYSE symbol=S09");
    assert_eq!(lines[12], "  and 2 more");
}

#[test]
fn row_keys_and_projections() {
    let selection = Selection {
        columns: Some(vec![1]),
        ..select([
            texts(&["NYSE"]),
            texts(&["ABC"]),
            SegmentSelection::Values(vec![at(0)]),
        ])
    };
    assert_eq!(
        explained(&quotes(), &selection),
        "table QUOTE, keys {exchange:<6}#{symbol:<5}#{at:013ms}, events marked by MD:BID\n\
         1 scan over 1 row key\n\
         \x20 exchange=NYSE symbol=ABC at=1970-01-01T00:00:00Z\n\
         filter: of families like \"MD\", columns like \"ASK|BID\", the newest cell of each column\n\
         order: by key\n\
         limit: none\n\
         memory: one batch of rows at a time\n\
         key in SQL: `_key` alone, since segment \"exchange\" of the row key holds bytes at or below the separator, \
         which Bigtable's own encoding refuses: choose a lower separator, such as \"!\", or another pad than a space"
    );
}

#[test]
fn a_full_scan_is_called_one() {
    let all = Selection {
        full_scan: true,
        ..select([])
    };
    let text = explained(&quotes(), &all);
    assert!(
        text.contains("\nfull table scan: every row of QUOTE is read\n"),
        "{text}"
    );
    let battery = schema("BATTERY", vec![padded("id", 2), time(false)]);
    let text = explained(&battery, &all);
    assert!(text.contains("\n  every key of the model\n"), "{text}");
}

#[test]
fn nothing_to_read() {
    let text = explained(&quotes(), &select([SegmentSelection::Values(Vec::new())]));
    assert!(
        text.ends_with("\nno scan: no row can match, nothing is sent"),
        "{text}"
    );
}

#[test]
fn a_refusal_with_its_reasons() {
    assert_eq!(
        explained(&quotes(), &select([texts(&["TOO LONG"])])),
        "table QUOTE: the query is refused\n\
         \x20 because the row key cannot hold a value of the query\n\
         \x20 because segment `exchange` of the row key is refused\n\
         \x20 because `TOO LONG` takes 8 bytes, the segment holds 6"
    );
}

#[test]
fn a_plan_alone_shows_bytes() {
    let plan = plan(&quotes(), &select([texts(&["NASDAQ"])])).unwrap();
    assert_eq!(
        plan.to_string().lines().nth(2),
        Some("  keys that begin with \"NASDAQ#\"")
    );
}

#[test]
fn buckets_and_shards() {
    use super::makers::{cells, day, name, salt};
    let schema = cells(vec![salt(4, &[1, 2]), name("symbol"), day()]);
    let selection = Selection {
        descending: true,
        limit: Some(10),
        ..by_time(select([texts(&["A"])]))
    };
    assert_eq!(
        explained(&schema, &selection),
        "table QUOTE, keys {salt:01 of 4}#{symbol}#{at:%Y%m%d}, events marked by MD:BID\n\
         4 scans at once, merged over 4 ranges\n\
         \x20 salt=0 symbol=A\n\
         \x20 salt=1 symbol=A\n\
         \x20 salt=2 symbol=A\n\
         \x20 salt=3 symbol=A\n\
         each of 4 shards is asked: the salt is made of what the query leaves open\n\
         filter: the newest 10 cells of each column\n\
         order: by time, newest first, which is from the last key to the first\n\
         limit: 10 events, for every scan\n\
         memory: 4 batches of rows at a time, one of each scan; a row is all events of a bucket, held as a whole\n\
         key in SQL: salt STRING, symbol STRING, at STRING, joined by \"#\", once the table has this row key schema"
    );
}

#[test]
fn what_reads_more_than_it_finds_is_said() {
    use super::makers::{JAN_1, cells, counted, day, name};
    let schema = cells(vec![day(), name("symbol")]);
    let open = SegmentSelection::Range(Bound::Unbounded, Bound::Unbounded);
    let all = Selection {
        full_scan: true,
        ..select([open, texts(&["A"])])
    };
    let text = explained(&schema, &all);
    for line in [
        "full table scan: every row of QUOTE is read",
        "rows are compared with what is asked of symbol",
        "filter: row keys like \"\\\\C{8}#(?:A)\"",
        "series(): reads the key of every row, since `symbol` comes after the time",
    ] {
        assert!(text.lines().any(|one| one == line), "{line}\n{text}");
    }
    let unsorted = cells(vec![name("symbol"), counted()]);
    let from = SegmentSelection::Range(Bound::Included(at(JAN_1)), Bound::Unbounded);
    let from = select([texts(&["A"]), from]);
    let text = explained(&unsorted, &by_time(from.clone()));
    let line = "keys first: the labels of `at` do not sort, and its time has no two ends; each scan \
                reads its keys, up to 100000, and then the rows in their order";
    assert!(text.lines().any(|one| one == line), "{text}");
    let text = explained(&unsorted, &from);
    let line = "all buckets are read: the labels of `at` do not sort, and its time has no two ends";
    assert!(text.lines().any(|one| one == line), "{text}");
}
