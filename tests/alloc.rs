//! Encoding a key into a reused buffer and decoding a borrowed key allocate nothing.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::alloc::System;

use bigtable_model::Timestamp;
use bigtable_model::key::{Escaped, SegmentPrimitive};
use bigtable_model::schema::SegmentFormat;
use bigtable_model_tests::quote::{QuoteKey, QuoteKeyRef};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// The only test: the counts are those of the whole process. The threads of the harness may
/// allocate beside it, so the calmest of ten rounds counts: what the keys themselves allocated
/// would be in each of them.
#[test]
fn keys_allocate_nothing() {
    let quote = QuoteKey {
        exchange: "NASDAQ".to_owned(),
        symbol: "ZXZZ".to_owned(),
        at: Timestamp::from_millis(1_426_535_612_156),
    };
    let mut out = Vec::with_capacity(64);
    let mut escaped = Vec::with_capacity(64);
    let format = SegmentFormat::Escaped;

    let counts = (0..10).map(|_| {
        let region = Region::new(ALLOCATOR);
        for _ in 0..1_000 {
            out.clear();
            quote.encode_into(&mut out).unwrap();
            let key = QuoteKeyRef::decode(&out).unwrap();
            assert_eq!(
                (key.exchange, key.symbol, key.at),
                ("NASDAQ", "ZXZZ", quote.at)
            );

            escaped.clear();
            "a#b c".encode(&format, b'#', &mut escaped).unwrap();
            let text = Escaped::decode(&escaped, b'#').unwrap();
            assert!(text == "a#b c");
            assert_eq!(text.chars().count(), 5);
        }
        let change = region.change();
        (change.allocations, change.reallocations)
    });
    assert_eq!(counts.min(), Some((0, 0)));
}
