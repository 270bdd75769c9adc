//! Our own server beyond the suite: names, admin calls, and bytes that are not requests.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bigtable_model::backend::grpc::{CallOptions, GrpcBackend, GrpcSettings, wire};
use bigtable_model::data::{EntryBatch, FamilySchema, ReadRows, RowFilter, TableSchema};
use bigtable_model::server::{Instances, Server, ServerError, ServerOptions};
use bigtable_model::{Backend, MemoryBackend};
use bigtable_model_tests::canned::AsItIs;
use bytes::Bytes;
use futures::TryStreamExt;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use prost::Message;
use tonic::client::Grpc;
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Request, Status};

use crate::fixture::{all, row, set};

pub(crate) const DATA: &str = "/google.bigtable.v2.Bigtable/";
pub(crate) const ADMIN: &str = "/google.bigtable.admin.v2.BigtableTableAdmin/";

pub(crate) const TABLE: &str = "projects/p/instances/i/tables/t";

async fn bind(instances: impl Into<Instances>) -> Server {
    let options = ServerOptions::default();
    let server = Server::bind("127.0.0.1:0", instances, &options).await;
    server.unwrap()
}

fn memory() -> Instances {
    Instances::new(|_| Arc::new(MemoryBackend::new()))
}

/// Serves one backend as every instance.
pub(crate) async fn serve(db: &Arc<dyn Backend>) -> SocketAddr {
    start(bind(Arc::clone(db)).await)
}

fn start(server: Server) -> SocketAddr {
    let address = server.local_addr();
    tokio::spawn(server.serve());
    address
}

pub(crate) fn backend(address: SocketAddr, project: &str, instance: &str) -> GrpcBackend {
    let settings = GrpcSettings::new(project, instance).emulator(address.to_string());
    GrpcBackend::new(&settings).unwrap()
}

pub(crate) fn schema(table: &str) -> TableSchema {
    TableSchema {
        table: table.to_owned(),
        families: [("f".to_owned(), FamilySchema::default())].into(),
        ..TableSchema::default()
    }
}

pub(crate) fn channel(address: SocketAddr) -> Channel {
    let endpoint = Endpoint::from_shared(format!("http://{address}")).unwrap();
    endpoint.connect_lazy()
}

/// Calls any method with any bytes; returns the messages of the answer.
pub(crate) async fn call(
    channel: &Channel,
    path: &str,
    request: Bytes,
) -> Result<Vec<Bytes>, Status> {
    let mut client = Grpc::new(channel.clone());
    client.ready().await.unwrap();
    let path = path.parse().unwrap();
    let answer = client.server_streaming(Request::new(request), path, AsItIs);
    answer.await?.into_inner().try_collect().await
}

async fn ask<A: Message + Default>(
    channel: &Channel,
    method: &str,
    request: impl Message,
) -> Result<A, Status> {
    let path = format!("{ADMIN}{method}");
    let messages = call(channel, &path, request.encode_to_vec().into()).await?;
    Ok(A::decode(messages[0].clone()).unwrap())
}

#[tokio::test]
async fn instances_are_apart() {
    let address = start(bind(memory()).await);
    for (project, instance) in [("p", "i"), ("p", "j"), ("q", "i")] {
        let db = backend(address, project, instance);
        assert_eq!(db.tables().list().await, Ok(Vec::new()));
        db.tables().create(schema("t"), Vec::new()).await.unwrap();
    }
    backend(address, "p", "i")
        .tables()
        .delete("t")
        .await
        .unwrap();
    let left = backend(address, "p", "j").tables().list().await;
    assert_eq!(left, Ok(vec!["t".to_owned()]));
}

#[tokio::test]
async fn one_backend_is_every_instance() {
    let db: Arc<dyn Backend> = Arc::new(MemoryBackend::new());
    db.tables().create(schema("t"), Vec::new()).await.unwrap();
    let address = start(bind(db).await);
    for instance in ["i", "j"] {
        let found = backend(address, "p", instance).tables().get("t").await;
        assert_eq!(found, Ok(schema("t")));
    }
}

#[tokio::test]
async fn an_address_that_others_reach_is_refused_unless_allowed() {
    let options = ServerOptions::default();
    let refused = Server::bind("0.0.0.0:0", memory(), &options).await;
    assert!(matches!(refused, Err(ServerError::Remote(_))));
    let options = options.remote(true);
    assert!(Server::bind("0.0.0.0:0", memory(), &options).await.is_ok());
    let held = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let refused = Server::bind(held.local_addr().unwrap(), memory(), &options).await;
    assert!(matches!(refused, Err(ServerError::Bind(_))));
}

