//! The lock file, and its messages.

use std::collections::BTreeMap;
use std::path::PathBuf;

use bigtable_model::lock::{
    Class, Lock, LockError, Locked, Mode, Sample, Sampled, Subject, check_file, compare,
};
use bigtable_model::{Model, Timestamp};
use rust_decimal::Decimal;

/// A quote.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "QUOTE", family = "MD")]
struct Quote {
    #[bigtable(key, width = 6)]
    exchange: String,
    #[bigtable(key, width = 5)]
    symbol: String,
    #[bigtable(time, unit = "ms")]
    at: Timestamp,
    #[bigtable(column = "BID", text)]
    bid: Decimal,
    #[bigtable(column = "BIDSIZE")]
    bid_size: Option<u32>,
}

/// A battery's state, in one of eight shards.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(
    table = "BATTERY",
    family = "METRIC",
    layout = "cells",
    marker = "EVENT",
    salt(shards = 8, of(device, at))
)]
struct Battery {
    #[bigtable(key)]
    device: String,
    #[bigtable(time, unit = "s", bucket = "day", zone = "Europe/Berlin")]
    at: Timestamp,
    volts: Option<f64>,
}

/// A separate file for each test.
fn path(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("bigtable-model-lock-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder.join(name)
}

/// The stored forms of these models match the checked-in file.
#[test]
fn stored_rows_outlive_the_code() {
    bigtable_model::lock::check::<(Quote, Battery)>("life/layouts.lock");
}

#[test]
fn a_golden_row_is_the_row_that_bigtable_holds() {
    let Locked { golden, key, .. } = Locked::of::<Quote>();
    assert_eq!(key, "{exchange:<6}#{symbol:<5}#{at:013ms}");
    // `NASDAQ#ABC  #1426535612156`: the symbol has room for five letters.
    assert_eq!(
        golden.key,
        "4e4153444151234142432020233134323635333536313231 3536".replace(' ', "")
    );
    assert_eq!(
        golden.cells,
        [
            "MD:BID @ 1426535612156000 = 30",
            "MD:BIDSIZE @ 1426535612156000 = 000000000000002a",
        ]
    );
}

/// The key of a model's golden row is a key of the model, and each of its columns has a cell.
fn assert_golden<M: Model>(cells: usize) {
    let Locked { golden, .. } = Locked::of::<M>();
    let digits = golden.key.as_bytes().chunks(2);
    let bytes =
        digits.map(|two| u8::from_str_radix(std::str::from_utf8(two).unwrap(), 16).unwrap());
    let key: Vec<u8> = bytes.collect();
    M::decode_key(&key).unwrap_or_else(|error| panic!("{}: {error}", M::SCHEMA.model));
    assert_eq!(golden.cells.len(), cells, "{golden:?}");
    let lock = Lock::default().with::<M>();
    assert_eq!(compare::<M>(&lock).unwrap(), []);
}

#[test]
fn each_layout_and_codec_has_a_golden_row() {
    assert_golden::<Quote>(2);
    assert_golden::<Battery>(2);
    assert_golden::<crate::keys::Salted>(1);
    assert_golden::<crate::keys::Trade>(1);
    assert_golden::<crate::columns::Health>(5);
    assert_golden::<crate::columns::Marked>(2);
    assert_golden::<crate::buckets::InCells>(1);
    assert_golden::<crate::buckets::InColumns>(1);
    assert_golden::<crate::payloads::AsJson>(1);
    assert_golden::<crate::payloads::AsPostcard>(1);
    assert_golden::<crate::payloads::AsProto>(1);
}

/// An entity with values that only its sample event has.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "RARE", family = "R")]
struct Rare {
    #[bigtable(key)]
    id: uuid::Uuid,
    #[bigtable(json)]
    order: Order,
    #[bigtable(with = bigtable_model::value::Postcard)]
    orders: Vec<Order>,
    #[bigtable(text)]
    price: Decimal,
    #[bigtable(columns, family = "REST")]
    rest: BTreeMap<String, i64>,
}

#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
struct Order {
    side: Side,
    limit: Option<f64>,
    from: std::net::Ipv4Addr,
    #[serde(rename = "tags")]
    labels: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
enum Side {
    Bid,
    Ask { hidden: bool },
}

impl Sample for Rare {
    fn sample() -> Self {
        let order = Order {
            side: Side::Ask { hidden: true },
            limit: Some(600.5),
            from: std::net::Ipv4Addr::LOCALHOST,
            labels: vec!["A".to_owned()],
        };
        Self {
            id: uuid::Uuid::from_u128(42),
            orders: vec![order.clone()],
            order,
            price: Decimal::new(60050, 2),
            rest: [("ENTRY".to_owned(), 42)].into(),
        }
    }
}

/// The same with a type that serde writes differently.
mod renamed {
    use super::{BTreeMap, Decimal, Model, Sample};

    #[derive(Debug, Clone, PartialEq, Model)]
    #[bigtable(table = "RARE", family = "R")]
    pub(super) struct Rare {
        #[bigtable(key)]
        id: uuid::Uuid,
        #[bigtable(json)]
        order: Order,
        #[bigtable(with = bigtable_model::value::Postcard)]
        orders: Vec<super::Order>,
        #[bigtable(text)]
        price: Decimal,
        #[bigtable(columns, family = "REST")]
        rest: BTreeMap<String, i64>,
    }

    #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
    pub(super) struct Order {
        side: super::Side,
        limit: Option<f64>,
        from: std::net::Ipv4Addr,
        labels: Vec<String>,
    }

    impl Sample for Rare {
        fn sample() -> Self {
            let was = super::Rare::sample();
            Self {
                id: was.id,
                order: Order {
                    side: was.order.side,
                    limit: was.order.limit,
                    from: was.order.from,
                    labels: was.order.labels,
                },
                orders: was.orders,
                price: was.price,
                rest: was.rest,
            }
        }
    }
}

#[test]
fn a_sample_event_catches_what_serde_writes_otherwise() {
    let mut lock = Lock::default();
    let locked = Locked::of_event(&Rare::sample()).unwrap();
    assert_eq!(locked.golden.cells.len(), 4, "{:?}", locked.golden);
    lock.models.insert("Rare".to_owned(), locked);
    assert_eq!(compare::<Sampled<Rare>>(&lock).unwrap(), []);
    let changes = compare::<Sampled<renamed::Rare>>(&lock).unwrap();
    let [change] = changes.as_slice() else {
        panic!("{changes:?}")
    };
    assert_eq!(
        (&change.subject, change.class),
        (&Subject::Golden, Class::StoredBytes)
    );
}

/// An entity in one column, with a type that has no sample value.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "DESK", family = "D", serialize(postcard))]
struct Desk {
    #[bigtable(key)]
    name: String,
    order: Order,
    traders: u32,
    phone: Option<String>,
}

#[test]
fn fields_without_a_sample_value_hide_no_others() {
    let Locked {
        payload, golden, ..
    } = Locked::of::<Desk>();
    let values: Vec<_> = payload
        .iter()
        .map(|field| (&*field.name, field.optional, field.value.as_deref()))
        .collect();
    assert_eq!(
        values,
        [
            ("order", false, None),
            ("traders", false, Some("2a")),
            ("phone", true, Some("01064e4153444151")),
        ]
    );
    assert_eq!(golden.cells, [""; 0]);
}

/// An entity whose sample event no cell holds.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "LOAD", family = "L")]
struct Load {
    #[bigtable(key)]
    host: String,
    #[bigtable(json)]
    load: f64,
}

impl Sample for Load {
    fn sample() -> Self {
        Self {
            host: "web1".to_owned(),
            load: f64::NAN,
        }
    }
}

#[test]
fn a_sample_event_that_cannot_be_written_is_refused() {
    let error = compare::<Sampled<Load>>(&Lock::default()).unwrap_err();
    assert_eq!(error.to_string(), "the sample event of `Load`");
    let reason = std::error::Error::source(&error).unwrap().to_string();
    assert!(reason.contains("load"), "{reason}");
}

#[test]
fn what_a_zone_and_a_salt_depend_on_is_kept() {
    let Locked {
        bucket,
        salt,
        presence,
        segments,
        ..
    } = Locked::of::<Battery>();
    let bucket = bucket.unwrap();
    assert_eq!(bucket.zone.as_deref(), Some("Europe/Berlin"));
    assert!(
        bucket.zone_database.is_some() && bucket.edges.is_some(),
        "{bucket:?}"
    );
    assert_eq!(
        (bucket.span.as_str(), bucket.label.as_str()),
        ("day", "%Y%m%d")
    );
    assert_eq!(presence, "marker METRIC:EVENT");
    let salt = salt.unwrap();
    assert_eq!(
        (salt.shards, salt.first, salt.of.as_slice()),
        (8, 0, &[1, 2][..])
    );
    // XXH64 of `A#A`, seed 0, modulo 8.
    let shard = xxhash_rust::xxh64::xxh64(b"A#A", 0) % 8;
    assert_eq!(salt.golden[1], format!("A -> {shard}"));
    let roles: Vec<_> = segments
        .iter()
        .map(|segment| segment.role.as_str())
        .collect();
    assert_eq!(roles, ["salt", "identifier", "bucket"]);
}

#[test]
fn a_file_that_was_written_is_what_the_models_are() {
    let path = path("written.lock");
    let written = check_file::<(Quote, Battery)>(&path, Mode::Write).unwrap();
    assert!(
        written
            .iter()
            .all(|change| change.class == Class::NotLocked)
    );
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(
        text.contains("[models.Quote.columns.\"MD:BID\"]\nform = \"text\"\n"),
        "{text}"
    );
    for mode in [Mode::Check, Mode::Strict] {
        assert_eq!(check_file::<(Quote, Battery)>(&path, mode).unwrap(), []);
    }
}

#[test]
fn a_file_that_is_missing_is_told_with_what_writes_it() {
    let error = check_file::<Quote>(&path("missing.lock"), Mode::Check).unwrap_err();
    assert!(matches!(error, LockError::Missing { .. }), "{error:?}");
    let text = error.to_string();
    assert!(
        text.contains("missing.lock: write it with `BIGTABLE_MODEL_LOCK=write cargo test`"),
        "{text}"
    );
}

#[test]
fn a_file_in_a_merge_is_told_and_written_anew() {
    let path = path("merge.lock");
    std::fs::write(&path, "format = 1\n<<<<<<< ours\n").unwrap();
    let error = check_file::<Quote>(&path, Mode::Check).unwrap_err();
    assert!(matches!(error, LockError::Malformed { .. }), "{error:?}");
    check_file::<Quote>(&path, Mode::Write).unwrap();
    assert_eq!(check_file::<Quote>(&path, Mode::Check).unwrap(), []);
}

#[test]
fn a_file_of_a_later_form_is_refused() {
    let path = path("later.lock");
    std::fs::write(&path, "format = 2\nwhatever = true\n").unwrap();
    let error = check_file::<Quote>(&path, Mode::Check).unwrap_err();
    assert!(matches!(error, LockError::Format(2)), "{error:?}");
}

#[test]
fn a_model_that_is_new_and_one_that_is_gone_are_told() {
    let lock = Lock::default().with::<Quote>();
    let changes = compare::<Battery>(&lock).unwrap();
    let told: Vec<_> = changes
        .iter()
        .map(|one| (one.model.as_str(), &one.subject, one.class))
        .collect();
    assert_eq!(
        told,
        [
            ("Quote", &Subject::Whole, Class::StoredBytes),
            ("Battery", &Subject::Whole, Class::NotLocked),
        ]
    );
    let words = changes[0].to_string();
    assert!(words.starts_with("refused: Quote, model was `{exchange:<6}#{symbol:<5}#{at:013ms} in QUOTE` and is gone: its rows are no longer read"), "{words}");
}

#[test]
fn a_struct_that_has_another_name_is_the_same_model() {
    let mut lock = Lock::default();
    lock.models
        .insert("Price".to_owned(), Locked::of::<Quote>());
    assert_eq!(compare::<Quote>(&lock).unwrap(), []);
}

#[test]
fn two_models_of_one_name_are_refused() {
    let error = compare::<(Quote, (Battery, Quote))>(&Lock::default()).unwrap_err();
    assert!(matches!(error, LockError::SameName(name) if name == "Quote"));
}

mod later {
    use super::{Decimal, Model, Timestamp};

    /// The same with more columns.
    #[derive(Debug, Clone, PartialEq, Model)]
    #[bigtable(table = "QUOTE", family = "MD")]
    pub(super) struct Quote {
        #[bigtable(key, width = 6)]
        exchange: String,
        #[bigtable(key, width = 5)]
        symbol: String,
        #[bigtable(time, unit = "ms")]
        at: Timestamp,
        #[bigtable(column = "BID", text)]
        bid: Decimal,
        #[bigtable(column = "BIDSIZE")]
        bid_size: Option<u32>,
        #[bigtable(column = "ASK", text)]
        ask: Option<Decimal>,
    }
}

#[test]
fn what_is_allowed_is_told_and_fails_only_where_strictness_is_asked_for() {
    let path = path("strict.lock");
    check_file::<Quote>(&path, Mode::Write).unwrap();
    let told = check_file::<later::Quote>(&path, Mode::Check).unwrap();
    let told: Vec<_> = told.iter().map(|one| (&one.subject, one.class)).collect();
    assert_eq!(
        told,
        [(&Subject::Column("MD:ASK".to_owned()), Class::Reads)]
    );
    let error = check_file::<later::Quote>(&path, Mode::Strict).unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("allowed: Quote, column MD:ASK is new: `text`: stored rows lack it"),
        "{text}"
    );
}

#[test]
fn a_golden_row_catches_what_the_parts_do_not_tell() {
    let mut locked = Locked::of::<Quote>();
    // As if a library had written times with one digit less, and could no longer read them.
    locked.golden.key = locked.golden.key.replace("31343236", "343236");
    let mut lock = Lock::default();
    lock.models.insert("Quote".to_owned(), locked);
    let changes = compare::<Quote>(&lock).unwrap();
    let [change] = changes.as_slice() else {
        panic!("{changes:?}")
    };
    assert_eq!(
        (&change.subject, change.class),
        (&Subject::Golden, Class::StoredBytes)
    );
}

#[test]
fn an_unknown_mode_is_refused() {
    let error = "overwrite".parse::<Mode>().unwrap_err();
    assert_eq!(
        error.to_string(),
        "BIGTABLE_MODEL_LOCK is `overwrite`: it takes `check`, `strict` or `write`"
    );
}

/// The former content of `QUOTE`, and a model in another layout that still reads it.
mod versions {
    use super::{Decimal, Model, Quote, Timestamp};

    pub(super) mod today {
        use super::{Decimal, Model, Timestamp};

        #[derive(Debug, Clone, PartialEq, Model)]
        #[bigtable(
            table = "QUOTE_V2",
            family = "MD",
            layout = "cells",
            was(super::QuoteV1)
        )]
        pub struct Quote {
            #[bigtable(key, width = 6)]
            pub exchange: String,
            #[bigtable(key, width = 5)]
            pub symbol: String,
            #[bigtable(time, bucket = "hour")]
            pub at: Timestamp,
            #[bigtable(column = "BID", text)]
            pub bid: Decimal,
        }
    }

    /// Like [`Quote`].
    #[derive(Debug, Clone, PartialEq, Model)]
    #[bigtable(table = "QUOTE", family = "MD")]
    pub struct QuoteV1 {
        #[bigtable(key, width = 6)]
        exchange: String,
        #[bigtable(key, width = 5)]
        symbol: String,
        #[bigtable(time, unit = "ms")]
        at: Timestamp,
        #[bigtable(column = "BID", text)]
        bid: Decimal,
        #[bigtable(column = "BIDSIZE")]
        bid_size: Option<u32>,
    }

    impl From<QuoteV1> for today::Quote {
        fn from(old: QuoteV1) -> Self {
            Self {
                exchange: old.exchange,
                symbol: old.symbol,
                at: old.at,
                bid: old.bid,
            }
        }
    }

    pub(super) type Former = Quote;
}

