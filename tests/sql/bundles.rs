//! Schema bundles of tables: created and replaced only on request.

use bigtable_model::backend::faults::{Fault, FaultRule, FaultyBackend, Method};
use bigtable_model::backend::grpc::{GrpcBackend, wire};
use bigtable_model::backend::metered::MeteredBackend;
use bigtable_model::data::SchemaBundle;
use bigtable_model::schema::ApplyOptions;
use bigtable_model::server::{Server, ServerOptions};
use bigtable_model::{Backend, BackendExt, Code, Error, MemoryBackend, Model, Status, Timestamp};

use crate::scripted::{Scripted, Step};

#[derive(Model)]
#[bigtable(table = "TRADE", family = "MD", serialize(proto))]
struct Trade {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, unit = "ms")]
    at: Timestamp,
    price: f64,
}

const TABLE: &str = "projects/p/instances/i/tables/TRADE";

async fn apply(db: &dyn Backend) -> Result<(), Error> {
    let diff = db.table_diff::<Trade>().await?;
    let options = ApplyOptions::new().add_schema_bundle(Trade::schema_bundle());
    db.apply(&diff, &options).await
}

async fn serve() -> (std::sync::Arc<Scripted>, GrpcBackend) {
    let (server, db) = Scripted::start().await;
    server.get_table.script([Step::Send(wire::Table {
        name: TABLE.to_owned(),
        column_families: vec![wire::FamilyEntry {
            name: "MD".to_owned(),
            family: wire::ColumnFamily::default(),
        }],
        ..wire::Table::default()
    })]);
    (server, db)
}

fn operation(done: bool, code: Code) -> Step<wire::LongOperation> {
    let error = wire::RpcStatus {
        code: code as i32,
        message: "as the service says".to_owned(),
        details: Vec::new(),
    };
    Step::Send(wire::LongOperation {
        name: "operations/o/1".to_owned(),
        done,
        error: (code != Code::Ok).then_some(error),
    })
}

fn content(name: &str) -> wire::SchemaBundle {
    wire::SchemaBundle {
        name: name.to_owned(),
        proto_schema: Some(wire::ProtoDescriptors {
            proto_descriptors: Trade::schema_bundle().descriptors,
        }),
    }
}

fn code(applied: Result<(), Error>) -> Code {
    match applied {
        Err(Error::Backend { source, .. }) => source.code,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_bundle_is_created_and_the_end_is_awaited() {
    let (server, db) = serve().await;
    server.create_bundle.script([operation(false, Code::Ok)]);
    server.get_operation.script([operation(false, Code::Ok)]);
    server.get_operation.script([operation(true, Code::Ok)]);
    apply(&db).await.unwrap();
    let seen = server.create_bundle.seen();
    let expected = wire::CreateSchemaBundleRequest {
        parent: TABLE.to_owned(),
        schema_bundle_id: "trade".to_owned(),
        schema_bundle: Some(content("")),
    };
    assert_eq!(seen[0].message, expected);
    let params = seen[0].headers.get("x-goog-request-params").unwrap();
    assert_eq!(
        params,
        "parent=projects%2Fp%2Finstances%2Fi%2Ftables%2FTRADE"
    );
    assert_eq!(server.get_operation.seen().len(), 2);
    assert_eq!((seen.len(), server.update_bundle.seen().len()), (1, 0));
}

/// Whether the call says so at once or its operation in the end.
#[tokio::test]
async fn a_bundle_that_exists_is_replaced() {
    for at_once in [true, false] {
        let (server, db) = serve().await;
        server.create_bundle.script([match at_once {
            true => Step::Fail(tonic::Status::already_exists("trade")),
            false => operation(true, Code::AlreadyExists),
        }]);
        server.update_bundle.script([operation(true, Code::Ok)]);
        apply(&db).await.unwrap();
        let seen = server.update_bundle.seen();
        let name = format!("{TABLE}/schemaBundles/trade");
        let expected = wire::UpdateSchemaBundleRequest {
            schema_bundle: Some(content(&name)),
            update_mask: Some(wire::FieldMask {
                paths: vec!["proto_schema".to_owned()],
            }),
            ignore_warnings: false,
        };
        assert_eq!(seen[0].message, expected);
        let params = seen[0].headers.get("x-goog-request-params").unwrap();
        let escaped = name.replace('/', "%2F");
        assert_eq!(params, format!("schema_bundle.name={escaped}").as_str());
    }
}

#[tokio::test]
async fn what_the_service_refuses_is_returned() {
    let (server, db) = serve().await;
    let refused = operation(true, Code::InvalidArgument);
    server.create_bundle.script([refused]);
    assert_eq!(code(apply(&db).await), Code::InvalidArgument);
    assert!(server.update_bundle.seen().is_empty());
    // Messages that read stored values otherwise.
    let (server, db) = serve().await;
    let exists = operation(true, Code::AlreadyExists);
    server.create_bundle.script([exists]);
    let refused = operation(true, Code::FailedPrecondition);
    server.update_bundle.script([refused]);
    let error = apply(&db).await.unwrap_err();
    assert!(format!("{error:?}").contains("as the service says"));
    assert!(error.to_string().contains("TRADE"), "{error}");
    assert_eq!(code(Err(error)), Code::FailedPrecondition);
    // A change is sent only once: it is unknown whether it was made.
    let (server, db) = serve().await;
    let lost = Step::Fail(tonic::Status::unavailable("lost"));
    server.create_bundle.script([lost]);
    assert_eq!(code(apply(&db).await), Code::Unavailable);
    assert_eq!(server.create_bundle.seen().len(), 1);
}

#[tokio::test]
async fn it_goes_to_the_table_by_its_stored_name() {
    let (server, backend) = Scripted::start().await;
    server.create_bundle.script([operation(true, Code::Ok)]);
    let metered = MeteredBackend::new(backend.handle(), "db");
    let db = metered.with_tables(|name: &str| format!("tenant_{name}"));
    let bundle = || SchemaBundle {
        id: "b".to_owned(),
        descriptors: "files".into(),
    };
    let answer = db.tables().set_schema_bundle("TRADE", bundle()).await;
    assert_eq!(answer, Ok(()));
    let seen = server.create_bundle.messages().remove(0);
    assert!(seen.parent.ends_with("/tables/tenant_TRADE"), "{seen:?}");
    let lost = Status::new(Code::Unavailable, "lost on purpose");
    let rule = FaultRule::new(Fault::Error(lost)).method(Method::CreateSchemaBundle);
    let faulty = FaultyBackend::new(backend.handle(), 1, vec![rule]).unwrap();
    let db = faulty.handle();
    let error = db.tables().set_schema_bundle("TRADE", bundle()).await;
    assert_eq!(error.unwrap_err().code, Code::Unavailable);
    assert_eq!(server.create_bundle.seen().len(), 1);
}

#[tokio::test]
async fn our_server_refuses_by_name() {
    let db: std::sync::Arc<dyn Backend> = std::sync::Arc::new(MemoryBackend::new());
    let server = Server::bind("127.0.0.1:0", db, &ServerOptions::default())
        .await
        .unwrap();
    let address = server.local_addr().to_string();
    tokio::spawn(server.serve());
    let settings = bigtable_model::backend::grpc::GrpcSettings::new("p", "i").emulator(address);
    let db = GrpcBackend::new(&settings).unwrap();
    let error = apply(&db).await.unwrap_err();
    assert!(format!("{error:?}").contains("schema bundles"), "{error:?}");
    assert_eq!(code(Err(error)), Code::Unimplemented);
    // The table itself is there.
    assert!(db.table_diff::<Trade>().await.unwrap().agrees());
}
