//! Row key schemas to messages and back.

use crate::data::{IntEncoding, RowKeyEncoding, RowKeyField, RowKeySchema, RowKeyType};
use crate::grpc::protocol::wire::{
    self, BytesEncodingKind, Empty, Int64EncodingKind, RowKeyEncodingKind, RowKeyTypeKind,
    StringEncodingKind, TimestampEncodingKind,
};

impl From<RowKeySchema> for wire::RowKeyStruct {
    fn from(schema: RowKeySchema) -> Self {
        let fields = schema.fields.into_iter();
        let fields = fields.map(|field| wire::RowKeyField {
            field_name: field.name.into_owned(),
            r#type: Some(field.of.into()),
        });
        let encoding = match schema.encoding {
            RowKeyEncoding::Delimited(delimiter) => {
                Some(RowKeyEncodingKind::DelimitedBytes(wire::DelimitedBytes {
                    delimiter,
                }))
            }
            RowKeyEncoding::OrderedCode => Some(RowKeyEncodingKind::OrderedCodeBytes(Empty {})),
            RowKeyEncoding::Other => None,
        };
        Self {
            fields: fields.collect(),
            encoding: Some(wire::RowKeyEncoding { encoding }),
        }
    }
}

impl From<RowKeyType> for wire::RowKeyType {
    fn from(of: RowKeyType) -> Self {
        let kind = match of {
            RowKeyType::Bytes => Some(RowKeyTypeKind::Bytes(wire::BytesType {
                encoding: Some(wire::BytesEncoding {
                    encoding: Some(BytesEncodingKind::Raw(wire::RawBytes::default())),
                }),
            })),
            RowKeyType::String => Some(RowKeyTypeKind::String(wire::StringType {
                encoding: Some(wire::StringEncoding {
                    encoding: Some(StringEncodingKind::Utf8Bytes(wire::Utf8Bytes::default())),
                }),
            })),
            RowKeyType::Int64(encoding) => Some(RowKeyTypeKind::Int64(wire::Int64Type {
                encoding: Some(encoding.into()),
            })),
            RowKeyType::Timestamp(encoding) => {
                Some(RowKeyTypeKind::Timestamp(wire::TimestampType {
                    encoding: Some(wire::TimestampEncoding {
                        encoding: Some(TimestampEncodingKind::UnixMicrosInt64(encoding.into())),
                    }),
                }))
            }
            RowKeyType::Other => None,
        };
        Self { kind }
    }
}

impl From<IntEncoding> for wire::Int64Encoding {
    fn from(encoding: IntEncoding) -> Self {
        let kind = match encoding {
            IntEncoding::BigEndian => Int64EncodingKind::BigEndianBytes(Empty {}),
            IntEncoding::OrderedCode => Int64EncodingKind::OrderedCodeBytes(Empty {}),
        };
        Self { kind: Some(kind) }
    }
}

/// A table with a schema that is unknown here still has a schema.
impl From<wire::RowKeyStruct> for RowKeySchema {
    fn from(schema: wire::RowKeyStruct) -> Self {
        let fields = schema.fields.into_iter();
        let fields = fields.map(|field| RowKeyField {
            name: field.field_name.into(),
            of: field
                .r#type
                .and_then(|one| one.kind)
                .and_then(known)
                .unwrap_or(RowKeyType::Other),
        });
        let encoding = schema.encoding.and_then(|encoding| encoding.encoding);
        Self {
            fields: fields.collect(),
            encoding: match encoding {
                Some(RowKeyEncodingKind::DelimitedBytes(by)) => {
                    RowKeyEncoding::Delimited(by.delimiter)
                }
                Some(RowKeyEncodingKind::OrderedCodeBytes(_)) => RowKeyEncoding::OrderedCode,
                None => RowKeyEncoding::Other,
            },
        }
    }
}

