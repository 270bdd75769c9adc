//! Tables by period.

use proptest::prelude::*;

use crate::Timestamp;
use crate::key::CalendarField::{self, Day, DayOfYear, Hour, IsoWeek, IsoYear, Month, Year};
use crate::key::time::bucket::{Bucket, BucketLabel, BucketSpan};
use crate::key::{CalendarFormat, CalendarItem};
use crate::model::{PeriodTables, TableName};

fn tables(span: BucketSpan, zone: Option<&'static str>, fields: &[CalendarField]) -> PeriodTables {
    let items = fields.iter().map(|field| CalendarItem::Field(*field));
    PeriodTables {
        before: "T-".into(),
        field: "at".into(),
        periods: Bucket {
            span,
            zone: zone.map(Into::into),
            label: BucketLabel::Calendar(CalendarFormat {
                items: items.collect(),
            }),
            grid_micros: 1,
            truncate: false,
        },
        after: ".x".into(),
    }
}

fn all() -> [PeriodTables; 7] {
    [
        tables(BucketSpan::Year, None, &[Year]),
        tables(BucketSpan::Month, Some("America/New_York"), &[Year, Month]),
        tables(BucketSpan::Week, None, &[IsoYear, IsoWeek]),
        tables(BucketSpan::Day, None, &[Year, Month, Day]),
        tables(BucketSpan::Day, None, &[Year, DayOfYear]),
        tables(BucketSpan::Day, Some("Europe/Berlin"), &[Year, Month, Day]),
        tables(BucketSpan::Hour, None, &[Year, Month, Day, Hour]),
    ]
}

fn time(text: &str) -> Timestamp {
    text.parse().unwrap()
}

#[test]
fn names_are_these() {
    let at = time("2020-12-31T23:30:00Z");
    let names = all().map(|tables| tables.at(at).unwrap().table);
    assert_eq!(
        names,
        [
            "T-2020.x",
            "T-202012.x",
            "T-202053.x",
            "T-20201231.x",
            "T-2020366.x",
            "T-20210101.x",
            "T-2020123123.x",
        ]
    );
}

#[test]
fn only_whole_names_of_periods_are_of_the_template() {
    let days = tables(BucketSpan::Day, None, &[Year, Month, Day]);
    assert!(days.parse("T-20200229.x").is_some());
    for name in [
        "T-20210229.x",
        "T-20200101",
        "20200101.x",
        "T-2020011.x",
        "T-202001011.x",
        "T-2020+101.x",
        "t-20200101.x",
        "T-20200101.x.x",
        "T-T-20200101.x",
        "T-19690101.x",
        "T-.x",
        "",
    ] {
        assert_eq!(days.parse(name), None, "{name}");
    }
}

#[test]
fn times_without_a_table_are_refused() {
    for tables in all() {
        assert!(tables.at(time("1969-06-01T00:00:00Z")).is_err());
        assert!(tables.at(Timestamp::MAX).is_err());
    }
}

#[test]
fn a_table_has_a_name_and_a_template() {
    let days = TableName::ByPeriod(tables(BucketSpan::Day, None, &[Year, Month, Day]));
    assert_eq!(days.to_string(), "T-{at:%Y%m%d}.x");
    assert_eq!(days, "T-{at:%Y%m%d}.x");
    assert_eq!(days.fixed(), None);
    let one = TableName::from("SENSOR");
    assert_eq!(
        (one.to_string().as_str(), one.fixed()),
        ("SENSOR", Some("SENSOR"))
    );
}

#[test]
fn spans_lie_in_spans() {
    use BucketSpan::{Endless, Every, Minute, Week};
    let every = |micros| Every { micros };
    let (hour, day) = (3_600_000_000, 86_400_000_000);
    let spans = [
        (Minute, "hdwmy"),
        (BucketSpan::Hour, "hdwmy"),
        (BucketSpan::Day, "dwmy"),
        (Week, "w"),
        (BucketSpan::Month, "my"),
        (BucketSpan::Year, "y"),
        (every(hour / 4), "hdwmy"),
        (every(6 * hour), "dwmy"),
        (every(5 * hour), ""),
        (every(2 * day), ""),
        (every(7 * day), ""),
        (Endless, ""),
    ];
    for (span, expected) in spans {
        let longer = [
            ('h', BucketSpan::Hour),
            ('d', BucketSpan::Day),
            ('w', Week),
            ('m', BucketSpan::Month),
            ('y', BucketSpan::Year),
        ];
        let found = longer.iter().filter(|(_, longer)| span.lies_in(*longer));
        let found: String = found.map(|(letter, _)| *letter).collect();
        assert_eq!(found, expected, "{span:?}");
    }
}

proptest! {
    #[test]
    fn a_time_lies_in_the_period_of_its_table(micros in 3_000_000_000_000..253_000_000_000_000_000_i64, which in 0..7_usize) {
        let tables = &all()[which];
        let time = Timestamp::from_micros(micros);
        let table = tables.at(time).unwrap();
        prop_assert!(table.holds(time));
        prop_assert_eq!(tables.parse(&table.table), Some(table.clone()));
        let end = table.end.unwrap();
        prop_assert!(!table.holds(end));
        prop_assert!(tables.at(end).unwrap().table != table.table);
        let around: Vec<_> = tables.between(time, end).collect();
        prop_assert_eq!(&around, &[table]);
    }

    #[test]
    fn periods_follow_one_another(micros in 0..4_000_000_000_000_000_i64, which in 0..6_usize, days in 1..40_i64) {
        let start = Timestamp::from_micros(micros);
        let end = Timestamp::from_micros(micros + days * 86_400_000_000);
        let found: Vec<_> = all()[which].between(start, end).collect();
        for pair in found.windows(2) {
            prop_assert_eq!(pair[0].end, Some(pair[1].start));
            prop_assert!(pair[0].table < pair[1].table);
        }
        prop_assert!(found.last().is_none_or(|last| last.end >= Some(end)));
    }
}
