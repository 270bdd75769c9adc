//! Changes of the row key.

use bigtable_model::{KeySegment, Timestamp};

use crate::prove::{Former, change};

/// A server's sample: a row for each event.
#[derive(Debug, Clone, PartialEq, bigtable_model::Model)]
#[bigtable(table = "LIFE", family = "S")]
pub(crate) struct Sample {
    #[bigtable(key, width = 8)]
    host: String,
    #[bigtable(key, width = 5)]
    port: u32,
    #[bigtable(time, unit = "ms")]
    at: Timestamp,
    load: f64,
}

impl Former for Sample {
    fn events() -> Vec<Self> {
        let hosts = ["web1", "web2"].into_iter();
        let ports = hosts.flat_map(|host| [443, 70_000].map(|port| (host, port)));
        let events = ports.zip(0..).map(|((host, port), at)| Self {
            host: host.to_owned(),
            port,
            at: Timestamp::from_millis(1_426_535_612_156 + at),
            load: 0.25,
        });
        events.collect()
    }
}

change! {
    the_table_is_another: StoredBytes, Hidden; Sample => {
        #[bigtable(table = "OTHER", family = "S")]
        struct Now {
            #[bigtable(key, width = 8)] host: String,
            #[bigtable(key, width = 5)] port: u32,
            #[bigtable(time, unit = "ms")] at: Timestamp,
            load: f64,
        }
    } |was| Now { host: was.host.clone(), port: was.port, at: was.at, load: was.load }
}

change! {
    a_prefix_is_new: StoredBytes, Hidden; Sample => {
        #[bigtable(table = "LIFE", family = "S", prefix = "web")]
        struct Now {
            #[bigtable(key, width = 8)] host: String,
            #[bigtable(key, width = 5)] port: u32,
            #[bigtable(time, unit = "ms")] at: Timestamp,
            load: f64,
        }
    } |was| Now { host: was.host.clone(), port: was.port, at: was.at, load: was.load }
}

change! {
    the_separator_is_another: StoredBytes, Error; Sample => {
        #[bigtable(table = "LIFE", family = "S", separator = "/")]
        struct Now {
            #[bigtable(key, width = 8)] host: String,
            #[bigtable(key, width = 5)] port: u32,
            #[bigtable(time, unit = "ms")] at: Timestamp,
            load: f64,
        }
    } |was| Now { host: was.host.clone(), port: was.port, at: was.at, load: was.load }
}

change! {
    the_separator_stands_around_the_key: StoredBytes, Hidden; Sample => {
        #[bigtable(table = "LIFE", family = "S", enclosed)]
        struct Now {
            #[bigtable(key, width = 8)] host: String,
            #[bigtable(key, width = 5)] port: u32,
            #[bigtable(time, unit = "ms")] at: Timestamp,
            load: f64,
        }
    } |was| Now { host: was.host.clone(), port: was.port, at: was.at, load: was.load }
}

change! {
    a_segment_is_wider: StoredBytes, Error; Sample => {
        #[bigtable(table = "LIFE", family = "S")]
        struct Now {
            #[bigtable(key, width = 10)] host: String,
            #[bigtable(key, width = 5)] port: u32,
            #[bigtable(time, unit = "ms")] at: Timestamp,
            load: f64,
        }
    } |was| Now { host: was.host.clone(), port: was.port, at: was.at, load: was.load }
}

change! {
    a_segment_has_another_pad: StoredBytes, Error; Sample => {
        #[bigtable(table = "LIFE", family = "S")]
        struct Now {
            #[bigtable(key, width = 8, pad = '_')] host: String,
            #[bigtable(key, width = 5)] port: u32,
            #[bigtable(time, unit = "ms")] at: Timestamp,
            load: f64,
        }
    } |was| Now { host: was.host.clone(), port: was.port, at: was.at, load: was.load }
}

change! {
    a_segment_loses_its_width: StoredBytes, Error; Sample => {
        #[bigtable(table = "LIFE", family = "S")]
        struct Now {
            #[bigtable(key, escape)] host: String,
            #[bigtable(key, width = 5)] port: u32,
            #[bigtable(time, unit = "ms")] at: Timestamp,
            load: f64,
        }
    } |was| Now { host: was.host.clone(), port: was.port, at: was.at, load: was.load }
}

