//! The protocol's calls as calls of a backend.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use futures::{StreamExt, TryStreamExt, stream};
use tonic::{Request, Response};

use super::ServerOptions;
use super::admin::{self, Target};
use super::budget::{Budget, Held};
use super::cuts::Cuts;
use super::instances::Instances;
use super::owned::{owned, owned_mutations, owned_rules};
use super::read::ReadAnswer;
use super::stats::{self, Stats};
use crate::data::{
    CheckAndMutateRow, EntryBatch, Mutation, ReadModifyWriteRow, ReadRows, RowMutations, RowOnce,
};
use crate::grpc::protocol::{names, status, wire};
use crate::grpc::server::{Answer, Answers, Encoded, GrpcServer, Messages};
use crate::memory::turns::Turn;
use crate::{Backend, Code, Status};

/// A [`GrpcServer`] that calls backends.
#[derive(Debug)]
pub(super) struct Service {
    instances: Instances,
    options: ServerOptions,
    reads: AtomicU64,
    /// What reads assemble counts too, before it is sent.
    unsent: Arc<Budget>,
}

impl Service {
    pub(super) fn new(instances: Instances, options: ServerOptions, unsent: Arc<Budget>) -> Self {
        Self {
            instances,
            options,
            reads: AtomicU64::new(0),
            unsent,
        }
    }

    fn target(&self, name: &str) -> Result<Target, Status> {
        let (instance, table) = names::split_table(name).ok_or_else(|| {
            misnamed(
                name,
                "projects/{project}/instances/{instance}/tables/{table}",
            )
        })?;
        Ok(Target {
            db: self.instances.get(instance)?,
            table: table.to_owned(),
        })
    }

    /// The table of a request that could name a view instead.
    fn target_of(&self, table: &str, view: &str) -> Result<Target, Status> {
        if !view.is_empty() {
            let message = "authorized_view_name is not supported";
            return Err(Status::new(Code::Unimplemented, message));
        }
        self.target(table)
    }

    fn instance(&self, name: &str) -> Result<Arc<dyn Backend>, Status> {
        if !names::is_instance(name) {
            return Err(misnamed(name, "projects/{project}/instances/{instance}"));
        }
        self.instances.get(name)
    }

    /// Another sequence of cuts for every read.
    fn cuts(&self) -> Cuts {
        let read = self.reads.fetch_add(1, Ordering::Relaxed);
        let seed = self.options.chunk_seed.map(|seed| {
            // Far apart, so that reads with neighbouring seeds are cut differently.
            seed.wrapping_add(read.wrapping_mul(0xd134_2543_de82_ef95))
        });
        Cuts::new(seed, self.options.split_rows)
    }

    fn rows(&self, request: wire::ReadRowsRequest) -> Result<ReadAnswer, Status> {
        let Target { db, table } =
            self.target_of(&request.table_name, &request.authorized_view_name)?;
        let counted = stats::is_asked(request.request_stats_view)?;
        let request = ReadRows {
            table,
            rows: request.rows.unwrap_or_default().into(),
            filter: request.filter.map(TryInto::try_into).transpose()?,
            rows_limit: request.rows_limit,
            reversed: request.reversed,
        };
        let batches = db.read_rows(request);
        let stats = counted.then(|| Stats::new(batches.counts().cloned()));
        let held = Held::of(&self.unsent);
        Ok(ReadAnswer::new(batches.rows(), self.cuts(), held, stats))
    }
}

fn misnamed(name: &str, expected: &str) -> Status {
    Status::new(
        Code::InvalidArgument,
        format!("\"{name}\" is not of the form {expected}"),
    )
}

fn mutations(mutations: Vec<wire::Mutation>) -> Result<Vec<Mutation>, Status> {
    mutations.into_iter().map(TryInto::try_into).collect()
}

fn reply<A>(work: impl Future<Output = Result<A, Status>> + Send + 'static) -> Answer<A> {
    Box::pin(async move {
        let answer = work.await.map_err(status::to_tonic)?;
        Ok(Response::new(answer))
    })
}

fn without_sql() -> Status {
    Status::new(
        Code::Unimplemented,
        "this server runs no SQL: only Bigtable itself does; read with ReadRows instead",
    )
}

fn without_bundles() -> Status {
    Status::new(
        Code::Unimplemented,
        "this server keeps no schema bundles, since it runs no SQL: only Bigtable itself does",
    )
}

