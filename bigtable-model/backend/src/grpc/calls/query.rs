//! The rows of one query, as a stream that resumes where it was interrupted.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::SystemTime;

use futures::Stream;
use futures::future::BoxFuture;
use tokio::time::Instant;
use tracing::Instrument;

use super::attempts::{Attempts, Step};
use crate::grpc::channel::instance::Instance;
use crate::grpc::protocol::failure::{Cookies, Failure};
use crate::grpc::protocol::method::Method;
use crate::grpc::protocol::request::Sent;
use crate::grpc::protocol::sql::batches::Batches;
use crate::grpc::protocol::sql::plan::prepared;
use crate::grpc::protocol::sql::types::parameter;
use crate::grpc::protocol::wire::{
    Empty, ExecuteQueryRequest, ExecuteQueryResponse, PrepareQueryRequest,
};
use crate::grpc::retry::operation::{Call, Operation, Retry};
use crate::grpc::settings::options::Options;
use crate::grpc::settings::timing::Timeout;
use crate::sql::{PreparedSql, SqlParameters, SqlPlan, SqlRow, UsedColumns};
use crate::{Code, Status};

/// Prepares a query.
pub(crate) async fn prepare(
    instance: &Arc<Instance>,
    options: &Options,
    request: PrepareQueryRequest,
) -> Result<PreparedSql, Status> {
    let _pass = instance.enter()?;
    let timeout = options.timeout(options.timeouts.prepare_query);
    let mut operation = begin(options, Method::PREPARE_QUERY, Retry::Read, timeout);
    let answer = ask(instance, &mut operation, &request).await;
    operation.ended(answer.as_ref().err());
    answer
}

/// The request for the plan of a query.
pub(crate) fn request<'t>(
    instance: &Instance,
    options: &Options,
    sql: &str,
    types: impl IntoIterator<Item = (&'t String, &'t crate::sql::SqlType)>,
) -> PrepareQueryRequest {
    let types = types.into_iter();
    PrepareQueryRequest {
        instance_name: instance.name.as_str().to_owned(),
        app_profile_id: options.app_profile.to_string(),
        query: sql.to_owned(),
        proto_format: Some(Empty {}),
        param_types: types.map(|(name, of)| (name.clone(), of.into())).collect(),
    }
}

/// SQL names its tables itself, so no table is known here.
fn begin(options: &Options, method: Method, retry: Retry, timeout: Timeout) -> Operation {
    Operation::begin(options, method, "", retry, timeout)
}

async fn ask(
    instance: &Arc<Instance>,
    operation: &mut Operation,
    request: &PrepareQueryRequest,
) -> Result<PreparedSql, Status> {
    let sent = &Sent::new(request)?;
    let attempt = |call: Call| async move { instance.transport.unary(&call, sent).await };
    let response = operation.request(attempt).await?;
    prepared(response, SystemTime::now())
}

/// A plan that is being prepared again during its query, and the cookies of that call.
type Replanning = BoxFuture<'static, (Result<PreparedSql, Status>, Cookies)>;

/// Rows as the server sends them. It holds the rows that wait for a token, and the current message.
///
/// Nothing is sent before the first poll; dropping the stream cancels the call.
///
/// If an attempt fails and the query may be retried, the next attempt sends the last token, from
/// which the server resumes. As long as there is none, an expired plan is replaced, and the query
/// starts again.
pub(crate) struct Query {
    instance: Arc<Instance>,
    options: Arc<Options>,
    plan: SqlPlan,
    /// The prepared plan that this query uses.
    prepared: Arc<PreparedSql>,
    columns: UsedColumns,
    parameters: SqlParameters,
    /// `None` before the first poll and after the end.
    running: Option<Attempts<ExecuteQueryResponse>>,
    replan: Replan,
    /// Whether the plan was replaced already.
    replanned: bool,
    ended: bool,
    batches: Batches,
}

