#![allow(clippy::unwrap_used, reason = "a failing test panics")]

use super::{PayloadField, PayloadFormat};
use crate::value::ValueError;

/// The fields of an event: two that are always present around two that may be absent.
#[derive(Debug, Clone, PartialEq)]
struct Balloon {
    pressure: u32,
    temperature: Option<f64>,
    note: Option<String>,
    name: String,
}

/// A format that has all of the fields.
trait Holds: PayloadField<u32> + PayloadField<f64> + PayloadField<String> {}

impl<F: PayloadField<u32> + PayloadField<f64> + PayloadField<String>> Holds for F {}

fn write<F: Holds>(event: &Balloon) -> Result<Vec<u8>, ValueError> {
    let mut out = b"before".to_vec();
    let mut writer = F::writer(&mut out);
    F::write(&mut writer, "pressure", 1, &event.pressure)?;
    F::write_option(&mut writer, "temp", 2, event.temperature.as_ref())?;
    F::write_option(&mut writer, "note", 3, event.note.as_ref())?;
    F::write(&mut writer, "name", 4, &event.name)?;
    F::finish(writer)?;
    Ok(out.split_off(6))
}

/// The fields that are present.
type Found = (Option<u32>, Option<f64>, Option<String>, Option<String>);

fn read<F: Holds>(bytes: &[u8]) -> Result<Found, ValueError> {
    let mut reader = F::reader(bytes)?;
    let found = (
        F::read(&mut reader, "pressure", 1)?,
        F::read_option(&mut reader, "temp", 2)?,
        F::read_option(&mut reader, "note", 3)?,
        F::read(&mut reader, "name", 4)?,
    );
    F::end(reader)?;
    Ok(found)
}

fn found(event: &Balloon) -> Found {
    let Balloon {
        pressure,
        temperature,
        note,
        name,
    } = event.clone();
    (Some(pressure), temperature, note, Some(name))
}

fn refusal<F: Holds>(bytes: &[u8]) -> String {
    read::<F>(bytes).unwrap_err().to_string()
}

fn events() -> [Balloon; 3] {
    let full = Balloon {
        pressure: 94_558,
        temperature: Some(9.6),
        note: Some("über \"uns\"".to_owned()),
        name: "b".to_owned(),
    };
    let some = Balloon {
        temperature: None,
        ..full.clone()
    };
    let least = Balloon {
        pressure: 0,
        temperature: None,
        note: None,
        name: String::new(),
    };
    [full, some, least]
}

#[cfg(feature = "json")]
mod json {
    use super::*;
    use crate::value::Json;

    #[test]
    fn an_object_of_the_fields_that_are_there() {
        let texts = [
            r#"{"pressure":94558,"temp":9.6,"note":"über \"uns\"","name":"b"}"#,
            r#"{"pressure":94558,"note":"über \"uns\"","name":"b"}"#,
            r#"{"pressure":0,"name":""}"#,
        ];
        for (event, text) in events().iter().zip(texts) {
            assert_eq!(write::<Json>(event).unwrap(), text.as_bytes());
            assert_eq!(read::<Json>(text.as_bytes()).unwrap(), found(event));
        }
    }

    #[test]
    fn what_others_write_is_read() {
        let text = r#" { "name": "b", "wind": {"speed": [1, 2]}, "no\u0074e": "n", "temp": null, "pressure": 1 } "#;
        let fields = (Some(1), None, Some("n".to_owned()), Some("b".to_owned()));
        assert_eq!(read::<Json>(text.as_bytes()).unwrap(), fields);
        assert_eq!(read::<Json>(b"{}").unwrap(), (None, None, None, None));
    }

