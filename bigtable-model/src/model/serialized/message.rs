//! Fields of events that are serialised as the message of a natural `.proto`.

#[cfg(feature = "prost")]
use super::PayloadAccess;
use super::SerializedModel;
#[cfg(feature = "prost")]
use crate::Timestamp;
#[cfg(feature = "prost")]
use crate::value::ValueError;
#[cfg(feature = "prost")]
use crate::value::payload::{Proto, ProtoValue};

/// A model whose events are serialised as the message of a natural `.proto`, which
/// [`Model::proto`](crate::Model::proto) returns.
#[diagnostic::on_unimplemented(
    message = "the events of `{Self}` are no messages of a `.proto`",
    label = "not serialised by `proto`",
    note = "write `#[bigtable(serialize(proto))]` on the struct"
)]
pub trait ProtoModel: SerializedModel {}

/// Types of fields of events that are serialised by `proto`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no natural form in a message of protocol buffers",
    label = "no field of a `.proto`",
    note = "numbers are `f64`, `f32`, `i64`, `i32`, `u64`, `u32` and `bool`, text is `String` or `ByteString`, bytes are `Vec<u8>` or `Bytes`, a `Timestamp` is Google's; an `Option` of one is `optional`, a `Vec` of one `repeated`",
    note = "smaller integers go as one of 32 bits, enums and newtypes as their number or text, decimals and dates as text; structs inside need `serialize(json)` or `postcard`",
    note = "it is the feature `prost` of the crate bigtable-model"
)]
pub trait ProtoField: Sized {
    /// The functions of the field.
    #[cfg(feature = "prost")]
    #[doc(hidden)]
    fn in_message() -> PayloadAccess<Self, Proto>;

    /// Without the feature no type is a field.
    #[cfg(not(feature = "prost"))]
    #[doc(hidden)]
    fn in_message<T>() -> T;

    /// A sample value, whose bytes a [lock file](crate::lock) keeps.
    #[doc(hidden)]
    fn sample() -> Option<Self>;
}

#[cfg(feature = "prost")]
macro_rules! fields {
    ($($type:ty),*) => {$(
        impl ProtoField for $type {
            fn in_message() -> PayloadAccess<Self, Proto> {
                single()
            }

            fn sample() -> Option<Self> {
                Some(ProtoValue::sample())
            }
        }
    )*};
}

#[cfg(feature = "prost")]
fields!(
    f64,
    f32,
    i64,
    i32,
    u64,
    u32,
    bool,
    String,
    bytestring::ByteString,
    Vec<u8>,
    bytes::Bytes,
    Timestamp
);

/// A plain field, or a message that is always present.
#[cfg(feature = "prost")]
fn single<T: ProtoValue>() -> PayloadAccess<T, Proto> {
    PayloadAccess {
        write: |out, name, number, value| match value.is_left_out() {
            true => Ok(()),
            false => refused(name, value.put(number, out)),
        },
        find: |reader, name, number| reader.merge(name, number, T::empty, T::merge),
        absent: |name| match T::ABSENT {
            Some(absent) => Ok(absent()),
            None => Err(ValueError::malformed(
                format!("field `{name}` in the message"),
                &[],
            )),
        },
        optional: T::ABSENT.is_some(),
        proto: || Some(T::TYPE.to_owned()),
    }
}

/// The presence of the field is stored.
#[cfg(feature = "prost")]
#[diagnostic::do_not_recommend] // What may be a field is said of the whole type.
impl<T: ProtoValue> ProtoField for Option<T> {
    fn in_message() -> PayloadAccess<Self, Proto> {
        PayloadAccess {
            write: |out, name, number, value| match value {
                Some(value) => refused(name, value.put(number, out)),
                None => Ok(()),
            },
            find: |reader, name, number| {
                let found = reader.merge(name, number, T::empty, T::merge)?;
                Ok(found.map(Some))
            },
            absent: |_| Ok(None),
            optional: true,
            proto: || Some(format!("optional {}", T::TYPE)),
        }
    }

    fn sample() -> Option<Self> {
        Some(Some(T::sample()))
    }
}

/// Numbers are packed.
#[cfg(feature = "prost")]
#[diagnostic::do_not_recommend] // What may be a field is said of the whole type.
impl<T: ProtoValue> ProtoField for Vec<T> {
    fn in_message() -> PayloadAccess<Self, Proto> {
        PayloadAccess {
            write: |out, name, number, values| refused(name, T::put_all(values, number, out)),
            find: |reader, name, number| reader.merge(name, number, Self::new, T::merge_all),
            absent: |_| Ok(Self::new()),
            optional: true,
            proto: || Some(format!("repeated {}", T::TYPE)),
        }
    }

    fn sample() -> Option<Self> {
        Some(vec![T::sample()])
    }
}

#[cfg(feature = "prost")]
fn refused(name: &str, put: Result<(), String>) -> Result<(), ValueError> {
    put.map_err(|reason| ValueError::refused("proto", format!("field `{name}`: {reason}")))
}
