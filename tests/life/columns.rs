//! Changes to columns, and to what marks an event.

use std::collections::BTreeMap;

use bigtable_model::value::{CellCodec, ValueError};
use bigtable_model::{CellValue, Timestamp};

use crate::prove::{Former, change};

#[derive(Debug, Clone, Copy, PartialEq, CellValue)]
pub(crate) enum State {
    Up,
    Down,
}

/// A server's health: five columns; the first one marks the event.
#[derive(Debug, Clone, PartialEq, bigtable_model::Model)]
#[bigtable(table = "HEALTH", family = "S")]
pub(crate) struct Health {
    #[bigtable(key)]
    host: String,
    #[bigtable(time)]
    at: Timestamp,
    load: f64,
    users: u32,
    #[bigtable(with = Letter)]
    state: State,
    mood: State,
    note: Option<String>,
}

/// A letter for each state.
pub(crate) struct Letter;

impl CellCodec<State> for Letter {
    const NAME: &'static str = "state-letter";

    fn encode(value: &State, out: &mut Vec<u8>) -> Result<(), ValueError> {
        out.push(match value {
            State::Up => b'U',
            State::Down => b'D',
        });
        Ok(())
    }

    fn decode(bytes: &[u8]) -> Result<State, ValueError> {
        match bytes {
            b"U" => Ok(State::Up),
            b"D" => Ok(State::Down),
            other => Err(ValueError::malformed("`U` or `D`", other)),
        }
    }
}

impl Former for Health {
    fn events() -> Vec<Self> {
        let notes = [None, Some("reboot".to_owned())].into_iter();
        let events = notes.zip([(1, 7, State::Up), (2, 300, State::Down)]);
        let event = |(note, (at, users, state))| Self {
            host: "web1".to_owned(),
            at: Timestamp::from_seconds(at),
            load: 0.25,
            users,
            state,
            mood: state,
            note,
        };
        events.map(event).collect()
    }
}

/// A model with the first columns of [`Health`], and others.
macro_rules! health {
    ($name:ident: $class:tt, $fate:ident; [$($attribute:tt)*] { $($field:tt)* } |$was:ident| { $($value:tt)* }) => {
        change! {
            $name: $class, $fate; Health => {
                #[bigtable(table = "HEALTH", $($attribute)*)]
                struct Now {
                    #[bigtable(key)] host: String,
                    #[bigtable(time)] at: Timestamp,
                    $($field)*
                }
            } |$was| Now { host: $was.host.clone(), at: $was.at, $($value)* }
        }
    };
}

health! {
    an_optional_column_is_new: Reads, Equal; [family = "S"] {
        load: f64, users: u32, #[bigtable(with = Letter)] state: State, mood: State,
        note: Option<String>, memory: Option<u64>,
    } |was| {
        load: was.load, users: was.users, state: was.state, mood: was.mood,
        note: was.note.clone(), memory: None,
    }
}

health! {
    a_version_with_default_is_new: Reads, Equal; [family = "S"] {
        load: f64, users: u32, #[bigtable(with = Letter)] state: State, mood: State,
        note: Option<String>, #[bigtable(version, default)] edition: u32,
    } |was| {
        load: was.load, users: was.users, state: was.state, mood: was.mood,
        note: was.note.clone(), edition: 0,
    }
}

health! {
    an_integer_becomes_the_version: Reads, Equal; [family = "S"] {
        load: f64, #[bigtable(version)] users: u32, #[bigtable(with = Letter)] state: State,
        mood: State, note: Option<String>,
    } |was| {
        load: was.load, users: was.users, state: was.state, mood: was.mood,
        note: was.note.clone(),
    }
}

health! {
    a_required_column_is_new: StoredBytes, Error; [family = "S"] {
        load: f64, users: u32, #[bigtable(with = Letter)] state: State, mood: State,
        note: Option<String>, memory: u64,
    } |was| {
        load: was.load, users: was.users, state: was.state, mood: was.mood,
        note: was.note.clone(), memory: 0,
    }
}

health! {
    a_required_column_is_new_in_front: StoredBytes, Hidden; [family = "S"] {
        memory: u64, load: f64, users: u32, #[bigtable(with = Letter)] state: State, mood: State,
        note: Option<String>,
    } |was| {
        load: was.load, users: was.users, state: was.state, mood: was.mood,
        note: was.note.clone(), memory: 0,
    }
}

