//! Pairs of layouts: a struct in its former layout, in its current one, and without `was`.

use bigtable_model::model::Editable;
use bigtable_model::{Backend, DeleteOutcome, Error, Model};
use futures::future::BoxFuture;

use crate::world::{Answer, Ask, Event, Identity, KeyOrder, Wide};

/// What the modules of pairs import.
pub mod names {
    pub use bigtable_model::{
        Backend, BackendExt, DeleteOutcome, Error, Model, QueryError, Timestamp,
    };
    pub use futures::TryStreamExt;
    pub use futures::future::{BoxFuture, FutureExt};

    pub use super::{Pair, Stored};
    pub use crate::world::{Answer, Ask, Each, Event, Identity, KeyOrder, SITE, TABLES, Wide};
}

/// The operations on a model of a pair.
pub trait Stored: Editable + Model<Key: Send + Sync> + Clone + Send + Sync {
    fn of(event: &Event) -> Self;
    fn event(self) -> Event;
    fn key_of(identity: &Identity) -> Self::Key;
    fn all(db: &dyn Backend) -> BoxFuture<'_, Result<Vec<Self>, Error>>;
    /// Creates its tables.
    fn ensure(db: &dyn Backend) -> BoxFuture<'_, ()>;
}

/// A pair of layouts.
pub trait Pair {
    type Old: Stored;
    type New: Stored;
    /// The current model without `was`.
    type Plain: Stored;

    /// In which order the keys of both sort.
    const ORDER: KeyOrder;
    /// Whether a site narrows the former key too: otherwise its queries would read every row.
    const NARROWS: bool;
    /// Whether conditions can compare columns.
    const COMPARES: bool;

    fn answer<'a>(db: &'a dyn Backend, ask: &'a Ask) -> BoxFuture<'a, Result<Answer, Error>>;

    fn set_note<'a>(
        db: &'a dyn Backend,
        identity: &Identity,
        note: Option<String>,
    ) -> BoxFuture<'a, Result<(), Error>>;

    /// The answer to a query that takes events as they come, or of all sites.
    fn wide<'a>(db: &'a dyn Backend, wide: &'a Wide) -> BoxFuture<'a, Result<Answer, Error>>;

    /// Deletes all events of a site, in no order.
    fn delete_site(db: &dyn Backend, site: u8) -> BoxFuture<'_, DeleteOutcome>;

    /// Deletes events of a site's sensor at some times.
    fn delete_times<'a>(
        db: &'a dyn Backend,
        sensor: &'a str,
        times: std::ops::Range<i64>,
    ) -> BoxFuture<'a, DeleteOutcome>;
}

macro_rules! pages {
    ($query:expr, $size:expr, $db:expr) => {{
        let (query, mut token, mut all) = ($query, None, Vec::new());
        loop {
            let page = $db.page(&query, $size, token.as_ref()).await?;
            assert!(page.events.len() as u64 <= $size);
            all.extend(page.events);
            token = page.next;
            if token.is_none() {
                break Ok(events(all));
            }
        }
    }};
}

/// A serialised event has no columns that conditions compare.
macro_rules! level_above {
    (whole, $query:ident, $level:expr, |$asked:ident| $run:expr) => {{
        assert_eq!(*$level, None);
        let $asked = $query;
        $run
    }};
    (columns, $query:ident, $level:expr, |$asked:ident| $run:expr) => {{
        let mut $asked = $query.clone();
        if let Some(level) = $level {
            $asked = $asked.matching(New::FIELDS.level.gt(*level));
        }
        $run
    }};
}

macro_rules! compares {
    (columns) => {
        true
    };
    (whole) => {
        false
    };
}

/// Columns are changed by themselves, a serialised event as a whole.
macro_rules! set_note {
    (columns, $db:expr, $identity:expr, $note:expr) => {
        $db.send(New::update(&New::key_of($identity)).note($note))
    };
    (whole, $db:expr, $identity:expr, $note:expr) => {{
        let key = New::key_of($identity);
        async move {
            match $db.get::<New>(&key).await? {
                Some(event) => $db
                    .insert(&New {
                        note: $note,
                        ..event
                    })
                    .await
                    .map(drop),
                None => Ok(()),
            }
        }
        .boxed()
    }};
}

