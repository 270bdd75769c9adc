//! Models whose tables are by period.

use bigtable_model::copy::{CopyError, CopyJob};
use bigtable_model::{Model, Timestamp};

use super::tables::{Reading, at, meters};

/// A reading in the table of its day.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "SENSOR_{at:%Y%m%d}", family = "METER", layout = "columns")]
struct ReadingOfDay {
    #[bigtable(key, width = 4, column = "ID", text)]
    meter: u32,
    #[bigtable(time, bucket = "day", offset = "%H%M")]
    at: Timestamp,
    #[bigtable(text)]
    value: i64,
}

impl From<Reading> for ReadingOfDay {
    fn from(Reading { meter, at, value }: Reading) -> Self {
        Self { meter, at, value }
    }
}

impl From<ReadingOfDay> for Reading {
    fn from(ReadingOfDay { meter, at, value }: ReadingOfDay) -> Self {
        Self { meter, at, value }
    }
}

fn of_day() -> CopyJob<Reading, ReadingOfDay> {
    let day = Reading::query().scan().at(at(0, 0)..at(1, 0));
    CopyJob::new(&day, ReadingOfDay::from)
}

#[tokio::test]
async fn a_day_is_copied_into_its_table() {
    let db = meters().await;
    let table = ReadingOfDay::SCHEMA.table_of(Some(at(0, 0))).unwrap();
    let report = of_day().into_table(table).run(&db).await.unwrap();
    assert_eq!(
        (report.table.as_str(), report.events),
        ("SENSOR_20170726", 20)
    );
    let copied = ReadingOfDay::query().scan().at(at(-1, 0)..at(2, 0));
    let copied = copied.fetch(&*db).await.unwrap();
    let day = Reading::query().scan().at(at(0, 0)..at(1, 0));
    let source = day.fetch(&*db).await.unwrap();
    let source: Vec<_> = source.into_iter().map(ReadingOfDay::from).collect();
    assert_eq!(copied, source);
}

#[tokio::test]
async fn a_copy_goes_from_one_table_into_one() {
    let db = meters().await;
    let whole = ReadingOfDay::query().scan().at(at(0, 0)..at(1, 0));
    let errors = [
        of_day().run(&db).await.unwrap_err(),
        CopyJob::new(&whole, Reading::from)
            .run(&db)
            .await
            .unwrap_err(),
    ];
    for error in errors {
        assert!(
            matches!(&error, CopyError::ByPeriod { table } if table == "SENSOR_{at:%Y%m%d}"),
            "{error}"
        );
    }
}
