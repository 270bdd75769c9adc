use std::borrow::Cow;

use postcard::ser_flavors::Flavor;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{PayloadField, PayloadFormat, bounded};
use crate::value::lossless::{Bounds, Placed, TOO_DEEP};
use crate::value::{Postcard, ValueError};

impl PayloadFormat for Postcard {
    const NAME: &'static str = "postcard";

    type Writer<'a> = &'a mut Vec<u8>;
    /// The bytes not read yet.
    type Reader<'a> = &'a [u8];

    fn writer(out: &mut Vec<u8>) -> &mut Vec<u8> {
        out
    }

    fn finish(_: &mut Vec<u8>) -> Result<(), ValueError> {
        Ok(())
    }

    fn reader(bytes: &[u8]) -> Result<&[u8], ValueError> {
        Ok(bytes)
    }

    fn end(rest: &[u8]) -> Result<(), ValueError> {
        match rest {
            [] => Ok(()),
            rest => Err(ValueError::malformed("no bytes after the last field", rest)),
        }
    }
}

#[diagnostic::do_not_recommend] // The message of `PayloadField` says more than the bound that is not met.
impl<T: Serialize + DeserializeOwned> PayloadField<T> for Postcard {
    fn write(
        out: &mut &mut Vec<u8>,
        name: &'static str,
        _: u32,
        value: &T,
    ) -> Result<(), ValueError> {
        append(value, out)
            .map_err(|error| ValueError::refused("postcard", format!("field `{name}`: {error}")))
    }

    fn read(rest: &mut &[u8], name: &'static str, _: u32) -> Result<Option<T>, ValueError> {
        take(rest, name)
    }

    fn write_option(
        out: &mut &mut Vec<u8>,
        name: &'static str,
        number: u32,
        value: Option<&T>,
    ) -> Result<(), ValueError> {
        match value {
            Some(value) => {
                out.push(1);
                Self::write(out, name, number, value)
            }
            None => {
                out.push(0);
                Ok(())
            }
        }
    }

    fn read_option(rest: &mut &[u8], name: &'static str, _: u32) -> Result<Option<T>, ValueError> {
        take::<Option<T>>(rest, name).map(Option::flatten)
    }
}

/// Takes a field from the bytes; `None` at their end, if the field was added later.
fn take<T: DeserializeOwned>(rest: &mut &[u8], name: &str) -> Result<Option<T>, ValueError> {
    match bounded::take(rest) {
        Ok((value, after)) => {
            *rest = after;
            Ok(Some(value))
        }
        Err(_) if rest.is_empty() => Ok(None),
        Err(error) => {
            let expected = format!("the postcard of field `{name}` ({error})");
            Err(ValueError::malformed(expected, rest))
        }
    }
}

/// Appends the postcard of a value.
///
/// # Errors
/// Why it cannot be written.
pub(in crate::value) fn append<T: Serialize>(
    value: &T,
    out: &mut Vec<u8>,
) -> Result<(), Cow<'static, str>> {
    let bounds = &Bounds::default();
    let before = out.len();
    let written = postcard::serialize_with_flavor(&Placed { value, bounds }, Append(out));
    if bounds.too_deep.get() {
        return Err(TOO_DEEP.into());
    }
    bounded::check_elements(bounds.elements.get(), out.len() - before)?;
    written.map_err(|error| match error {
        // The error has no text, neither from `Placed` nor from the value's own `Serialize`.
        postcard::Error::SerdeSerCustom => {
            "its `Serialize` refuses it, or leaves out a field, and postcard reads fields by their place: remove `skip_serializing_if`".into()
        }
        error => error.to_string().into(),
    })
}

/// A buffer that postcard writes to.
struct Append<'v>(&'v mut Vec<u8>);

impl Flavor for Append<'_> {
    type Output = ();

    fn try_push(&mut self, byte: u8) -> postcard::Result<()> {
        self.0.push(byte);
        Ok(())
    }

    fn try_extend(&mut self, bytes: &[u8]) -> postcard::Result<()> {
        self.0.extend_from_slice(bytes);
        Ok(())
    }

    fn finalize(self) -> postcard::Result<()> {
        Ok(())
    }
}
