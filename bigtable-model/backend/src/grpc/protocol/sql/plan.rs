//! Plans as servers send them.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use prost::Message as _;

use super::types::{BadType, sql_type};
use crate::fields::read::malformed;
use crate::grpc::protocol::wire::{ColumnMetadata, PrepareQueryResponse, ProtoSchema, Timestamp};
use crate::sql::{PreparedSql, SqlColumn, SqlColumns};
use crate::{Code, Status};

/// The maximum size of all columns of a plan. A query has a few hundred columns at most, and each
/// byte can become a hundred in memory.
const MOST_BYTES: usize = 4 << 20;

/// A received plan, valid from `now` on.
///
/// # Errors
///
/// `INTERNAL` for a plan without columns, and for one with a column without a type.
pub(crate) fn prepared(
    response: PrepareQueryResponse,
    now: SystemTime,
) -> Result<PreparedSql, Status> {
    Ok(PreparedSql {
        columns: Arc::new(columns(response.metadata)?),
        token: response.prepared_query,
        lifetime: response.valid_until.map(|until| lifetime(until, now)),
    })
}

/// Zero for a plan that has already expired.
fn lifetime(until: Timestamp, now: SystemTime) -> Duration {
    let now = now.duration_since(SystemTime::UNIX_EPOCH);
    let now = now.unwrap_or_default();
    let until = Duration::new(
        u64::try_from(until.seconds).unwrap_or(0),
        u32::try_from(until.nanos).unwrap_or(0),
    );
    until.saturating_sub(now)
}

/// The columns of a `ResultSetMetadata`.
pub(crate) fn columns(metadata: Bytes) -> Result<SqlColumns, Status> {
    if metadata.len() > MOST_BYTES {
        return Err(Status::new(
            Code::ResourceExhausted,
            format!(
                "the columns of the query take {} bytes, and {MOST_BYTES} are read: select fewer of them",
                metadata.len()
            ),
        ));
    }
    let encoded = Metadata::decode(metadata).map_err(malformed)?.proto_schema;
    let schema = ProtoSchema::decode(encoded.clone()).map_err(malformed)?;
    if schema.columns.is_empty() {
        return Err(Status::new(
            Code::Internal,
            "the server's plan has none: columns cannot be empty",
        ));
    }
    let columns = schema.columns.into_iter().map(column);
    let columns = SqlColumns::new(columns.collect::<Result<_, _>>()?);
    Ok(columns.with_encoded(encoded))
}

/// A `ResultSetMetadata` with its columns still encoded.
#[derive(Clone, PartialEq, Eq, prost::Message)]
struct Metadata {
    #[prost(bytes = "bytes", tag = "1")]
    proto_schema: Bytes,
}

fn column(column: ColumnMetadata) -> Result<SqlColumn, Status> {
    let sql_type = column.r#type.ok_or(BadType::Empty).and_then(sql_type);
    match sql_type {
        Ok(sql_type) => Ok(SqlColumn {
            name: column.name,
            sql_type,
        }),
        Err(bad) => {
            let problem = match bad {
                BadType::Empty => "column type cannot be empty",
                BadType::Aggregate => "unrecognized response data type AGGREGATE",
            };
            let message = format!("column \"{}\" of the server's plan: {problem}", column.name);
            Err(Status::new(Code::Internal, message))
        }
    }
}
