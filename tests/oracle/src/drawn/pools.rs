//! The values from which identifiers are drawn: few enough that events share them, with many at an
//! edge.

use crate::draw::Draw;
use crate::model::{Form, Stamp};
use crate::places::{EXTREMES, Times};
use crate::rules::{greatest_signed, holds, least_signed, most};
use crate::value::Value;

/// How many values an identifier has; questions ask for the last, which no event has.
const POOL: usize = 5;

const TEXTS: [&str; 30] = [
    "a",
    "ab",
    "b",
    "abc",
    "",
    "a b",
    "A",
    "zz",
    "0",
    "00",
    "a#",
    "a#b",
    "#",
    "$",
    "a$",
    "\0",
    "a\0",
    "\u{1}",
    "é",
    "éa",
    "世",
    "世界",
    "~",
    "a~",
    "\u{7f}",
    "\u{10ffff}",
    "a_",
    "a  b",
    "!",
    "ab ",
];
const CHARS: [char; 12] = [
    'a',
    'b',
    'z',
    '0',
    'é',
    '世',
    '\u{10ffff}',
    '~',
    '\u{7f}',
    '#',
    '\0',
    '_',
];
const DOUBLES: [u64; 14] = [
    0x3ff8_0000_0000_0000,
    0,
    1 << 63,
    0xbff8_0000_0000_0000,
    0x7ff0_0000_0000_0000,
    0xfff0_0000_0000_0000,
    0x7ff8_0000_0000_0000,
    0xfff8_0000_0000_0000,
    0x7ff8_0000_0000_0001,
    0x7ff0_0000_0000_0001,
    1,
    0x8000_0000_0000_0001,
    0x7fef_ffff_ffff_ffff,
    0xffff_ffff_ffff_ffff,
];

/// Values of a form, most of which it holds.
pub fn pool(draw: &mut Draw<'_>, form: &Form, separator: u8, times: &Times) -> Vec<Value> {
    let mut pool: Vec<Value> = Vec::new();
    for _ in 0..POOL {
        let held = !draw.chance(4);
        let mut value = one(draw, form, separator, times, held);
        // A few attempts suffice, since every form has enough values.
        for _ in 0..3 {
            if pool.contains(&value) || held && !holds(form, &value, separator) {
                value = one(draw, form, separator, times, held);
            }
        }
        if held && !holds(form, &value, separator) {
            value = plain(form, &value);
        }
        pool.push(value);
    }
    pool
}

fn one(draw: &mut Draw<'_>, form: &Form, separator: u8, times: &Times, held: bool) -> Value {
    match form {
        Form::Padded { .. } | Form::Variable | Form::Escaped | Form::CodedText { .. } => {
            let known: Vec<&str> = match held {
                true => {
                    let text =
                        |text: &&str| holds(form, &Value::Text((*text).to_owned()), separator);
                    TEXTS.into_iter().filter(text).collect()
                }
                false => TEXTS.to_vec(),
            };
            let text = draw.one_of(&known);
            match (form, draw.below(200)) {
                // As long as a key, and longer.
                (Form::Variable | Form::Escaped | Form::CodedText { .. }, 199) => {
                    Value::Text("\u{7f}".repeat(draw.one_of(&[4_000, 4_080, 4_095, 4_096, 4_097])))
                }
                _ => Value::Text(text.to_owned()),
            }
        }
        Form::Rest => Value::Bytes(draw.one_of(&[
            vec![1],
            vec![],
            vec![0],
            vec![0, 0],
            vec![1, 255],
            vec![255],
            b"a#b".to_vec(),
        ])),
        Form::Hex { len } | Form::Raw { len } | Form::CodedBytes { len } => {
            let bytes = (0..*len).map(|_| draw.one_of(&[0, 1, b'#', b'a', 127, 128, 255]));
            Value::Bytes(bytes.collect())
        }
        Form::Digits { bits, width } => {
            let of_width = 10_u128.checked_pow(*width as u32).unwrap_or(u128::MAX);
            let of_bits = u128::MAX >> (128 - bits);
            let all = [
                0,
                1,
                7,
                10,
                99,
                100,
                255,
                most(form),
                of_width,
                of_width - 1,
            ];
            Value::Unsigned(draw.one_of(&all).min(of_bits))
        }
        Form::BigEndian { .. } | Form::CodedUnsigned { .. } => {
            let all = [0, 1, 7, 100, 127, 128, 255, most(form), most(form) / 2 + 1];
            Value::Unsigned(draw.one_of(&all).min(most(form)))
        }
        Form::SignedDigits { bits, .. }
        | Form::SignedBigEndian { bits }
        | Form::CodedSigned { bits } => {
            let (least, greatest) = (least_signed(form), greatest_signed(form));
            let beyond = [least.saturating_sub(1), greatest.saturating_add(1)];
            let all = [
                0, 1, -1, 7, -7, 10, -10, 99, -100, least, greatest, beyond[0], beyond[1],
            ];
            let of_bits = i128::MAX >> (128 - bits);
            Value::Signed(draw.one_of(&all).clamp(-of_bits - 1, of_bits))
        }
        Form::Single => {
            let wide = f64::from_bits(draw.one_of(&DOUBLES));
            Value::Single(match draw.below(4) {
                0 => f32::from_bits(draw.one_of(&[1, 0x8000_0001, 0x7fc0_0001, u32::MAX])),
                _ => wide as f32,
            })
        }
        Form::Double => Value::Double(f64::from_bits(draw.one_of(&DOUBLES))),
        Form::Bool { .. } => Value::Bool(draw.chance(50)),
        Form::Char { .. } => Value::Char(draw.one_of(&CHARS)),
        Form::Uuid { .. } | Form::CodedUuid => {
            let mut bytes = [draw.one_of(&[0, 1, 255]); 16];
            bytes[15] = draw.one_of(&[0, 1, 2]);
            Value::Uuid(bytes)
        }
        Form::Time(stamp) => Value::Time(time(draw, *stamp, times)),
    }
}

fn time(draw: &mut Draw<'_>, stamp: Stamp, times: &Times) -> i64 {
    let micros = match draw.below(12) {
        11 => draw.one_of(&EXTREMES),
        _ => times.draw(draw),
    };
    match stamp.truncates() || draw.chance(4) {
        true => micros,
        false => stamp.floor(micros),
    }
}

/// A value that the form surely holds.
fn plain(form: &Form, value: &Value) -> Value {
    match value {
        Value::Text(_) => Value::Text("é".to_owned()),
        Value::Char(_) => Value::Char('é'),
        Value::Unsigned(_) => Value::Unsigned(1),
        Value::Signed(_) => Value::Signed(-1),
        Value::Time(_) => match form {
            Form::Time(stamp) => Value::Time(stamp.floor(31_536_000_000_000)),
            _ => value.clone(),
        },
        value => value.clone(),
    }
}
