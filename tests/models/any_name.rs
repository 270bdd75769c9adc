//! Fields may have any name: setters are the only names of a query with open segments, and the
//! only ones of an update.

use bigtable_model::{BackendExt, MemoryBackend, Model, Projection};

/// Named like the options of queries, the database's verbs and methods of traits.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "ASKED", family = "F")]
struct Asked {
    #[bigtable(key)]
    clone: u8,
    #[bigtable(key)]
    as_query: u8,
    #[bigtable(key)]
    limit: u8,
    #[bigtable(key)]
    matching: u8,
    #[bigtable(key)]
    newest_first: u8,
    #[bigtable(key)]
    reversed: u8,
    #[bigtable(key)]
    max_scans: u8,
    #[bigtable(key)]
    in_key_order: u8,
    #[bigtable(key)]
    unordered: u8,
    #[bigtable(key)]
    on_bad_row: u8,
    #[bigtable(key)]
    with_expired: u8,
    #[bigtable(key)]
    page_key: u8,
    #[bigtable(key)]
    erase: u8,
    #[bigtable(key)]
    resolution: u8,
    #[bigtable(key)]
    plan: u8,
    #[bigtable(key)]
    explain: u8,
    #[bigtable(key)]
    to_sql: u8,
    #[bigtable(key)]
    selection: u8,
    #[bigtable(key)]
    fetch: u8,
    #[bigtable(key)]
    stream: u8,
    #[bigtable(key)]
    count: u8,
    #[bigtable(key)]
    page: u8,
    #[bigtable(key)]
    series: u8,
    #[bigtable(key)]
    latest_each: u8,
    #[bigtable(key)]
    latest_before: u8,
    #[bigtable(key)]
    partitions: u8,
    #[bigtable(key)]
    missing_tables: u8,
    #[bigtable(key)]
    delete_all: u8,
    #[bigtable(key)]
    repair: u8,
    value: u8,
}

/// Named like verbs, and like locals of generated code.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "CHANGED", family = "F")]
struct Changed {
    #[bigtable(key)]
    self_: u8,
    #[bigtable(key)]
    row: u8,
    send: Option<u8>,
    send_if: Option<u8>,
    send_if_unchanged: Option<u8>,
    to_mutations: Option<u8>,
    into_update: Option<u8>,
    write: Option<u8>,
    clone: Option<u8>,
    new: Option<u8>,
    value: Option<u8>,
    db: Option<u8>,
    limit: Option<u8>,
    page: Option<u8>,
    fetch: Option<u8>,
    key: Option<u8>,
    event: Option<u8>,
    writer: Option<u8>,
    reader: Option<u8>,
    out: Option<u8>,
    cells: Option<u8>,
    index: Option<u8>,
    backend: Option<u8>,
    update: Option<u8>,
    state: Option<u8>,
    model: Option<u8>,
    schema: Option<u8>,
    time: Option<u8>,
    result: Option<u8>,
    error: Option<u8>,
    query: Option<u8>,
    select: Option<u8>,
    events: Option<u8>,
    name: Option<u8>,
    field: Option<u8>,
    column: Option<u8>,
    column_index: Option<u8>,
    map: Option<u8>,
    family: Option<u8>,
    table: Option<u8>,
    entry: Option<u8>,
    other: Option<u8>,
    order: Option<u8>,
    f: Option<u8>,
    s: Option<u8>,
    m: Option<u8>,
    p: Option<u8>,
    #[bigtable(presence)]
    presence: u8,
}

/// Reads some of the columns.
#[derive(Debug, PartialEq, Projection)]
#[bigtable(model = Changed)]
struct Part {
    row: u8,
    value: Option<u8>,
    cells: Option<u8>,
    select: Option<u8>,
}

