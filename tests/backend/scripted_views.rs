//! Calls on authorized views: what is sent, and which calls are unsupported.

use bigtable_model::backend::grpc::{CallOptions, GrpcBackend, wire};
use bigtable_model::backend::sql::{SqlParameters, SqlQuery};
use bigtable_model::data::{
    CheckAndMutateRow, EntryBatch, ReadModifyWriteRow, ReadModifyWriteRule, RowDeletion,
    RowMutations, RuleAction, SchemaBundle, TableSchema,
};
use bigtable_model::{Backend, Code, SqlExt, Status};
use futures::TryStreamExt as _;

use crate::fixture::{all, row, set};
use crate::scripted::{Scripted, Seen, Step};
use crate::scripted_calls::{begin, commit, send};

const VIEW: &str = "projects/p/instances/i/tables/t/authorizedViews/tenant-7";
const PARAMS: &str = "authorized_view_name=projects%2Fp%2Finstances%2Fi%2Ftables%2Ft%2FauthorizedViews%2Ftenant-7\
                      &app_profile_id=my%20profile";

/// A server, and a client of a view.
async fn viewing() -> (std::sync::Arc<Scripted>, GrpcBackend) {
    Scripted::start_with(|settings| settings.authorized_view("tenant-7")).await
}

fn params<Q>(seen: &Seen<Q>) -> &str {
    let params = seen.headers.get("x-goog-request-params").unwrap();
    params.to_str().unwrap()
}

fn write() -> RowMutations {
    row("k", vec![set("f", "q", 0, "v")])
}

fn lost<A>() -> Step<A> {
    Step::Fail(tonic::Status::unavailable("lost"))
}

#[tokio::test]
async fn reads_name_the_view_in_place_of_the_table_also_when_they_go_on() {
    let (server, db) = viewing().await;
    let first = send([commit(begin("a", "1", 0))]);
    server.read_rows.script(vec![first, lost()]);
    server
        .read_rows
        .script(vec![send([commit(begin("b", "1", 0))])]);
    let request = bigtable_model::data::ReadRows {
        table: "t".to_owned(),
        ..all()
    };
    let rows: Vec<_> = db.read_rows(request).rows().try_collect().await.unwrap();
    assert_eq!(rows.len(), 2);
    let seen = server.read_rows.seen();
    assert_eq!(seen.len(), 2);
    for one in &seen {
        assert_eq!(one.message.authorized_view_name, VIEW);
        assert_eq!(one.message.table_name, "");
        assert_eq!(params(one), PARAMS);
    }
}

#[tokio::test]
async fn samples_and_single_writes_name_the_view() {
    let (server, db) = viewing().await;
    server.sample_row_keys.script([]);
    db.sample_row_keys("t").await.unwrap();
    let seen = &server.sample_row_keys.seen()[0];
    assert_eq!(seen.message.authorized_view_name, VIEW);
    assert_eq!((&*seen.message.table_name, params(seen)), ("", PARAMS));

    db.mutate_row("t", write()).await.unwrap();
    let seen = &server.mutate_row.seen()[0];
    assert_eq!(seen.message.authorized_view_name, VIEW);
    assert_eq!((&*seen.message.table_name, params(seen)), ("", PARAMS));

    let matched = wire::CheckAndMutateRowResponse {
        predicate_matched: true,
    };
    server.check.script([Step::Send(matched)]);
    let check = CheckAndMutateRow {
        table: "t".to_owned(),
        key: "k".into(),
        predicate: None,
        if_true: write().mutations,
        if_false: Vec::new(),
    };
    assert!(db.check_and_mutate_row(check).await.unwrap());
    let seen = &server.check.seen()[0];
    assert_eq!(seen.message.authorized_view_name, VIEW);
    assert_eq!((&*seen.message.table_name, params(seen)), ("", PARAMS));

    let done = wire::ReadModifyWriteRowResponse::default();
    server.modify.script([Step::Send(done)]);
    let modify = ReadModifyWriteRow {
        table: "t".to_owned(),
        key: "k".into(),
        rules: vec![ReadModifyWriteRule {
            family: "f".into(),
            qualifier: "q".into(),
            action: RuleAction::Increment(1),
        }],
    };
    db.read_modify_write_row(modify).await.unwrap();
    let seen = &server.modify.seen()[0];
    assert_eq!(seen.message.authorized_view_name, VIEW);
    assert_eq!((&*seen.message.table_name, params(seen)), ("", PARAMS));
}

