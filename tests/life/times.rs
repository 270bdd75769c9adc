//! Changes to the event's time in the key, and to cells' timestamps.

use bigtable_model::Timestamp;

use crate::prove::{Former, change};

/// A sample whose time is the key's.
#[derive(Debug, Clone, PartialEq, bigtable_model::Model)]
#[bigtable(table = "TIMED", family = "S")]
pub(crate) struct Timed {
    #[bigtable(key)]
    host: String,
    #[bigtable(time, unit = "ms")]
    at: Timestamp,
    load: f64,
}

impl Former for Timed {
    fn events() -> Vec<Self> {
        let event = |number: i64| Self {
            host: "web1".to_owned(),
            at: Timestamp::from_seconds(1_426_535_612 + 86_400 * number),
            load: 0.25,
        };
        (0..5).map(event).collect()
    }
}

change! {
    the_time_has_a_coarser_unit: StoredBytes, Error; Timed => {
        #[bigtable(table = "TIMED", family = "S")]
        struct Now {
            #[bigtable(key)] host: String,
            #[bigtable(time, unit = "s")] at: Timestamp,
            load: f64,
        }
    } |was| Now { host: was.host.clone(), at: was.at, load: was.load }
}

change! {
    the_time_has_a_finer_unit: StoredBytes, Error; Timed => {
        #[bigtable(table = "TIMED", family = "S")]
        struct Now {
            #[bigtable(key)] host: String,
            #[bigtable(time, unit = "us")] at: Timestamp,
            load: f64,
        }
    } |was| Now { host: was.host.clone(), at: was.at, load: was.load }
}

change! {
    the_time_has_a_unit_of_the_same_width: StoredBytes, Other; Timed => {
        #[bigtable(table = "TIMED", family = "S")]
        struct Now {
            #[bigtable(key)] host: String,
            #[bigtable(time, unit = "s", width = 13)] at: Timestamp,
            load: f64,
        }
    } |was| Now { host: was.host.clone(), at: was.at, load: was.load }
}

change! {
    the_time_has_a_format: StoredBytes, Error; Timed => {
        #[bigtable(table = "TIMED", family = "S")]
        struct Now {
            #[bigtable(key)] host: String,
            #[bigtable(time, format = "%Y%m%d%H%M%S")] at: Timestamp,
            load: f64,
        }
    } |was| Now { host: was.host.clone(), at: was.at, load: was.load }
}

change! {
    the_time_is_reversed: StoredBytes, Other; Timed => {
        #[bigtable(table = "TIMED", family = "S")]
        struct Now {
            #[bigtable(key)] host: String,
            #[bigtable(time, unit = "ms", width = 13, reverse)] at: Timestamp,
            load: f64,
        }
    } |was| Now { host: was.host.clone(), at: was.at, load: was.load }
}

change! {
    the_time_is_rounded: Reads, Equal; Timed => {
        #[bigtable(table = "TIMED", family = "S")]
        struct Now {
            #[bigtable(key)] host: String,
            #[bigtable(time, unit = "ms", truncate)] at: Timestamp,
            load: f64,
        }
    } |was| Now { host: was.host.clone(), at: was.at, load: was.load }
}

change! {
    the_time_becomes_a_number: StoredBytes, Other; Timed => {
        #[bigtable(table = "TIMED", family = "S")]
        struct Now {
            #[bigtable(key)] host: String,
            #[bigtable(key, width = 13)] at: u64,
            load: f64,
        }
    } |was| Now { host: was.host.clone(), at: 0, load: was.load }
}

/// A sample whose key has the time of a clock at UTC-7.
#[derive(Debug, Clone, PartialEq, bigtable_model::Model)]
#[bigtable(table = "LOCAL", family = "S")]
pub(crate) struct Local {
    #[bigtable(key)]
    host: String,
    #[bigtable(time, format = "%Y%m%d%H%M%S", zone = "-07:00")]
    at: Timestamp,
    load: f64,
}

impl Former for Local {
    fn events() -> Vec<Self> {
        let events = Timed::events().into_iter();
        let event = |one: Timed| Self {
            host: one.host,
            at: one.at,
            load: one.load,
        };
        events.map(event).collect()
    }
}

macro_rules! in_zone {
    ($name:ident: $class:tt, $fate:ident; [$($zone:tt)*]) => {
        change! {
            $name: $class, $fate; Local => {
                #[bigtable(table = "LOCAL", family = "S")]
                struct Now {
                    #[bigtable(key)] host: String,
                    #[bigtable(time, format = "%Y%m%d%H%M%S" $($zone)*)] at: Timestamp,
                    load: f64,
                }
            } |was| Now { host: was.host.clone(), at: was.at, load: was.load }
        }
    };
}

in_zone! { the_format_has_another_zone: StoredBytes, Other; [, zone = "+05:30"] }
in_zone! { the_format_has_a_zone_no_more: StoredBytes, Other; [] }
in_zone! { the_zone_of_the_format_has_another_name: nothing, Equal; [, zone = "Etc/GMT+7"] }

// Rows read as before, but a correction would not win over the value that it corrects.
change! {
    cells_have_the_time_of_the_write: StoredBytes, Equal; Timed => {
        #[bigtable(table = "TIMED", family = "S", cell_time = "write")]
        struct Now {
            #[bigtable(key)] host: String,
            #[bigtable(time, unit = "ms")] at: Timestamp,
            load: f64,
        }
    } |was| Now { host: was.host.clone(), at: was.at, load: was.load }
}

change! {
    rows_become_buckets: StoredBytes, Error; Timed => {
        #[bigtable(table = "TIMED", family = "S", layout = "cells")]
        struct Now {
            #[bigtable(key)] host: String,
            #[bigtable(time, bucket = "day")] at: Timestamp,
            load: f64,
        }
    } |was| Now { host: was.host.clone(), at: was.at, load: was.load }
}

change! {
    tables_by_period_take_the_place_of_one: StoredBytes, Hidden; Timed => {
        #[bigtable(table = "TIMED_{at:%Y%m}", family = "S")]
        struct Now {
            #[bigtable(key)] host: String,
            #[bigtable(time, unit = "ms")] at: Timestamp,
            load: f64,
        }
    } |was| Now { host: was.host.clone(), at: was.at, load: was.load }
}

change! {
    fields_have_other_names_and_types_around_theirs: nothing, Equal; Timed => {
        #[bigtable(table = "TIMED", family = "S", allow(wide_rows))]
        struct Now {
            #[bigtable(key)] machine: String,
            #[bigtable(time, unit = "ms")] sampled: Timestamp,
            #[bigtable(column = "load")] busy: Load,
        }

        #[derive(Debug, Clone, PartialEq, bigtable_model::CellValue)]
        struct Load(f64);
    } |was| Now { machine: was.host.clone(), sampled: was.at, busy: Load(was.load) }
}
