//! Row key schemas of tables: read, compared, and changed only on request.

use std::time::Duration;

use bigtable_model::backend::grpc::{CallOptions, GrpcBackend, wire};
use bigtable_model::data::RowKeySchema;
use bigtable_model::schema::{ApplyOptions, Difference};
use bigtable_model::server::{Server, ServerOptions};
use bigtable_model::{Backend, BackendExt, Code, Error, MemoryBackend, Model, Timestamp};

use crate::scripted::{Scripted, Step};

#[derive(Model)]
#[bigtable(table = "METRIC", family = "CPU")]
struct Sample {
    #[bigtable(key)]
    host: String,
    #[bigtable(time, unit = "ms")]
    at: Timestamp,
    user: f64,
}

/// A text between delimiters, in the protocol's form.
fn text(name: &str) -> wire::RowKeyField {
    let utf8 = wire::StringEncodingKind::Utf8Bytes(wire::Utf8Bytes::default());
    let encoding = wire::StringEncoding {
        encoding: Some(utf8),
    };
    let of = wire::StringType {
        encoding: Some(encoding),
    };
    wire::RowKeyField {
        field_name: name.to_owned(),
        r#type: Some(wire::RowKeyType {
            kind: Some(wire::RowKeyTypeKind::String(of)),
        }),
    }
}

fn between_hashes(names: &[&str]) -> wire::RowKeyStruct {
    let by = wire::DelimitedBytes {
        delimiter: "#".into(),
    };
    wire::RowKeyStruct {
        fields: names.iter().map(|name| text(name)).collect(),
        encoding: Some(wire::RowKeyEncoding {
            encoding: Some(wire::RowKeyEncodingKind::DelimitedBytes(by)),
        }),
    }
}

const NAME: &str = "projects/p/instances/i/tables/METRIC";

fn table(row_key_schema: Option<wire::RowKeyStruct>) -> Step<wire::Table> {
    Step::Send(wire::Table {
        name: NAME.to_owned(),
        column_families: vec![wire::FamilyEntry {
            name: "CPU".to_owned(),
            family: wire::ColumnFamily::default(),
        }],
        granularity: 0,
        row_key_schema,
    })
}

/// The server returns this table, however often it is asked.
async fn serve(schema: Option<wire::RowKeyStruct>) -> (std::sync::Arc<Scripted>, GrpcBackend) {
    let (server, db) = Scripted::start().await;
    for _ in 0..8 {
        server.get_table.script([table(schema.clone())]);
    }
    (server, db)
}

async fn apply(db: &GrpcBackend, options: &ApplyOptions) -> Result<(), Error> {
    let diff = db.table_diff::<Sample>().await?;
    db.apply(&diff, options).await
}

fn add() -> ApplyOptions {
    ApplyOptions::new().add_row_key_schema(schema())
}

fn schema() -> RowKeySchema {
    Sample::row_key_schema().unwrap()
}

fn operation(done: bool, code: i32) -> Step<wire::LongOperation> {
    let error = wire::RpcStatus {
        code,
        message: "rows do not conform".to_owned(),
        details: Vec::new(),
    };
    Step::Send(wire::LongOperation {
        name: "operations/o/1".to_owned(),
        done,
        error: (code != 0).then_some(error),
    })
}

fn lost<A>() -> Step<A> {
    Step::Fail(tonic::Status::unavailable("lost"))
}