#[tokio::test]
async fn bulk_writes_name_the_view_in_each_attempt() {
    let (server, db) = viewing().await;
    server.mutate_rows.script([lost()]);
    let outcome = wire::MutateRowsOutcome::default();
    let done = wire::MutateRowsResponse {
        entries: vec![outcome],
        rate_limit_info: None,
    };
    server.mutate_rows.script([Step::Send(done)]);
    let outcomes = db
        .mutate_rows("t", EntryBatch::of([write()]))
        .await
        .unwrap();
    assert_eq!(outcomes, [Ok(())]);
    let seen = server.mutate_rows.seen();
    assert_eq!(seen.len(), 2);
    for one in &seen {
        assert_eq!(one.message.authorized_view_name, VIEW);
        assert_eq!((&*one.message.table_name, params(one)), ("", PARAMS));
        assert_eq!(one.message.entries.len(), 1);
    }
}

#[tokio::test]
async fn some_calls_are_on_a_view_and_others_on_the_table() {
    let (server, db) = Scripted::start().await;
    let view = db
        .with_options(CallOptions::new().authorized_view("tenant-7"))
        .unwrap();
    let again = view.with_options(CallOptions::new().unordered()).unwrap();
    let table = view
        .with_options(CallOptions::new().authorized_view(""))
        .unwrap();
    for db in [&db, &view, &again, &table] {
        db.mutate_row("t", write()).await.unwrap();
    }
    let messages = server.mutate_row.messages();
    let views: Vec<_> = messages
        .iter()
        .map(|one| &*one.authorized_view_name)
        .collect();
    assert_eq!(views, ["", VIEW, VIEW, ""]);
    assert_eq!(messages[3].table_name, "projects/p/instances/i/tables/t");
}

#[tokio::test]
async fn an_id_that_is_none_is_refused_where_it_is_given() {
    let (_server, db) = Scripted::start().await;
    for bad in ["a/b", "a b", "\u{e9}", &"x".repeat(51)] {
        let options = CallOptions::new().authorized_view(bad);
        let error = db.with_options(options).unwrap_err();
        assert_eq!(error.field, "CallOptions::authorized_view");
    }
    let settings =
        bigtable_model::backend::grpc::GrpcSettings::new("p", "i").emulator("localhost:1");
    let error = GrpcBackend::new(&settings.authorized_view("a/b")).unwrap_err();
    assert!(error.to_string().contains("authorized_view"), "{error}");
}

#[tokio::test]
async fn calls_without_views_are_refused_by_name_and_not_sent() {
    let (server, db) = viewing().await;
    let schema = TableSchema {
        table: "t".to_owned(),
        ..TableSchema::default()
    };
    let select = SqlQuery::text("SELECT 1", SqlParameters::new());
    let bundle = SchemaBundle {
        id: "b".to_owned(),
        descriptors: "files".into(),
    };
    let refused: [(&str, Result<(), Status>); 9] = [
        ("CreateTable", db.tables().create(schema, Vec::new()).await),
        ("GetTable", db.tables().get("t").await.map(drop)),
        ("ListTables", db.tables().list().await.map(drop)),
        ("DeleteTable", db.tables().delete("t").await),
        (
            "ModifyColumnFamilies",
            db.tables().modify_families("t", Vec::new()).await.map(drop),
        ),
        (
            "UpdateTable",
            db.tables().set_row_key_schema("t", None).await,
        ),
        (
            "CreateSchemaBundle",
            db.tables().set_schema_bundle("t", bundle).await,
        ),
        (
            "DropRowRange",
            db.tables().drop_rows("t", RowDeletion::All).await,
        ),
        (
            "PrepareQuery",
            db.sql_service().prepare(&select).await.map(drop),
        ),
    ];
    for (method, answer) in refused {
        let error = answer.unwrap_err();
        assert_eq!(error.code, Code::FailedPrecondition, "{method}");
        for words in [method, "tenant-7", "authorized_view"] {
            assert!(error.message.contains(words), "{words}: {error}");
        }
    }
    let error = db.sql("SELECT 1").fetch::<i64>().await.unwrap_err();
    assert!(error.to_string().contains("PrepareQuery"), "{error}");
    assert!(server.get_table.seen().is_empty());
    assert!(server.list_tables.seen().is_empty());
    assert!(server.update_table.seen().is_empty());
    assert!(server.create_bundle.seen().is_empty());
    assert!(server.prepare.seen().is_empty());
}
