//! Schema bundles are created only on request, after everything else.

use futures::executor::block_on;

use super::*;
use crate::data::{RowKeyEncoding, RowKeySchema, RowKeyType, SchemaBundle};
use crate::schema::{ApplyOptions, TableChange, WantedTable};
use crate::{BackendExt, Code, Error, MemoryBackend};

fn bundle(id: &str) -> SchemaBundle {
    SchemaBundle {
        id: id.to_owned(),
        descriptors: "files".into(),
    }
}

#[test]
fn they_come_last() {
    let wanted = WantedTable::of(&model([("a", None)]));
    let options = ApplyOptions::new()
        .add_schema_bundle(bundle("one"))
        .add_schema_bundle(bundle("two"));
    let added = |id| TableChange::SchemaBundle(bundle(id));
    let diff = wanted.diff(None);
    assert_eq!(
        diff.changes(&options),
        Ok(vec![
            TableChange::Create(wanted.clone()),
            added("one"),
            added("two")
        ])
    );
    let equal = wanted.diff(Some(&table([("a", family(None))])));
    assert!(equal.agrees());
    assert_eq!(equal.changes(&ApplyOptions::new()), Ok(Vec::new()));
    let keys =
        RowKeySchema::new(RowKeyEncoding::Delimited("#".into())).field("host", RowKeyType::String);
    let changes = equal.changes(&options.add_row_key_schema(keys)).unwrap();
    assert!(matches!(
        changes.as_slice(),
        [
            TableChange::RowKeySchema(Some(_)),
            TableChange::SchemaBundle(_),
            TableChange::SchemaBundle(_)
        ]
    ));
}

#[test]
fn two_of_one_id_are_refused() {
    let diff = WantedTable::of(&model([("a", None)])).diff(None);
    let twice = ApplyOptions::new()
        .add_schema_bundle(bundle("one"))
        .add_schema_bundle(bundle("one"));
    assert_eq!(diff.changes(&twice).unwrap().len(), 2);
    let other = SchemaBundle {
        descriptors: "others".into(),
        ..bundle("one")
    };
    let refused = diff.changes(&twice.add_schema_bundle(other)).unwrap_err();
    let words = "table t: two schema bundles have the ID \"one\"";
    assert!(refused.to_string().starts_with(words), "{refused}");
    assert_eq!(refused.table(), "t");
}

#[test]
fn memory_keeps_none_and_says_so() {
    let db = MemoryBackend::new();
    let diff = WantedTable::of(&model([("a", None)])).diff(None);
    let options = ApplyOptions::new().add_schema_bundle(bundle("one"));
    let Err(Error::Backend { source, .. }) = block_on(db.apply(&diff, &options)) else {
        panic!("it is refused");
    };
    assert_eq!(source.code, Code::Unimplemented);
    assert!(source.message.contains("schema bundles"), "{source}");
}