health! {
    a_column_with_a_default_is_new: Reads, Equal; [family = "S"] {
        #[bigtable(default)] memory: u64,
        load: f64, users: u32, #[bigtable(with = Letter)] state: State, mood: State,
        note: Option<String>,
    } |was| {
        load: was.load, users: was.users, state: was.state, mood: was.mood,
        note: was.note.clone(), memory: 0,
    }
}

// The events are read, but the column's values are not.
health! {
    a_column_is_gone: StoredBytes, Equal; [family = "S"] {
        load: f64, users: u32, #[bigtable(with = Letter)] state: State, mood: State,
    } |was| {
        load: was.load, users: was.users, state: was.state, mood: was.mood,
    }
}

health! {
    an_optional_column_has_another_name: StoredBytes, Other; [family = "S"] {
        load: f64, users: u32, #[bigtable(with = Letter)] state: State, mood: State,
        #[bigtable(column = "remark")] note: Option<String>,
    } |was| {
        load: was.load, users: was.users, state: was.state, mood: was.mood,
        note: was.note.clone(),
    }
}

health! {
    a_required_column_has_another_name: StoredBytes, Error; [family = "S"] {
        load: f64, #[bigtable(column = "sessions")] users: u32,
        #[bigtable(with = Letter)] state: State, mood: State, note: Option<String>,
    } |was| {
        load: was.load, users: was.users, state: was.state, mood: was.mood,
        note: was.note.clone(),
    }
}

health! {
    the_column_that_marks_events_has_another_name: StoredBytes, Hidden; [family = "S"] {
        #[bigtable(column = "cpu")] load: f64, users: u32,
        #[bigtable(with = Letter)] state: State, mood: State, note: Option<String>,
    } |was| {
        load: was.load, users: was.users, state: was.state, mood: was.mood,
        note: was.note.clone(),
    }
}

health! {
    a_field_has_another_name_and_its_column: nothing, Equal; [family = "S"] {
        #[bigtable(column = "load")] busy: f64, users: u32,
        #[bigtable(with = Letter)] state: State, mood: State, note: Option<String>,
    } |was| {
        busy: was.load, users: was.users, state: was.state, mood: was.mood,
        note: was.note.clone(),
    }
}

health! {
    a_column_becomes_text: StoredBytes, Error; [family = "S"] {
        #[bigtable(text)] load: f64, users: u32,
        #[bigtable(with = Letter)] state: State, mood: State, note: Option<String>,
    } |was| {
        load: was.load, users: was.users, state: was.state, mood: was.mood,
        note: was.note.clone(),
    }
}

health! {
    a_float_becomes_narrower: StoredBytes, Error; [family = "S"] {
        load: f32, users: u32, #[bigtable(with = Letter)] state: State, mood: State,
        note: Option<String>,
    } |was| {
        load: was.load as f32, users: was.users, state: was.state, mood: was.mood,
        note: was.note.clone(),
    }
}

health! {
    a_float_becomes_an_integer_of_its_size: StoredBytes, Other; [family = "S"] {
        load: i64, users: u32, #[bigtable(with = Letter)] state: State, mood: State,
        note: Option<String>,
    } |was| {
        load: was.load as i64, users: was.users, state: was.state, mood: was.mood,
        note: was.note.clone(),
    }
}

health! {
    an_integer_becomes_wider: Reads, Equal; [family = "S"] {
        load: f64, users: i64, #[bigtable(with = Letter)] state: State, mood: State,
        note: Option<String>,
    } |was| {
        load: was.load, users: was.users.into(), state: was.state, mood: was.mood,
        note: was.note.clone(),
    }
}

health! {
    an_integer_becomes_narrower: StoredBytes, Error; [family = "S"] {
        load: f64, users: u8, #[bigtable(with = Letter)] state: State, mood: State,
        note: Option<String>,
    } |was| {
        load: was.load, users: was.users as u8, state: was.state, mood: was.mood,
        note: was.note.clone(),
    }
}

health! {
    a_required_column_becomes_optional: Reads, Equal; [family = "S"] {
        load: f64, users: Option<u32>, #[bigtable(with = Letter)] state: State, mood: State,
        note: Option<String>,
    } |was| {
        load: was.load, users: Some(was.users), state: was.state, mood: was.mood,
        note: was.note.clone(),
    }
}

