//! Backends without SQL, and wrappers around one that has it.

use std::sync::Arc;
use std::time::Duration;

use bigtable_model::backend::faults::{Fault, FaultRule, FaultyBackend, Method, When};
use bigtable_model::backend::grpc::{GrpcBackend, GrpcSettings, wire};
use bigtable_model::backend::metered::MeteredBackend;
use bigtable_model::backend::sql::{SqlError, SqlParameters, SqlPlan, SqlQuery, SqlRows};
use bigtable_model::backend::{SqlService, Wrapper};
use bigtable_model::server::{Server, ServerOptions};
use bigtable_model::{Backend, BackendExt, Code, MemoryBackend, SqlExt, Status};
use futures::future::BoxFuture;

use crate::answers::{Part, SQL, plain, text, texts};
use crate::scripted::{Scripted, Step};

async fn names(db: &(impl Backend + ?Sized)) -> Result<Vec<String>, Status> {
    match db.sql(SQL).fetch().await {
        Ok(names) => Ok(names),
        Err(SqlError::Status(status)) => Err(status),
        Err(error) => panic!("{error}"),
    }
}

#[tokio::test]
async fn memory_and_our_server_answer_with_a_sentence() {
    let memory = MemoryBackend::new();
    let error = names(&memory).await.unwrap_err();
    assert_eq!(error.code, Code::Unimplemented);
    assert!(error.message.contains("runs no SQL"), "{error}");
    assert!(error.message.contains("typed quer"), "{error}");
    assert!(!error.message.contains("read_rows"), "{error}");
    let memory: Arc<dyn Backend> = Arc::new(memory);
    let options = ServerOptions::default();
    let server = Server::bind("127.0.0.1:0", memory, &options).await.unwrap();
    let settings = GrpcSettings::new("p", "i").emulator(server.local_addr().to_string());
    tokio::spawn(server.serve());
    let error = names(&GrpcBackend::new(&settings).unwrap())
        .await
        .unwrap_err();
    assert_eq!(error.code, Code::Unimplemented);
    assert!(error.message.contains("runs no SQL"), "{error}");
}

#[tokio::test]
async fn under_other_names_sql_is_refused() {
    let (server, backend) = Scripted::start().await;
    let named = backend.with_tables(|name: &str| format!("tenant_{name}"));
    let error = names(&named).await.unwrap_err();
    assert_eq!(error.code, Code::FailedPrecondition);
    assert!(error.message.contains("with_tables"), "{error}");
    // Nor with a plan from another backend.
    server.prepares(texts("plan"));
    let plan = backend.sql_service().prepare(&plain()).await.unwrap();
    let error = named.sql_plan(&plan).fetch::<String>().await.unwrap_err();
    assert!(error.to_string().contains("with_tables"), "{error}");
    assert_eq!(server.counts(), (1, 0));
}

/// A server with three texts.
async fn three() -> (Arc<Scripted>, GrpcBackend) {
    let (server, backend) = Scripted::start().await;
    server.prepares(texts("plan"));
    let values = vec![text("a"), text("b"), text("c")];
    server.executes([Part::new().batch(values).token("t")]);
    (server, backend)
}

/// A wrapper without its own methods.
#[derive(Debug, Clone)]
struct Plain(Arc<dyn Backend>);

impl Wrapper for Plain {
    fn inner(&self) -> &dyn Backend {
        &*self.0
    }
}

#[tokio::test]
async fn a_wrapper_passes_on_what_it_does_not_have() {
    let (server, backend) = three().await;
    let wrapped = Plain(Arc::new(backend)).handle();
    assert_eq!(names(&*wrapped).await.unwrap(), ["a", "b", "c"]);
    let done = wire::LongOperation {
        done: true,
        ..wire::LongOperation::default()
    };
    server.update_table.script([Step::Send(done)]);
    wrapped
        .tables()
        .set_row_key_schema("QUOTE", None)
        .await
        .unwrap();
    assert_eq!(server.update_table.seen().len(), 1);
}

/// Refuses queries of one table.
#[derive(Debug, Clone)]
struct Guard(Arc<dyn Backend>);

impl Wrapper for Guard {
    fn inner(&self) -> &dyn Backend {
        &*self.0
    }

    fn sql_service(&self) -> &dyn SqlService {
        self
    }
}

impl SqlService for Guard {
    fn prepare<'a>(&'a self, query: &'a SqlQuery) -> BoxFuture<'a, Result<SqlPlan, Status>> {
        match query.to_string().contains("SECRET") {
            true => Box::pin(async { Err(Status::new(Code::PermissionDenied, "guarded")) }),
            false => self.0.sql_service().prepare(query),
        }
    }

    fn execute(&self, plan: &SqlPlan, parameters: SqlParameters) -> SqlRows {
        self.0.sql_service().execute(plan, parameters)
    }
}