macro_rules! tables {
    (fixed, $model:ty, $db:ident) => {
        $db.ensure_tables::<$model>().await.unwrap()
    };
    ($by_period:ident, $model:ty, $db:ident) => {{
        let at = Timestamp::from_millis;
        let times = at(TABLES.start)..at(TABLES.end);
        $db.ensure_periods::<$model>(times).await.map(drop).unwrap()
    }};
}

/// A model of the events: its tables, the attributes of the struct, of the key's fields in their
/// order, of the time, and of the level.
macro_rules! model {
    (
        $model:ident $key:ident $tables:ident [$($on_struct:tt)*]
        {$first:ident: $first_type:ty $([$($on_first:tt)*])?, $second:ident: $second_type:ty $([$($on_second:tt)*])?}
        [$($on_time:tt)*] $([$($on_level:tt)*])?
    ) => {
        #[derive(Debug, Clone, PartialEq, Model)]
        #[bigtable($($on_struct)*)]
        pub struct $model {
            #[bigtable(key $(, $($on_first)*)?)]
            $first: $first_type,
            #[bigtable(key $(, $($on_second)*)?)]
            $second: $second_type,
            #[bigtable(time, $($on_time)*)]
            at: Timestamp,
            $(#[bigtable($($on_level)*)])?
            level: i64,
            note: Option<String>,
        }

        impl Stored for $model {
            fn of(event: &Event) -> Self {
                Self {
                    site: event.site.into(),
                    sensor: event.sensor.clone(),
                    at: Timestamp::from_millis(event.at),
                    level: event.level,
                    note: event.note.clone(),
                }
            }

            fn event(self) -> Event {
                Event {
                    site: self.site.try_into().unwrap(),
                    sensor: self.sensor,
                    at: self.at.as_millis(),
                    level: self.level,
                    note: self.note,
                }
            }

            fn key_of((at, site, sensor): &Identity) -> $key {
                $key {
                    site: (*site).into(),
                    sensor: sensor.clone(),
                    at: Timestamp::from_millis(*at),
                }
            }

            fn all(db: &dyn Backend) -> BoxFuture<'_, Result<Vec<Self>, Error>> {
                async move { db.fetch(&Self::scan()).await }.boxed()
            }

            fn ensure(db: &dyn Backend) -> BoxFuture<'_, ()> {
                async move { tables!($tables, $model, db) }.boxed()
            }
        }
    };
}

/// A pair in two tables of these names.
macro_rules! pair {
    (
        $name:ident, $order:ident, narrows: $narrows:literal,
        old: $key:tt [$($old:tt)*] $old_time:tt,
        new: [$($new:tt)*] $new_time:tt
    ) => {
        pair_in! {
            $name, $order, narrows: $narrows,
            old: fixed $key [table = "SAMPLE", $($old)*] $old_time,
            new: fixed [table = "SAMPLE_V2", $($new)*] $new_time
        }
    };
}

macro_rules! pair_in {
    (
        $name:ident, $order:ident, narrows: $narrows:literal,
        old: $old_tables:ident $key:tt [$($old:tt)*] $old_time:tt,
        new: $new_tables:ident [$($new:tt)*] $new_time:tt
    ) => {
        pub mod $name {
            use crate::pairs::names::*;

            model!(Old OldKey $old_tables [family = "OLD", $($old)*] $key $old_time);
            model!(Plain PlainKey $new_tables [family = "M", $($new)*] {site: u8, sensor: String} $new_time);
            both! {
                KeyOrder::$order, $narrows, columns,
                $new_tables [$($new)*] {site: u8, sensor: String} $new_time
            }
        }
    };
}