fn changed(value: Option<u8>) -> Changed {
    Changed {
        self_: 1,
        row: 2,
        send: value,
        send_if: value,
        send_if_unchanged: value,
        to_mutations: value,
        into_update: value,
        write: value,
        clone: value,
        new: value,
        value,
        db: value,
        limit: value,
        page: value,
        fetch: value,
        key: value,
        event: value,
        writer: value,
        reader: value,
        out: value,
        cells: value,
        index: value,
        backend: value,
        update: value,
        state: value,
        model: value,
        schema: value,
        time: value,
        result: value,
        error: value,
        query: value,
        select: value,
        events: value,
        name: value,
        field: value,
        column: value,
        column_index: value,
        map: value,
        family: value,
        table: value,
        entry: value,
        other: value,
        order: value,
        f: value,
        s: value,
        m: value,
        p: value,
        presence: 0,
    }
}

#[tokio::test]
async fn a_query_of_such_fields_takes_options_and_runs() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Asked>().await.unwrap();
    let asked = Asked {
        clone: 0,
        as_query: 1,
        limit: 2,
        matching: 3,
        newest_first: 4,
        reversed: 5,
        max_scans: 6,
        in_key_order: 7,
        unordered: 8,
        on_bad_row: 9,
        with_expired: 10,
        page_key: 11,
        erase: 12,
        resolution: 13,
        plan: 14,
        explain: 15,
        to_sql: 16,
        selection: 17,
        fetch: 18,
        stream: 19,
        count: 20,
        page: 21,
        series: 22,
        latest_each: 23,
        latest_before: 24,
        partitions: 25,
        missing_tables: 26,
        delete_all: 27,
        repair: 28,
        value: 7,
    };
    db.insert(&asked).await.unwrap();
    let query = Asked::query()
        .clone(0)
        .as_query(1)
        .limit(2)
        .matching(3)
        .newest_first(4)
        .reversed(5)
        .max_scans(6)
        .in_key_order(7)
        .unordered(8)
        .on_bad_row(9)
        .with_expired(10)
        .page_key(11)
        .erase(12)
        .resolution(13)
        .plan(14)
        .explain(15)
        .to_sql(16)
        .selection(17)
        .fetch(18)
        .stream(19)
        .count(20)
        .page(21)
        .series(22)
        .latest_each(23)
        .latest_before(24)
        .partitions(25)
        .missing_tables(26)
        .delete_all(27);
    assert_eq!(
        db.fetch(&query).await.unwrap(),
        std::slice::from_ref(&asked)
    );
    assert_eq!(db.count(&query).await.unwrap(), 1);
    let one = query.events().limit(1).reversed();
    assert_eq!(db.fetch(&one).await.unwrap(), std::slice::from_ref(&asked));
    let page = db.page(&query, 1, None).await.unwrap();
    assert_eq!(page.events, [asked]);
    let outcome = db.delete_all(&query).await;
    assert_eq!(outcome.into_result().unwrap(), 1);
    assert_eq!(db.count(&query.repair(28)).await.unwrap(), 0);
}

#[tokio::test]
async fn an_update_of_such_fields_is_sent() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Changed>().await.unwrap();
    db.insert(&changed(None)).await.unwrap();
    let update = Changed::update(&changed(None).key())
        .send(3)
        .send_if(3)
        .send_if_unchanged(3)
        .to_mutations(3)
        .into_update(3)
        .write(3)
        .clone(3)
        .new(3)
        .value(3)
        .db(3)
        .limit(3)
        .page(3)
        .fetch(3)
        .key(3)
        .event(3)
        .writer(3)
        .reader(3)
        .out(3)
        .cells(3)
        .index(3)
        .backend(3)
        .update(3)
        .state(3)
        .model(3)
        .schema(3)
        .time(3)
        .result(3)
        .error(3)
        .query(3)
        .select(3)
        .events(3)
        .name(3)
        .field(3)
        .column(3)
        .column_index(3)
        .map(3)
        .family(3)
        .table(3)
        .entry(3)
        .other(3)
        .order(3)
        .f(3)
        .s(3)
        .m(3)
        .p(3);
    db.send(update).await.unwrap();
    let query = Changed::query().self_(1).row(2);
    assert_eq!(db.fetch(&query).await.unwrap(), [changed(Some(3))]);
    let part = Part {
        row: 2,
        value: Some(3),
        cells: Some(3),
        select: Some(3),
    };
    let found = db.fetch(&query.select::<Part>()).await.unwrap();
    assert_eq!(found, [part]);
}
