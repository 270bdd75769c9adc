//! The schema bundle of events that are serialised as a natural message.

use prost::Message as _;
use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::{
    DescriptorProto, FieldDescriptorProto, FileDescriptorProto, FileDescriptorSet,
    OneofDescriptorProto,
};

use crate::data::SchemaBundle;

/// The number, the declaration and the name of a field.
type Declared<'a> = (u32, &'a str, &'a str);

const TIMESTAMP_FILE: &str = "google/protobuf/timestamp.proto";

/// The bundle of one message, as `protoc --include_imports` makes it of its `.proto`, but for the
/// options of Google's file.
pub(super) fn compiled(id: String, name: &str, fields: &[Declared<'_>]) -> SchemaBundle {
    // The one message that a field can have.
    let imported = fields.iter().any(|(_, form, _)| form.contains('.'));
    let own = FileDescriptorProto {
        name: Some(format!("{id}.proto")),
        dependency: imported
            .then(|| TIMESTAMP_FILE.to_owned())
            .into_iter()
            .collect(),
        message_type: vec![message(name, fields)],
        syntax: Some("proto3".to_owned()),
        ..FileDescriptorProto::default()
    };
    let imports = imported.then(timestamps);
    let set = FileDescriptorSet {
        file: imports.into_iter().chain([own]).collect(),
    };
    SchemaBundle {
        id,
        descriptors: set.encode_to_vec().into(),
    }
}

fn message(name: &str, fields: &[Declared<'_>]) -> DescriptorProto {
    let mut message = DescriptorProto {
        name: Some(name.to_owned()),
        ..DescriptorProto::default()
    };
    for declared in fields {
        let mut field = field(*declared);
        // Each field with presence is alone in a `oneof` that no file has.
        if field.proto3_optional.is_some() {
            field.oneof_index = i32::try_from(message.oneof_decl.len()).ok();
            message.oneof_decl.push(OneofDescriptorProto {
                name: Some(format!("_{}", declared.2)),
                ..OneofDescriptorProto::default()
            });
        }
        message.field.push(field);
    }
    message
}

fn field((number, form, name): Declared<'_>) -> FieldDescriptorProto {
    let (presence, of) = form.split_once(' ').unwrap_or(("", form));
    let label = match presence {
        "repeated" => Label::Repeated,
        _ => Label::Optional,
    };
    let mut field = FieldDescriptorProto {
        name: Some(name.to_owned()),
        number: i32::try_from(number).ok(),
        json_name: Some(json_name(name)),
        proto3_optional: (presence == "optional").then_some(true),
        ..FieldDescriptorProto::default()
    };
    field.set_label(label);
    match Type::from_str_name(&format!("TYPE_{}", of.to_uppercase())) {
        Some(scalar) => field.set_type(scalar),
        None => {
            field.set_type(Type::Message);
            field.type_name = Some(format!(".{of}"));
        }
    }
    field
}

/// The name that the JSON form of a message has by default, without underscores.
fn json_name(name: &str) -> String {
    let mut json = String::with_capacity(name.len());
    let mut raised = false;
    for one in name.chars() {
        match (one, raised) {
            ('_', _) => {}
            (one, true) => json.push(one.to_ascii_uppercase()),
            (one, false) => json.push(one),
        }
        raised = one == '_';
    }
    json
}

/// Google's file of the one message that fields may have.
fn timestamps() -> FileDescriptorProto {
    let parts = [(1, "int64", "seconds"), (2, "int32", "nanos")];
    FileDescriptorProto {
        name: Some(TIMESTAMP_FILE.to_owned()),
        package: Some("google.protobuf".to_owned()),
        message_type: vec![message("Timestamp", &parts)],
        syntax: Some("proto3".to_owned()),
        ..FileDescriptorProto::default()
    }
}