/// Whether the plan is replaced before the next attempt.
enum Replan {
    No,
    /// The server refused the old plan, which is not sent again.
    Expired,
    Asking {
        asking: Replanning,
        expired: bool,
    },
}

impl Query {
    pub(crate) fn new(
        instance: Arc<Instance>,
        options: Arc<Options>,
        plan: &SqlPlan,
        parameters: SqlParameters,
        columns: UsedColumns,
    ) -> Self {
        let prepared = plan.current();
        columns.set(Arc::clone(&prepared.columns));
        Self {
            batches: Batches::new(Arc::clone(&prepared.columns), options.row_bytes),
            instance,
            options,
            plan: plan.clone(),
            prepared,
            columns,
            parameters,
            running: None,
            replan: Replan::No,
            replanned: false,
            ended: false,
        }
    }

    /// Lets the query begin.
    fn begin(&mut self) -> Result<(), Status> {
        let pass = self.instance.enter()?;
        // The plan may have been replaced since the stream was made.
        self.use_plan(self.plan.current());
        let timeouts = &self.options.timeouts;
        let timeout = self.options.timeout(timeouts.execute_query);
        let operation = begin(&self.options, Method::EXECUTE_QUERY, Retry::Read, timeout);
        let idle = timeouts.execute_query_idle;
        self.running = Some(Attempts::new(operation, pass, idle));
        Ok(())
    }

    fn use_plan(&mut self, prepared: Arc<PreparedSql>) {
        self.columns.set(Arc::clone(&prepared.columns));
        self.batches.replan(Arc::clone(&prepared.columns));
        self.prepared = prepared;
    }

    /// Begins an attempt, or replaces the plan first.
    fn open(&mut self) -> Result<(), Status> {
        if self.running.is_none() {
            self.begin()?;
        }
        let Some(running) = &mut self.running else {
            return Err(Status::new(Code::Internal, "the query has not begun"));
        };
        let expired = matches!(self.replan, Replan::Expired);
        if expired || self.batches.token().is_empty() && self.plan.is_due() {
            let asking = replan(&self.instance, &self.options, &self.plan, running, expired);
            self.replan = Replan::Asking { asking, expired };
            return Ok(());
        }
        let params = self.parameters.iter();
        let sent = Sent::new(&ExecuteQueryRequest {
            instance_name: self.instance.name.as_str().to_owned(),
            app_profile_id: self.options.app_profile.to_string(),
            prepared_query: self.prepared.token.clone(),
            resume_token: self.batches.token().clone(),
            params: params
                .map(|(name, of, value)| (name.to_owned(), parameter(of, value)))
                .collect(),
            ..ExecuteQueryRequest::default()
        })?;
        let instance = Arc::clone(&self.instance);
        running.open(|call| async move { instance.transport.streaming(&call, &sent).await });
        Ok(())
    }

