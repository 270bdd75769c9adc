//! The same queries of models in several layouts.

use super::*;

/// A module with a model of readings: site and meter, and the value at a time.
macro_rules! readings {
    ($name:ident, [$($on_struct:tt)*], [$($on_time:tt)*]) => {
        mod $name {
            use super::*;

            #[derive(Debug, Clone, PartialEq, Model)]
            #[bigtable(table = "READING", family = "M", $($on_struct)*)]
            pub(super) struct Reading {
                #[bigtable(key)]
                pub(super) site: String,
                #[bigtable(time, $($on_time)*)]
                pub(super) at: Timestamp,
                #[bigtable(key)]
                pub(super) meter: String,
                #[bigtable(text)]
                pub(super) value: u32,
            }

            async fn stored() -> MemoryBackend {
                let db = MemoryBackend::new();
                db.ensure_tables::<Reading>().await.unwrap();
                for hour in 0..100 {
                    for meter in ["m1", "m2", "m3"] {
                        let reading = Reading {
                            site: "north".into(),
                            at: at(hour),
                            meter: meter.into(),
                            value: hour as u32,
                        };
                        db.insert(&reading).await.unwrap();
                    }
                }
                db
            }

            fn shown(readings: &[Reading]) -> Vec<(i64, &str, u32)> {
                let hour = |time: Timestamp| (time.as_seconds() - START) / 3_600;
                let each = readings.iter();
                each.map(|one| (hour(one.at), one.meter.as_str(), one.value))
                    .collect()
            }

            #[tokio::test]
            async fn queries_are_the_same_in_every_layout() {
                let db = stored().await;
                let span = || Reading::query().site("north").at(at(20)..at(60));
                let one = span().meter("m2");
                let found = db.fetch(&one).await.unwrap();
                let expected: Vec<_> = (20..60).map(|hour| (hour, "m2", hour as u32)).collect();
                assert_eq!(shown(&found), expected);
                assert_eq!(db.count(&one).await.unwrap(), 40);
                let newest = db.fetch(&one.events().newest_first().limit(2)).await.unwrap();
                assert_eq!(shown(&newest), [(59, "m2", 59), (58, "m2", 58)]);
                let two = span().meter(["m3", "m1"]).events().limit(3);
                let mut found = db.fetch(&two).await.unwrap();
                found.sort_by(|a, b| (a.at, &a.meter).cmp(&(b.at, &b.meter)));
                assert_eq!(shown(&found)[..2], [(20, "m1", 20), (20, "m3", 20)]);
                let first = db.page(&one, 15, None).await.unwrap();
                let rest = db.page(&one, 100, first.next.as_ref()).await.unwrap();
                assert_eq!((first.events.len(), rest.events.len()), (15, 25));
                assert_eq!(shown(&rest.events)[0], (35, "m2", 35));
                assert_eq!(rest.next, None);
            }

            #[tokio::test]
            async fn series_and_scans_are_too() {
                let db = stored().await;
                let name = |meter: &str| ("north".to_owned(), meter.to_owned());
                let site = Reading::query().site("north").at(at(0)..at(100));
                let mut series = db.series(&site).await.unwrap();
                series.sort();
                assert_eq!(series, ["m1", "m2", "m3"].map(name));
                let mut newest = db.latest_each(&site, 1).await.unwrap();
                newest.sort_by(|a, b| a.0.cmp(&b.0));
                assert_eq!(newest.len(), 3);
                assert_eq!(newest[1].0, name("m2"));
                assert_eq!(shown(&newest[1].1), [(99, "m2", 99)]);
                let scan = Reading::scan().meter("m3").at(at(98)..);
                let found = db.fetch(&scan).await.unwrap();
                assert_eq!(shown(&found), [(98, "m3", 98), (99, "m3", 99)]);
                // Sites are sought if the time after them is a part of the key's range.
                let words = scan.events().explain().to_string();
                let sought = words.contains("series of the whole table");
                assert!(sought || words.contains("full table scan"), "{words}");
            }
        }
    };
}

const START: i64 = 1_600_000_000 / 86_400 * 86_400;

fn at(hour: i64) -> Timestamp {
    Timestamp::from_seconds(START + 3_600 * hour)
}

readings!(cells, [layout = "cells"], [bucket = "day"]);
readings!(
    columns,
    [layout = "columns"],
    [bucket = "day", offset = "%H%M"]
);
readings!(qualifiers, [layout = "qualifiers"], [bucket = "week"]);
readings!(
    salted,
    [layout = "cells", salt(shards = 4, of(meter, at))],
    [bucket = "day"]
);
readings!(
    counted,
    [layout = "cells"],
    [bucket = "day", label = "day{n}", origin = "2020-09-01"]
);