fn code(applied: Result<(), Error>) -> Code {
    match applied {
        Err(Error::Backend { source, .. }) => source.code,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn nothing_is_added_changed_or_removed_unless_it_is_named() {
    for have in [
        None,
        Some(between_hashes(&["host", "at"])),
        Some(between_hashes(&["server", "at"])),
        Some(wire::RowKeyStruct::default()),
    ] {
        let (server, db) = serve(have).await;
        assert!(db.table_diff::<Sample>().await.unwrap().agrees());
        apply(&db, &ApplyOptions::new().allow_unsafe(true))
            .await
            .unwrap();
        assert!(server.update_table.seen().is_empty());
    }
}

#[tokio::test]
async fn a_schema_of_other_keys_is_a_difference() {
    let differences = async |have| {
        let (_server, db) = serve(Some(have)).await;
        let schema = db.tables().get("METRIC").await.unwrap().row_key_schema;
        let diff = db.table_diff::<Sample>().await.unwrap();
        assert_eq!(diff.row_key_schema, schema);
        diff.differences
    };
    assert_eq!(differences(between_hashes(&["host", "at"])).await, []);
    for other in [
        between_hashes(&["host"]),
        between_hashes(&["host", "when"]),
        // As far as it is known here.
        wire::RowKeyStruct::default(),
    ] {
        let found = differences(other).await;
        let [Difference::RowKeySchema { keys, .. }] = found.as_slice() else {
            panic!("{found:?}");
        };
        assert_eq!(keys, &Some(schema()));
    }
}

#[tokio::test]
async fn a_schema_is_added_by_name() {
    let (server, db) = serve(None).await;
    server.update_table.script([operation(true, 0)]);
    apply(&db, &add()).await.unwrap();
    let seen = server.update_table.seen();
    let expected = wire::UpdateTableRequest {
        table: Some(wire::Table {
            name: NAME.to_owned(),
            column_families: Vec::new(),
            granularity: 0,
            row_key_schema: Some(between_hashes(&["host", "at"])),
        }),
        update_mask: Some(wire::FieldMask {
            paths: vec!["row_key_schema".to_owned()],
        }),
        ignore_warnings: false,
    };
    assert_eq!(seen[0].message, expected);
    let params = seen[0].headers.get("x-goog-request-params").unwrap();
    assert_eq!(
        params,
        "table.name=projects%2Fp%2Finstances%2Fi%2Ftables%2FMETRIC"
    );
    // It already exists.
    let (server, db) = serve(Some(between_hashes(&["host", "at"]))).await;
    apply(&db, &add()).await.unwrap();
    assert!(server.update_table.seen().is_empty());
}

#[tokio::test]
async fn a_schema_is_removed_by_name_and_not_changed() {
    let (server, db) = serve(Some(between_hashes(&["server"]))).await;
    let refused = apply(&db, &add()).await.unwrap_err().to_string();
    assert!(refused.contains("server STRING"), "{refused}");
    assert!(server.update_table.seen().is_empty());
    server.update_table.script([operation(true, 0)]);
    apply(&db, &ApplyOptions::new().remove_row_key_schema())
        .await
        .unwrap();
    let removed = server.update_table.messages().remove(0);
    assert!(removed.ignore_warnings);
    assert_eq!(removed.table.unwrap().row_key_schema, None);
}

#[tokio::test]
async fn a_schema_that_has_changed_since_is_left_alone() {
    let (server, db) = Scripted::start().await;
    server.get_table.script([table(None)]);
    server
        .get_table
        .script([table(Some(between_hashes(&["host", "at"])))]);
    let refused = apply(&db, &add()).await.unwrap_err().to_string();
    assert!(
        refused.contains("has changed since it was compared"),
        "{refused}"
    );
    assert!(server.update_table.seen().is_empty());
}

#[tokio::test]
async fn the_server_is_asked_until_it_is_done() {
    let (server, db) = serve(None).await;
    server.update_table.script([operation(false, 0)]);
    for step in [operation(false, 0), lost(), operation(true, 0)] {
        server.get_operation.script([step]);
    }
    apply(&db, &add()).await.unwrap();
    let asked = server.get_operation.seen();
    assert_eq!(asked.len(), 3);
    for one in asked {
        assert_eq!(one.message.name, "operations/o/1");
        let params = one.headers.get("x-goog-request-params").unwrap();
        assert_eq!(params, "name=operations%2Fo%2F1");
    }
}

#[tokio::test]
async fn what_the_server_says_in_the_end_is_told() {
    for at_once in [true, false] {
        let (server, db) = serve(None).await;
        match at_once {
            true => server.update_table.script([operation(true, 9)]),
            false => {
                server.update_table.script([operation(false, 0)]);
                server.get_operation.script([operation(true, 9)]);
            }
        }
        let error = apply(&db, &add()).await.unwrap_err();
        let text = format!("{error:?}");
        assert!(text.contains("rows do not conform"), "{text}");
        assert_eq!(code(Err(error)), Code::FailedPrecondition);
    }
    // A change is sent only once: it is unknown whether it was made.
    let (server, db) = serve(None).await;
    server.update_table.script([lost()]);
    assert_eq!(code(apply(&db, &add()).await), Code::Unavailable);
    assert_eq!(server.update_table.seen().len(), 1);
}

#[tokio::test]
async fn the_wait_has_a_deadline() {
    let (server, db) = serve(None).await;
    server.update_table.script([operation(false, 0)]);
    for _ in 0..100 {
        server.get_operation.script([operation(false, 0)]);
    }
    let deadline = CallOptions::new().deadline(Duration::from_secs(1));
    let db = db.with_options(deadline).unwrap();
    let error = apply(&db, &add()).await.unwrap_err();
    let text = format!("{error:?}");
    assert!(text.contains("operations/o/1"), "{text}");
    assert_eq!(code(Err(error)), Code::DeadlineExceeded);
}

#[tokio::test]
async fn our_server_refuses_by_name() {
    let options = ServerOptions::default();
    let db: std::sync::Arc<dyn Backend> = std::sync::Arc::new(MemoryBackend::new());
    let server = Server::bind("127.0.0.1:0", db, &options).await.unwrap();
    let address = server.local_addr().to_string();
    tokio::spawn(server.serve());
    let settings = bigtable_model::backend::grpc::GrpcSettings::new("p", "i").emulator(address);
    let db = GrpcBackend::new(&settings).unwrap();
    assert_eq!(code(apply(&db, &add()).await), Code::Unimplemented);
    db.ensure_tables::<Sample>().await.unwrap();
    let error = apply(&db, &add()).await.unwrap_err();
    assert!(
        format!("{error:?}").contains("row key schemas"),
        "{error:?}"
    );
    assert_eq!(code(Err(error)), Code::Unimplemented);
}
