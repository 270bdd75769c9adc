//! Requests for what our server does not support: it refuses them by name, and never ignores them.

use std::sync::Arc;

use bigtable_model::backend::grpc::wire;
use bigtable_model::{Backend, MemoryBackend};
use bytes::Bytes;
use futures::TryStreamExt as _;
use prost::Message as _;
use tonic::{Code, Status};

use crate::fixture::{all, set};
use crate::server::{ADMIN, DATA, TABLE, call, channel, schema, serve};

/// A field of a message: number and bytes.
fn field(number: u32, bytes: impl AsRef<[u8]>) -> Vec<u8> {
    let mut out = Vec::new();
    prost::encoding::bytes::encode(number, &bytes.as_ref().to_vec(), &mut out);
    out
}

fn number(number: u32, value: u64) -> Vec<u8> {
    let mut out = Vec::new();
    prost::encoding::uint64::encode(number, &value, &mut out);
    out
}

fn join(parts: &[&[u8]]) -> Vec<u8> {
    parts.concat()
}

/// A family `f` in the map of a table, with this type of values.
fn typed(value_type: &[u8]) -> Vec<u8> {
    let family = field(3, value_type);
    field(3, join(&[&field(1, "f"), &field(2, family)]))
}

fn refusal(answer: Result<Vec<Bytes>, Status>, name: &str) {
    let Err(status) = answer else {
        panic!("{name} is taken");
    };
    assert_eq!(status.code(), Code::Unimplemented, "{name}: {status}");
    assert!(status.message().contains(name), "{name}: {status}");
}

#[tokio::test]
async fn settings_of_tables_and_families() {
    let db: Arc<dyn Backend> = Arc::new(MemoryBackend::new());
    let channel = channel(serve(&db).await);
    let create = async |table: &[u8]| {
        let parent = field(1, "projects/p/instances/i");
        let request = join(&[&parent, &field(2, "t"), &field(3, table)]);
        call(&channel, &format!("{ADMIN}CreateTable"), request.into()).await
    };
    let input = |kind: &[u8]| field(6, join(&[&field(1, kind), &field(4, "")]));
    let ordered = field(5, field(1, field(2, "")));
    for (table, name) in [
        (field(8, ""), "change_stream_config"),
        (
            field(8, field(1, number(1, 86_400))),
            "change_stream_config",
        ),
        (number(9, 1), "deletion_protection"),
        (field(13, ""), "automated_backup_policy"),
        (field(14, ""), "tiered_storage_config"),
        (field(15, ""), "row_key_schema"),
        (typed(&field(1, "")), "value_type.bytes_type"),
        (
            typed(&field(2, field(1, field(2, "")))),
            "value_type.string_type",
        ),
        (typed(&field(5, "")), "value_type.int64_type"),
        (typed(&field(14, "")), "value_type.enum_type"),
        (typed(&field(6, field(5, ""))), "hllpp_unique_count"),
        (typed(&field(6, "")), "value_type.aggregate_type"),
        (typed(&input(&field(9, ""))), "input_type.float64_type"),
        (typed(&input(&ordered)), "ordered_code_bytes"),
    ] {
        refusal(create(&table).await, name);
    }
    assert_eq!(db.tables().list().await, Ok(Vec::new()));

    // Unset fields, or fields that ask for the default.
    let big_endian = field(5, field(1, field(1, "")));
    let fine = join(&[&number(9, 0), &number(4, 1), &typed(&input(&big_endian))]);
    create(&fine).await.unwrap();

    let modify = async |modification: &[u8]| {
        let request = join(&[&field(1, TABLE), &field(2, modification)]);
        call(
            &channel,
            &format!("{ADMIN}ModifyColumnFamilies"),
            request.into(),
        )
        .await
    };
    let text = field(3, field(2, ""));
    let created = join(&[&field(1, "g"), &field(2, &text)]);
    refusal(modify(&created).await, "value_type.string_type");
    // An update without a mask changes only the rule.
    modify(&join(&[&field(1, "f"), &field(3, &text)]))
        .await
        .unwrap();
    let families = db.tables().get("t").await.unwrap().families;
    assert_eq!(families.keys().collect::<Vec<_>>(), ["f"]);
    assert!(families["f"].aggregate.is_some());
}

#[tokio::test]
async fn views_and_parts_of_a_table() {
    let db: Arc<dyn Backend> = Arc::new(MemoryBackend::new());
    db.tables().create(schema("t"), Vec::new()).await.unwrap();
    let channel = channel(serve(&db).await);
    let view = format!("{TABLE}/authorizedViews/v");
    let set = wire::Mutation::from(set("f", "q", 0, "v")).encode_to_vec();
    let write = join(&[&field(2, "k"), &field(3, &set)]);
    let entry = join(&[&field(1, "k"), &field(2, &set)]);
    for (method, rest, name) in [
        ("ReadRows", field(9, &view), "authorized_view_name"),
        ("ReadRows", field(11, "m"), "materialized_view_name"),
        ("SampleRowKeys", field(4, &view), "authorized_view_name"),
        ("SampleRowKeys", field(5, "m"), "materialized_view_name"),
        ("SampleRowKeys", field(6, field(1, "k")), "row_range"),
        (
            "MutateRow",
            join(&[&write, &field(6, &view)]),
            "authorized_view_name",
        ),
        (
            "MutateRows",
            join(&[&field(2, &entry), &field(5, &view)]),
            "authorized_view_name",
        ),
        (
            "CheckAndMutateRow",
            join(&[&field(2, "k"), &field(5, &set), &field(9, &view)]),
            "authorized_view_name",
        ),
        (
            "ReadModifyWriteRow",
            join(&[&field(2, "k"), &field(6, &view)]),
            "authorized_view_name",
        ),
    ] {
        // Alone, and together with a table.
        for table in [Vec::new(), field(1, TABLE)] {
            let request = join(&[&table, &rest]);
            let answer = call(&channel, &format!("{DATA}{method}"), request.into()).await;
            refusal(answer, name);
        }
    }
    let rows: Vec<_> = db.read_rows(all()).rows().try_collect().await.unwrap();
    assert!(rows.is_empty(), "{rows:?}");
    // A view in place of a table.
    let answer = call(&channel, &format!("{DATA}ReadRows"), field(1, &view).into()).await;
    assert_eq!(answer.unwrap_err().code(), Code::InvalidArgument);
    // Empty names count as unset.
    let request = join(&[&field(1, TABLE), &field(9, ""), &field(11, "")]);
    let answer = call(&channel, &format!("{DATA}ReadRows"), request.into()).await;
    assert!(answer.unwrap().is_empty());
}