fn without_updates() -> Status {
    Status::new(
        Code::Unimplemented,
        "this server updates no tables: it keeps no row key schemas and none of the other settings that UpdateTable changes",
    )
}

/// An entry that may have a token, in memory of its own.
async fn once(entry: wire::MutateRowsEntry, turn: &mut Turn) -> Result<RowOnce, Status> {
    let RowOnce { row, idempotency } = entry.try_into()?;
    Ok(RowOnce {
        row: owned(row, turn).await,
        idempotency,
    })
}

/// All outcomes in one message, in the order of the entries.
fn outcomes(outcomes: Vec<Result<(), Status>>) -> wire::MutateRowsResponse {
    let entries = outcomes.into_iter().zip(0..).map(|(outcome, index)| {
        let status = match outcome {
            Ok(()) => wire::RpcStatus::default(),
            Err(failure) => status::to_rpc(failure),
        };
        wire::MutateRowsOutcome {
            index,
            status: Some(status),
        }
    });
    wire::MutateRowsResponse {
        entries: entries.collect(),
        rate_limit_info: None,
    }
}

impl GrpcServer for Service {
    fn read_rows_encoded(&self, request: Request<wire::ReadRowsRequest>) -> Answers<Encoded> {
        let rows = self.rows(request.into_inner());
        reply(async move { Ok(Messages::new(rows?.map_err(status::to_tonic))) })
    }

    fn sample_row_keys(
        &self,
        request: Request<wire::SampleRowKeysRequest>,
    ) -> Answers<wire::SampleRowKeysResponse> {
        let request = request.into_inner();
        let target = self.target_of(&request.table_name, &request.authorized_view_name);
        reply(async move {
            let Target { db, table } = target?;
            let samples = db.sample_row_keys(&table).await?;
            let samples = stream::iter(samples).map(|sample| {
                Ok(wire::SampleRowKeysResponse {
                    row_key: sample.key,
                    offset_bytes: sample.offset_bytes,
                })
            });
            Ok(Messages::new(samples))
        })
    }

    fn mutate_row(
        &self,
        request: Request<wire::MutateRowRequest>,
    ) -> Answer<wire::MutateRowResponse> {
        let request = request.into_inner();
        let target = self.target_of(&request.table_name, &request.authorized_view_name);
        reply(async move {
            let Target { db, table } = target?;
            let row = RowMutations {
                key: request.row_key,
                mutations: mutations(request.mutations)?,
            };
            let row = owned(row, &mut Turn::default()).await;
            let Some(idempotency) = request.idempotency else {
                db.mutate_row(&table, row).await?;
                return Ok(wire::MutateRowResponse {});
            };
            let once = RowOnce {
                row,
                idempotency: Some(idempotency.try_into()?),
            };
            let entries = EntryBatch::from_iter([once]);
            let outcomes = db.mutate_rows(&table, entries.into()).await?;
            outcomes.into_iter().next().unwrap_or(Ok(()))?;
            Ok(wire::MutateRowResponse {})
        })
    }

    fn mutate_rows(
        &self,
        request: Request<wire::MutateRowsRequest>,
    ) -> Answers<wire::MutateRowsResponse> {
        let request = request.into_inner();
        let target = self.target_of(&request.table_name, &request.authorized_view_name);
        reply(async move {
            let Target { db, table } = target?;
            let mut turn = Turn::default();
            let mut entries = EntryBatch::default();
            for entry in request.entries {
                entries.push_once(&once(entry, &mut turn).await?);
            }
            let answer = outcomes(db.mutate_rows(&table, entries.into()).await?);
            Ok(Messages::new(stream::iter([Ok(answer)])))
        })
    }

    fn check_and_mutate_row(
        &self,
        request: Request<wire::CheckAndMutateRowRequest>,
    ) -> Answer<wire::CheckAndMutateRowResponse> {
        let request = request.into_inner();
        let target = self.target_of(&request.table_name, &request.authorized_view_name);
        reply(async move {
            let Target { db, table } = target?;
            let mut turn = Turn::default();
            let if_true = mutations(request.true_mutations)?;
            let if_false = mutations(request.false_mutations)?;
            let request = CheckAndMutateRow {
                table,
                key: Bytes::copy_from_slice(&request.row_key),
                predicate: request
                    .predicate_filter
                    .map(TryInto::try_into)
                    .transpose()?,
                if_true: owned_mutations(if_true, &mut turn).await,
                if_false: owned_mutations(if_false, &mut turn).await,
            };
            let predicate_matched = db.check_and_mutate_row(request).await?;
            Ok(wire::CheckAndMutateRowResponse { predicate_matched })
        })
    }