    /// Waits for the plan's replacement, if there is one in flight.
    fn poll_replan(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Status>> {
        let Replan::Asking { asking, expired } = &mut self.replan else {
            return Poll::Ready(Ok(()));
        };
        let (answer, cookies) = ready!(asking.as_mut().poll(cx));
        let expired = *expired;
        self.replan = Replan::No;
        if let Some(running) = &mut self.running {
            running.operation.keep(cookies);
        }
        match answer {
            Ok(new) => {
                let new = Arc::new(new);
                self.plan.replace(Arc::clone(&new));
                self.use_plan(new);
            }
            Err(error) if expired => return Poll::Ready(Err(error)),
            // The old plan is still valid for a while.
            Err(_) => {}
        }
        Poll::Ready(Ok(()))
    }

    /// What follows a failed attempt.
    fn after(&mut self, failure: Failure) -> Result<(), Status> {
        self.batches.interrupt();
        let Some(running) = &mut self.running else {
            return Err(failure.status);
        };
        running.attempt_ended(Some(&failure));
        let expired = failure.plan_expired;
        if expired && !self.batches.token().is_empty() {
            return Err(expired_late(&failure.status));
        }
        // Without retries a plan is replaced once.
        let retried = match expired {
            true => self.options.retry.enabled || !self.replanned,
            false => running.operation.retries(&failure.status),
        };
        let pause = running.operation.pause_after(failure, retried)?;
        running.pause(pause);
        if expired {
            self.replanned = true;
            self.expire();
        }
        Ok(())
    }

    /// Replaces the plan, unless another query has done so meanwhile.
    fn expire(&mut self) {
        let current = self.plan.current();
        match Arc::ptr_eq(&current, &self.prepared) {
            true => self.replan = Replan::Expired,
            false => self.use_plan(current),
        }
    }

    fn poll_row(&mut self, cx: &mut Context<'_>) -> Poll<Result<Option<SqlRow>, Status>> {
        loop {
            while let Some(batch) = self.batches.released() {
                if let Some(row) = batch.next()? {
                    return Poll::Ready(Ok(Some(row)));
                }
                self.batches.taken();
            }
            ready!(self.poll_replan(cx))?;
            let step = match &mut self.running {
                Some(running) => ready!(running.poll(cx)),
                None => Step::Ready,
            };
            match step {
                Step::Ready => self.open()?,
                Step::Message(message) => self.take(message)?,
                Step::Finished => {
                    self.batches.finish()?;
                    return Poll::Ready(Ok(None));
                }
                Step::Failed(failure) => self.after(failure)?,
            }
        }
    }

    fn take(&mut self, message: ExecuteQueryResponse) -> Result<(), Status> {
        self.batches.push(message)?;
        if let (Some(running), Some(_)) = (&mut self.running, self.batches.released()) {
            running.operation.progressed();
        }
        Ok(())
    }

    /// Drops everything, and the operation's place among those in flight.
    fn end(&mut self, error: Option<&Status>) {
        self.ended = true;
        self.replan = Replan::No;
        if let Some(mut running) = self.running.take() {
            running.ended(error);
        }
    }
}

/// Prepares the plan again within the time of the query. If the plan is only due for replacement,
/// there is one attempt; if it has expired, attempts are repeated.
fn replan(
    instance: &Arc<Instance>,
    options: &Arc<Options>,
    plan: &SqlPlan,
    running: &Attempts<ExecuteQueryResponse>,
    expired: bool,
) -> Replanning {
    let (instance, options) = (Arc::clone(instance), Arc::clone(options));
    let request = request(&instance, &options, plan.sql(), plan.parameter_types());
    let operation = &running.operation;
    let (cookies, span) = (operation.cookies(), operation.span().clone());
    let left = (operation.deadline()).saturating_duration_since(Instant::now());
    let prepare = options.timeout(options.timeouts.prepare_query);
    let (retry, total) = match expired {
        true => (Retry::Replan, left),
        false => (Retry::Never, prepare.attempt.min(left)),
    };
    let timeout = Timeout { total, ..prepare };
    let asking = async move {
        let mut operation = begin(&options, Method::PREPARE_QUERY, retry, timeout);
        operation.keep(cookies);
        let answer = ask(&instance, &mut operation, &request).await;
        operation.ended(answer.as_ref().err());
        (answer, operation.cookies())
    };
    Box::pin(asking.instrument(span))
}

/// Rows were delivered, or may have been, and the rows of another plan may not continue where these
/// end.
fn expired_late(status: &Status) -> Status {
    Status::new(
        Code::Internal,
        format!(
            "unexpected plan refresh attempt after first token: the plan of the query expired while its rows came, run it again ({})",
            status.message
        ),
    )
}

impl Stream for Query {
    type Item = Result<SqlRow, Status>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.ended {
            return Poll::Ready(None);
        }
        let next = ready!(self.poll_row(cx)).transpose();
        match &next {
            Some(Ok(_)) => {}
            Some(Err(error)) => self.end(Some(error)),
            None => self.end(None),
        }
        Poll::Ready(next)
    }
}