health! {
    an_optional_column_becomes_required: StoredBytes, Error; [family = "S"] {
        load: f64, users: u32, #[bigtable(with = Letter)] state: State, mood: State,
        note: String,
    } |was| {
        load: was.load, users: was.users, state: was.state, mood: was.mood,
        note: was.note.clone().unwrap_or_default(),
    }
}

health! {
    an_optional_column_gets_a_default: nothing, Equal; [family = "S"] {
        load: f64, users: u32, #[bigtable(with = Letter)] state: State, mood: State,
        #[bigtable(default)] note: String,
    } |was| {
        load: was.load, users: was.users, state: was.state, mood: was.mood,
        note: was.note.clone().unwrap_or_default(),
    }
}

health! {
    the_column_that_marks_events_becomes_optional: Reads, Equal; [family = "S"] {
        load: Option<f64>, users: u32, #[bigtable(with = Letter)] state: State, mood: State,
        note: Option<String>,
    } |was| {
        load: Some(was.load), users: was.users, state: was.state, mood: was.mood,
        note: was.note.clone(),
    }
}

health! {
    required_columns_change_places: Reads, Equal; [family = "S"] {
        users: u32, load: f64, mood: State, #[bigtable(with = Letter)] state: State,
        note: Option<String>,
    } |was| {
        load: was.load, users: was.users, state: was.state, mood: was.mood,
        note: was.note.clone(),
    }
}

health! {
    columns_after_the_first_change_places: nothing, Equal; [family = "S"] {
        load: f64, note: Option<String>, #[bigtable(with = Letter)] state: State, mood: State,
        users: u32,
    } |was| {
        load: was.load, users: was.users, state: was.state, mood: was.mood,
        note: was.note.clone(),
    }
}

health! {
    a_marker_is_new: StoredBytes, Hidden; [family = "S", marker = "EVENT"] {
        load: f64, users: u32, #[bigtable(with = Letter)] state: State, mood: State,
        note: Option<String>,
    } |was| {
        load: was.load, users: was.users, state: was.state, mood: was.mood,
        note: was.note.clone(),
    }
}

health! {
    a_value_of_an_enum_has_another_name: StoredBytes, Error; [family = "S"] {
        load: f64, users: u32, #[bigtable(with = Letter)] state: State, mood: Mood,
        note: Option<String>,
    } |was| {
        load: was.load, users: was.users, state: was.state, mood: Mood::Up,
        note: was.note.clone(),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, CellValue)]
enum Mood {
    Up,
    Sunk,
}

health! {
    an_enum_has_another_value: Reads, Equal; [family = "S"] {
        load: f64, users: u32, #[bigtable(with = Letter)] state: State, mood: Moods,
        note: Option<String>,
    } |was| {
        load: was.load, users: was.users, state: was.state,
        mood: match was.mood { State::Up => Moods::Up, State::Down => Moods::Down },
        note: was.note.clone(),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, CellValue)]
enum Moods {
    Unknown,
    Up,
    Down,
}

/// The same name, but other bytes.
struct LowerLetter;

impl CellCodec<State> for LowerLetter {
    const NAME: &'static str = Letter::NAME;

    fn encode(value: &State, out: &mut Vec<u8>) -> Result<(), ValueError> {
        Letter::encode(value, out)?;
        out.make_ascii_lowercase();
        Ok(())
    }

    fn decode(bytes: &[u8]) -> Result<State, ValueError> {
        match bytes {
            b"u" => Ok(State::Up),
            b"d" => Ok(State::Down),
            other => Err(ValueError::malformed("`u` or `d`", other)),
        }
    }
}

health! {
    a_codec_changes_its_bytes: StoredBytes, Error; [family = "S"] {
        load: f64, users: u32, #[bigtable(with = LowerLetter)] state: State, mood: State,
        note: Option<String>,
    } |was| {
        load: was.load, users: was.users, state: was.state, mood: was.mood,
        note: was.note.clone(),
    }
}

/// Another type with the same encoding.
struct Initial;

impl CellCodec<State> for Initial {
    const NAME: &'static str = Letter::NAME;

