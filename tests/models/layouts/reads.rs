//! Events of every layout are read back, by key and by query.

use bigtable_model::model::Editable;

use super::*;

/// Inserts events, reads each back, and deletes one.
async fn round_trip<M>(events: &[M], rows_of_all: usize)
where
    M: Editable + Clone + PartialEq + std::fmt::Debug,
{
    let db = MemoryBackend::new();
    db.ensure_tables::<M>().await.unwrap();
    for event in events {
        db.insert(event).await.unwrap();
    }
    assert_eq!(
        rows(&db, M::SCHEMA.table.fixed().unwrap()).await.len(),
        rows_of_all
    );
    for event in events {
        assert_eq!(
            db.get::<M>(&event.key()).await.unwrap().as_ref(),
            Some(event)
        );
    }
    let (gone, kept) = events.split_first().unwrap();
    db.delete::<M>(&gone.key()).await.unwrap();
    assert_eq!(db.get::<M>(&gone.key()).await.unwrap(), None);
    for event in kept {
        assert_eq!(
            db.get::<M>(&event.key()).await.unwrap().as_ref(),
            Some(event)
        );
    }
}

#[tokio::test]
async fn round_trips() {
    let times = [
        at("2021-03-07T23:30:00Z"),
        at("2021-03-08T00:00:00Z"),
        at("2021-03-08T00:15:00Z"),
    ];
    let readings = times.map(|at| Reading {
        meter: 7,
        at,
        value: 1.5,
    });
    round_trip(&readings, 2).await;
    let winds = times.map(|at| Wind {
        mast: "m".into(),
        at,
        speed: 2.5,
        gust: None,
    });
    round_trip(&winds, 2).await;
    let balloons = times.map(|at| Balloon {
        location: "l".into(),
        balloon: 1,
        at,
        pressure: 3,
        temp: Some(9.5),
    });
    round_trip(&balloons, 2).await;
    let pressures = times.map(|at| Pressure {
        location: "l".into(),
        at,
        pressure: 3,
    });
    round_trip(&pressures, 1).await;
    let ticks = times.map(|at| Tick {
        at,
        symbol: "A#".into(),
        price: 1.0,
    });
    round_trip(&ticks, 3).await;
    let batteries = times.map(|at| Battery {
        user: "u".into(),
        at,
        percentage: 9,
    });
    round_trip(&batteries, 3).await;
    let weeks = times.map(|at| WeekFirst {
        at,
        location: "l".into(),
        pressure: 1.0,
    });
    round_trip(&weeks, 2).await;
    let foreign = times.map(|at| Foreign {
        at: chrono::DateTime::from_timestamp_micros(at.as_micros()).unwrap(),
        name: "n".to_owned(),
        value: 1_i64,
        other: None,
    });
    round_trip(&foreign, 1).await;
    let closings = times.map(|at| Closing {
        symbol: "ZXZZT".into(),
        at,
        price: 1.0,
    });
    round_trip(&closings, 1).await;
}

#[tokio::test]
async fn queries_do_not_know_the_layout() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Tick>().await.unwrap();
    db.ensure_tables::<Wind>().await.unwrap();
    let start = at("2021-03-08T00:00:00Z").as_micros();
    let times: Vec<_> = (0..40)
        .map(|index| Timestamp::from_micros(start + index * 300_000_000))
        .collect();
    let mut ticks = Vec::new();
    for (at, symbol) in times.iter().flat_map(|at| [(*at, "A"), (*at, "B")]) {
        let tick = Tick {
            at,
            symbol: symbol.to_owned(),
            price: 1.0,
        };
        db.insert(&tick).await.unwrap();
        let wind = Wind {
            mast: symbol.to_owned(),
            at,
            speed: 1.0,
            gust: None,
        };
        db.insert(&wind).await.unwrap();
        ticks.push(tick);
    }
    let range = times[5]..times[17];
    let inside = |tick: &&Tick| range.contains(&tick.at);
    let expected: Vec<_> = ticks.iter().filter(inside).cloned().collect();

    // After a range of the bucket, the symbol can still be narrowed.
    let both = Tick::query().at(range.clone()).symbol(["A", "B"]);
    let mut found = db.fetch(&both).await.unwrap();
    assert!(found.is_sorted_by_key(|tick| tick.at));
    found.sort_by_key(|tick| (tick.at, tick.symbol.clone()));
    assert_eq!(found, expected);
    let newest = db
        .fetch(&both.events().newest_first().limit(3))
        .await
        .unwrap();
    assert_eq!(newest.iter().map(|tick| tick.at).max(), Some(times[16]));
    assert_eq!(newest.len(), 3);
    let of_b = |tick: &&Tick| tick.symbol == "B" && inside(tick);
    let b = Tick::query().at(range.clone()).symbol("B");
    assert_eq!(db.count(&b).await.unwrap(), 12);
    let expected: Vec<_> = ticks.iter().filter(of_b).cloned().collect();
    assert_eq!(db.fetch(&b).await.unwrap(), expected);
    let scanned = Tick::scan().symbol("B");
    assert_eq!(db.count(&scanned).await.unwrap(), 40);

    let winds = db
        .fetch(&Wind::query().mast("B").at(range.clone()))
        .await
        .unwrap();
    let found: Vec<_> = winds.iter().map(|wind| wind.at).collect();
    assert_eq!(found, times[5..17]);
    let series = db.series(&Wind::query().mast(["A", "B"])).await.unwrap();
    assert_eq!(series, ["A", "B"]);
}