#[test]
fn a_new_layout_names_the_one_that_it_was() {
    use versions::{Former, QuoteV1, today};
    let lock = Lock::default().with::<Former>();
    let changes = compare::<(today::Quote, QuoteV1)>(&lock).unwrap();
    let [change] = &changes[..] else {
        panic!("{changes:?}");
    };
    assert_eq!((change.class, &*change.model), (Class::NotLocked, "Quote"));
    assert!(change.meaning.contains("as those of `QuoteV1`"), "{change}");

    // Without the former model nothing reads the stored rows.
    let alone = compare::<today::Quote>(&lock).unwrap();
    assert!(
        alone
            .iter()
            .any(|change| change.class == Class::StoredBytes),
        "{alone:?}"
    );

    let lock = Lock::default().with::<today::Quote>().with::<QuoteV1>();
    assert_eq!(compare::<(today::Quote, QuoteV1)>(&lock).unwrap(), []);
    let file = path("versions.lock");
    check_file::<(today::Quote, QuoteV1)>(&file, Mode::Write).unwrap();
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains("was = \"QuoteV1\""), "{text}");
    assert!(!text.contains("_deleted"), "{text}");
    let mut ended = Locked::of::<today::Quote>();
    ended.was = None;
    let changes = compare::<today::Quote>(&Lock {
        models: [("Quote".to_owned(), ended)].into(),
        ..Lock::default()
    });
    assert_eq!(changes.unwrap()[0].subject, Subject::Former);
}
