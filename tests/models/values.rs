//! Values that formats silently lose: they are read back bit by bit, or the write is refused before
//! anything is sent.

use std::collections::BTreeMap;
use std::error::Error as _;

use bigtable_model::model::Editable;
use bigtable_model::value::{Postcard, Prost};
use bigtable_model::{BackendExt, Error, MemoryBackend, Model, Timestamp};
use proptest::prelude::*;
use serde::{Deserialize, Serialize};

/// A message whose plain field loses the sign of zero.
#[derive(Clone, PartialEq, prost::Message)]
struct Place {
    #[prost(double, tag = "1")]
    north: f64,
    #[prost(double, optional, tag = "2")]
    height: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Trend {
    Flat,
    Slope { by: f32, since: Option<Option<u32>> },
}

/// A column in every codec.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "READING", family = "R")]
struct Reading {
    #[bigtable(key)]
    id: u64,
    native: f64,
    #[bigtable(text)]
    text: f64,
    #[bigtable(json, column = "JSON")]
    json: Vec<f64>,
    #[bigtable(json)]
    trend: Option<Trend>,
    #[bigtable(with = Postcard)]
    postcard: (f64, Option<Option<f32>>),
    #[bigtable(with = Prost)]
    prost: f64,
    #[bigtable(with = Prost, column = "PLACE")]
    place: Option<Place>,
    #[bigtable(columns, json, family = "REST")]
    rest: BTreeMap<String, f64>,
}

fn reading(id: u64, value: f64) -> Reading {
    Reading {
        id,
        native: value,
        text: value,
        json: vec![value],
        trend: None,
        postcard: (value, Some(None)),
        prost: value,
        place: None,
        rest: BTreeMap::from([("a".to_owned(), value)]),
    }
}

impl Reading {
    /// The bits of the values, which their sum does not distinguish.
    fn bits(&self) -> Vec<u64> {
        let own = [self.native, self.text, self.postcard.0, self.prost];
        let place = self
            .place
            .iter()
            .flat_map(|one| [one.north, one.height.unwrap_or(7.0)]);
        let all = own
            .iter()
            .chain(&self.json)
            .chain(self.rest.values())
            .copied();
        all.chain(place).map(f64::to_bits).collect()
    }
}

/// Refused with this column and reason, even without a table that a request could reach.
async fn refused<M: Editable>(event: &M, refused: &str, reason: &str) {
    let nowhere = MemoryBackend::new();
    let column_of = |error: Error| match error {
        Error::Value { column, source, .. } => (column, source.to_string()),
        other => panic!("{other}: {:?}", other.source()),
    };
    let expected = (refused.to_owned(), reason.to_owned());
    let error = nowhere.insert(event).await.unwrap_err();
    assert_eq!(column_of(error), expected);
    let error = nowhere.insert_if_absent(event).await.unwrap_err();
    assert_eq!(column_of(error), expected);
    let outcome = nowhere.insert_many([event]).await;
    assert_eq!(outcome.written(), 0);
    assert_eq!(column_of(outcome.into_result().unwrap_err()), expected);
}

const NO_NUMBER: &str = "the value cannot be written as JSON: JSON has no number for NaN";
const ZERO: &str = "the value cannot be written as prost: a field is -0.0, which is left out and read as 0.0: declare the field `optional`";

#[tokio::test]
async fn columns_refuse_what_they_would_lose() {
    let sound = reading(1, 0.5);
    let json = Reading {
        json: vec![1.0, f64::NAN],
        ..sound.clone()
    };
    refused(&json, "R:JSON", NO_NUMBER).await;
    let slope = |by, since| Some(Trend::Slope { by, since });
    let trend = Reading {
        trend: slope(f32::NAN, None),
        ..sound.clone()
    };
    refused(&trend, "R:trend", NO_NUMBER).await;
    let trend = Reading {
        trend: slope(1.0, Some(None)),
        ..sound.clone()
    };
    let reason = "the value cannot be written as JSON: JSON writes it as `null`, which is read as `None` and not as a `Some` of it";
    refused(&trend, "R:trend", reason).await;
    let rest = BTreeMap::from([("b".to_owned(), f64::NAN)]);
    refused(
        &Reading {
            rest,
            ..sound.clone()
        },
        "REST:b",
        NO_NUMBER,
    )
    .await;
    let place = Some(Place {
        north: -0.0,
        height: None,
    });
    refused(
        &Reading {
            place,
            ..sound.clone()
        },
        "R:PLACE",
        ZERO,
    )
    .await;
    let text = f64::from_bits(f64::NAN.to_bits() | 1);
    let reason = "the value cannot be written as text: `NaN` does not tell its bits, which are not those of the constant `NAN`";
    refused(
        &Reading {
            text,
            ..sound.clone()
        },
        "R:text",
        reason,
    )
    .await;

    let nowhere = MemoryBackend::new();
    let update = Reading::update(&sound.key()).json(vec![f64::INFINITY]);
    let error = nowhere.send(update).await.unwrap_err();
    assert!(
        matches!(&error, Error::Value { column, .. } if column == "R:JSON"),
        "{error}"
    );
    let compared = Reading::FIELDS.json.equals(vec![f64::NAN]);
    let error = nowhere.insert_if(&sound, compared).await.unwrap_err();
    assert!(
        error.source().unwrap().to_string().contains("R:JSON"),
        "{error}"
    );
}

#[tokio::test]
async fn columns_keep_every_bit() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Reading>().await.unwrap();
    let some = [0.0, -0.0, 0.1, 1e23, 5e-324, f64::MAX, f64::MIN_POSITIVE];
    for (id, value) in (0..).zip(some) {
        let place = Some(Place {
            north: 1.0,
            height: Some(value),
        });
        let event = Reading {
            place,
            ..reading(id, value)
        };
        db.insert(&event).await.unwrap();
        let found = db.get::<Reading>(&event.key()).await.unwrap().unwrap();
        assert_eq!(found.bits(), event.bits(), "{value}");
        assert_eq!(found, event);
    }
    for value in [f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let event = Reading {
            json: vec![],
            rest: BTreeMap::new(),
            ..reading(99, value)
        };
        db.insert(&event).await.unwrap();
        let found = db.get::<Reading>(&event.key()).await.unwrap().unwrap();
        assert_eq!(found.bits(), event.bits(), "{value}");
    }
}

