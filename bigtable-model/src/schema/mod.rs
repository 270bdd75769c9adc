//! A model as plain data, and its tables: creating, comparing and changing them.
//!
//! [`M::SCHEMA`](crate::Model::SCHEMA) is a [`ModelSchema`]: the table, the row key as a
//! [`KeyLayout`] of [`Segment`]s with their [buckets](bucket), the layout, the columns, and the
//! rules of their families.
//!
//! [`BackendExt::ensure_tables`](crate::BackendExt::ensure_tables) creates a model's table,
//! [`BackendExt::table_diff`](crate::BackendExt::table_diff) says how an existing one differs, and
//! [`BackendExt::apply`](crate::BackendExt::apply) makes the changes. Everything in between is
//! plain data, made by pure functions: a [`WantedTable`] of one model or of several that share a
//! table, a [`TableDiff`] with its [`Difference`]s, and the [`TableChange`] that is sent.
//!
//! A change is *safe* if it deletes no cell that is now kept: a new table, a new family, or a
//! garbage-collection rule that deletes nothing that the previous rule would have kept
//! ([`compare_rules`]). Other changes are made only if they are allowed, and a family unknown to
//! all models is never changed unless it is named.
//!
//! A table's [row key schema](crate::data::RowKeySchema), which gives SQL columns for the parts of
//! the key, is added or removed only by name ([`ApplyOptions::add_row_key_schema`]), since queries
//! fail on a key of another form. A schema to which the model's keys do not conform is a difference
//! that is not changed.
//!
//! A schema bundle, through which SQL reads the fields of events that are messages, is created or
//! replaced only by name as well ([`ApplyOptions::add_schema_bundle`]). It is not compared.
//!
//! Bigtable collects garbage eventually, mostly within a week: until then SQL, raw reads and other
//! programs may see cells that a rule deletes; the model's reads leave them out. On an instance
//! with several clusters it refuses rules that keep more, since the clusters would differ
//! meanwhile; that answer is returned unchanged.
//!
//! ```
//! use bigtable_model::data::{FamilyChange, FamilySchema, GcRule};
//! use bigtable_model::schema::ApplyOptions;
//! use bigtable_model::{Backend, BackendExt, MemoryBackend, Model, Timestamp};
//!
//! /// A sample: the newest value of each column, for 30 days.
//! #[derive(Model)]
//! #[bigtable(table = "METRIC", family = "CPU", gc(any(max_versions = 1, max_age = "30d")))]
//! struct Sample {
//!     #[bigtable(key)]
//!     host: String,
//!     #[bigtable(time, unit = "ms")]
//!     at: Timestamp,
//!     user: f64,
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), bigtable_model::Error> {
//! let db = MemoryBackend::new();
//! db.ensure_tables::<Sample>().await?;
//! assert!(db.table_diff::<Sample>().await?.agrees());
//!
//! // Someone lets the family forget sooner, and adds another.
//! let rule = |rule| FamilySchema { gc_rule: Some(rule), aggregate: None };
//! let changes = vec![
//!     FamilyChange::Update("CPU".into(), rule(GcRule::MaxAge(std::time::Duration::from_secs(3600)))),
//!     FamilyChange::Create("DISK".into(), rule(GcRule::MaxVersions(1))),
//! ];
//! db.tables().modify_families("METRIC", changes).await.unwrap();
//!
//! let diff = db.table_diff::<Sample>().await?;
//! assert_eq!(
//!     diff.to_string(),
//!     r#"table METRIC is not as the model wants it:
//!   family "CPU" deletes cells older than 1h; wanted: beyond the newest version or older than 30d (unsafe: cells may go that are kept today)
//!   family "DISK" deletes cells beyond the newest version; the model does not have it (left alone)"#
//! );
//! assert!(db.apply(&diff, &ApplyOptions::new()).await.is_err());
//! db.apply(&diff, &ApplyOptions::new().allow_unsafe(true)).await?;
//! assert!(db.table_diff::<Sample>().await?.agrees());
//! # Ok(())
//! # }
//! ```

mod apply;
mod of_models;
#[cfg(test)]
mod tests;

pub use crate::key::time::bucket;
pub use crate::key::{
    CalendarField, CalendarFormat, CalendarItem, CodePlace, HotSeries, KeyLayout, OwnHash, Salt,
    SaltHash, Segment, SegmentFormat, SegmentKind, SegmentOptions, SegmentRole,
};
pub use crate::model::{
    CellTime, ColumnKind, ColumnSchema, FamilyRule, Former, Layout, ModelSchema, PeriodTable,
    PeriodTables, Presence, RolledUp, TableName,
};
pub use crate::table::{
    Difference, RuleChange, Safety, SchemaError, TableDiff, WantedTable, compare_rules,
};
pub use apply::{ApplyOptions, TableChange};
