//! Whether two models can share a table.

use crate::key::time::bucket::{Bucket, BucketLabel};
use crate::key::{CalendarItem, borrow};
use crate::model::TableName;

/// How many bytes of table IDs are compared; Bigtable's limit is 50.
const MOST: usize = 96;

/// A byte of a table ID, or the bytes that may be there.
#[derive(Clone, Copy)]
enum Part {
    Byte(u8),
    Digit,
    /// Any text up to the end, for labels that table names never have.
    Rest,
}

/// The IDs of a model's tables. Fields match any digits, so it may include IDs that no table has.
struct Ids {
    parts: [Part; MOST],
    len: usize,
}

/// Whether both may have a table with the same ID, if fields match any digits.
pub(super) const fn can_share(one: &TableName, other: &TableName) -> bool {
    let (one, other) = (Ids::of(one), Ids::of(other));
    let (mut one, mut other) = (one.parts(), other.parts());
    while let ([a, rest @ ..], [b, others @ ..]) = (one, other) {
        let are_alike = match (*a, *b) {
            (Part::Rest, _) | (_, Part::Rest) => return true,
            (Part::Byte(a), Part::Byte(b)) => a == b,
            (Part::Byte(byte), Part::Digit) | (Part::Digit, Part::Byte(byte)) => {
                byte.is_ascii_digit()
            }
            (Part::Digit, Part::Digit) => true,
        };
        if !are_alike {
            return false;
        }
        (one, other) = (rest, others);
    }
    matches!((one, other), ([] | [Part::Rest, ..], [] | [Part::Rest, ..]))
}

impl Ids {
    const fn of(table: &TableName) -> Self {
        let none = Self {
            parts: [Part::Rest; MOST],
            len: 0,
        };
        match table {
            TableName::Fixed(table) => none.text(borrow::bytes(table)),
            TableName::ByPeriod(tables) => none
                .text(borrow::bytes(&tables.before))
                .label(&tables.periods)
                .text(borrow::bytes(&tables.after)),
        }
    }

    const fn parts(&self) -> &[Part] {
        self.parts.split_at(self.len).0
    }

    /// Bytes beyond the limit are ignored, so that long IDs are compared by their prefixes.
    const fn part(mut self, part: Part) -> Self {
        let (_, rest) = self.parts.split_at_mut(self.len);
        if let [next, ..] = rest {
            *next = part;
            self.len += 1;
        }
        self
    }

    const fn text(mut self, text: &[u8]) -> Self {
        let mut rest = text;
        while let [byte, others @ ..] = rest {
            self = self.part(Part::Byte(*byte));
            rest = others;
        }
        self
    }

    /// Labels of tables are padded calendar fields.
    const fn label(mut self, periods: &Bucket) -> Self {
        let BucketLabel::Calendar(format) = &periods.label else {
            return self.part(Part::Rest);
        };
        let mut rest = format.items();
        while let [item, others @ ..] = rest {
            self = match item {
                CalendarItem::Field(field) => {
                    let mut digits = field.digits();
                    while digits > 0 {
                        self = self.part(Part::Digit);
                        digits -= 1;
                    }
                    self
                }
                CalendarItem::Unpadded(_) => return self.part(Part::Rest),
                CalendarItem::Literal(text) => self.text(borrow::bytes(text)),
            };
            rest = others;
        }
        self
    }
}

#[cfg(test)]
mod tests {
    #![allow(dead_code, reason = "only the tables' names are used")]

    use super::can_share;
    use crate::model::TableName;
    use crate::{Model, Timestamp};

    macro_rules! table {
        ($table:literal) => {{
            #[derive(bigtable_derive::Model)]
            #[bigtable(crate = crate, table = $table, family = "M")]
            struct Event {
                #[bigtable(key)]
                name: String,
                #[bigtable(time, unit = "s")]
                at: Timestamp,
                value: u32,
            }
            Event::SCHEMA.table.clone()
        }};
    }

    fn share(one: &TableName, other: &TableName) -> bool {
        assert_eq!(can_share(one, other), can_share(other, one));
        assert!(can_share(one, one) && can_share(other, other));
        can_share(one, other)
    }

    #[test]
    fn tables_of_two_models() {
        let days = table!("Q_{at:%Y%m%d}");
        let months = table!("Q_{at:%Y%m}");
        assert!(share(&months, &table!("Q_{at:%G%V}")));
        assert!(share(&days, &table!("Q_20260101")));
        assert!(share(&days, &table!("Q_{at:%Y}0101")));
        assert!(!share(&days, &months));
        assert!(!share(&days, &table!("Q_V2_{at:%Y%m%d}")));
        assert!(!share(&days, &table!("Q_2026")));
        assert!(!share(&days, &table!("Q_2026010A")));
        assert!(!share(&days, &table!("Q_{at:%Y-%m-%d}")));
        assert!(!share(&table!("Q"), &table!("Q_V2")));
    }
}
