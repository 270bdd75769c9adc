//! Changes to events that are serialised into one column.

use bigtable_model::Timestamp;

use crate::prove::{Former, change};

/// A sample as JSON.
#[derive(Debug, Clone, PartialEq, bigtable_model::Model)]
#[bigtable(table = "JSON", family = "S", serialize(json))]
pub(crate) struct AsJson {
    #[bigtable(key)]
    host: String,
    #[bigtable(time)]
    at: Timestamp,
    load: f64,
    busy: f64,
    users: u32,
}

/// A sample as postcard.
#[derive(Debug, Clone, PartialEq, bigtable_model::Model)]
#[bigtable(table = "POSTCARD", family = "S", serialize(postcard))]
pub(crate) struct AsPostcard {
    #[bigtable(key)]
    host: String,
    #[bigtable(time)]
    at: Timestamp,
    load: f64,
    busy: f64,
    users: u32,
}

/// A sample as the message of a natural `.proto`.
#[derive(Debug, Clone, PartialEq, bigtable_model::Model)]
#[bigtable(table = "PROTO", family = "S", serialize(proto))]
pub(crate) struct AsProto {
    #[bigtable(key)]
    host: String,
    #[bigtable(time)]
    at: Timestamp,
    load: f64,
    busy: f64,
    users: u32,
}

macro_rules! events {
    ($($model:ident),*) => {$(
        impl Former for $model {
            fn events() -> Vec<Self> {
                let event = |at| Self {
                    host: "web1".to_owned(),
                    at: Timestamp::from_seconds(at),
                    load: 0.25,
                    busy: 0.5,
                    users: 300,
                };
                (1..4).map(event).collect()
            }
        }
    )*};
}

events!(AsJson, AsPostcard, AsProto);

macro_rules! payload {
    ($name:ident: $class:tt, $fate:ident; $was:ident, $table:literal, [$format:ident] { $($field:tt)* } |$event:ident| { $($value:tt)* }) => {
        change! {
            $name: $class, $fate; $was => {
                #[bigtable(table = $table, family = "S", serialize($format))]
                struct Now {
                    #[bigtable(key)] host: String,
                    #[bigtable(time)] at: Timestamp,
                    $($field)*
                }
            } |$event| Now { host: $event.host.clone(), at: $event.at, $($value)* }
        }
    };
}

payload! {
    a_field_of_json_has_another_name: StoredBytes, Error; AsJson, "JSON", [json] {
        cpu: f64, busy: f64, users: u32,
    } |was| { cpu: was.load, busy: was.busy, users: was.users, }
}

payload! {
    fields_of_json_change_places: Reads, Equal; AsJson, "JSON", [json] {
        users: u32, busy: f64, load: f64,
    } |was| { load: was.load, busy: was.busy, users: was.users, }
}

payload! {
    an_optional_field_of_json_is_new: Reads, Equal; AsJson, "JSON", [json] {
        load: f64, memory: Option<u64>, busy: f64, users: u32,
    } |was| { load: was.load, memory: None, busy: was.busy, users: was.users, }
}

payload! {
    a_required_field_of_json_is_new: StoredBytes, Error; AsJson, "JSON", [json] {
        load: f64, memory: u64, busy: f64, users: u32,
    } |was| { load: was.load, memory: 0, busy: was.busy, users: was.users, }
}

payload! {
    a_field_of_json_is_a_text: StoredBytes, Error; AsJson, "JSON", [json] {
        load: f64, busy: f64, users: String,
    } |was| { load: was.load, busy: was.busy, users: was.users.to_string(), }
}

payload! {
    json_becomes_postcard: StoredBytes, Error; AsJson, "JSON", [postcard] {
        load: f64, busy: f64, users: u32,
    } |was| { load: was.load, busy: was.busy, users: was.users, }
}

payload! {
    fields_of_postcard_change_places: StoredBytes, Other; AsPostcard, "POSTCARD", [postcard] {
        busy: f64, load: f64, users: u32,
    } |was| { load: was.load, busy: was.busy, users: was.users, }
}

payload! {
    a_field_of_postcard_has_another_name: Reads, Equal; AsPostcard, "POSTCARD", [postcard] {
        cpu: f64, busy: f64, users: u32,
    } |was| { cpu: was.load, busy: was.busy, users: was.users, }
}

payload! {
    a_field_with_a_default_follows_in_postcard: Reads, Equal; AsPostcard, "POSTCARD", [postcard] {
        load: f64, busy: f64, users: u32, #[bigtable(default)] memory: u64,
    } |was| { load: was.load, busy: was.busy, users: was.users, memory: 0, }
}

payload! {
    a_field_goes_in_front_in_postcard: StoredBytes, Other; AsPostcard, "POSTCARD", [postcard] {
        memory: u64, load: f64, busy: f64, users: u32,
    } |was| { load: was.load, busy: was.busy, users: was.users, memory: 0, }
}

payload! {
    fields_of_proto_change_places: StoredBytes, Other; AsProto, "PROTO", [proto] {
        busy: f64, load: f64, users: u32,
    } |was| { load: was.load, busy: was.busy, users: was.users, }
}

payload! {
    fields_of_proto_change_places_and_keep_their_tags: nothing, Equal; AsProto, "PROTO", [proto] {
        #[bigtable(tag = 2)] busy: f64, #[bigtable(tag = 1)] load: f64,
        #[bigtable(tag = 3)] users: u32,
    } |was| { load: was.load, busy: was.busy, users: was.users, }
}

payload! {
    a_field_of_proto_has_another_tag: StoredBytes, Other; AsProto, "PROTO", [proto] {
        load: f64, busy: f64, #[bigtable(tag = 4)] users: u32,
    } |was| { load: was.load, busy: was.busy, users: was.users, }
}

payload! {
    a_field_of_proto_has_another_name: Reads, Equal; AsProto, "PROTO", [proto] {
        cpu: f64, busy: f64, users: u32,
    } |was| { cpu: was.load, busy: was.busy, users: was.users, }
}

payload! {
    fields_follow_in_proto: Reads, Equal; AsProto, "PROTO", [proto] {
        load: f64, busy: f64, users: u32, memory: Option<u64>, disk: u64, names: Vec<String>,
    } |was| {
        load: was.load, busy: was.busy, users: was.users, memory: None, disk: 0,
        names: Vec::new(),
    }
}

payload! {
    a_field_goes_in_front_in_proto: StoredBytes, Error; AsProto, "PROTO", [proto] {
        memory: u64, load: f64, busy: f64, users: u32,
    } |was| { load: was.load, busy: was.busy, users: was.users, memory: 0, }
}

payload! {
    a_number_of_proto_takes_more_values: Reads, Equal; AsProto, "PROTO", [proto] {
        load: f64, busy: f64, users: u64,
    } |was| { load: was.load, busy: was.busy, users: u64::from(was.users), }
}

payload! {
    a_field_of_proto_has_another_type: StoredBytes, Error; AsProto, "PROTO", [proto] {
        load: f64, busy: f64, users: String,
    } |was| { load: was.load, busy: was.busy, users: was.users.to_string(), }
}