macro_rules! serialized {
    ($module:ident: $format:ident) => {
        mod $module {
            use super::*;

            #[derive(Debug, Clone, PartialEq, Model)]
            #[bigtable(table = "EVENT", family = "E", layout = "cells", serialize($format))]
            pub(super) struct Event {
                #[bigtable(key)]
                pub(super) id: u64,
                #[bigtable(time, unit = "ms", bucket = "day")]
                pub(super) at: Timestamp,
                pub(super) double: f64,
                pub(super) single: f32,
                pub(super) maybe: Option<f64>,
            }

            impl Event {
                pub(super) fn new(double: f64, single: f32, maybe: Option<f64>) -> Self {
                    let at = Timestamp::from_millis(1_426_535_612_156);
                    Self {
                        id: 1,
                        at,
                        double,
                        single,
                        maybe,
                    }
                }

                fn bits(&self) -> (u64, u32, Option<u64>) {
                    (
                        self.double.to_bits(),
                        self.single.to_bits(),
                        self.maybe.map(f64::to_bits),
                    )
                }

                /// Whether it is read back, with the same bits.
                pub(super) async fn is_kept(&self) -> bool {
                    let db = MemoryBackend::new();
                    db.ensure_tables::<Self>().await.unwrap();
                    match db.insert(self).await {
                        Ok(_) => {
                            let found = db.fetch(&Self::query().id(self.id)).await.unwrap();
                            let bits: Vec<_> = found.iter().map(Self::bits).collect();
                            assert_eq!(bits, [self.bits()], "{self:?}");
                            true
                        }
                        Err(Error::Value { column, .. }) => {
                            assert_eq!(column, "E:event");
                            let kept = db.count(&Self::query().id(self.id)).await.unwrap();
                            assert_eq!(kept, 0);
                            false
                        }
                        Err(other) => panic!("{other}"),
                    }
                }
            }
        }
    };
}

serialized!(in_json: json);
serialized!(in_postcard: postcard);
serialized!(in_proto: proto);

#[tokio::test]
async fn serialized_events_say_which_field_is_lost() {
    let reason = "the value cannot be written as JSON: field `maybe`: JSON has no number for NaN";
    refused(
        &in_json::Event::new(1.0, 1.0, Some(f64::NAN)),
        "E:event",
        reason,
    )
    .await;
    let reason = "the value cannot be written as JSON: field `single`: JSON has no number for -inf";
    refused(
        &in_json::Event::new(1.0, f32::NEG_INFINITY, None),
        "E:event",
        reason,
    )
    .await;
}

fn float() -> impl Strategy<Value = f64> {
    let special = [
        0.0,
        -0.0,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        -f64::NAN,
        5e-324,
    ];
    prop_oneof![
        prop::sample::select(special.to_vec()),
        any::<u64>().prop_map(f64::from_bits),
        -1e6..1e6,
    ]
}

fn block_on<F: Future>(future: F) -> F::Output {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.build().unwrap().block_on(future)
}

proptest! {
    #[test]
    fn serialized_events_keep_every_bit(double in float(), single: u32, maybe in prop::option::of(float())) {
        let single = f32::from_bits(single);
        let finite = double.is_finite() && single.is_finite() && maybe.is_none_or(f64::is_finite);
        block_on(async {
            assert_eq!(in_json::Event::new(double, single, maybe).is_kept().await, finite);
            assert!(in_postcard::Event::new(double, single, maybe).is_kept().await);
            assert!(in_proto::Event::new(double, single, maybe).is_kept().await);
        });
    }
}
