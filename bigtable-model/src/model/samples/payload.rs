//! Sample values of the fields of serialised events.

use bytes::Bytes;

use crate::model::PayloadAccess;
use crate::value::ValueError;
use crate::value::payload::PayloadFormat;

/// The sample of a field of serialised events.
#[derive(Debug, Clone)]
pub(crate) struct PayloadSample {
    pub(crate) name: &'static str,
    /// Its number and its declaration in a `.proto`, if the message has one.
    pub(crate) proto: Option<(u32, String)>,
    pub(crate) optional: bool,
    /// The payload with only this field; `None` if there is no value for it.
    pub(crate) bytes: Option<Bytes>,
}

/// The fields of a payload of sample values.
#[derive(Debug, Default)]
pub struct PayloadSamples {
    pub(super) fields: Vec<PayloadSample>,
    /// Whether some field has no sample value that can be written.
    pub(super) lacks_some: bool,
}

impl PayloadSamples {
    /// Adds a field, and writes its sample value if there is one.
    pub fn field<T, F: PayloadFormat>(
        &mut self,
        writer: &mut F::Writer<'_>,
        name: &'static str,
        number: u32,
        access: &PayloadAccess<T, F>,
        value: Option<T>,
    ) {
        let alone = |value: &T| {
            let mut bytes = Vec::new();
            let mut writer = F::writer(&mut bytes);
            (access.write)(&mut writer, name, number, value)?;
            F::finish(writer)?;
            Ok::<_, ValueError>(Bytes::from(bytes))
        };
        self.fields.push(PayloadSample {
            name,
            proto: (access.proto)().map(|form| (number, form)),
            optional: access.optional,
            bytes: value.as_ref().and_then(|value| alone(value).ok()),
        });
        let written = value.map(|value| (access.write)(writer, name, number, &value));
        self.lacks_some |= !matches!(written, Some(Ok(())));
    }
}
