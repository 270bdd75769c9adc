use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeOwned, Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{PayloadField, PayloadFormat};
use crate::value::lossless::append_json;
use crate::value::{Json, ValueError};

/// An object in progress of writing.
#[derive(Debug)]
pub struct JsonWriter<'a> {
    out: &'a mut Vec<u8>,
    empty: bool,
}

/// The members of an object in progress of reading.
#[derive(Debug)]
pub struct JsonReader<'a> {
    members: Vec<(Name<'a>, &'a RawValue)>,
    /// The member after the last one read, which is usually the next to read.
    next: usize,
}

#[derive(Debug, Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

impl PayloadFormat for Json {
    const NAME: &'static str = "json";

    type Writer<'a> = JsonWriter<'a>;
    type Reader<'a> = JsonReader<'a>;

    fn writer(out: &mut Vec<u8>) -> JsonWriter<'_> {
        out.push(b'{');
        JsonWriter { out, empty: true }
    }

    fn finish(writer: JsonWriter<'_>) -> Result<(), ValueError> {
        writer.out.push(b'}');
        Ok(())
    }

    fn reader(bytes: &[u8]) -> Result<JsonReader<'_>, ValueError> {
        let malformed = |error| ValueError::malformed(format!("a JSON object ({error})"), bytes);
        let Members(members) = serde_json::from_slice(bytes).map_err(malformed)?;
        Ok(JsonReader { members, next: 0 })
    }

    fn end(_: JsonReader<'_>) -> Result<(), ValueError> {
        Ok(())
    }
}

impl JsonWriter<'_> {
    /// Writes a member; returns whether its value is `null`.
    fn member<T: Serialize>(
        &mut self,
        name: &str,
        value: &T,
        of_option: bool,
    ) -> Result<bool, ValueError> {
        if !std::mem::replace(&mut self.empty, false) {
            self.out.push(b',');
        }
        let refused = |error| refused(name, error);
        serde_json::to_writer(&mut *self.out, name).map_err(refused)?;
        self.out.push(b':');
        let start = self.out.len();
        append_json(value, of_option, self.out).map_err(refused)?;
        Ok(self.out.get(start..) == Some(b"null"))
    }
}

#[cold]
fn refused(name: &str, reason: impl fmt::Display) -> ValueError {
    ValueError::refused("JSON", format!("field `{name}`: {reason}"))
}

/// The error for a type that writes a value as `null`, which it cannot read.
const NULL: &str = "it is written as `null`, which its type does not read";

impl<'a> JsonReader<'a> {
    /// The value of a member.
    fn value(&mut self, name: &str) -> Option<&'a RawValue> {
        let is = |(member, _): &(Name<'a>, &'a RawValue)| member.0 == name;
        let place = match self.members.get(self.next) {
            Some(next) if is(next) => self.next,
            _ => self.members.iter().position(is)?,
        };
        self.next = place + 1;
        self.members.get(place).map(|(_, value)| *value)
    }
}

#[diagnostic::do_not_recommend] // The message of `PayloadField` says more than the bound that is not met.
impl<T: Serialize + DeserializeOwned> PayloadField<T> for Json {
    fn write(
        writer: &mut JsonWriter<'_>,
        name: &'static str,
        _: u32,
        value: &T,
    ) -> Result<(), ValueError> {
        let null = writer.member(name, value, false)?;
        // A type that can read `null` may write it.
        if null && serde_json::from_str::<T>("null").is_err() {
            return Err(refused(name, NULL));
        }
        Ok(())
    }

    fn read(
        reader: &mut JsonReader<'_>,
        name: &'static str,
        _: u32,
    ) -> Result<Option<T>, ValueError> {
        reader
            .value(name)
            .map(|value| parse(name, value))
            .transpose()
    }

    fn write_option(
        writer: &mut JsonWriter<'_>,
        name: &'static str,
        _: u32,
        value: Option<&T>,
    ) -> Result<(), ValueError> {
        match value {
            Some(value) => writer.member(name, value, true).map(|_| ()),
            None => Ok(()),
        }
    }

    /// `null`, which other programs may write, is an absent value.
    fn read_option(
        reader: &mut JsonReader<'_>,
        name: &'static str,
        _: u32,
    ) -> Result<Option<T>, ValueError> {
        let value = reader.value(name).filter(|value| value.get() != "null");
        value.map(|value| parse(name, value)).transpose()
    }
}

fn parse<T: DeserializeOwned>(name: &str, value: &RawValue) -> Result<T, ValueError> {
    serde_json::from_str(value.get()).map_err(|error| {
        let expected = format!("the JSON of field `{name}` ({error})");
        ValueError::malformed(expected, value.get().as_bytes())
    })
}

/// The members of an object in order.
struct Members<'a>(Vec<(Name<'a>, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;

        impl<'de> Visitor<'de> for Object {
            type Value = Vec<(Name<'de>, &'de RawValue)>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::with_capacity(16);
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(members)
            }
        }

        deserializer.deserialize_map(Object).map(Members)
    }
}