/// Today's model `New` with the former layout `Old`, and what is asked of it.
macro_rules! both {
    ($order:expr, $narrows:expr, $change:ident, $tables:ident [$($new:tt)*] $key:tt $($on_fields:tt)+) => {
        model!(New NewKey $tables [family = "M", was(Old), $($new)*] $key $($on_fields)+);

        impl From<Old> for New {
            fn from(old: Old) -> Self {
                Self::of(&old.event())
            }
        }

        pub struct Both;

        impl Pair for Both {
            type Old = Old;
            type New = New;
            type Plain = Plain;

            const ORDER: KeyOrder = $order;
            const NARROWS: bool = $narrows;
            const COMPARES: bool = compares!($change);

            fn answer<'a>(
                db: &'a dyn Backend,
                ask: &'a Ask,
            ) -> BoxFuture<'a, Result<Answer, Error>> {
                async move {
                    match answer(db, ask).await {
                        Err(Error::Query { source: QueryError::FormerOrder { .. }, .. }) => {
                            Ok(Answer::OtherOrder)
                        }
                        Err(Error::Query { source: QueryError::FullScan { .. }, .. }) => {
                            Ok(Answer::FullScan)
                        }
                        answer => answer,
                    }
                }
                .boxed()
            }

            fn set_note<'a>(
                db: &'a dyn Backend,
                identity: &Identity,
                note: Option<String>,
            ) -> BoxFuture<'a, Result<(), Error>> {
                set_note!($change, db, identity, note)
            }

            fn wide<'a>(
                db: &'a dyn Backend,
                wide: &'a Wide,
            ) -> BoxFuture<'a, Result<Answer, Error>> {
                async move {
                    let at = Timestamp::from_millis;
                    match wide {
                        Wide::Count => {
                            db.count(&New::scan()).await.map(Answer::Count)
                        }
                        Wide::CountSite => {
                            db.count(&New::query().site(SITE)).await.map(Answer::Count)
                        }
                        Wide::All => {
                            let found = db.stream(&New::scan().events().unordered());
                            let found: Vec<New> = found.try_collect().await?;
                            let mut found: Vec<_> =
                                found.into_iter().map(Stored::event).collect();
                            found.sort_by_key(Event::identity);
                            Ok(Answer::Events(found))
                        }
                        Wide::BeforeOf(sensors, time) => {
                            let query = New::query().site(SITE).sensor(&sensors[..]);
                            let found = db.latest_before(&query, at(*time)).await?.into_iter();
                            let each = found
                                .map(|(series, found)| (series, vec![found.event()]));
                            Ok(Answer::Each(in_order(each.collect())))
                        }
                    }
                }
                .boxed()
            }

            fn delete_site(db: &dyn Backend, site: u8) -> BoxFuture<'_, DeleteOutcome> {
                db.delete_all(&New::query().site(site).events().unordered()).boxed()
            }

            fn delete_times<'a>(
                db: &'a dyn Backend,
                sensor: &'a str,
                times: std::ops::Range<i64>,
            ) -> BoxFuture<'a, DeleteOutcome> {
                let at = Timestamp::from_millis;
                let times = at(times.start)..at(times.end);
                db.delete_all(&New::query().site(SITE).sensor(sensor).at(times))
            }
        }

        /// By series, where a salt comes first in the order of keys.
        fn in_order(mut each: Each) -> Each {
            if !Both::ORDER.is_by_series() {
                each.sort_by(|(one, _), (other, _)| one.cmp(other));
            }
            each
        }

        fn events(found: Vec<New>) -> Answer {
            Answer::Events(found.into_iter().map(Stored::event).collect())
        }

        async fn answer(db: &dyn Backend, ask: &Ask) -> Result<Answer, Error> {
            let at = Timestamp::from_millis;
            match ask {
                Ask::Sensors { sensors, times, newest_first, limit, level_above } => {
                    let range = times.clone().unwrap_or(0..4_000_000_000_000);
                    let query = New::query().site(SITE).sensor(&sensors[..]);
                    let mut query = query.at(at(range.start)..at(range.end)).events();
                    if let Some(limit) = limit {
                        query = query.limit(*limit);
                    }
                    if *newest_first {
                        query = query.newest_first();
                    }
                    level_above!($change, query, level_above, |query| {
                        db.fetch(&query).await.map(events)
                    })
                }
                Ask::Latest(sensors, n) => {
                    let query = New::query().site(SITE).sensor(&sensors[..]);
                    db.fetch(&query.events().newest_first().limit(*n)).await.map(events)
                }
                Ask::Pages(sensors, size) => {
                    let query = New::query().site(SITE).sensor(&sensors[..]);
                    pages!(query, *size, db)
                }
                Ask::Count(times) => {
                    let query = New::query().site(SITE).sensor("a");
                    let query = query.at(at(times.start)..at(times.end));
                    db.count(&query).await.map(Answer::Count)
                }
                Ask::Site { reversed, page } => {
                    let mut query = New::query().site(SITE).events().erase();
                    if *reversed {
                        query = query.reversed();
                    }
                    match page {
                        Some(size) => pages!(query, *size, db),
                        None => db.fetch(&query).await.map(events),
                    }
                }
                Ask::Any => {
                    let query = New::query().site(SITE).events().unordered();
                    let found: Vec<New> = db.stream(&query).try_collect().await?;
                    let mut found: Vec<_> = found.into_iter().map(Stored::event).collect();
                    found.sort_by_key(|event| (event.sensor.clone(), event.at));
                    Ok(Answer::Events(found))
                }
                Ask::Series { level_above } => {
                    let query = New::query().site(SITE).events();
                    level_above!($change, query, level_above, |query| {
                        db.series(&query).await.map(|mut series| {
                            // A salt comes first in the order of keys.
                            if !Both::ORDER.is_by_series() {
                                series.sort();
                            }
                            Answer::Series(series)
                        })
                    })
                }
                Ask::LatestEach(n) => {
                    let found = db.latest_each(&New::query().site(SITE), *n).await?;
                    let each = found.into_iter().map(|(series, found)| {
                        (series, found.into_iter().map(Stored::event).collect())
                    });
                    Ok(Answer::Each(in_order(each.collect())))
                }
                Ask::Before(time) => {
                    let found = db.latest_before(&New::query().site(SITE), at(*time)).await?;
                    let each = found.into_iter();
                    let each = each.map(|(series, found)| (series, vec![found.event()]));
                    Ok(Answer::Each(in_order(each.collect())))
                }
                Ask::Get(identities) => {
                    let keys: Vec<_> = identities.iter().map(New::key_of).collect();
                    let many = db.get_many::<New>(&keys).await?;
                    for (key, found) in keys.iter().zip(&many) {
                        assert_eq!(db.get::<New>(key).await?, *found);
                    }
                    let found = many.into_iter().map(|one| one.map(Stored::event));
                    Ok(Answer::Some(found.collect()))
                }
            }
        }
    };
}

