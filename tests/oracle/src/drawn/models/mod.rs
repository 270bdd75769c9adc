//! Random models.

mod buckets;
mod coded;
mod columns;
mod periods;

use crate::calendar::{MINUTE, SECOND};
use crate::draw::Draw;
use crate::model::{Form, Hot, Identifier, Layout, Model, Part, Stamp, When};
use crate::places::{PLACES, SPREADS, Times};
use crate::pools::pool;
use crate::rules::holds;
use crate::value::Value;

/// A model, and the times that its events are drawn from.
#[derive(Debug, Clone)]
pub struct Drawn {
    pub model: Model,
    pub times: Times,
}

const SEPARATORS: [&str; 8] = ["#", "/", "|", "::", "_", "~", "-", "#!"];
const PREFIXES: [&str; 4] = ["", "P", "BATTERY", "a#b"];
const NAMES: [&str; 3] = ["first", "second", "third"];
/// Formats of times in keys, from the coarsest to the finest.
const FORMATS: [&str; 8] = [
    "%Y%m%d%H%M%S%3f",
    "%Y",
    "%Y-%m",
    "%Y%m%d",
    "%Y%j",
    "%Y%m%d%H",
    "%Y-%m-%dT%H:%M:%S",
    "%Y%m%d%H%M%S%6f",
];

/// Minutes that clocks of formats are ahead of UTC.
const AHEAD: [i64; 6] = [0, 0, -420, 330, -1_439, 1];

/// Draws a model.
pub fn draw(draw: &mut Draw<'_>) -> Drawn {
    let layout = draw.below(7);
    let separator = draw.one_of(&SEPARATORS);
    let in_code = draw.chance(20);
    let separator = if in_code { coded::SEPARATOR } else { separator };
    let enclosed = !in_code && draw.chance(15);
    let prefix = draw.one_of(&PREFIXES);
    let place = &PLACES[draw.below(PLACES.len())];
    let moment: jiff::Timestamp = draw.one_of(place.moments).parse().unwrap();
    let mut times = Times {
        anchor: moment.as_microsecond(),
        spread: SPREADS[0],
        step: SECOND,
    };
    let when = match layout {
        0 | 1 => {
            times.spread = draw.one_of(&SPREADS);
            let stamp = stamp(draw);
            When::Stamp(if in_code { coded::stamp(stamp) } else { stamp })
        }
        2 => When::Bucket(buckets::endless(draw)),
        _ => {
            let bucket = buckets::draw(draw, place, &mut times, separator, layout >= 5);
            When::Bucket(bucket)
        }
    };
    let endless = matches!(&when, When::Bucket(bucket) if bucket.is_endless());
    let layout = match (layout, &when) {
        (0 | 1, _) => Layout::Row,
        (2, _) if draw.chance(70) => Layout::Latest,
        (2 | 3, _) => Layout::Cells,
        (4, _) => Layout::Qualifiers,
        (_, When::Bucket(bucket)) => buckets::columns(draw, bucket),
        (_, When::Stamp(_)) => Layout::Row,
    };
    let when = match when {
        // The offset decides the unit of times.
        When::Bucket(bucket) => When::Bucket(buckets::with_grid(draw, bucket, &layout)),
        when => when,
    };
    let least = usize::from(endless);
    let count = [1, 2, 3, 0][draw.below(4)].max(least);
    let at = match draw.chance(40) {
        true => draw.below(count + 1),
        false => count,
    };
    // Segments after the time may be part of the series' name, or not.
    let ties = match layout {
        Layout::Row => draw.chance(70),
        // A row's key has at least one part without them.
        Layout::Columns { .. } if !in_code && (at > 0 || !endless) => draw.chance(60),
        _ => false,
    };
    let mut parts = Vec::new();
    for (place, name) in NAMES.into_iter().take(count).enumerate() {
        if place == at {
            parts.push(Part::Time(when.clone()));
        }
        let last = place + 1 == count && (at != count || endless);
        let form = form(draw, last && !enclosed);
        let form = if in_code {
            coded::form(form, last)
        } else {
            form
        };
        let pool = pool(draw, &form, separator.as_bytes()[0], &times);
        parts.push(Part::Name(Identifier {
            name,
            form,
            tie: ties && place >= at,
            pool,
        }));
    }
    if at == count {
        parts.push(Part::Time(when.clone()));
    }
    let mut model = Model {
        prefix,
        separator,
        enclosed,
        parts,
        layout,
        columns: Vec::new(),
        marker: false,
        serialized: false,
        write_time: false,
        periods: None,
    };
    add_salt(draw, &mut model);
    coded::after_salt(&mut model);
    columns::add(draw, &mut model);
    periods::add(draw, &mut model, place.zone, &mut times);
    times.step = model.step();
    Drawn { model, times }
}

fn stamp(draw: &mut Draw<'_>) -> Stamp {
    let unit = draw.one_of(&[1_000, SECOND, 1]);
    let truncate = draw.chance(35);
    match draw.below(4) {
        0 | 1 => Stamp::Ticks {
            unit,
            width: match (draw.below(6), unit) {
                (0, _) => 19,
                (1, _) => 10,
                (_, SECOND) => 10,
                (_, 1) => 16,
                _ => 13,
            },
            reverse: draw.chance(40),
            truncate,
        },
        2 => Stamp::Binary {
            unit,
            reverse: draw.chance(40),
            truncate,
        },
        _ => Stamp::Fields {
            format: draw.one_of(&FORMATS),
            ahead: draw.one_of(&AHEAD) * MINUTE,
            truncate,
        },
    }
}

