//! Fields without conditions: the compiler says what to do instead.

use super::Condition;
use crate::model::{KeyField, MapField, Model, SerializedField};

/// Nothing has this: it makes the compiler's error.
#[diagnostic::on_unimplemented(
    message = "a segment of the key has no conditions",
    label = "not a column",
    note = "a query asks for it by its setter, as in `Quote::query().symbol(\"ZXZZT\")`; a write names the whole key of its event"
)]
pub trait ConditionsOfKey<M> {
    #[doc(hidden)]
    fn condition(&self) -> Condition<M>;
}

/// Nothing has this: it makes the compiler's error.
#[diagnostic::on_unimplemented(
    message = "a field of a serialised event has no conditions",
    label = "not a column of its own",
    note = "leave out `serialize(...)` to store it in a column, or ask for the event itself by `Condition::exists()`"
)]
pub trait ConditionsOfSerialized<M> {
    #[doc(hidden)]
    fn condition(&self) -> Condition<M>;
}

/// Nothing has this: it makes the compiler's error.
#[diagnostic::on_unimplemented(
    message = "a map of columns named at run time has no conditions",
    label = "not one column",
    note = "name one of them, as in `Host::FIELDS.cpu.entry(\"user\")`"
)]
pub trait ConditionsOfMap<M> {
    #[doc(hidden)]
    fn condition(&self) -> Condition<M>;
}

macro_rules! no_conditions {
    ($($field:ident<M, T $(, $kind:ident)?>: $conditions:ident),*) => {$(
        #[doc(hidden)]
        impl<M: Model, T $(, $kind)?> $field<M, T $(, $kind)?> {
            pub fn is_present(&self) -> Condition<M>
            where
                Self: $conditions<M>,
            {
                self.condition()
            }

            pub fn is_absent(&self) -> Condition<M>
            where
                Self: $conditions<M>,
            {
                self.condition()
            }

            pub fn equals<V>(&self, _value: V) -> Condition<M>
            where
                Self: $conditions<M>,
            {
                self.condition()
            }

            pub fn one_of<V>(&self, _values: V) -> Condition<M>
            where
                Self: $conditions<M>,
            {
                self.condition()
            }

            pub fn within<R>(&self, _range: R) -> Condition<M>
            where
                Self: $conditions<M>,
            {
                self.condition()
            }
        }
    )*};
}

no_conditions!(
    KeyField<M, T>: ConditionsOfKey,
    SerializedField<M, T>: ConditionsOfSerialized,
    MapField<M, T, K>: ConditionsOfMap
);
