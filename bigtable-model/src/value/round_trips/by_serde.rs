//! JSON and postcard, in columns and in events.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::*;
use crate::value::payload::PayloadField;

/// All of a value's bits, by a format that keeps them.
fn image<T: Serialize>(value: &T) -> Vec<u8> {
    ::postcard::to_allocvec(value).unwrap()
}

/// The value read from an event with one field.
fn through<F: PayloadField<T>, T>(
    write: impl FnOnce(&mut F::Writer<'_>) -> Result<(), ValueError>,
    read: impl FnOnce(&mut F::Reader<'_>) -> Result<Option<T>, ValueError>,
) -> Result<Option<T>, ValueError> {
    let mut out = Vec::new();
    let mut writer = F::writer(&mut out);
    write(&mut writer)?;
    F::finish(writer)?;
    let mut reader = F::reader(&out)?;
    let value = read(&mut reader)?;
    F::end(reader)?;
    Ok(value)
}

fn field<F: PayloadField<T>, T>(value: &T) -> Result<Option<T>, ValueError> {
    through::<F, T>(
        |writer| F::write(writer, "field", 1, value),
        |reader| F::read(reader, "field", 1),
    )
}

/// A field that may be absent.
fn option<F: PayloadField<T>, T>(value: Option<&T>) -> Result<Option<T>, ValueError> {
    through::<F, T>(
        |writer| F::write_option(writer, "field", 1, value),
        |reader| F::read_option(reader, "field", 1),
    )
}

fn comes_back<T: Serialize + Debug>(value: &T, back: Result<Option<T>, ValueError>, refused: bool) {
    match back {
        Ok(back) => {
            assert!(!refused, "{value:?} is accepted");
            assert_eq!(image(&back), image(&Some(value)), "{value:?}");
        }
        Err(error) => assert!(refused, "{value:?}: {error}"),
    }
}

/// As a column and as a field of an event. JSON loses values for which `lost` is true, and `null`
/// in a `Some`.
fn in_json<T>(
    values: impl IntoIterator<Item = T>,
    lost: impl Fn(&T) -> bool,
    image: impl Fn(&T) -> Vec<u8>,
) where
    T: Serialize + DeserializeOwned + Debug + Clone,
{
    for value in values {
        let refused = lost(&value);
        let null = !refused && serde_json::to_string(&value).unwrap() == "null";
        let same = |back: Result<Option<T>, ValueError>, refused: bool| match back {
            Ok(back) => {
                assert!(!refused, "{value:?} is accepted");
                assert_eq!(back.as_ref().map(&image), Some(image(&value)), "{value:?}");
            }
            Err(error) => assert!(refused, "{value:?}: {error}"),
        };
        same(field::<Json, T>(&value), refused);
        same(option::<Json, T>(Some(&value)), refused || null);
        come_back::<Json, T, _>([value.clone()], &image, |_| refused);
    }
    assert!(option::<Json, T>(None).unwrap().is_none());
}

/// In JSON, and in postcard, which loses nothing.
fn in_both<T>(values: impl IntoIterator<Item = T>, lost: impl Fn(&T) -> bool)
where
    T: Serialize + DeserializeOwned + Debug + Clone,
{
    let values: Vec<T> = values.into_iter().collect();
    for value in &values {
        comes_back(value, field::<Postcard, T>(value), false);
        comes_back(value, option::<Postcard, T>(Some(value)), false);
        come_back::<Postcard, T, _>([value.clone()], image, |_| false);
    }
    assert!(option::<Postcard, T>(None).unwrap().is_none());
    in_json(values, lost, image);
}

fn never<T>(_: &T) -> bool {
    false
}

#[test]
fn scalars() {
    in_both(DOUBLES, |one| !one.is_finite());
    in_both(SINGLES, |one| !one.is_finite());
    fn integers<T: Serialize + DeserializeOwned + Debug + Clone>(values: [T; 6]) {
        in_both(values, never);
    }
    of_integers!(integers: u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize);
    in_both([true, false], never);
    in_both(CHARS, never);
    in_both(texts::<String>(), never);
    in_both([()], never);
    in_both([Timestamp::MIN, Timestamp::MAX], never);
    in_both([Bytes::new(), Bytes::from_static(b"\0\xff")], never);
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Unit;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Maybe(Option<f64>);

#[test]
fn nothing_is_not_something() {
    in_both([None, Some(0.5)], never);
    in_both([Some(None), None, Some(Some(-0.0))], |one| {
        *one == Some(None)
    });
    in_both([Some(()), None], Option::is_some);
    in_both([Some(Unit), None], Option::is_some);
    in_both([Maybe(None), Maybe(Some(1.0))], never);
    in_both([Some(Maybe(None)), None], Option::is_some);
    in_both([vec![None, Some(1)], vec![Some(2)]], never);
    in_both([vec![Some(None)], vec![Some(Some(1))]], |one| {
        one.first() == Some(&Some(None))
    });
    let text = |one: &Option<Value>| {
        one.as_ref()
            .map_or_else(Vec::new, |one| one.to_string().into())
    };
    in_json(
        [Some(Value::Null), None, Some(json!("null"))],
        |one| *one == Some(Value::Null),
        text,
    );
    let raw = |text: &str| RawValue::from_string(text.to_owned()).unwrap();
    let text =
        |one: &Option<Box<RawValue>>| one.as_ref().map_or_else(Vec::new, |one| one.get().into());
    in_json(
        [Some(raw("null")), None, Some(raw("[null]"))],
        |one| one.as_ref().is_some_and(|one| one.get() == "null"),
        text,
    );
    in_json([json!({"a": [null, -0.0, 1e23, u64::MAX]})], never, |one| {
        one.to_string().into()
    });
}

#[test]
fn keys_of_maps() {
    in_both([BTreeMap::from([(i128::MIN, 1), (i128::MAX, 2)])], never);
    in_both([BTreeMap::from([(u64::MAX, 1)])], never);
    in_both([BTreeMap::from([(true, 1), (false, 2)])], never);
    in_both(
        [CHARS
            .into_iter()
            .map(|one| (one, 1))
            .collect::<BTreeMap<_, _>>()],
        never,
    );
    in_both(
        [texts().map(|one| (one, 1)).collect::<BTreeMap<String, _>>()],
        never,
    );
    in_both([BTreeMap::from([(Some(1), 1)])], never);
    in_both([BTreeMap::from([((), 1)]), BTreeMap::new()], |one| {
        !one.is_empty()
    });
}

/// Values inside each other, with everything that JSON loses.
#[derive(Debug, Clone, Serialize, Deserialize)]
enum Deep {
    Unit,
    Double(f64),
    Single(f32),
    Twice(Option<Option<f64>>),
    Big(i128),
    Text(String),
    List(Vec<Deep>),
    Map(BTreeMap<String, Deep>),
    Pair(Box<Deep>, f32),
    Named { inner: Option<Box<Deep>>, of: Maybe },
}

impl Deep {
    fn is_lost(&self) -> bool {
        match self {
            Self::Unit | Self::Big(_) | Self::Text(_) => false,
            Self::Double(one) => !one.is_finite(),
            Self::Single(one) => !one.is_finite(),
            Self::Twice(one) => one.is_some_and(|one| one.is_none_or(|one| !one.is_finite())),
            Self::List(list) => list.iter().any(Self::is_lost),
            Self::Map(map) => map.values().any(Self::is_lost),
            Self::Pair(one, float) => one.is_lost() || !float.is_finite(),
            Self::Named { inner, of } => {
                inner.as_ref().is_some_and(|one| one.is_lost())
                    || of.0.is_some_and(|one| !one.is_finite())
            }
        }
    }
}

fn double() -> impl Strategy<Value = f64> {
    let any = any::<u64>().prop_map(f64::from_bits);
    prop_oneof![4 => -1e9..1e9, 2 => any, 1 => prop::sample::select(DOUBLES.to_vec())]
}

fn deep() -> impl Strategy<Value = Deep> {
    #[allow(clippy::cast_possible_truncation, reason = "any single will do")]
    let single = || double().prop_map(|one| one as f32);
    let leaf = prop_oneof![
        Just(Deep::Unit),
        double().prop_map(Deep::Double),
        single().prop_map(Deep::Single),
        prop::option::of(prop::option::weighted(0.9, double())).prop_map(Deep::Twice),
        any::<i128>().prop_map(Deep::Big),
        any::<String>().prop_map(Deep::Text),
    ];
    leaf.prop_recursive(4, 12, 4, move |inner| {
        let text = any::<String>();
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Deep::List),
            prop::collection::btree_map(text, inner.clone(), 0..4).prop_map(Deep::Map),
            (inner.clone(), single()).prop_map(|(one, float)| Deep::Pair(Box::new(one), float)),
            (prop::option::of(inner), prop::option::of(double())).prop_map(|(inner, of)| {
                let inner = inner.map(Box::new);
                Deep::Named {
                    inner,
                    of: Maybe(of),
                }
            }),
        ]
    })
}

proptest! {
    #[test]
    fn at_any_depth(value in deep()) {
        in_both([value], Deep::is_lost);
    }

    #[test]
    fn any_float_in_json(double: u64, single: u32) {
        in_both([f64::from_bits(double)], |one| !one.is_finite());
        in_both([f32::from_bits(single)], |one| !one.is_finite());
    }
}

/// Shapes that serde recognises by their contents, which only JSON supports.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind")]
enum Tagged {
    Point { x: f64, of: Vec<Maybe> },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Flat {
    #[serde(flatten)]
    inner: BTreeMap<String, f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<f32>,
}

#[test]
fn shapes_of_serde() {
    let text = |one: &dyn Debug| format!("{one:?}").into_bytes();
    for x in [1.5, -0.0, f64::NAN, f64::INFINITY] {
        let lost = !x.is_finite();
        let point = Tagged::Point { x, of: vec![] };
        in_json([point], |_| lost, |one| text(one));
        let of = vec![Maybe(None), Maybe(Some(x))];
        in_json([Tagged::Point { x: 0.0, of }], |_| lost, |one| text(one));
        let inner = BTreeMap::from([("x".to_owned(), x)]);
        in_json([Flat { inner, note: None }], |_| lost, |one| text(one));
    }
    let note = Some(f32::NEG_INFINITY);
    let inner = BTreeMap::new();
    in_json([Flat { inner, note }], |_| true, |one| text(one));
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Nest(Vec<Nest>);

fn nest(levels: usize) -> Nest {
    (1..levels).fold(Nest(Vec::new()), |inner, _| Nest(vec![inner]))
}

#[test]
fn no_deeper_than_json_is_read() {
    in_json((120..136).map(nest), |one| image(one).len() > 127, image);
    let error = encode_cell::<Json, _>(&nest(128)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the value cannot be written as JSON: it is nested more deeply than the 127 levels that can be read"
    );
}

/// A field that is left out shifts later fields.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Shifted {
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<u8>,
    count: u8,
}

#[test]
fn postcard_leaves_no_field_out() {
    let whole = |note| Shifted { note, count: 1 };
    let cell = encode_cell::<Postcard, _>(&whole(Some(2))).unwrap();
    assert_eq!(
        decode_cell::<Postcard, Shifted>(&cell).unwrap(),
        whole(Some(2))
    );
    let error = encode_cell::<Postcard, _>(&whole(None)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the value cannot be written as postcard: its `Serialize` refuses it, or leaves out a field, and postcard reads fields by their place: remove `skip_serializing_if`"
    );
    assert!(field::<Postcard, Shifted>(&whole(None)).is_err());
}
