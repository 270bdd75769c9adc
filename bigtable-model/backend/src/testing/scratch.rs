//! A case's own table, and shorthands for its calls.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use futures::TryStreamExt as _;
use futures::future::BoxFuture;

use super::expect::{CaseResult, expect_eq, shown};
use crate::Timestamp;
use crate::data::{
    Cell, CheckAndMutateRow, EntryBatch, FamilySchema, Mutation, ReadModifyWriteRow,
    ReadModifyWriteRule, ReadRows, Row, RowBatch, RowFilter, RowMutations, RowSet, TableSchema,
};
use crate::{Backend, Code, EntryOutcome, Status};

/// A case: its name, such as `writes::mutations_apply_in_order`, and its code.
pub(super) struct Case {
    pub(super) name: &'static str,
    pub(super) run: for<'a> fn(&'a Scratch<'a>) -> BoxFuture<'a, CaseResult>,
}

/// A backend with an empty table that has the families `f` and `g`.
pub(super) struct Scratch<'a> {
    pub(super) db: &'a dyn Backend,
    pub(super) table: String,
    names: Mutex<Vec<String>>,
}

static COUNTER: AtomicU64 = AtomicU64::new(0);

impl<'a> Scratch<'a> {
    pub(super) async fn create(db: &'a dyn Backend) -> Result<Self, Status> {
        let mut scratch = Self {
            db,
            table: String::new(),
            names: Mutex::default(),
        };
        scratch.table = scratch.new_name();
        let schema = schema(&scratch.table, &["f", "g"]);
        db.tables().create(schema, Vec::new()).await?;
        Ok(scratch)
    }

    /// The name of another table, which is deleted after the case if it exists.
    pub(super) fn new_name(&self) -> String {
        let time = Timestamp::now().as_micros();
        let count = COUNTER.fetch_add(1, Ordering::Relaxed);
        let name = format!("suite_{time}_{}_{count}", std::process::id());
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        names.push(name.clone());
        name
    }

    pub(super) async fn delete_tables(&self) {
        let names = {
            let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::take(&mut *names)
        };
        for name in names {
            // Some cases delete their tables, or never create them.
            let _ = self.db.tables().delete(&name).await;
        }
    }

    pub(super) async fn mutate(
        &self,
        key: &'static str,
        mutations: Vec<Mutation>,
    ) -> Result<(), Status> {
        self.db.mutate_row(&self.table, entry(key, mutations)).await
    }

    pub(super) async fn mutate_rows(
        &self,
        rows: Vec<RowMutations>,
    ) -> Result<Vec<EntryOutcome>, Status> {
        self.db.mutate_rows(&self.table, EntryBatch::of(rows)).await
    }

