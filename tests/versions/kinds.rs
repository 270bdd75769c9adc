//! Other kinds of models: without a time, with counters, run-time columns, tables by period,
//! garbage-collection rules, projections.

use std::collections::BTreeMap;
use std::sync::Arc;

use bigtable_model::{
    Backend, BackendExt, Error, MemoryBackend, Model, Projection, QueryError, Timestamp, former,
};
use futures::TryStreamExt as _;

use crate::world;

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "PAGE", family = "P")]
struct PageV1 {
    #[bigtable(key)]
    path: String,
    #[bigtable(key)]
    language: u16,
    title: String,
    #[bigtable(counter)]
    views: Option<i64>,
}

/// The language comes first, and has more values.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "PAGE_V2", family = "P", was(PageV1))]
struct Page {
    #[bigtable(key)]
    language: u32,
    #[bigtable(key)]
    path: String,
    title: String,
    #[bigtable(counter)]
    views: Option<i64>,
    #[bigtable(columns, family = "TAG")]
    tags: BTreeMap<String, i64>,
}

impl From<PageV1> for Page {
    fn from(old: PageV1) -> Self {
        Self {
            language: old.language.into(),
            path: old.path,
            title: old.title,
            views: old.views,
            tags: BTreeMap::new(),
        }
    }
}

fn page(path: &str, language: u16, views: Option<i64>) -> PageV1 {
    PageV1 {
        path: path.to_owned(),
        language,
        title: format!("{path} in {language}"),
        views,
    }
}

fn key(page: &PageV1) -> PageKey {
    Page::from(page.clone()).key()
}

/// Entities have no time order. Here their keys sort in another order, so they are read without an
/// order until the former layout is removed.
#[tokio::test]
async fn entities_and_their_counters() {
    for db in world::backends("entities").await {
        db.ensure_tables::<PageV1>().await.unwrap();
        db.ensure_tables::<Page>().await.unwrap();
        let pages = [
            page("/", 1, Some(5)),
            page("/", 2, None),
            page("/a", 1, None),
        ];
        db.insert_many(&pages).await.into_result().unwrap();
        let [root, other, gone] = pages.each_ref().map(key);

        for (key, by, after) in [(&root, 2, 7), (&other, 1, 1)] {
            let changed = Page::modify(key).increment(Page::FIELDS.views, by);
            let views = db.send(changed).await.unwrap().get(Page::FIELDS.views);
            assert_eq!(views.unwrap(), Some(after));
        }
        db.delete::<Page>(&gone).await.unwrap();
        db.delete_cell(&other, Page::FIELDS.tags.entry("none"))
            .await
            .unwrap();
        let expected = [
            Some(Page {
                views: Some(7),
                ..pages[0].clone().into()
            }),
            Some(Page {
                views: Some(1),
                ..pages[1].clone().into()
            }),
            None,
        ];
        let read = db.get_many::<Page>([&root, &other, &gone]).await.unwrap();
        assert_eq!(read, expected);
        let all = Page::scan();
        assert!(matches!(
            db.fetch(&all).await,
            Err(Error::Query {
                source: QueryError::FormerOrder { .. },
                ..
            })
        ));

        let unordered = Page::scan().events().unordered();
        let mut found: Vec<Page> = db.stream(&unordered).try_collect().await.unwrap();
        found.sort_by_key(|page| page.language);
        let some: Vec<_> = expected.iter().flatten().cloned().collect();
        assert_eq!(found, some);
        assert_eq!(db.count(&Page::scan()).await.unwrap(), 2);
        let one = Page::scan().events().limit(1).unordered();
        assert_eq!(db.count(&one).await.unwrap(), 1);

        assert_eq!(former::copy::<Page>(&*db).await.unwrap().copied, 0);
        let finished = former::finish::<Page>(&*db).await.unwrap();
        assert_eq!((finished.deleted, finished.tombstones), (3, 1));
        let read = db.get_many::<Page>([&root, &other, &gone]).await.unwrap();
        assert_eq!(read, expected);
        let deleted = db.delete_all(&Page::scan().events().unordered()).await;
        assert_eq!(deleted.into_result().unwrap(), 2);
    }
}

/// A delete without an order, of events in both layouts, in one of them, or deleted before.
#[tokio::test]
async fn everything_is_deleted_in_layouts_of_other_orders() {
    let db = MemoryBackend::new();
    db.ensure_tables::<PageV1>().await.unwrap();
    db.ensure_tables::<Page>().await.unwrap();
    let pages: Vec<_> = (0..20)
        .map(|n| page(&format!("/{}", n % 7), n, None))
        .collect();
    db.insert_many(&pages).await.into_result().unwrap();
    db.insert(&Page::from(pages[3].clone())).await.unwrap();
    db.delete::<Page>(&key(&pages[5])).await.unwrap();
    let deleted = db.delete_all(&Page::scan().events().unordered()).await;
    assert_eq!(deleted.into_result().unwrap(), 19);
    assert_eq!(db.count(&Page::scan()).await.unwrap(), 0);
    assert_eq!(former::copy::<Page>(&db).await.unwrap().copied, 0);
    let finished = former::finish::<Page>(&db).await.unwrap();
    assert_eq!((finished.deleted, finished.tombstones), (20, 20));
}

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "VISIT", family = "V")]
struct VisitV1 {
    #[bigtable(key)]
    path: String,
    #[bigtable(key, unit = "ms", width = 13, reverse)]
    at: Timestamp,
    seconds: u32,
}

