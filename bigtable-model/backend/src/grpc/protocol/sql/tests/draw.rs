//! Random types and values, by splitmix64.

use bytes::Bytes;

use crate::sql::{SqlDate, SqlField, SqlTimestamp, SqlType, SqlValue};

pub(super) struct Draw(u64);

impl Draw {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(super) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).unwrap()
    }

    fn small(&mut self) -> u16 {
        let [a, b, ..] = self.next().to_le_bytes();
        u16::from_le_bytes([a, b])
    }

    pub(super) fn chance(&mut self, percent: u64) -> bool {
        self.next() % 100 < percent
    }

    pub(super) fn bytes(&mut self, most: usize) -> Bytes {
        let len = self.below(most + 1);
        (0..len).map(|_| self.next().to_le_bytes()[0]).collect()
    }

    pub(super) fn sql_type(&mut self, depth: usize) -> SqlType {
        match self.below(if depth == 0 { 10 } else { 13 }) {
            0 => SqlType::Bytes,
            1 => SqlType::String,
            2 => SqlType::Int64,
            3 => SqlType::Float64,
            4 => SqlType::Float32,
            5 => SqlType::Bool,
            6 => SqlType::Timestamp,
            7 => SqlType::Date,
            8 => SqlType::Proto {
                bundle: "bundle".to_owned(),
                name: "a.Message".to_owned(),
            },
            9 => SqlType::Enum {
                bundle: "bundle".to_owned(),
                name: "a.Enum".to_owned(),
            },
            10 => SqlType::array(self.sql_type(depth - 1)),
            11 => {
                let key = [SqlType::Bytes, SqlType::String, SqlType::Int64][self.below(3)].clone();
                SqlType::map(key, self.sql_type(depth - 1))
            }
            _ => {
                let fields = self.below(4);
                let field = |draw: &mut Self| SqlField {
                    name: ["", "x", "y"][draw.below(3)].to_owned(),
                    sql_type: draw.sql_type(depth - 1),
                };
                SqlType::Struct((0..fields).map(|_| field(self)).collect())
            }
        }
    }

    /// A value of a type; of a map each key once, in order.
    pub(super) fn value(&mut self, of: &SqlType) -> SqlValue {
        if self.chance(10) {
            return SqlValue::Null;
        }
        match of {
            SqlType::Bytes | SqlType::Proto { .. } => SqlValue::Bytes(self.bytes(20)),
            SqlType::String => SqlValue::String(format!("é{}", self.below(1000)).into()),
            SqlType::Int64 | SqlType::Enum { .. } => SqlValue::Int64(self.next().cast_signed()),
            SqlType::Float64 => SqlValue::Float64(f64::from(self.small()) / 7.0),
            SqlType::Float32 => SqlValue::Float32(f32::from(self.small()) / 7.0),
            SqlType::Bool => SqlValue::Bool(self.chance(50)),
            SqlType::Timestamp => {
                let seconds = i64::try_from(self.below(1 << 36)).unwrap() - (1 << 35);
                let nanos = u32::try_from(self.below(1_000_000_000)).unwrap();
                SqlValue::Timestamp(SqlTimestamp::new(seconds, nanos).unwrap())
            }
            SqlType::Date => SqlValue::Date(SqlDate {
                year: u16::try_from(self.below(10_000)).unwrap(),
                month: u8::try_from(self.below(13)).unwrap(),
                day: u8::try_from(self.below(32)).unwrap(),
            }),
            SqlType::Array(element) => {
                let len = self.below(4);
                SqlValue::Array((0..len).map(|_| self.value(element)).collect())
            }
            SqlType::Struct(fields) => {
                let fields = fields.iter().map(|field| self.value(&field.sql_type));
                SqlValue::Struct(fields.collect())
            }
            SqlType::Map(key, value) => {
                let len = self.below(4);
                let entry = |number: usize, draw: &mut Self| {
                    let key = match **key {
                        SqlType::Bytes => SqlValue::Bytes(format!("k{number}").into()),
                        SqlType::String => SqlValue::String(format!("k{number}").into()),
                        _ => SqlValue::Int64(i64::try_from(number).unwrap()),
                    };
                    (key, draw.value(value))
                };
                SqlValue::Map((0..len).map(|number| entry(number, self)).collect())
            }
        }
    }
}