/// An answer over the limit of unsent bytes is refused; later answers are sent.
#[tokio::test]
async fn an_answer_over_what_may_wait_is_refused() {
    let options = ServerOptions::default().unsent_bytes(1 << 20);
    let server = Server::bind("127.0.0.1:0", memory(), &options).await;
    let db = backend(start(server.unwrap()), "p", "i");
    let db = db
        .with_options(CallOptions::new().without_retries())
        .unwrap();
    db.tables().create(schema("t"), Vec::new()).await.unwrap();
    let value = vec![0; 4 << 20];
    db.mutate_row("t", row("large", vec![set("f", "q", 0, value)]))
        .await
        .unwrap();
    let read: Result<Vec<_>, _> = db.read_rows(all()).rows().try_collect().await;
    let status = read.unwrap_err();
    assert_eq!(status.code, bigtable_model::Code::ResourceExhausted);
    assert!(status.message.contains("1048576 bytes"), "{status}");
    db.mutate_row("t", row("large", vec![set("f", "q", 0, "v")]))
        .await
        .unwrap();
    let read: Vec<_> = db.read_rows(all()).rows().try_collect().await.unwrap();
    assert_eq!(read.len(), 1);
}

#[tokio::test]
async fn answers_with_tables_state_the_granularity_of_times() {
    const MILLIS: i32 = 1;
    let channel = channel(start(bind(memory()).await));
    let create = wire::CreateTableRequest {
        parent: "projects/p/instances/i".to_owned(),
        table_id: "t".to_owned(),
        ..wire::CreateTableRequest::default()
    };
    let created: wire::Table = ask(&channel, "CreateTable", create).await.unwrap();
    let get = wire::GetTableRequest {
        name: TABLE.to_owned(),
        view: 0,
    };
    let got: wire::Table = ask(&channel, "GetTable", get).await.unwrap();
    let modify = wire::ModifyColumnFamiliesRequest {
        name: TABLE.to_owned(),
        ..wire::ModifyColumnFamiliesRequest::default()
    };
    let modified: wire::Table = ask(&channel, "ModifyColumnFamilies", modify).await.unwrap();
    for table in [created, got, modified] {
        assert_eq!(table.granularity, MILLIS);
    }
}

/// What `cbt setvaluetype` sends.
#[tokio::test]
async fn a_change_of_a_type_is_refused_with_what_to_do() {
    let channel = channel(start(bind(memory()).await));
    let modify = wire::ModifyColumnFamiliesRequest {
        name: TABLE.to_owned(),
        modifications: vec![wire::Modification {
            id: "f".to_owned(),
            kind: Some(wire::ModificationKind::Update(wire::ColumnFamily::default())),
            update_mask: Some(wire::FieldMask {
                paths: vec!["value_type".to_owned()],
            }),
        }],
    };
    let answer: Result<wire::Table, _> = ask(&channel, "ModifyColumnFamilies", modify).await;
    let status = answer.unwrap_err();
    assert_eq!(status.code(), Code::Unimplemented);
    assert!(status.message().contains("leave it as it is"), "{status}");
}

#[tokio::test]
async fn it_ends_when_it_is_told() {
    let server = bind(memory()).await;
    let address = server.local_addr();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let serving = tokio::spawn(server.serve_with_shutdown(async { stopped.await.unwrap() }));
    let db = backend(address, "p", "i");
    assert_eq!(db.tables().list().await, Ok(Vec::new()));
    stop.send(()).unwrap();
    let ended = tokio::time::timeout(Duration::from_secs(10), serving).await;
    ended.unwrap().unwrap().unwrap();
    let db = db
        .with_options(CallOptions::new().without_retries())
        .unwrap();
    assert!(db.tables().list().await.is_err());
}