/// Its times ascend.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "VISIT_V2", family = "V", was(VisitV1))]
struct Visit {
    #[bigtable(key)]
    path: String,
    #[bigtable(key, unit = "ms")]
    at: Timestamp,
    seconds: u32,
}

impl From<VisitV1> for Visit {
    fn from(VisitV1 { path, at, seconds }: VisitV1) -> Self {
        Self { path, at, seconds }
    }
}

/// A reversed time among the identifiers sorts in another order too.
#[tokio::test]
async fn reversed_identifiers() {
    let db = MemoryBackend::new();
    db.ensure_tables::<VisitV1>().await.unwrap();
    db.ensure_tables::<Visit>().await.unwrap();
    let visit = |second: u32| Visit {
        path: "/".to_owned(),
        at: Timestamp::from_seconds(second.into()),
        seconds: second,
    };
    for second in 0..4 {
        let Visit { path, at, seconds } = visit(second);
        db.insert(&VisitV1 { path, at, seconds }).await.unwrap();
    }
    db.insert(&visit(2)).await.unwrap();
    let query = Visit::query().path("/");
    let refused = db.fetch(&query).await;
    assert!(
        matches!(
            refused,
            Err(Error::Query {
                source: QueryError::FormerOrder { .. },
                ..
            })
        ),
        "{refused:?}"
    );
    assert_eq!(db.count(&query).await.unwrap(), 4);
    former::copy::<Visit>(&db).await.unwrap();
    former::finish::<Visit>(&db).await.unwrap();
    let mut all: Vec<Visit> = db
        .stream(&query.events().unordered())
        .try_collect()
        .await
        .unwrap();
    all.sort_by_key(|visit| visit.seconds);
    assert_eq!(all, [0, 1, 2, 3].map(visit));
}

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "READING_{at:%Y%m}", family = "R")]
struct ReadingV1 {
    #[bigtable(key)]
    sensor: String,
    #[bigtable(time, unit = "s")]
    at: Timestamp,
    celsius: f64,
}

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(
    table = "READING",
    family = "R",
    layout = "columns",
    was(ReadingV1),
    gc(max_age = "30d")
)]
struct Reading {
    #[bigtable(key)]
    sensor: String,
    #[bigtable(time, bucket = "day", unit = "s")]
    at: Timestamp,
    celsius: f64,
}

impl From<ReadingV1> for Reading {
    fn from(old: ReadingV1) -> Self {
        Self {
            sensor: old.sensor,
            at: old.at,
            celsius: old.celsius,
        }
    }
}

#[derive(Debug, PartialEq, Projection)]
#[bigtable(model = Reading)]
struct Warmth {
    at: Timestamp,
    celsius: f64,
}

fn reading(at: &str, celsius: f64) -> ReadingV1 {
    ReadingV1 {
        sensor: "attic".to_owned(),
        at: at.parse().unwrap(),
        celsius,
    }
}

/// In the distant past, and in the future: the first has expired under the current rule, the others
/// have not.
#[tokio::test]
async fn periods_rules_and_projections() {
    let db: Arc<dyn Backend> = Arc::new(MemoryBackend::new());
    let readings = [
        reading("2015-03-16T19:53:32Z", 1.0),
        reading("2150-01-31T23:59:59Z", 2.0),
        reading("2150-02-01T00:00:00Z", 3.0),
        reading("2150-02-01T00:00:01Z", 4.0),
    ];
    for month in [
        "2015-03-01T00:00:00Z",
        "2150-01-01T00:00:00Z",
        "2150-02-01T00:00:00Z",
    ] {
        let start: Timestamp = month.parse().unwrap();
        db.ensure_periods::<ReadingV1>(start..start + std::time::Duration::from_secs(1))
            .await
            .unwrap();
    }
    db.insert_many(&readings).await.into_result().unwrap();
    db.ensure_tables::<Reading>().await.unwrap();
    let keys = readings.clone().map(|one| Reading::from(one).key());
    db.delete::<Reading>(&keys[2]).await.unwrap();

    let (start, end) = (
        Timestamp::from_seconds(0),
        readings[3].at + std::time::Duration::from_secs(1),
    );
    let all = Reading::query().sensor("attic").at(start..end);
    let warmth: Vec<Warmth> = db.fetch(&all.clone().select::<Warmth>()).await.unwrap();
    let of = |one: &ReadingV1| Warmth {
        at: one.at,
        celsius: one.celsius,
    };
    assert_eq!(warmth, [of(&readings[1]), of(&readings[3])]);
    assert_eq!(db.count(&all).await.unwrap(), 2);
    assert_eq!(db.count(&all.events().with_expired()).await.unwrap(), 3);
    assert_eq!(db.get::<Reading>(&keys[0]).await.unwrap(), None);
    assert_eq!(
        db.get::<Reading>(&keys[1]).await.unwrap(),
        Some(readings[1].clone().into())
    );
    let newest = db
        .fetch(&all.events().newest_first().limit(1))
        .await
        .unwrap();
    assert_eq!(newest, [Reading::from(readings[3].clone())]);

    // The tables of the former layout are listed.
    let open = Reading::query().sensor("attic");
    assert_eq!(db.count(&open).await.unwrap(), 2);
    let audit = db.audit::<Reading>().await.unwrap();
    assert!(audit.is_clean(), "{audit}");

    let copied = former::copy::<Reading>(&*db).await.unwrap();
    assert_eq!((copied.events, copied.copied), (4, 2));
    let finished = former::finish::<Reading>(&*db).await.unwrap();
    assert_eq!((finished.deleted, finished.tombstones), (4, 1));
    assert_eq!(db.count(&all.events().with_expired()).await.unwrap(), 2);
}