pair!(
    row_to_cells, Ascending, narrows: true,
    old: {site: u8, sensor: String} [] [unit = "ms"],
    new: [layout = "cells"] [bucket = "hour"]
);
pair!(
    cells_to_row, Ascending, narrows: true,
    old: {site: u8, sensor: String} [layout = "cells"] [bucket = "hour"],
    new: [] [unit = "ms"]
);
pair!(
    row_to_row, Ascending, narrows: true,
    old: {site: u8, sensor: String} [marker = "E"] [unit = "us"],
    new: [marker = "EVENT", cell_time = "write"] [unit = "ms", truncate]
);
pair!(
    json_to_columns, Ascending, narrows: true,
    old: {site: u8, sensor: String} [serialize(json)] [unit = "ms"],
    new: [layout = "columns"] [bucket = "day", unit = "ms"]
);
pair!(
    columns_to_wider, Ascending, narrows: true,
    old: {site: u8, sensor: String} [layout = "columns"] [bucket = "15m", unit = "ms"],
    new: [layout = "columns"] [bucket = "day", offset = "%H:%M:%S%3f"]
);
pair!(
    swapped_to_row, Different, narrows: false,
    old: {sensor: String, site: u8} [] [unit = "ms"],
    new: [] [unit = "ms"]
);
pair!(
    reversed_to_cells, Different, narrows: true,
    old: {site: u8, sensor: String} [] [unit = "ms", reverse],
    new: [layout = "cells"] [bucket = "hour"]
);
pair!(
    weeks_to_row, Different, narrows: true,
    old: {site: u8, sensor: String} [layout = "cells"] [bucket = "week", label = "w{n}", origin = "2024-01-29"],
    new: [] [unit = "ms"]
);
pair!(
    row_to_salted, Different, narrows: true,
    old: {site: u8, sensor: String} [] [unit = "ms"],
    new: [layout = "cells", salt(shards = 4, of(sensor, at))] [bucket = "hour"]
);
pair!(
    hot_to_hotter, Different, narrows: true,
    old: {site: u8, sensor: String} [salt(shards = 4, of(site, sensor, at), hot(sensor("a" = 2)))] [unit = "ms"],
    new: [salt(shards = 4, of(site, sensor, at), hot(sensor("a" = 4, "b" = 3)))] [unit = "ms"]
);
pair!(
    salted_to_row, Different, narrows: true,
    old: {site: u8, sensor: String} [salt(shards = 4, of(sensor))] [unit = "ms"],
    new: [marker = "EVENT"] [unit = "ms"]
);