    #[test]
    fn other_bytes_are_refused() {
        assert_eq!(
            refusal::<Json>(br#"{"pressure":"high"}"#),
            "expected the JSON of field `pressure` (invalid type: string \"high\", expected u32 at line 1 column 6), got 6 bytes \"\\\"high\\\"\""
        );
        for bytes in [
            &b""[..],
            b"[]",
            b"{\"pressure\":1",
            b"{}{}",
            b"{\"pressure\":\xff}",
            b"{\"\xff\":1}",
        ] {
            assert!(refusal::<Json>(bytes).starts_with("expected a JSON object ("));
        }
    }

    #[test]
    fn numbers_that_json_lacks_are_refused() {
        let [full, ..] = events();
        let event = Balloon {
            temperature: Some(f64::NAN),
            ..full
        };
        assert_eq!(
            write::<Json>(&event).unwrap_err().to_string(),
            "the value cannot be written as JSON: field `temp`: JSON has no number for NaN"
        );
        let mut out = Vec::new();
        let mut writer = Json::writer(&mut out);
        let refused = <Json as PayloadField<f64>>::write(&mut writer, "x", 1, &f64::INFINITY);
        assert!(refused.is_err());
        <Json as PayloadField<()>>::write(&mut writer, "unit", 2, &()).unwrap();
    }
}

#[cfg(feature = "postcard")]
mod postcard {
    use super::*;
    use crate::value::{Postcard, decode_cell, encode_cell};

    #[derive(serde::Serialize)]
    struct Same(u32, Option<f64>, Option<String>, String);

    #[test]
    fn the_bytes_are_those_of_a_struct() {
        for event in events() {
            let Balloon {
                pressure,
                temperature,
                note,
                name,
            } = event.clone();
            let same = ::postcard::to_allocvec(&Same(pressure, temperature, note, name)).unwrap();
            assert_eq!(write::<Postcard>(&event).unwrap(), same);
            assert_eq!(read::<Postcard>(&same).unwrap(), found(&event));
        }
        let [.., least] = events();
        assert_eq!(write::<Postcard>(&least).unwrap(), [0, 0, 0, 0]);
    }

    #[test]
    fn fields_at_the_end_may_be_missing_and_bytes_after_them_not() {
        assert_eq!(read::<Postcard>(&[7]).unwrap(), (Some(7), None, None, None));
        assert_eq!(
            refusal::<Postcard>(&[0, 0, 0, 0, 9]),
            "expected no bytes after the last field, got 1 byte \"\\t\""
        );
        assert_eq!(
            refusal::<Postcard>(&[0, 1, 2]),
            "expected the postcard of field `temp` (Hit the end of buffer, expected more data), got 2 bytes \"\\x01\\x02\""
        );
    }

    #[test]
    fn a_column_of_its_own() {
        let cell = encode_cell::<Postcard, _>(&(300_u32, Some(true))).unwrap();
        assert_eq!(cell.as_ref(), [0xac, 2, 1, 1]);
        let value: (u32, Option<bool>) = decode_cell::<Postcard, _>(&cell).unwrap();
        assert_eq!(value, (300, Some(true)));
        assert_eq!(
            decode_cell::<Postcard, u8>(&cell).unwrap_err().to_string(),
            "expected the postcard of u8 (bytes follow it), got 4 bytes \"\\xac\\x02\\x01\\x01\""
        );
        assert!(decode_cell::<Postcard, u32>(&bytes::Bytes::new()).is_err());
    }
}

#[cfg(feature = "prost")]
mod prost {
    use ::prost::Message;

    use crate::value::{Prost, decode_cell, encode_cell};

    #[derive(Clone, PartialEq, Message)]
    struct UInt32Value {
        #[prost(uint32, tag = "1")]
        value: u32,
    }

    #[test]
    fn a_column_of_its_own() {
        let value = UInt32Value { value: 300 };
        let cell = encode_cell::<Prost, _>(&value).unwrap();
        assert_eq!(cell.as_ref(), [8, 0xac, 2]);
        assert_eq!(decode_cell::<Prost, UInt32Value>(&cell).unwrap(), value);
        assert!(decode_cell::<Prost, UInt32Value>(&cell.slice(..2)).is_err());
    }
}