    fn read_modify_write_row(
        &self,
        request: Request<wire::ReadModifyWriteRowRequest>,
    ) -> Answer<wire::ReadModifyWriteRowResponse> {
        let request = request.into_inner();
        let target = self.target_of(&request.table_name, &request.authorized_view_name);
        reply(async move {
            let Target { db, table } = target?;
            let rules = request.rules.into_iter().map(TryInto::try_into);
            let rules = rules.collect::<Result<_, Status>>()?;
            let request = ReadModifyWriteRow {
                table,
                key: Bytes::copy_from_slice(&request.row_key),
                rules: owned_rules(rules, &mut Turn::default()).await,
            };
            let row = db.read_modify_write_row(request).await?;
            let row = Some(row.into());
            Ok(wire::ReadModifyWriteRowResponse { row })
        })
    }

    fn ping_and_warm(
        &self,
        request: Request<wire::PingAndWarmRequest>,
    ) -> Answer<wire::PingAndWarmResponse> {
        let instance = self.instance(&request.get_ref().name);
        reply(async move { instance.map(|_| wire::PingAndWarmResponse {}) })
    }

    fn prepare_query(
        &self,
        _request: Request<wire::PrepareQueryRequest>,
    ) -> Answer<wire::PrepareQueryResponse> {
        reply(async { Err(without_sql()) })
    }

    fn execute_query(
        &self,
        _request: Request<wire::ExecuteQueryRequest>,
    ) -> Answers<wire::ExecuteQueryResponse> {
        reply(async { Err(without_sql()) })
    }

    fn create_table(&self, request: Request<wire::CreateTableRequest>) -> Answer<wire::Table> {
        let request = request.into_inner();
        let instance = self.instance(&request.parent);
        reply(async move { admin::create_table(&instance?, request).await })
    }

    fn get_table(&self, request: Request<wire::GetTableRequest>) -> Answer<wire::Table> {
        let request = request.into_inner();
        let target = self.target(&request.name);
        reply(async move { admin::get_table(target?, request).await })
    }

    fn list_tables(
        &self,
        request: Request<wire::ListTablesRequest>,
    ) -> Answer<wire::ListTablesResponse> {
        let request = request.into_inner();
        let instance = self.instance(&request.parent);
        reply(async move { admin::list_tables(&instance?, request).await })
    }

    fn delete_table(&self, request: Request<wire::DeleteTableRequest>) -> Answer<wire::Empty> {
        let target = self.target(&request.get_ref().name);
        reply(async move {
            let Target { db, table } = target?;
            db.tables().delete(&table).await?;
            Ok(wire::Empty {})
        })
    }

    fn modify_column_families(
        &self,
        request: Request<wire::ModifyColumnFamiliesRequest>,
    ) -> Answer<wire::Table> {
        let request = request.into_inner();
        let target = self.target(&request.name);
        reply(async move { admin::modify_families(target?, request).await })
    }

    fn update_table(
        &self,
        _request: Request<wire::UpdateTableRequest>,
    ) -> Answer<wire::LongOperation> {
        reply(async { Err(without_updates()) })
    }

    fn create_schema_bundle(
        &self,
        _request: Request<wire::CreateSchemaBundleRequest>,
    ) -> Answer<wire::LongOperation> {
        reply(async { Err(without_bundles()) })
    }

    fn update_schema_bundle(
        &self,
        _request: Request<wire::UpdateSchemaBundleRequest>,
    ) -> Answer<wire::LongOperation> {
        reply(async { Err(without_bundles()) })
    }

    fn drop_row_range(&self, request: Request<wire::DropRowRangeRequest>) -> Answer<wire::Empty> {
        let request = request.into_inner();
        let target = self.target(&request.name);
        reply(async move { admin::drop_row_range(target?, request).await })
    }

    fn generate_consistency_token(
        &self,
        request: Request<wire::GenerateConsistencyTokenRequest>,
    ) -> Answer<wire::GenerateConsistencyTokenResponse> {
        let target = self.target(&request.get_ref().name);
        reply(async move { admin::generate_token(target?).await })
    }

    fn check_consistency(
        &self,
        request: Request<wire::CheckConsistencyRequest>,
    ) -> Answer<wire::CheckConsistencyResponse> {
        let request = request.into_inner();
        let target = self.target(&request.name);
        reply(async move { admin::check_token(target?, request).await })
    }
}
