//! Keys in Bigtable's ordered code, and their equivalents of the parts of other keys.

use crate::model::{Form, Model, Part, Stamp};

/// What joins the parts.
pub(super) const SEPARATOR: &str = "\0\u{1}";

pub(super) fn stamp(stamp: Stamp) -> Stamp {
    match stamp {
        Stamp::Binary { unit, truncate, .. }
        | Stamp::Ticks {
            unit,
            reverse: false,
            truncate,
            ..
        } => Stamp::Coded { unit, truncate },
        text => text,
    }
}

pub(super) fn form(form: Form, last: bool) -> Form {
    let text = |escape| Form::CodedText { escape, last };
    match form {
        Form::Variable => text(false),
        Form::Escaped | Form::Rest => text(true),
        Form::Padded { width, pad: '\0' } => Form::Padded { width, pad: ' ' },
        Form::BigEndian { bits } => Form::CodedUnsigned { bits: bits.min(32) },
        Form::SignedBigEndian { bits } => Form::CodedSigned { bits: bits.min(64) },
        Form::Single | Form::Double => Form::CodedSigned { bits: 64 },
        Form::Bool { .. } => Form::Bool { binary: false },
        Form::Char { .. } => Form::Char { binary: false },
        Form::Uuid { binary: true } => Form::CodedUuid,
        Form::Raw { len } => Form::CodedBytes { len },
        Form::Time(of_time) => Form::Time(stamp(of_time)),
        text => text,
    }
}

/// A text before a salt does not end the key.
pub(super) fn after_salt(model: &mut Model) {
    let is_last: Vec<bool> = (0..model.parts.len())
        .map(|place| model.is_last(place))
        .collect();
    for (part, is_last) in model.parts.iter_mut().zip(is_last) {
        if let Part::Name(identifier) = part
            && let Form::CodedText { last, .. } = &mut identifier.form
        {
            *last = is_last;
        }
    }
}