#[tokio::test]
async fn a_wrapper_is_asked_in_whatever_form_a_query_comes() {
    let (server, backend) = three().await;
    let guarded = Guard(Arc::new(backend)).handle();
    let of = |table: &str| SqlQuery::new("SELECT name FROM ", table, "", SqlParameters::new());
    let text = of("SECRET").to_string();
    for query in [guarded.sql(text), guarded.sql_query(&of("SECRET"))] {
        let error = query.fetch::<String>().await.unwrap_err();
        assert_eq!(error.to_string(), "PERMISSION_DENIED: guarded");
    }
    assert_eq!(server.counts(), (0, 0));
    // A wrapper passes on which table a query names.
    let named = guarded.with_tables(|name: &str| format!("tenant_{name}"));
    let outer = Plain(named.handle()).handle();
    let found: Vec<String> = outer.sql_query(&of("QUOTE")).fetch().await.unwrap();
    assert_eq!(found, ["a", "b", "c"]);
    let asked = server.prepare.messages().pop().unwrap();
    assert_eq!(asked.query, "SELECT name FROM `tenant_QUOTE`");
}

#[tokio::test]
async fn row_key_schemas_go_to_the_table_by_its_stored_name() {
    let (server, backend) = Scripted::start().await;
    let metered = MeteredBackend::new(backend.handle(), "db");
    let db = metered.with_tables(|name: &str| format!("tenant_{name}"));
    let refused = Status::new(Code::FailedPrecondition, "no script is left");
    let answer = db.tables().set_row_key_schema("QUOTE", None).await;
    assert_eq!(answer, Err(refused));
    let seen = server.update_table.messages().remove(0);
    assert!(seen.table.unwrap().name.ends_with("/tables/tenant_QUOTE"));
    let lost = Status::new(Code::Unavailable, "lost on purpose");
    let rule = FaultRule::new(Fault::Error(lost)).method(Method::UpdateTable);
    let rule = rule.table("QUOTE");
    let faulty = FaultyBackend::new(backend.handle(), 1, vec![rule]).unwrap();
    let error = faulty
        .handle()
        .tables()
        .set_row_key_schema("QUOTE", None)
        .await
        .unwrap_err();
    assert_eq!(error.code, Code::Unavailable);
    assert_eq!(server.update_table.seen().len(), 1);
}

#[tokio::test]
async fn shared_and_metered_backends_pass_it_on() {
    let (_server, backend) = three().await;
    let shared: Arc<dyn Backend> = Arc::new(backend);
    let metered = MeteredBackend::new(shared, "db");
    assert_eq!(names(&metered).await.unwrap(), ["a", "b", "c"]);
    assert_eq!(metered.sql(SQL).rows().await.unwrap_err().to_string(), {
        "FAILED_PRECONDITION: no script is left"
    });
}

#[tokio::test]
async fn faults_hit_queries() {
    let lost = || Status::new(Code::Unavailable, "lost on purpose");
    let faulty = async |rule: FaultRule| {
        let (server, backend) = three().await;
        let db = FaultyBackend::new(Arc::new(backend), 1, vec![rule]).unwrap();
        (server, db)
    };
    let rule = FaultRule::new(Fault::Error(lost())).method(Method::PrepareQuery);
    let (server, db) = faulty(rule.when(When::First(1))).await;
    assert_eq!(names(&db).await, Err(lost()));
    assert_eq!(server.counts(), (0, 0));
    assert_eq!(names(&db).await.unwrap().len(), 3);

    let rule = FaultRule::new(Fault::Error(lost())).method(Method::ExecuteQuery);
    let (server, db) = faulty(rule).await;
    assert_eq!(names(&db).await, Err(lost()));
    assert_eq!(server.counts(), (1, 0));

    let cut = Fault::CutRead {
        after_rows: 2,
        inside_row: false,
        status: lost(),
    };
    let (_server, db) = faulty(FaultRule::new(cut)).await;
    let mut rows = db.sql(SQL).stream::<String>();
    let mut seen = Vec::new();
    while let Some(row) = futures::StreamExt::next(&mut rows).await {
        seen.push(row);
    }
    assert_eq!(seen[..2], [Ok("a".to_owned()), Ok("b".to_owned())]);
    assert_eq!(seen[2..], [Err(SqlError::Status(lost()))]);
    assert_eq!(db.injected().cuts, 1);

    let slow = Fault::Latency(Duration::from_millis(200));
    let (_server, db) = faulty(FaultRule::new(slow)).await;
    let begun = std::time::Instant::now();
    assert_eq!(names(&db).await.unwrap().len(), 3);
    assert!(begun.elapsed() >= Duration::from_millis(400));
    let rule = FaultRule::new(Fault::Error(lost())).method(Method::ExecuteQuery);
    let refused = FaultyBackend::new(Arc::new(MemoryBackend::new()), 1, vec![rule.table("t")]);
    let words = "rule 0: ExecuteQuery names no table to match";
    assert_eq!(refused.unwrap_err().to_string(), words);
}
