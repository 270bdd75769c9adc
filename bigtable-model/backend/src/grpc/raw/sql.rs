//! SQL in the protocol's own messages.

use std::sync::Arc;

use bytes::Bytes;
use prost::Message as _;

use super::RawClient;
use crate::data::limits;
use crate::grpc::protocol::sql::batches::Batches;
use crate::grpc::protocol::sql::rows::Batch;
use crate::grpc::protocol::sql::types::sql_type;
use crate::grpc::protocol::sql::{invalid, plan};
use crate::grpc::protocol::wire;
use crate::sql::{
    SqlColumn, SqlColumns, SqlParameters, SqlQuery, SqlRow, SqlRows, SqlType, SqlValue,
};
use crate::{Backend as _, Code, Status};

impl RawClient {
    /// `PrepareQuery` and `ExecuteQuery`, with parameters that have their types.
    ///
    /// # Errors
    ///
    /// The server's error for `PrepareQuery`.
    pub async fn execute_query(
        &self,
        request: wire::ExecuteQueryRequest,
    ) -> Result<SqlRows, Status> {
        let backend = self.of_instance(&request.instance_name, &request.app_profile_id)?;
        let parameters = parameters(request.params)?;
        let query = SqlQuery::text(request.query, parameters);
        let plan = backend.sql_service().prepare(&query).await?;
        Ok(backend
            .sql_service()
            .execute(&plan, query.parameters().clone()))
    }
}

fn parameters(
    values: impl IntoIterator<Item = (String, wire::SqlValue)>,
) -> Result<SqlParameters, Status> {
    let mut parameters = SqlParameters::new();
    for (name, mut value) in values {
        let refused = |problem: &str| {
            let message = format!("parameter \"{name}\": {problem}");
            Status::new(Code::InvalidArgument, message)
        };
        let of = value
            .r#type
            .take()
            .ok_or_else(|| refused("it has no type"))?;
        let of = sql_type(of).map_err(|bad| refused(&format!("its type is none: {bad:?}")))?;
        let value = sql_value(value, &of).map_err(|error| refused(&error.message))?;
        parameters = parameters.bind_value(name, of, value);
    }
    Ok(parameters)
}

/// A value of a message.
fn sql_value(value: wire::SqlValue, of: &SqlType) -> Result<SqlValue, Status> {
    let column = SqlColumn {
        name: String::new(),
        sql_type: of.clone(),
    };
    let columns = Arc::new(SqlColumns::new(vec![column]));
    let rows = wire::ProtoRows {
        values: vec![value],
    };
    let row = Batch::checked(rows.encode_to_vec().into(), &columns, limits::ROW)?.next()?;
    let value = row.and_then(|row| row.into_values().pop());
    value.ok_or_else(|| invalid("a value is missing"))
}

/// The rows of all `ExecuteQueryResponse`s of a stream that ends with success, decoded as by
/// queries.
///
/// # Errors
///
/// The errors of a query: metadata that is not a `ResultSetMetadata`, and messages that break the
/// protocol.
pub fn decode_sql(
    metadata: Bytes,
    messages: impl IntoIterator<Item = Bytes>,
) -> Result<Vec<SqlRow>, Status> {
    let mut batches = Batches::new(Arc::new(plan::columns(metadata)?), limits::ROW);
    let mut rows = Vec::new();
    for message in messages {
        let message = wire::ExecuteQueryResponse::decode(message);
        batches.push(message.map_err(invalid)?)?;
        while let Some(batch) = batches.released() {
            while let Some(row) = batch.next()? {
                rows.push(row);
            }
            batches.taken();
        }
    }
    batches.finish()?;
    Ok(rows)
}

/// A value as its message, without its type.
#[must_use]
pub fn value_message(value: &SqlValue) -> wire::SqlValue {
    value.into()
}

/// A type as its message.
#[must_use]
pub fn type_message(of: &SqlType) -> wire::SqlType {
    of.into()
}