change! {
    segments_change_places: StoredBytes, Error; Sample => {
        #[bigtable(table = "LIFE", family = "S")]
        struct Now {
            #[bigtable(key, width = 5)] port: u32,
            #[bigtable(key, width = 8)] host: String,
            #[bigtable(time, unit = "ms")] at: Timestamp,
            load: f64,
        }
    } |was| Now { host: was.host.clone(), port: was.port, at: was.at, load: was.load }
}

change! {
    a_segment_is_gone: StoredBytes, Error; Sample => {
        #[bigtable(table = "LIFE", family = "S")]
        struct Now {
            #[bigtable(key, width = 8)] host: String,
            #[bigtable(time, unit = "ms")] at: Timestamp,
            load: f64,
        }
    } |was| Now { host: was.host.clone(), at: was.at, load: was.load }
}

change! {
    a_segment_is_new: StoredBytes, Error; Sample => {
        #[bigtable(table = "LIFE", family = "S")]
        struct Now {
            #[bigtable(key, width = 8)] host: String,
            #[bigtable(key, width = 5)] port: u32,
            #[bigtable(key, width = 3)] core: u16,
            #[bigtable(time, unit = "ms")] at: Timestamp,
            load: f64,
        }
    } |was| Now { host: was.host.clone(), port: was.port, core: 0, at: was.at, load: was.load }
}

change! {
    a_key_field_has_another_name: nothing, Equal; Sample => {
        #[bigtable(table = "LIFE", family = "S")]
        struct Now {
            #[bigtable(key, width = 8)] machine: String,
            #[bigtable(key, width = 5)] port: u32,
            #[bigtable(time, unit = "ms")] at: Timestamp,
            load: f64,
        }
    } |was| Now { machine: was.host.clone(), port: was.port, at: was.at, load: was.load }
}

change! {
    a_number_in_the_key_has_a_wider_type: Reads, Equal; Sample => {
        #[bigtable(table = "LIFE", family = "S")]
        struct Now {
            #[bigtable(key, width = 8)] host: String,
            #[bigtable(key, width = 5)] port: u64,
            #[bigtable(time, unit = "ms")] at: Timestamp,
            load: f64,
        }
    } |was| Now { host: was.host.clone(), port: was.port.into(), at: was.at, load: was.load }
}

change! {
    a_number_in_the_key_has_a_narrower_type: StoredBytes, Error; Sample => {
        #[bigtable(table = "LIFE", family = "S")]
        struct Now {
            #[bigtable(key, width = 8)] host: String,
            #[bigtable(key, width = 5)] port: u16,
            #[bigtable(time, unit = "ms")] at: Timestamp,
            load: f64,
        }
    } |was| Now { host: was.host.clone(), port: was.port as u16, at: was.at, load: was.load }
}

change! {
    a_number_in_the_key_becomes_binary: StoredBytes, Error; Sample => {
        #[bigtable(table = "LIFE", family = "S")]
        struct Now {
            #[bigtable(key, width = 8)] host: String,
            #[bigtable(key, binary)] port: u32,
            #[bigtable(time, unit = "ms")] at: Timestamp,
            load: f64,
        }
    } |was| Now { host: was.host.clone(), port: was.port, at: was.at, load: was.load }
}

change! {
    a_salt_is_new: StoredBytes, Error; Sample => {
        #[bigtable(table = "LIFE", family = "S", salt(shards = 8, of(host)))]
        struct Now {
            #[bigtable(key, width = 8)] host: String,
            #[bigtable(key, width = 5)] port: u32,
            #[bigtable(time, unit = "ms")] at: Timestamp,
            load: f64,
        }
    } |was| Now { host: was.host.clone(), port: was.port, at: was.at, load: was.load }
}

/// A sample in one of eight shards.
#[derive(Debug, Clone, PartialEq, bigtable_model::Model)]
#[bigtable(table = "SALTED", family = "S", salt(shards = 8, of(host)))]
pub(crate) struct Salted {
    #[bigtable(key)]
    host: String,
    #[bigtable(time)]
    at: Timestamp,
    load: f64,
}