#[tokio::test]
async fn what_is_not_served_says_so() {
    let channel = channel(start(bind(memory()).await));
    for path in [
        format!("{DATA}ExecuteQuery"),
        format!("{ADMIN}CreateBackup"),
        format!("{ADMIN}UpdateTable"),
        format!("{ADMIN}CreateSchemaBundle"),
        format!("{ADMIN}UpdateSchemaBundle"),
        format!("{ADMIN}CreateAuthorizedView"),
        format!("{ADMIN}GetAuthorizedView"),
        "/google.bigtable.admin.v2.BigtableInstanceAdmin/ListInstances".to_owned(),
        "/".to_owned(),
    ] {
        let status = call(&channel, &path, Bytes::new()).await.unwrap_err();
        assert_eq!(status.code(), Code::Unimplemented, "{path}");
    }
    // Neither table nor instance: both names are missing.
    for method in ["ReadRows", "MutateRow", "PingAndWarm"] {
        let path = format!("{DATA}{method}");
        let status = call(&channel, &path, Bytes::new()).await.unwrap_err();
        assert_eq!(status.code(), Code::InvalidArgument, "{method}");
    }
    let ping = wire::PingAndWarmRequest {
        name: "projects/p/instances/i".to_owned(),
        ..wire::PingAndWarmRequest::default()
    };
    let path = format!("{DATA}PingAndWarm");
    let answer = call(&channel, &path, ping.encode_to_vec().into()).await;
    assert_eq!(answer.unwrap(), [Bytes::new()]);
}

/// A key of 4 KiB in hexadecimal exceeds the header limit of any client.
#[tokio::test]
async fn messages_are_as_long_as_a_client_can_take() {
    let db: Arc<dyn Backend> = Arc::new(MemoryBackend::new());
    db.tables().create(schema("t"), Vec::new()).await.unwrap();
    let client = backend(serve(&db).await, "p", "i");
    let key = "\x01".repeat(4 << 10);
    let wrong = || row(&key, vec![set("absent", "q", 0, "v")]);
    let status = client.mutate_row("t", wrong()).await.unwrap_err();
    assert_eq!(status.code, bigtable_model::Code::NotFound, "{status}");
    assert!(status.message.contains(r"the row '\x01\x01"), "{status}");
    assert!(status.message.contains("bytes left out"), "{status}");
    let end = "Requested column family not found.";
    assert!(status.message.ends_with(end), "{status}");

    // The same for entries, of which a request has many.
    let outcomes = client
        .mutate_rows("t", EntryBatch::of([wrong(), wrong()]))
        .await;
    for outcome in outcomes.unwrap() {
        assert_eq!(outcome.unwrap_err().message, status.message);
    }

    // And the same for an error at the end of a stream.
    let right = row(&key, vec![set("f", "q", 0, "v")]);
    client.mutate_row("t", right).await.unwrap();
    let both = RowFilter::Interleave(vec![RowFilter::PassAll; 2]);
    let request = ReadRows {
        filter: Some(RowFilter::Chain(vec![both; 40])),
        ..all()
    };
    let rows: Result<Vec<_>, _> = client.read_rows(request).rows().try_collect().await;
    let status = rows.unwrap_err();
    assert_eq!(status.code, bigtable_model::Code::InvalidArgument);
    assert!(status.message.contains("bytes left out"), "{status}");
}

#[tokio::test]
async fn tables_are_listed_in_pages() {
    let address = start(bind(memory()).await);
    let db = backend(address, "p", "i");
    for table in ["c", "a", "b"] {
        db.tables().create(schema(table), Vec::new()).await.unwrap();
    }
    let channel = channel(address);
    let mut request = wire::ListTablesRequest {
        parent: "projects/p/instances/i".to_owned(),
        view: wire::VIEW_SCHEMA,
        page_size: 2,
        page_token: String::new(),
    };
    let mut pages = Vec::new();
    loop {
        let page: wire::ListTablesResponse =
            ask(&channel, "ListTables", request.clone()).await.unwrap();
        assert!(
            page.tables
                .iter()
                .all(|table| table.column_families.len() == 1)
        );
        pages.push(
            page.tables
                .iter()
                .map(|table| table.name.clone())
                .collect::<String>(),
        );
        request.page_token = page.next_page_token;
        if request.page_token.is_empty() {
            break;
        }
    }
    let name = |id: &str| format!("projects/p/instances/i/tables/{id}");
    assert_eq!(pages, [name("a") + &name("b"), name("c")]);
}

