//! Pages whose tokens are sealed by a key: moving windows, and tokens of other users.

use std::time::Duration;

use bigtable_model::query::{PageKey, PageToken};
use bigtable_model::{Backend, BackendExt, Error, MemoryBackend, Model, QueryError, Timestamp};

use crate::support::backends;

const HOUR: Duration = Duration::from_secs(3_600);

fn at(second: i64) -> Timestamp {
    Timestamp::from_seconds(1_600_000_000 + second)
}

/// The token as a browser returns it.
fn again(token: &PageToken) -> PageToken {
    token.to_string().parse().unwrap()
}

fn why(error: impl Into<Error>) -> String {
    match error.into() {
        Error::Query {
            source: QueryError::PageToken { reason },
            ..
        } => reason.to_owned(),
        other => panic!("{other}"),
    }
}

macro_rules! in_layout {
    ($name:ident, $instance:literal, [$($on_struct:tt)*], [$($on_time:tt)*]) => {
        mod $name {
            use super::*;

            #[derive(Debug, Clone, PartialEq, Model)]
            #[bigtable(family = "M", $($on_struct)*)]
            struct Reading {
                #[bigtable(key)]
                meter: String,
                #[bigtable(time, $($on_time)*)]
                at: Timestamp,
                value: u32,
            }

            fn reading(second: i64) -> Reading {
                Reading {
                    meter: "a".into(),
                    at: at(second),
                    value: u32::try_from(second).unwrap(),
                }
            }

            async fn with(seconds: impl Iterator<Item = i64>, db: &dyn Backend) -> Vec<Reading> {
                let readings: Vec<_> = seconds.map(reading).collect();
                db.insert_many(&readings).await.into_result().unwrap();
                readings
            }

            #[tokio::test]
            async fn pages_of_a_window_that_moves_are_those_of_the_first() {
                let key = PageKey::new([7; 32]);
                for db in backends("page-keys", $instance) {
                    db.ensure_tables::<Reading>().await.unwrap();
                    let stored = with((0..7_200).step_by(600), &*db).await;
                    for descending in [false, true] {
                        // The last hour before the current time.
                        let window = |now: i64| {
                            let query = Reading::query().meter("a").at(at(now) - HOUR..at(now));
                            match descending {
                                true => query.events().newest_first().page_key(&key),
                                false => query.events().page_key(&key),
                            }
                        };
                        let mut found = Vec::new();
                        let mut token = None;
                        let mut now = 5_400;
                        loop {
                            let page = db.page(&window(now), 2, token.as_ref()).await.unwrap();
                            found.extend(page.events);
                            let Some(next) = page.next else { break };
                            token = Some(again(&next));
                            now += 900;
                            // After the window of the first page.
                            with([7_201 + now].into_iter(), &*db).await;
                        }
                        let hour = at(1_800)..at(5_400);
                        let mut expected = stored.clone();
                        expected.retain(|one| hour.contains(&one.at));
                        if descending {
                            expected.reverse();
                        }
                        assert_eq!(found, expected);
                    }
                }
            }
        }
    };
}

in_layout!(row, "row", [table = "KEYED_ROW"], [unit = "s"]);
in_layout!(reversed, "reversed", [table = "KEYED_REVERSED"], [reverse]);
in_layout!(
    cells,
    "cells",
    [table = "KEYED_CELLS", layout = "cells"],
    [bucket = "15m"]
);
in_layout!(
    columns,
    "columns",
    [table = "KEYED_COLUMNS", layout = "columns"],
    [bucket = "hour", label = "{start}", reverse]
);

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "KEYED", family = "M")]
struct Reading {
    #[bigtable(key)]
    meter: String,
    #[bigtable(time, unit = "s")]
    at: Timestamp,
    value: u32,
}