impl Former for Salted {
    fn events() -> Vec<Self> {
        let event = |number: i64| Self {
            host: format!("web{number}"),
            at: Timestamp::from_seconds(1_426_535_612 + number),
            load: 0.25,
        };
        (0..20).map(event).collect()
    }
}

change! {
    a_salt_has_more_shards: StoredBytes, Error; Salted => {
        #[bigtable(table = "SALTED", family = "S", salt(shards = 9, of(host)))]
        struct Now {
            #[bigtable(key)] host: String,
            #[bigtable(time)] at: Timestamp,
            load: f64,
        }
    } |was| Now { host: was.host.clone(), at: was.at, load: was.load }
}

change! {
    a_salt_is_made_of_other_segments: StoredBytes, Error; Salted => {
        #[bigtable(table = "SALTED", family = "S", salt(shards = 8, of(host, at)))]
        struct Now {
            #[bigtable(key)] host: String,
            #[bigtable(time)] at: Timestamp,
            load: f64,
        }
    } |was| Now { host: was.host.clone(), at: was.at, load: was.load }
}

change! {
    a_salt_counts_from_one: StoredBytes, Error; Salted => {
        #[bigtable(table = "SALTED", family = "S", salt(shards = 8, first = 1, of(host)))]
        struct Now {
            #[bigtable(key)] host: String,
            #[bigtable(time)] at: Timestamp,
            load: f64,
        }
    } |was| Now { host: was.host.clone(), at: was.at, load: was.load }
}

#[derive(Debug, Clone, PartialEq, KeySegment)]
pub(crate) enum Venue {
    Nasdaq,
    Nyse,
}

/// A trade at one of two venues.
#[derive(Debug, Clone, PartialEq, bigtable_model::Model)]
#[bigtable(table = "VENUE", family = "S", allow(time_first))]
pub(crate) struct Trade {
    #[bigtable(key)]
    venue: Venue,
    #[bigtable(time)]
    at: Timestamp,
    price: f64,
}

impl Former for Trade {
    fn events() -> Vec<Self> {
        let at = Timestamp::from_seconds(1_426_535_612);
        let event = |venue| Self {
            venue,
            at,
            price: 600.5,
        };
        [Venue::Nasdaq, Venue::Nyse].map(event).to_vec()
    }
}

change! {
    a_type_in_the_key_has_another_value: Reads, Equal; Trade => {
        #[bigtable(table = "VENUE", family = "S", allow(time_first))]
        struct Now {
            #[bigtable(key)] venue: Wider,
            #[bigtable(time)] at: Timestamp,
            price: f64,
        }

        #[derive(Debug, Clone, PartialEq, KeySegment)]
        enum Wider { Arca, Nasdaq, Nyse }

        impl From<&Venue> for Wider {
            fn from(venue: &Venue) -> Self {
                match venue {
                    Venue::Nasdaq => Self::Nasdaq,
                    Venue::Nyse => Self::Nyse,
                }
            }
        }
    } |was| Now { venue: (&was.venue).into(), at: was.at, price: was.price }
}

change! {
    a_value_of_a_type_in_the_key_has_another_name: StoredBytes, Error; Trade => {
        #[bigtable(table = "VENUE", family = "S", allow(time_first))]
        struct Now {
            #[bigtable(key)] venue: Renamed,
            #[bigtable(time)] at: Timestamp,
            price: f64,
        }

        #[derive(Debug, Clone, PartialEq, KeySegment)]
        enum Renamed { Nasdaq, NewYork }
    } |was| Now { venue: Renamed::NewYork, at: was.at, price: was.price }
}

change! {
    a_type_in_the_key_becomes_any_text: Reads, Equal; Trade => {
        #[bigtable(table = "VENUE", family = "S", allow(time_first))]
        struct Now {
            #[bigtable(key)] venue: String,
            #[bigtable(time)] at: Timestamp,
            price: f64,
        }
    } |was| Now { venue: format!("{:?}", was.venue), at: was.at, price: was.price }
}
