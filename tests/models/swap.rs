//! One struct in every layout: the same writes and the same queries give the same events.

use bigtable_model::Timestamp;

/// What the queries of a layout answered: names, microseconds and values of events.
type Answers = Vec<(&'static str, Vec<(String, i64, u32)>)>;

/// A module for each layout, with the words on the struct and on its time.
macro_rules! layouts {
    ($($module:ident: ($($on:tt)*) ($($time:tt)*);)*) => {
        $(mod $module {
            use bigtable_model::{BackendExt, MemoryBackend, Model, Timestamp};

            #[derive(Debug, Clone, PartialEq, Model)]
            #[bigtable(table = "EVENT", family = "F", $($on)*)]
            struct Event {
                #[bigtable(key)]
                name: String,
                #[bigtable(time, $($time)*)]
                at: Timestamp,
                value: u32,
            }

            fn plain(events: Vec<Event>) -> Vec<(String, i64, u32)> {
                let plain = |event: Event| (event.name, event.at.as_micros(), event.value);
                events.into_iter().map(plain).collect()
            }

            pub(super) async fn answers(times: &[Timestamp]) -> super::Answers {
                let db = MemoryBackend::new();
                db.ensure_table::<Event>().await.unwrap();
                let event = |name: &str, at: Timestamp| Event {
                    name: name.to_owned(),
                    at,
                    value: u32::try_from(at.as_millis() % 977).unwrap(),
                };
                for at in times {
                    db.insert(&event("a", *at)).await.unwrap();
                    db.insert(&event("b", *at)).await.unwrap();
                }
                let gone = event("a", times[3]).key();
                db.delete::<Event>(&gone).await.unwrap();
                assert_eq!(db.get::<Event>(&gone).await.unwrap(), None);
                let (start, end) = (times[1].min(times[5]), times[1].max(times[5]));
                // Labels that do not sort are asked for one by one, which takes a bounded time.
                let always = times[times.len() - 1]..Timestamp::from_micros(times[0].as_micros() + 1);
                let a = Event::query().name("a").at(always.clone());
                let both = Event::query().name(["a", "b"]).at(always);
                let inside = Event::query().name("a").at(start..end);
                assert_eq!(
                    inside.count(&db).await.unwrap(),
                    u64::try_from(inside.fetch(&db).await.unwrap().len()).unwrap()
                );
                vec![
                    ("one series", plain(a.fetch(&db).await.unwrap())),
                    ("a range", plain(inside.fetch(&db).await.unwrap())),
                    ("newest first", plain(inside.newest_first().fetch(&db).await.unwrap())),
                    ("latest", plain(a.latest(3, &db).await.unwrap())),
                    ("a limit", plain(a.clone().limit(4).fetch(&db).await.unwrap())),
                    ("a moment", plain(Event::query().name("a").at(times[2]).fetch(&db).await.unwrap())),
                    ("two series", plain(both.clone().fetch(&db).await.unwrap())),
                    ("latest of two", plain(both.latest(4, &db).await.unwrap())),
                ]
            }
        })*

        const LAYOUTS: &[&str] = &[$(stringify!($module)),*];

        async fn answers_of(module: &str, times: &[Timestamp]) -> Answers {
            match module {
                $(stringify!($module) => $module::answers(times).await,)*
                other => panic!("{other}"),
            }
        }
    };
}

layouts! {
    row: () (unit = "ms");
    row_reversed: () (unit = "ms", reverse);
    row_salted: (salt(shards = 4, of(name, at))) (unit = "ms");
    row_json: (serialize(json)) (unit = "ms");
    cells: (layout = "cells") (bucket = "day");
    cells_reversed: (layout = "cells") (bucket = "15m", reverse);
    cells_in_zone: (layout = "cells", salt(shards = 4, of(at))) (bucket = "week", zone = "Europe/Berlin");
    cells_endless: (layout = "cells", allow(endless_rows)) (bucket = "none");
    cells_prost: (layout = "cells", serialize(prost)) (bucket = "month");
    columns: (layout = "columns") (bucket = "hour", unit = "ms");
    columns_by_fields: (layout = "columns") (bucket = "day", offset = "%H:%M:%S%3f");
    columns_unsorted: (layout = "columns") (bucket = "month", label = "%Y-%-m", offset = "%-d/%H%M%S%3f");
    columns_reversed: (layout = "columns", cell_time = "write") (bucket = "day", unit = "ms", reverse);
    columns_counted: (layout = "columns", salt(shards = 100, of(name, at))) (bucket = "week", label = "week{n}", origin = "2021-01-01");
    columns_postcard: (layout = "columns", serialize(postcard)) (bucket = "year", unit = "ms");
    qualifiers: (layout = "qualifiers") (bucket = "day");
}

#[tokio::test]
async fn swapping_the_layout_changes_no_answer() {
    let start = Timestamp::from_millis(1_616_889_599_000);
    // Over the edges of hours, days, weeks and the change of clocks in Berlin, and not in order.
    let steps = [
        0_i64,
        1,
        999,
        1_000,
        3_600_000,
        86_400_000,
        604_800_000,
        5_000_000_000,
    ];
    let times: Vec<_> = steps
        .iter()
        .rev()
        .map(|millis| Timestamp::from_millis(start.as_millis() + millis))
        .collect();
    let expected = answers_of("row", &times).await;
    let expected: Vec<_> = expected.into_iter().map(by_name_in_a_moment).collect();
    for (_, answer) in &expected {
        assert!(!answer.is_empty());
    }
    for layout in LAYOUTS {
        let answers = answers_of(layout, &times).await;
        for (answer, expected) in answers.into_iter().zip(&expected) {
            assert_eq!(by_name_in_a_moment(answer), *expected, "{layout}");
        }
    }
}

/// Events of one moment in the order of their names: in which a salted key has them is another matter.
fn by_name_in_a_moment(
    (query, mut events): (&'static str, Vec<(String, i64, u32)>),
) -> (&'static str, Vec<(String, i64, u32)>) {
    for moment in events.chunk_by_mut(|a, b| a.1 == b.1) {
        moment.sort();
    }
    (query, events)
}
