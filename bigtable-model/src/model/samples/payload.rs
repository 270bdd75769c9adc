//! Sample values of the fields of serialised events.

use bytes::Bytes;

use crate::model::PayloadAccess;
use crate::value::ValueError;
use crate::value::payload::PayloadFormat;

/// The sample of a field of serialised events.
#[derive(Debug, Clone)]
pub(crate) struct PayloadSample {
    pub(crate) name: &'static str,
    /// Its number, and what it is in a `.proto`, of a message that has one.
    pub(crate) proto: Option<(u32, String)>,
    pub(crate) optional: bool,
    /// The payload with this field alone; `None` if there is no value for it.
    pub(crate) bytes: Option<Bytes>,
}

/// Fields of a payload of sample values.
#[derive(Debug, Default)]
pub struct PayloadSamples(Vec<PayloadSample>);

impl PayloadSamples {
    /// Adds a field, and writes its value if there is one.
    ///
    /// # Errors
    /// If the format refuses the value.
    pub fn field<T, F: PayloadFormat>(
        &mut self,
        writer: &mut F::Writer<'_>,
        name: &'static str,
        number: u32,
        access: &PayloadAccess<T, F>,
    ) -> Result<(), ValueError> {
        let value = (access.sample)();
        let alone = |value: &T| {
            let mut bytes = Vec::new();
            let mut writer = F::writer(&mut bytes);
            (access.write)(&mut writer, name, number, value)?;
            F::finish(writer)?;
            Ok::<_, ValueError>(Bytes::from(bytes))
        };
        self.0.push(PayloadSample {
            name,
            proto: (access.proto)().map(|form| (number, form)),
            optional: access.optional,
            bytes: value.as_ref().and_then(|value| alone(value).ok()),
        });
        match value {
            Some(value) => (access.write)(writer, name, number, &value),
            None => Err(ValueError::refused(F::NAME, "there is no fixed value")),
        }
    }
}

impl From<PayloadSamples> for Vec<PayloadSample> {
    fn from(samples: PayloadSamples) -> Self {
        samples.0
    }
}
