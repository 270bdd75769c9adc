//! Row key schemas are compared, and changed only by name.

use futures::executor::block_on;

use super::*;
use crate::data::{RowKeyEncoding, RowKeySchema, RowKeySchemaError, RowKeyType};
use crate::schema::{ApplyOptions, Difference, Safety, SchemaError, TableChange, WantedTable};
use crate::{Backend, BackendExt, Code, Error, MemoryBackend};

fn of(field: &'static str) -> RowKeySchema {
    RowKeySchema::new(RowKeyEncoding::Delimited("#".into())).field(field, RowKeyType::String)
}

/// A model whose keys are texts with `-`.
fn hosts() -> WantedTable {
    let mut key = salted("", None);
    key.segments.to_mut()[0].format = SegmentFormat::Variable;
    WantedTable::of(&ModelSchema {
        key,
        ..model([("a", None)])
    })
}

fn with_schema(schema: Option<RowKeySchema>) -> TableSchema {
    TableSchema {
        row_key_schema: schema,
        ..table([("a", family(None))])
    }
}

#[test]
fn a_table_without_a_schema_is_as_it_is_wanted() {
    assert_eq!(hosts().row_keys, Some(of("host")));
    for have in [None, Some(of("host"))] {
        let diff = hosts().diff(Some(&with_schema(have.clone())));
        assert_eq!((diff.differences, diff.row_key_schema), (Vec::new(), have));
    }
}

#[test]
fn a_schema_of_other_keys_is_named_and_left_alone() {
    let diff = hosts().diff(Some(&with_schema(Some(of("server")))));
    assert!(diff.agrees());
    assert_eq!(
        diff.to_string(),
        r##"table t is as the model wants it
  the row key schema is server STRING, joined by "#"; the model's keys are of host STRING, joined by "#" (left alone)"##
    );
    assert_eq!(diff.changes(&ApplyOptions::new()), Ok(Vec::new()));
    // A space may be at or below the separator, so Bigtable cannot express such keys.
    let padded = WantedTable::of(&model([("a", None)]));
    assert_eq!(padded.row_keys, None);
    let diff = padded.diff(Some(&with_schema(Some(of("host")))));
    let [difference] = diff.differences.as_slice() else {
        panic!("{diff}");
    };
    assert_eq!(difference.safety(), Safety::LeftAlone);
    assert!(matches!(
        difference,
        Difference::RowKeySchema { keys: None, .. }
    ));
    let words = "the model's keys have no form of Bigtable's own";
    assert!(diff.to_string().contains(words), "{diff}");
}

#[test]
fn a_segment_with_a_familys_name_has_no_column() {
    let mut key = salted("", None);
    key.segments.to_mut()[0].format = SegmentFormat::Variable;
    key.segments.to_mut()[0].name = "a".into();
    let wanted = WantedTable::of(&ModelSchema {
        key,
        ..model([("a", None)])
    });
    assert_eq!(wanted.row_keys, None);
}

#[test]
fn models_with_different_keys_have_no_schema_together() {
    let other = WantedTable {
        row_keys: Some(of("server")),
        ..hosts()
    };
    let mut both = hosts();
    both.join(hosts()).unwrap();
    assert_eq!(both.row_keys, Some(of("host")));
    both.join(other).unwrap();
    assert_eq!(both.row_keys, None);
}

#[test]
fn a_schema_is_added_and_removed_by_name() {
    let add = ApplyOptions::new().add_row_key_schema(of("host"));
    let remove = ApplyOptions::new().remove_row_key_schema();
    let change = |have, options| hosts().diff(Some(&with_schema(have))).changes(options);
    let set = |schema| Ok(vec![TableChange::RowKeySchema(schema)]);
    assert_eq!(change(None, &add), set(Some(of("host"))));
    assert_eq!(change(Some(of("host")), &add), Ok(Vec::new()));
    assert_eq!(change(Some(of("host")), &remove), set(None));
    assert_eq!(change(None, &remove), Ok(Vec::new()));
    let refused = change(Some(of("server")), &add).unwrap_err();
    assert!(refused.to_string().contains("server STRING"), "{refused}");
    assert!(
        refused.to_string().contains("remove_row_key_schema"),
        "{refused}"
    );
    assert_eq!(change(Some(of("server")), &remove), set(None));
    let bad = ApplyOptions::new().add_row_key_schema(of("_key"));
    let source = RowKeySchemaError::Name {
        field: "_key".to_owned(),
    };
    let table = "t".to_owned();
    assert_eq!(
        change(None, &bad),
        Err(SchemaError::RowKeySchema { table, source })
    );
}

#[test]
fn families_change_before_the_schema() {
    let have = TableSchema {
        families: [("b".to_owned(), family(None))].into(),
        ..with_schema(None)
    };
    let options = ApplyOptions::new().add_row_key_schema(of("host"));
    let changes = hosts().diff(Some(&have)).changes(&options).unwrap();
    assert!(matches!(
        changes.as_slice(),
        [TableChange::Families(_), TableChange::RowKeySchema(Some(_))]
    ));
}

#[test]
fn a_new_table_has_a_schema_only_if_it_is_named() {
    let diff = hosts().diff(None);
    let created = |options: ApplyOptions| match diff.changes(&options)?.as_slice() {
        [TableChange::Create(wanted)] => Ok(wanted.schema.row_key_schema.clone()),
        changes => panic!("{changes:?}"),
    };
    assert_eq!(created(ApplyOptions::new()), Ok(None));
    let add = |field| ApplyOptions::new().add_row_key_schema(of(field));
    assert_eq!(created(add("host")), Ok(Some(of("host"))));
    let of_a_family = created(add("a"));
    assert!(matches!(of_a_family, Err(SchemaError::RowKeySchema { .. })));
}

#[test]
fn memory_refuses_schemas_and_keeps_what_it_has() {
    let db = MemoryBackend::new();
    let code = |applied: Result<(), Error>| match applied {
        Err(Error::Backend { source, .. }) => source.code,
        other => panic!("{other:?}"),
    };
    let add = ApplyOptions::new().add_row_key_schema(of("host"));
    let diff = block_on(hosts().diff_on(&db)).unwrap();
    assert_eq!(code(block_on(db.apply(&diff, &add))), Code::Unimplemented);
    assert_eq!(block_on(db.tables().list()), Ok(Vec::new()));
    block_on(db.apply(&diff, &ApplyOptions::new())).unwrap();
    let diff = block_on(hosts().diff_on(&db)).unwrap();
    assert!(diff.agrees());
    assert_eq!(code(block_on(db.apply(&diff, &add))), Code::Unimplemented);
    let remove = ApplyOptions::new().remove_row_key_schema();
    block_on(db.apply(&diff, &remove)).unwrap();
}