/// `None` for a type that [`RowKeyType`] does not name.
fn known(kind: RowKeyTypeKind) -> Option<RowKeyType> {
    match kind {
        RowKeyTypeKind::Bytes(of) => match of.encoding?.encoding? {
            BytesEncodingKind::Raw(raw) => (!raw.escape_nulls).then_some(RowKeyType::Bytes),
        },
        RowKeyTypeKind::String(of) => match of.encoding?.encoding? {
            StringEncodingKind::Utf8Raw(_) => Some(RowKeyType::String),
            StringEncodingKind::Utf8Bytes(utf8) => {
                (utf8.null_escape_char.is_empty()).then_some(RowKeyType::String)
            }
        },
        RowKeyTypeKind::Int64(of) => of.encoding.and_then(integer).map(RowKeyType::Int64),
        RowKeyTypeKind::Timestamp(of) => match of.encoding?.encoding? {
            TimestampEncodingKind::UnixMicrosInt64(encoding) => {
                integer(encoding).map(RowKeyType::Timestamp)
            }
        },
    }
}

fn integer(encoding: wire::Int64Encoding) -> Option<IntEncoding> {
    Some(match encoding.kind? {
        Int64EncodingKind::BigEndianBytes(_) => IntEncoding::BigEndian,
        Int64EncodingKind::OrderedCodeBytes(_) => IntEncoding::OrderedCode,
    })
}

#[cfg(test)]
mod tests {
    use prost::Message as _;

    use super::*;

    fn of_all() -> RowKeySchema {
        RowKeySchema::new(RowKeyEncoding::OrderedCode)
            .field("s", RowKeyType::String)
            .field("b", RowKeyType::Bytes)
            .field("i", RowKeyType::Int64(IntEncoding::BigEndian))
            .field("o", RowKeyType::Int64(IntEncoding::OrderedCode))
            .field("t", RowKeyType::Timestamp(IntEncoding::OrderedCode))
            .field("u", RowKeyType::Timestamp(IntEncoding::BigEndian))
    }

    #[test]
    fn a_schema_comes_back() {
        for encoding in [
            RowKeyEncoding::OrderedCode,
            RowKeyEncoding::Delimited("##".into()),
            RowKeyEncoding::Other,
        ] {
            let schema = RowKeySchema {
                encoding,
                ..of_all()
            };
            let message = wire::RowKeyStruct::from(schema.clone());
            assert_eq!(RowKeySchema::from(message), schema);
        }
    }

    /// Field by field as the published protocol numbers them.
    #[test]
    fn a_schema_has_the_published_bytes() {
        let schema = RowKeySchema::new(RowKeyEncoding::Delimited("#".into()))
            .field("s", RowKeyType::String)
            .field("t", RowKeyType::Timestamp(IntEncoding::OrderedCode));
        let text = b"\x0a\x0b\x0a\x01s\x12\x06\x12\x04\x0a\x02\x12\x00";
        let time = b"\x0a\x0d\x0a\x01t\x12\x08\x52\x06\x0a\x04\x0a\x02\x12\x00";
        let delimited = b"\x12\x05\x12\x03\x0a\x01#";
        let expected = [&text[..], time, delimited].concat();
        assert_eq!(wire::RowKeyStruct::from(schema).encode_to_vec(), expected);
    }

    #[test]
    fn what_is_not_known_is_not_taken_for_something_else() {
        let of = |kind: RowKeyTypeKind| {
            let of = wire::RowKeyType { kind: Some(kind) };
            let field = wire::RowKeyField {
                field_name: "f".to_owned(),
                r#type: Some(of),
            };
            let schema = RowKeySchema::from(wire::RowKeyStruct {
                fields: vec![field],
                encoding: None,
            });
            assert_eq!(schema.encoding, RowKeyEncoding::Other);
            schema.fields.into_iter().map(|field| field.of).next()
        };
        let escaped = wire::RawBytes { escape_nulls: true };
        let escaped = wire::BytesEncoding {
            encoding: Some(BytesEncodingKind::Raw(escaped)),
        };
        let bytes = wire::BytesType {
            encoding: Some(escaped),
        };
        let without = wire::StringType { encoding: None };
        for kind in [
            RowKeyTypeKind::Bytes(bytes),
            RowKeyTypeKind::String(without),
            RowKeyTypeKind::Int64(wire::Int64Type::default()),
            RowKeyTypeKind::Timestamp(wire::TimestampType::default()),
        ] {
            assert_eq!(of(kind), Some(RowKeyType::Other));
        }
    }
}