#[tokio::test]
async fn tokens_of_others_are_refused() {
    for db in backends("page-keys", "others") {
        db.ensure_tables::<Reading>().await.unwrap();
        let readings: Vec<_> = (0..5)
            .map(|second| Reading {
                meter: "secret".into(),
                at: at(second),
                value: 1,
            })
            .collect();
        db.insert_many(&readings).await.into_result().unwrap();
        let query = Reading::query().meter("secret");
        let key = PageKey::new([7; 32]);
        let sealed = db
            .page(&query.events().page_key(&key), 2, None)
            .await
            .unwrap();
        let sealed = again(&sealed.next.unwrap());
        let open = db.page(&query, 2, None).await.unwrap().next.unwrap();

        let other = PageKey::new([8; 32]);
        let by = async |key: &PageKey, token: &PageToken| {
            let page = db.page(&query.events().page_key(key), 2, Some(token)).await;
            page.map(|page| page.events.len()).map_err(why)
        };
        assert_eq!(by(&key, &sealed).await, Ok(2));
        assert_eq!(by(&other.clone().accepting([7; 32]), &sealed).await, Ok(2));
        let foreign = by(&other, &sealed).await.unwrap_err();
        assert!(foreign.contains("not made with this key"), "{foreign}");
        let without = by(&key, &open).await.unwrap_err();
        assert!(without.contains("made without a key"), "{without}");
        let sealed_one = db.page(&query, 2, Some(&sealed)).await.unwrap_err();
        assert!(why(sealed_one).contains("`page_key`"));
        let limited = query.events().limit(3);
        let limited = db.page(&limited.page_key(&key), 2, Some(&sealed)).await;
        assert_eq!(why(limited.unwrap_err()), "it is of another query");
        let ranged = query.clone().at(at(0)..at(9));
        let ranged = db
            .page(&ranged.events().page_key(&key), 2, Some(&sealed))
            .await;
        assert_eq!(why(ranged.unwrap_err()), "it is of another query");
        // A range that is open at an end opens no other.
        let from = query.clone().at(at(0)..).events().page_key(&key);
        let from = db.page(&from, 2, None).await.unwrap().next.unwrap();
        let closed = query.clone().at(at(0)..at(1)).events().page_key(&key);
        let closed = db.page(&closed, 2, Some(&from)).await;
        assert_eq!(why(closed.unwrap_err()), "it is of another query");
    }
}

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "KEYED_{at:%Y%m%d}", family = "M")]
struct OfDays {
    #[bigtable(key)]
    meter: String,
    #[bigtable(time, unit = "s")]
    at: Timestamp,
    value: u32,
}

/// Open tokens and sealed ones, although all tenants share the key.
#[tokio::test]
async fn tokens_of_other_tenants_are_refused() {
    let instance = MemoryBackend::new();
    let tenant =
        |tenant: &'static str| instance.with_tables(move |table: &str| format!("{tenant}_{table}"));
    let (acme, zeta) = (tenant("acme"), tenant("zeta"));
    let key = PageKey::new([7; 32]);
    macro_rules! tokens {
        ($model:ident) => {{
            for db in [&acme, &zeta] {
                let reading = |second| $model {
                    meter: "a".into(),
                    at: at(second),
                    value: 1,
                };
                db.insert_many(&[reading(0), reading(1), reading(2)])
                    .await
                    .into_result()
                    .unwrap();
            }
            let query = $model::query().meter("a");
            let open = acme.page(&query, 1, None).await.unwrap().next.unwrap();
            let open = again(&open);
            assert!(tenant("acme").page(&query, 1, Some(&open)).await.is_ok());
            let refused = zeta.page(&query, 1, Some(&open)).await.unwrap_err();
            assert!(why(refused).contains("another table"));
            let keyed = query.events().page_key(&key);
            let sealed = acme.page(&keyed, 1, None).await.unwrap().next.unwrap();
            let sealed = again(&sealed);
            assert!(tenant("acme").page(&keyed, 1, Some(&sealed)).await.is_ok());
            let refused = zeta.page(&keyed, 1, Some(&sealed)).await.unwrap_err();
            assert!(why(refused).contains("another table"));
        }};
    }
    for db in [&acme, &zeta] {
        db.ensure_tables::<Reading>().await.unwrap();
        db.ensure_periods::<OfDays>(at(0)..at(9)).await.unwrap();
    }
    tokens!(Reading);
    tokens!(OfDays);
}