#[tokio::test]
async fn writes_are_everywhere_at_once() {
    let address = start(bind(memory()).await);
    let channel = channel(address);
    let name = TABLE.to_owned();
    let generate = wire::GenerateConsistencyTokenRequest { name: name.clone() };
    let method = "GenerateConsistencyToken";
    let absent = ask::<wire::Empty>(&channel, method, generate.clone()).await;
    assert_eq!(absent.unwrap_err().code(), Code::NotFound);
    let db = backend(address, "p", "i");
    db.tables().create(schema("t"), Vec::new()).await.unwrap();
    let token: wire::GenerateConsistencyTokenResponse =
        ask(&channel, method, generate).await.unwrap();
    for (consistency_token, fine) in [(token.consistency_token, true), ("x".to_owned(), false)] {
        let name = name.clone();
        let check = wire::CheckConsistencyRequest {
            name,
            consistency_token,
        };
        let answer = ask::<wire::CheckConsistencyResponse>(&channel, "CheckConsistency", check);
        assert_eq!(answer.await.is_ok_and(|answer| answer.consistent), fine);
    }
}

/// A request's bytes after a table's name, in this method's field.
fn request() -> impl Strategy<Value = (String, Bytes)> {
    let data = prop::sample::select(vec![
        "ReadRows",
        "SampleRowKeys",
        "MutateRow",
        "MutateRows",
        "CheckAndMutateRow",
        "ReadModifyWriteRow",
        "PingAndWarm",
    ]);
    let admin = prop::sample::select(vec![
        "CreateTable",
        "GetTable",
        "ListTables",
        "DeleteTable",
        "ModifyColumnFamilies",
        "DropRowRange",
        "GenerateConsistencyToken",
        "CheckConsistency",
    ]);
    let path = prop_oneof![
        data.prop_map(|method| format!("{DATA}{method}")),
        admin.prop_map(|method| format!("{ADMIN}{method}")),
    ];
    // Mostly fields with the numbers and lengths of real requests, nested.
    let leaf = prop_oneof![vec(any::<u8>(), 0..8), Just(b"f".to_vec())];
    let body = leaf.prop_recursive(6, 40, 4, |inner| {
        let field = (1..21_u8, prop_oneof![4 => Just(2_u8), 1 => 0..8_u8], inner);
        vec(field, 0..4).prop_map(|fields| {
            let mut bytes = Vec::new();
            for (number, kind, value) in fields {
                prost::encoding::encode_varint(
                    u64::from(number) << 3 | u64::from(kind),
                    &mut bytes,
                );
                prost::encoding::encode_varint(value.len() as u64, &mut bytes);
                bytes.extend(value);
            }
            bytes
        })
    });
    (path, any::<bool>(), body).prop_map(|(path, named, body)| {
        let name = wire::GetTableRequest {
            name: TABLE.to_owned(),
            view: 0,
        };
        let mut bytes = if named {
            name.encode_to_vec()
        } else {
            Vec::new()
        };
        bytes.extend(body);
        (path, bytes.into())
    })
}

/// Whether the server answered: a panic ends a call without an answer, and the transport then
/// creates its own error.
pub(crate) fn is_answered(answer: &Result<Vec<Bytes>, Status>) -> bool {
    match answer {
        Ok(_) => true,
        Err(status) => {
            !status.message().contains("h2") && std::error::Error::source(status).is_none()
        }
    }
}

#[tokio::test]
async fn a_panic_would_be_seen() {
    let broken = Instances::new(|_| -> Arc<MemoryBackend> { panic!("this is part of the test") });
    let channel = channel(start(bind(broken).await));
    let request = wire::GetTableRequest {
        name: TABLE.to_owned(),
        view: 0,
    };
    let request = request.encode_to_vec().into();
    let answer = call(&channel, &format!("{ADMIN}GetTable"), request).await;
    assert!(!is_answered(&answer), "{answer:?}");
}

#[test]
fn any_bytes_are_answered() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (address, channel) = runtime.block_on(async {
        let address = start(bind(memory()).await);
        (address, channel(address))
    });
    let db = backend(address, "p", "i");
    let config = Config::with_cases(3000);
    let run = TestRunner::new(config).run(&request(), |(path, bytes)| {
        runtime.block_on(async {
            // Whatever earlier requests did, the table exists.
            let _ = db.tables().create(schema("t"), Vec::new()).await;
            let answer = call(&channel, &path, bytes).await;
            prop_assert!(is_answered(&answer), "{answer:?}");
            Ok(())
        })
    });
    run.unwrap();
}