    /// Writes rows with a single cell: `f:q` at 1 ms, with the key as its value.
    pub(super) async fn fill(&self, keys: &[&'static str]) -> Result<(), Status> {
        for key in keys {
            self.mutate(key, vec![set("f", "q", 1_000, key)]).await?;
        }
        Ok(())
    }

    pub(super) fn request(&self) -> ReadRows {
        ReadRows {
            table: self.table.clone(),
            ..ReadRows::default()
        }
    }

    /// The rows of a read, which come in batches too.
    pub(super) async fn read(&self, request: ReadRows) -> Result<Vec<Row>, Status> {
        let batches = self.db.read_rows(request.clone());
        let batches: Result<Vec<RowBatch>, _> = batches.try_collect().await;
        let rows: Result<Vec<Row>, _> = self
            .db
            .read_rows(request.clone())
            .rows()
            .try_collect()
            .await;
        let in_batches = batches.map(|batches| {
            if batches.iter().any(RowBatch::is_empty) {
                return vec![Row::default()];
            }
            let rows = batches.iter().flat_map(|batch| batch.rows());
            rows.map(|row| row.to_row()).collect()
        });
        let code = |read: &Result<Vec<Row>, Status>| read.as_ref().err().map(|error| error.code);
        let is_same = match (&in_batches, &rows) {
            (Ok(in_batches), Ok(rows)) => in_batches == rows,
            _ => code(&in_batches) == code(&rows),
        };
        match is_same {
            true => rows,
            false => Err(Status::new(
                Code::Internal,
                format!("{request:?}: batches had {in_batches:?}, rows were {rows:?}"),
            )),
        }
    }

    /// The keys that a read returns, in order.
    pub(super) async fn keys(&self, request: ReadRows) -> Result<Vec<String>, Status> {
        let rows = self.read(request).await?;
        Ok(rows.iter().map(|row| text(&row.key)).collect())
    }

    pub(super) async fn keys_of(&self, rows: RowSet) -> Result<Vec<String>, Status> {
        let request = ReadRows {
            rows,
            ..self.request()
        };
        self.keys(request).await
    }

    /// The cells of a row in short form; empty if it does not exist.
    pub(super) async fn cells(&self, key: &'static str) -> Result<Vec<String>, Status> {
        self.filtered(key, None).await
    }

    pub(super) async fn filtered(
        &self,
        key: &'static str,
        filter: Option<RowFilter>,
    ) -> Result<Vec<String>, Status> {
        let request = ReadRows {
            rows: RowSet::key(key),
            filter,
            ..self.request()
        };
        let rows = self.read(request).await?;
        Ok(rows.iter().flat_map(|row| &row.cells).map(show).collect())
    }

    /// Fails unless the row has these cells, in the form of [`show`].
    pub(super) async fn expect_cells(&self, key: &'static str, expected: &[&str]) -> CaseResult {
        let got = self.cells(key).await?;
        expect_eq(&format!("cells of {key:?}"), &got, &strings(expected))
    }

    /// Fails unless the filter lets these cells of the row through.
    pub(super) async fn expect_filtered(
        &self,
        key: &'static str,
        filter: RowFilter,
        expected: &[&str],
    ) -> CaseResult {
        let what = format!("cells of {key:?} under {}", shown(&filter));
        let got = self.filtered(key, Some(filter)).await?;
        expect_eq(&what, &got, &strings(expected))
    }

    pub(super) fn check(
        &self,
        key: &'static str,
        predicate: Option<RowFilter>,
    ) -> CheckAndMutateRow {
        CheckAndMutateRow {
            table: self.table.clone(),
            key: Bytes::from_static(key.as_bytes()),
            predicate,
            ..CheckAndMutateRow::default()
        }
    }

    pub(super) async fn modify(
        &self,
        key: &'static str,
        rules: Vec<ReadModifyWriteRule>,
    ) -> Result<Row, Status> {
        let request = ReadModifyWriteRow {
            table: self.table.clone(),
            key: Bytes::from_static(key.as_bytes()),
            rules,
        };
        self.db.read_modify_write_row(request).await
    }
}

pub(super) fn schema(table: &str, families: &[&str]) -> TableSchema {
    let families = families
        .iter()
        .map(|name| ((*name).to_owned(), FamilySchema::default()));
    TableSchema {
        table: table.to_owned(),
        families: families.collect::<BTreeMap<_, _>>(),
        ..TableSchema::default()
    }
}

pub(super) fn entry(key: &'static str, mutations: Vec<Mutation>) -> RowMutations {
    RowMutations {
        key: Bytes::from_static(key.as_bytes()),
        mutations,
    }
}

pub(super) fn set(
    family: &'static str,
    qualifier: &'static str,
    timestamp_micros: i64,
    value: &str,
) -> Mutation {
    Mutation::SetCell {
        family: family.into(),
        qualifier: Bytes::from_static(qualifier.as_bytes()),
        timestamp_micros,
        value: Bytes::copy_from_slice(value.as_bytes()),
    }
}

/// A cell as `family:qualifier@milliseconds=value`, with `#label` for each label. Bytes are
/// escaped.
pub(super) fn show(cell: &Cell) -> String {
    let mut shown = format!(
        "{}:{}@{}={}",
        cell.family,
        cell.qualifier.escape_ascii(),
        cell.timestamp_micros / 1_000,
        cell.value.escape_ascii()
    );
    for label in &cell.labels {
        shown.push('#');
        shown.push_str(label);
    }
    shown
}

pub(super) fn text(bytes: &[u8]) -> String {
    bytes.escape_ascii().to_string()
}

pub(super) fn strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}
