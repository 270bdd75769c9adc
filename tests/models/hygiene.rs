//! Generated code is self-contained: without the prelude, without our names in scope, and with the
//! crate renamed.

/// The crate under an application's name.
mod vendored {
    pub use ::bigtable_model as model;
}

#[allow(dead_code, non_camel_case_types)]
mod bare {
    #![no_implicit_prelude]

    /// Names that generated code must not confuse with the standard ones.
    pub struct Option;
    pub struct Result;
    pub struct String;
    pub struct Vec;
    pub enum Ok {}
    pub enum Some {}
    pub enum None {}

    #[derive(::bigtable_model::KeySegment, ::core::clone::Clone, ::core::fmt::Debug)]
    #[bigtable(crate = crate::hygiene::vendored::model)]
    #[allow(missing_debug_implementations)]
    pub enum Venue {
        Nasdaq,
    }

    #[derive(::bigtable_model::Model)]
    #[bigtable(table = "T", family = "F", prefix = "P", crate = crate::hygiene::vendored::model)]
    #[allow(missing_debug_implementations)]
    pub struct Event {
        #[bigtable(key)]
        pub venue: Venue,
        #[bigtable(key, escape, column = "PATH", text)]
        pub path: ::std::string::String,
        #[bigtable(time, unit = "ms", column = "AT", text)]
        pub at: ::bigtable_model::Timestamp,
        pub out: f64,
        #[bigtable(default)]
        pub cells: i64,
        #[bigtable(json)]
        pub index: ::core::option::Option<u8>,
        #[bigtable(columns)]
        pub key: ::std::collections::BTreeMap<::std::string::String, f64>,
        #[bigtable(skip)]
        pub event: u8,
    }

    /// A salted bucket, with the names that generated code uses for itself.
    #[derive(::bigtable_model::Model)]
    #[bigtable(
        table = "T",
        family = "F",
        layout = "columns",
        salt(shards = 8, of(time, decoded)),
        crate = crate::hygiene::vendored::model
    )]
    #[allow(missing_debug_implementations)]
    pub struct Salted {
        #[bigtable(time, bucket = "week", label = "week{n}", origin = "2021-03-01")]
        pub time: ::bigtable_model::Timestamp,
        #[bigtable(key)]
        pub decoded: ::std::string::String,
        #[bigtable(key, escape)]
        pub reader: ::std::string::String,
        pub writer: f64,
        pub cells: ::core::option::Option<i64>,
    }

    /// Fields with the names that generated code uses for itself.
    #[derive(::bigtable_model::Model, ::core::fmt::Debug)]
    #[bigtable(table = "T", family = "F", marker = "M")]
    pub struct Names {
        #[bigtable(key)]
        pub writer: ::std::string::String,
        #[bigtable(key)]
        pub out: ::std::string::String,
        #[bigtable(key)]
        pub reader: ::std::string::String,
        #[bigtable(key)]
        pub order: u8,
        #[bigtable(key)]
        pub other: u8,
        #[bigtable(key)]
        pub r#type: u8,
        #[bigtable(key, escape)]
        pub f: ::std::string::String,
        pub backend: ::core::option::Option<u8>,
        pub update: ::core::option::Option<u8>,
        pub handles: ::core::option::Option<u8>,
    }

    #[derive(::bigtable_model::Model, ::core::fmt::Debug)]
    #[bigtable(table = "T", family = "F", rollup(Rolled), crate = crate::hygiene::vendored::model)]
    pub struct Later {
        #[bigtable(key)]
        pub later: ::std::string::String,
        #[bigtable(time, unit = "s")]
        pub event: ::bigtable_model::Timestamp,
        pub out: f64,
    }

    /// Columns with the names that generated code uses for itself.
    #[derive(::bigtable_model::Model, ::bigtable_model::rollup::Rollup, ::core::fmt::Debug)]
    #[bigtable(table = "R", family = "F", crate = crate::hygiene::vendored::model)]
    #[rollup(of = Later, every = "1h", crate = crate::hygiene::vendored::model)]
    pub struct Rolled {
        #[bigtable(key)]
        pub later: ::std::string::String,
        #[bigtable(time, unit = "s")]
        pub start: ::bigtable_model::Timestamp,
        #[rollup(count)]
        pub event: u64,
        #[rollup(last(out))]
        pub r#type: f64,
        #[rollup(sum)]
        pub out: f64,
    }

    #[derive(::bigtable_model::Projection)]
    #[bigtable(model = Event, crate = crate::hygiene::vendored::model)]
    pub struct Part {
        pub path: ::std::string::String,
        pub out: f64,
    }
}

#[test]
fn fields_may_have_the_names_of_generated_code() {
    let text = |text: &str| text.to_owned();
    let names = bare::Names {
        writer: text("a"),
        out: text("b"),
        reader: text("c"),
        order: 1,
        other: 2,
        r#type: 3,
        f: text("#"),
        backend: None,
        update: None,
        handles: None,
    };
    use bigtable_model::Model;
    let key = names.key().encode().unwrap();
    assert_eq!(key, b"a#b#c#001#002#003#$H");
    assert_eq!(bare::NamesKey::decode(&key).unwrap(), names.key());
}

#[test]
fn generated_code_needs_no_prelude() {
    use bigtable_model::Model;
    let plan = bare::Event::query()
        .venue(bare::Venue::Nasdaq)
        .path("a b")
        .events()
        .plan()
        .unwrap();
    assert_eq!(
        plan.scans[0].parts[0].ranges[0].to_string(),
        r#"["P#Nasdaq#a$Eb#", "P#Nasdaq#a$Eb$")"#
    );
}
