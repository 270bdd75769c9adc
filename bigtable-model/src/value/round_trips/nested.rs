//! Deeply nested values, and lists that claim to be long: the process survives any stored bytes,
//! and written values can be read.

use std::collections::BTreeMap;
use std::fmt::Debug;

use bytes::Bytes;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::value::payload::PayloadField;
use crate::value::{CellCodec, Json, Postcard, Prost, decode_cell, encode_cell};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Tree(Vec<Tree>);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Chain {
    next: Option<Box<Chain>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Peano {
    Zero,
    Next(Box<Peano>),
    Named { inner: Box<Peano> },
    Pair(Box<Peano>, u8),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Folder(BTreeMap<u8, Folder>);

#[derive(Clone, PartialEq, prost::Message)]
struct Message {
    #[prost(message, optional, boxed, tag = "1")]
    inner: Option<Box<Message>>,
}

/// The bytes of a field in an event, or why it cannot be written.
fn payload<F: PayloadField<T>, T>(value: &T) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    let mut writer = F::writer(&mut out);
    F::write_option(&mut writer, "field", 1, Some(value)).map_err(|error| error.to_string())?;
    F::finish(writer).map_err(|error| error.to_string())?;
    Ok(out)
}

fn from_payload<F: PayloadField<T>, T>(bytes: &[u8]) -> Result<Option<T>, String> {
    let text = |error: crate::value::ValueError| error.to_string();
    let mut reader = F::reader(bytes).map_err(text)?;
    F::read_option(&mut reader, "field", 1).map_err(text)
}

/// Writes values, each nested one level deeper, up to the first that is refused, and reads each
/// back; returns how many were accepted.
fn accepted<F, T>(first: T, next: fn(T) -> T) -> usize
where
    F: CellCodec<T> + PayloadField<T>,
    T: Clone + PartialEq + Debug,
{
    let mut value = first;
    let mut nested = 0;
    loop {
        assert!(nested < 1_000, "values of any depth are accepted");
        let cell = encode_cell::<F, T>(&value);
        match &cell {
            Ok(cell) => assert_eq!(decode_cell::<F, T>(cell).as_ref(), Ok(&value)),
            Err(error) => {
                let words = error.to_string();
                assert!(
                    words.contains("nested") || words.contains("recursion"),
                    "{words}"
                );
            }
        }
        let field = payload::<F, T>(&value);
        if let Ok(field) = &field {
            assert_eq!(
                from_payload::<F, T>(field).as_ref(),
                Ok(&Some(value.clone()))
            );
        }
        if cell.is_err() && field.is_err() {
            return nested;
        }
        value = next(value);
        nested += 1;
    }
}

#[test]
fn what_is_accepted_is_read_back_however_deep() {
    fn each<T>(first: T, next: fn(T) -> T, postcard: usize)
    where
        T: Clone + PartialEq + Debug + Serialize + DeserializeOwned,
    {
        let found = accepted::<Postcard, T>(first.clone(), next);
        assert_eq!(found, postcard, "{first:?}");
        let found = accepted::<Json, T>(first, next);
        assert!((60..=128).contains(&found), "{found}");
    }
    each(Tree(Vec::new()), |tree| Tree(vec![tree]), 127);
    let next = |chain| Chain {
        next: Some(Box::new(chain)),
    };
    each(Chain { next: None }, next, 64);
    each(Peano::Zero, |one| Peano::Next(Box::new(one)), 128);
    let named = |one| Peano::Named {
        inner: Box::new(one),
    };
    each(Peano::Zero, named, 64);
    each(Peano::Zero, |one| Peano::Pair(Box::new(one), 7), 64);
    let folder = |folder| Folder([(1, folder)].into());
    each(Folder(BTreeMap::new()), folder, 127);
}

/// Why the bytes are refused as a cell, and as a field of an event.
fn refused<F: CellCodec<T> + PayloadField<T>, T: Debug>(bytes: &[u8], field: &[u8]) -> String {
    let cell = decode_cell::<F, T>(&Bytes::copy_from_slice(bytes)).unwrap_err();
    let field = from_payload::<F, T>(field).unwrap_err();
    format!("{cell}; {field}")
}

#[test]
fn bytes_of_any_depth_are_refused_and_the_process_lives() {
    fn postcard<T: Serialize + DeserializeOwned + Debug>(level: &[u8]) {
        let bytes = level.repeat(100_000);
        let field = [&[1], &*bytes].concat();
        let words = refused::<Postcard, T>(&bytes, &field);
        assert_eq!(words.matches("127 levels").count(), 2, "{words}");
    }
    postcard::<Tree>(&[1]);
    postcard::<Chain>(&[1]);
    postcard::<Folder>(&[1, 0]);
    for variant in 1..=3 {
        postcard::<Peano>(&[variant]);
    }
    let open = "[".repeat(100_000).into_bytes();
    let field = [b"{\"field\":", &*open].concat();
    let words = refused::<Json, Tree>(&open, &field);
    assert!(words.contains("recursion limit"), "{words}");
    let mut message = Vec::new();
    for _ in 0..1_000 {
        let mut outer = Vec::new();
        prost::encoding::bytes::encode(1, &message, &mut outer);
        message = outer;
    }
    let error = decode_cell::<Prost, Message>(&message).unwrap_err();
    assert!(error.to_string().contains("recursion limit"), "{error}");
}

#[test]
fn lists_without_bytes_are_as_long_as_may_be_and_no_longer() {
    type Nothing = Vec<()>;
    /// The highest length that postcard writes, and no element.
    const CLAIM: [u8; 10] = [255, 255, 255, 255, 255, 255, 255, 255, 255, 1];
    let field = [&[1], &CLAIM[..]].concat();
    let words = refused::<Postcard, Nothing>(&CLAIM, &field);
    assert_eq!(words.matches("65536 more elements").count(), 2, "{words}");
    // Also if each of many lists is short.
    let lists = [&[200, 1], &[0xff, 0x7f].repeat(200)[..]].concat();
    let field = [&[1], &*lists].concat();
    let words = refused::<Postcard, Vec<Nothing>>(&lists, &field);
    assert_eq!(words.matches("65536 more elements").count(), 2, "{words}");

    let most = 1 << 16;
    let long = |count: usize| vec![(); count];
    for count in [0, 5, 1_000, most] {
        let cell = encode_cell::<Postcard, Nothing>(&long(count)).unwrap();
        assert_eq!(decode_cell::<Postcard, Nothing>(&cell), Ok(long(count)));
        let field = payload::<Postcard, _>(&long(count)).unwrap();
        let read = from_payload::<Postcard, Nothing>(&field);
        assert_eq!(read, Ok(Some(long(count))));
    }
    let error = encode_cell::<Postcard, Nothing>(&long(most + 10)).unwrap_err();
    assert!(error.to_string().contains("65536 more elements"), "{error}");
    assert!(payload::<Postcard, _>(&long(most + 10)).is_err());
    // Elements with bytes may be of any number.
    let numbers: Vec<u8> = vec![7; 3 * most];
    let cell = encode_cell::<Postcard, _>(&numbers).unwrap();
    assert_eq!(decode_cell::<Postcard, Vec<u8>>(&cell), Ok(numbers));
}
