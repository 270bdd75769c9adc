//! Messages in columns.

use std::collections::HashMap;

use ::prost::{Message, Oneof};

use super::*;

/// As a column.
fn in_prost<T, I>(
    values: impl IntoIterator<Item = T>,
    image: impl Fn(&T) -> I,
    lost: impl Fn(&T) -> bool,
) where
    T: Message + Default + Debug + Clone + 'static,
    I: PartialEq + Debug,
{
    come_back::<Prost, T, I>(values, image, lost);
}

#[test]
fn scalars() {
    in_prost(DOUBLES, |one| one.to_bits(), |_| false);
    in_prost(SINGLES, |one| one.to_bits(), |_| false);
    fn integers<T: Message + Default + Debug + Copy + PartialEq + 'static>(values: [T; 6]) {
        in_prost(values, |one| *one, |_| false);
    }
    of_integers!(integers: u32, u64, i32, i64);
    in_prost([true, false], |one| *one, |_| false);
    in_prost(texts::<String>(), Clone::clone, |_| false);
    in_prost([vec![], vec![0_u8, 0xff]], Clone::clone, |_| false);
    in_prost(
        [Bytes::new(), Bytes::from_static(b"\0")],
        Clone::clone,
        |_| false,
    );
    assert_eq!(encode_cell::<Prost, f64>(&0.0).unwrap(), "");
    assert_eq!(
        encode_cell::<Prost, f64>(&-0.0).unwrap(),
        b"\x09\0\0\0\0\0\0\0\x80"[..]
    );
    assert_eq!(
        encode_cell::<Prost, f32>(&-0.0).unwrap(),
        b"\x0d\0\0\0\x80"[..]
    );
}

/// A message with floats wherever a message can have them.
#[derive(Clone, PartialEq, Message)]
struct Shape {
    #[prost(double, tag = "1")]
    plain: f64,
    #[prost(double, optional, tag = "2")]
    maybe: Option<f64>,
    #[prost(float, repeated, tag = "3")]
    list: Vec<f32>,
    #[prost(map = "string, double", tag = "4")]
    map: HashMap<String, f64>,
    #[prost(message, optional, boxed, tag = "5")]
    inner: Option<Box<Shape>>,
    #[prost(oneof = "Choice", tags = "6, 7")]
    choice: Option<Choice>,
    #[prost(string, tag = "8")]
    text: String,
    #[prost(float, tag = "9")]
    single: f32,
}

#[derive(Clone, PartialEq, Oneof)]
enum Choice {
    #[prost(double, tag = "6")]
    Float(f64),
    #[prost(bool, tag = "7")]
    Flag(bool),
}

/// All of its bits.
type Image = (
    Vec<u64>,
    BTreeMap<String, u64>,
    String,
    Option<Box<ImageOf>>,
);

#[derive(Debug, PartialEq)]
struct ImageOf(Image);

fn is_negative_zero(value: f64) -> bool {
    value == 0.0 && value.is_sign_negative()
}

impl Shape {
    fn image(&self) -> Image {
        let choice = match self.choice {
            Some(Choice::Float(one)) => one.to_bits(),
            Some(Choice::Flag(flag)) => 1 + u64::from(flag),
            None => 0,
        };
        let maybe = self.maybe.map_or([0, 0], |one| [1, one.to_bits()]);
        let list = self.list.iter().map(|one| one.to_bits().into());
        let own = [self.plain.to_bits(), self.single.to_bits().into(), choice];
        (
            own.into_iter().chain(maybe).chain(list).collect(),
            self.map
                .iter()
                .map(|(key, one)| (key.clone(), one.to_bits()))
                .collect(),
            self.text.clone(),
            self.inner
                .as_ref()
                .map(|inner| Box::new(ImageOf(inner.image()))),
        )
    }

    /// A zero with a sign in a field that prost leaves out.
    fn is_lost(&self) -> bool {
        is_negative_zero(self.plain)
            || is_negative_zero(self.single.into())
            || self.map.values().any(|one| is_negative_zero(*one))
            || self.inner.as_ref().is_some_and(|inner| inner.is_lost())
    }
}

fn float() -> impl Strategy<Value = f64> {
    let any = any::<u64>().prop_map(f64::from_bits);
    prop_oneof![5 => Just(0.0), 1 => Just(-0.0), 2 => any]
}

fn shape() -> impl Strategy<Value = Shape> {
    #[allow(clippy::cast_possible_truncation, reason = "any single will do")]
    let single = || float().prop_map(|one| one as f32);
    let choice = prop_oneof![
        float().prop_map(Choice::Float),
        any::<bool>().prop_map(Choice::Flag)
    ];
    let text = prop_oneof![Just("-0.0".to_owned()), any::<String>()];
    let leaf = (
        float(),
        prop::option::of(float()),
        prop::collection::vec(single(), 0..3),
        prop::collection::hash_map("[a-c]", float(), 0..3),
        prop::option::of(choice),
        text,
        single(),
    );
    let leaf = leaf.prop_map(|(plain, maybe, list, map, choice, text, single)| Shape {
        plain,
        maybe,
        list,
        map,
        inner: None,
        choice,
        text,
        single,
    });
    leaf.prop_recursive(3, 6, 1, |inner| {
        (inner.clone(), inner).prop_map(|(outer, inner)| Shape {
            inner: Some(Box::new(inner)),
            ..outer
        })
    })
}

proptest! {
    #[test]
    fn messages(shape in shape()) {
        in_prost([shape], Shape::image, Shape::is_lost);
    }
}

#[test]
fn a_message_says_what_it_would_lose() {
    let shape = Shape {
        plain: -0.0,
        ..Shape::default()
    };
    let text = "the value cannot be written as prost: a field is -0.0, which is left out and read as 0.0: declare the field `optional`";
    assert_eq!(
        encode_cell::<Prost, _>(&shape).unwrap_err().to_string(),
        text
    );
}

fn nested(levels: usize) -> Shape {
    (0..levels).fold(Shape::default(), |inner, _| Shape {
        inner: Some(Box::new(inner)),
        ..Shape::default()
    })
}

#[test]
fn no_deeper_than_a_message_is_read() {
    let levels =
        |shape: &Shape| std::iter::successors(Some(shape), |one| one.inner.as_deref()).count() - 1;
    in_prost((90..120).map(nested), levels, |shape| levels(shape) > 100);
}