fn form(draw: &mut Draw<'_>, last: bool) -> Form {
    let bits = draw.one_of(&[8, 16, 32, 64, 128]);
    let digits = [3, 5, 10, 20, 39][u32::trailing_zeros(bits) as usize - 3];
    match draw.below(19) {
        0 => Form::Variable,
        1 => Form::Padded {
            width: draw.one_of(&[4, 1, 2, 6, 20]),
            pad: draw.one_of(&[' ', '_', '\0', '~', 'a']),
        },
        2 | 3 => Form::Escaped,
        4 => Form::Digits {
            bits,
            width: digits,
        },
        5 => Form::Digits {
            bits,
            width: draw.one_of(&[1, 2, 3, 9, 19, 45]),
        },
        6 => Form::SignedDigits {
            bits,
            width: digits + 1,
        },
        7 => Form::SignedDigits {
            bits,
            width: draw.one_of(&[2, 3, 4, 9, 19, 45]),
        },
        8 => Form::BigEndian { bits },
        9 => Form::SignedBigEndian { bits },
        10 => Form::Double,
        11 => Form::Single,
        12 => Form::Bool {
            binary: draw.chance(50),
        },
        13 => Form::Char {
            binary: draw.chance(40),
        },
        14 => Form::Uuid {
            binary: draw.chance(50),
        },
        15 => Form::Hex {
            len: draw.one_of(&[1, 2, 5]),
        },
        16 => Form::Raw {
            len: draw.one_of(&[1, 2, 5]),
        },
        17 => Form::Time(stamp(draw)),
        _ if last => Form::Rest,
        _ => Form::Variable,
    }
}

/// A salt at any place, computed from any parts in the key.
fn add_salt(draw: &mut Draw<'_>, model: &mut Model) {
    if !draw.chance(30) {
        return;
    }
    let at = draw.below(model.parts.len() + 1);
    // Bytes of any length come last.
    let rest = |part: &Part| matches!(part, Part::Name(one) if one.form == Form::Rest);
    let rest = model.parts.iter().position(rest);
    // Nor does a shard come between the time and its tie-breakers.
    let is_tie = |part: &Part| matches!(part, Part::Name(one) if one.tie);
    let time = model
        .parts
        .iter()
        .any(is_tie)
        .then(|| model.place_of_time());
    let at = rest.into_iter().chain(time).fold(at, usize::min);
    let shards = draw.one_of(&[2, 3, 4, 10, 11, 100]);
    let is_there =
        |part: &Part| !matches!(part, Part::Time(When::Bucket(bucket)) if bucket.is_endless());
    let there: Vec<usize> = (0..model.parts.len())
        .filter(|place| is_there(&model.parts[*place]) && !model.is_in_cells(*place))
        .collect();
    let mut of: Vec<usize> = there.iter().copied().filter(|_| draw.chance(50)).collect();
    if of.is_empty() {
        of.push(draw.one_of(&there));
    }
    let hot = hot(draw, model, &of, shards);
    for place in &mut of {
        *place += usize::from(at <= *place);
    }
    let hot = hot.map(|hot| Hot {
        place: hot.place + usize::from(at <= hot.place),
        ..hot
    });
    model.parts.insert(at, Part::Salt { shards, of, hot });
}

/// Some values of a name among the parts that are hashed, if they are texts without escapes and
/// something else is hashed too.
fn hot(draw: &mut Draw<'_>, model: &Model, of: &[usize], shards: u64) -> Option<Hot> {
    let named = |place: &usize| match &model.parts[*place] {
        Part::Name(one) if !one.tie => Some((*place, one)),
        _ => None,
    };
    let mut named: Vec<_> = of.iter().filter_map(named).collect();
    if named.len() == of.len() || draw.chance(20) {
        return None;
    }
    named.retain(|(_, one)| matches!(one.pool.first(), Some(Value::Text(_))));
    if named.is_empty() {
        return None;
    }
    let (place, identifier) = named[draw.below(named.len())];
    let separator = model.separator.as_bytes()[0];
    let mut texts: Vec<&Value> = Vec::new();
    for value in &identifier.pool {
        let Value::Text(text) = value else {
            return None;
        };
        let is_plain = match identifier.form {
            Form::Escaped => text.bytes().all(|byte| byte > separator + 1),
            Form::CodedText { .. } => !text.is_empty() && !text.contains('\0'),
            _ => true,
        };
        if is_plain && holds(&identifier.form, value, separator) && !texts.contains(&value) {
            texts.push(value);
        }
    }
    texts.truncate(1 + draw.below(2));
    let values = texts.into_iter().cloned();
    let values = values.map(|value| (value, draw.one_of(&[2, 3, shards]).min(shards)));
    let values: Vec<_> = values.collect();
    (!values.is_empty()).then_some(Hot { place, values })
}