    fn encode(value: &State, out: &mut Vec<u8>) -> Result<(), ValueError> {
        Letter::encode(value, out)
    }

    fn decode(bytes: &[u8]) -> Result<State, ValueError> {
        Letter::decode(bytes)
    }
}

health! {
    a_codec_has_another_name_in_the_code: nothing, Equal; [family = "S"] {
        load: f64, users: u32, #[bigtable(with = Initial)] state: State, mood: State,
        note: Option<String>,
    } |was| {
        load: was.load, users: was.users, state: was.state, mood: was.mood,
        note: was.note.clone(),
    }
}

health! {
    the_family_has_another_name: StoredBytes, Hidden; [family = "T"] {
        load: f64, users: u32, #[bigtable(with = Letter)] state: State, mood: State,
        note: Option<String>,
    } |was| {
        load: was.load, users: was.users, state: was.state, mood: was.mood,
        note: was.note.clone(),
    }
}

health! {
    a_column_moves_to_another_family: StoredBytes, Other; [family = "S"] {
        load: f64, users: u32, #[bigtable(with = Letter)] state: State, mood: State,
        #[bigtable(family = "T")] note: Option<String>,
    } |was| {
        load: was.load, users: was.users, state: was.state, mood: was.mood,
        note: was.note.clone(),
    }
}

health! {
    the_rest_of_the_family_is_collected: Reads, Equal; [family = "S"] {
        load: f64, users: u32, #[bigtable(with = Letter)] state: State, mood: State,
        note: Option<String>, #[bigtable(columns)] rest: BTreeMap<String, f64>,
    } |was| {
        load: was.load, users: was.users, state: was.state, mood: was.mood,
        note: was.note.clone(), rest: BTreeMap::new(),
    }
}

health! {
    a_rule_deletes_old_cells: Reads, Equal; [family = "S", gc(max_versions = 3)] {
        load: f64, users: u32, #[bigtable(with = Letter)] state: State, mood: State,
        note: Option<String>,
    } |was| {
        load: was.load, users: was.users, state: was.state, mood: was.mood,
        note: was.note.clone(),
    }
}

health! {
    a_column_takes_appends: Reads, Equal; [family = "S", gc(max_versions = 1)] {
        load: f64, users: u32, #[bigtable(with = Letter)] state: State, mood: State,
        #[bigtable(append)] note: Option<String>,
    } |was| {
        load: was.load, users: was.users, state: was.state, mood: was.mood,
        note: was.note.clone(),
    }
}

/// A sample marked by an empty cell.
#[derive(Debug, Clone, PartialEq, bigtable_model::Model)]
#[bigtable(table = "MARKED", family = "S", marker = "EVENT")]
pub(crate) struct Marked {
    #[bigtable(key)]
    host: String,
    #[bigtable(time)]
    at: Timestamp,
    load: f64,
}

impl Former for Marked {
    fn events() -> Vec<Self> {
        let event = |at| Self {
            host: "web1".to_owned(),
            at: Timestamp::from_seconds(at),
            load: 0.25,
        };
        (1..4).map(event).collect()
    }
}

change! {
    a_marker_is_gone: Reads, Equal; Marked => {
        #[bigtable(table = "MARKED", family = "S")]
        struct Now {
            #[bigtable(key)] host: String,
            #[bigtable(time)] at: Timestamp,
            load: f64,
        }
    } |was| Now { host: was.host.clone(), at: was.at, load: was.load }
}

change! {
    a_marker_has_another_name: StoredBytes, Hidden; Marked => {
        #[bigtable(table = "MARKED", family = "S", marker = "SAMPLE")]
        struct Now {
            #[bigtable(key)] host: String,
            #[bigtable(time)] at: Timestamp,
            load: f64,
        }
    } |was| Now { host: was.host.clone(), at: was.at, load: was.load }
}

change! {
    a_required_column_is_new_in_front_of_a_marked_event: Reads, Equal; Marked => {
        #[bigtable(table = "MARKED", family = "S", marker = "EVENT")]
        struct Now {
            #[bigtable(key)] host: String,
            #[bigtable(time)] at: Timestamp,
            #[bigtable(default)] memory: u64,
            load: f64,
        }
    } |was| Now { host: was.host.clone(), at: was.at, memory: 0, load: was.load }
}
