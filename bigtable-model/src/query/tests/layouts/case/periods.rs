//! Random tables.

use super::{Drawn, ZONES, format};
use crate::key::time::bucket::{Bucket, BucketLabel, BucketSpan};
use crate::key::{CalendarField, KeyLayout};
use crate::model::{PeriodTables, TableName};

impl Drawn {
    /// One table, or tables of periods that hold whole buckets, and not so many that a case takes long.
    pub(super) fn table_name(&self, key: &KeyLayout) -> TableName {
        use CalendarField::{Day, Hour, IsoWeek, IsoYear, Month, Year};
        let periods: [(BucketSpan, &[CalendarField], usize); 5] = [
            (BucketSpan::Year, &[Year], 4),
            (BucketSpan::Month, &[Year, Month], 4),
            (BucketSpan::Week, &[IsoYear, IsoWeek], 4),
            (BucketSpan::Day, &[Year, Month, Day], 3),
            (BucketSpan::Hour, &[Year, Month, Day, Hour], 2),
        ];
        let period = self.table.checked_sub(3).and_then(|at| periods.get(at));
        let Some((span, fields, most)) = period.filter(|(_, _, most)| self.scale <= *most) else {
            return TableName::Fixed("QUOTE".into());
        };
        let zone = match key.bucket() {
            Some(bucket) => bucket.zone.clone(),
            None => ZONES[self.zone].map(Into::into),
        };
        let tables = PeriodTables {
            before: "QUOTE_".into(),
            field: "at".into(),
            periods: Bucket {
                span: *span,
                zone: zone.filter(|_| *most > 2),
                label: BucketLabel::Calendar(format(fields, false)),
                grid_micros: 1,
                truncate: false,
            },
            after: if self.prefix { ".x".into() } else { "".into() },
        };
        match tables.refusal(key) {
            None => TableName::ByPeriod(tables),
            Some(_) => TableName::Fixed("QUOTE".into()),
        }
    }
}
