//! What the structs read: as many events as were stored, with their values.

use bigtable_model::query::Query;
use bigtable_model::{BackendExt as _, Model, Timestamp};

use super::sample::Sample;
use super::structs::examples::*;
use super::structs::more_strangers::*;
use super::structs::strangers::*;
use super::structs::*;
use super::{documents, examples, strangers};

/// The events that a struct reads of its table.
async fn read<M: Model>(samples: &[Sample]) -> Vec<M> {
    let table = M::SCHEMA.table.fixed().unwrap();
    let mut samples = samples.iter();
    let sample = samples.find(|one| one.table == *table).unwrap();
    let db = sample.in_memory().await;
    db.fetch(&Query::<M>::scan()).await.unwrap()
}

/// The numbers of events that structs read.
macro_rules! counts {
    ($samples:expr, $($event:ty),+ $(,)?) => {
        [$(read::<$event>(&$samples).await.len()),+]
    };
}

#[tokio::test]
async fn the_documents_tables_are_read() {
    let all = documents::all();
    let balloons = counts!(
        all,
        balloon::balloon_columns_per_event::BalloonColumnsPerEvent,
        balloon::balloon_cells_per_event::BalloonCellsPerEvent,
        balloon::balloon_serialized::BalloonSerialized,
        balloon::balloon_unserialized::BalloonUnserialized,
    );
    assert_eq!(balloons, [1, 1, 4, 5]);
    let others = counts!(
        all,
        garden::garden_tall::GardenTall,
        garden::garden_wide::GardenWide,
        stock::stock_closing_versions::StockClosingVersions,
        games::games_by_player::GamesByPlayer,
        games::games_by_date::GamesByDate,
        battery::battery_hotspot::BatteryHotspot,
        battery::battery_promoted::BatteryPromoted,
        battery::battery_salted::BatterySalted,
    );
    assert_eq!(others, [6, 6, 1, 5, 5, 5, 5, 5]);
    let fixed = counts!(
        all,
        market::market_quote::MarketQuote,
        market::market_trade::MarketTrade,
        server::server_metric::ServerMetric,
        server::server_current_metric::ServerCurrentMetric,
        meter::meter_day::MeterDay,
        meter::meter_of_day::MeterOfDay,
    );
    assert_eq!(fixed, [1, 1, 1, 1, 4, 4]);

    let readings = read::<meter::meter_day::MeterDay>(&all).await;
    let last = readings.last().unwrap();
    assert_eq!((last.id, last.value), (987_654, 28.9));
    assert_eq!(last.at, "2017-07-26T23:45:00Z".parse().unwrap());
    let days = read::<garden::garden_wide::GardenWide>(&all).await;
    assert_eq!(days[5].at, "2015-03-31T00:00:00Z".parse().unwrap());
}

#[tokio::test]
async fn the_examples_tables_are_read() {
    let all = examples::all();
    let counts = counts!(
        all,
        weather::Weather,
        reading::Reading,
        trader::Trader,
        time_first::TimeFirst,
        reversed::Reversed,
        promoted::Promoted,
        salted::Salted,
    );
    assert_eq!(counts, [36, 20, 24, 20, 20, 20, 20]);
    // Counted down, the latest is the first.
    let quotes = read::<reversed::Reversed>(&all).await;
    assert_eq!(
        quotes[0].at,
        Timestamp::from_millis(1_426_535_612_000 + 19 * 157)
    );
    assert_eq!(quotes[0].bid, 619.25);
    let hours = read::<weather::Weather>(&all).await;
    assert_eq!(hours[3].winddir, None);
    assert_eq!(hours[2].winddir, Some(60));
}

#[tokio::test]
async fn tables_of_strangers_are_read() {
    let all = strangers::all();
    let some = counts!(
        all,
        logins::Logins,
        devices::Devices,
        orders::Orders,
        payloads::Payloads,
        app::AppUser,
        app::AppOrder,
        app::AppOther2,
    );
    assert_eq!(some, [30, 36, 20, 24, 8, 24, 1]);
    let others = counts!(
        all,
        binary::Binary,
        stations::Stations,
        customers::Customers,
        visits::Visits,
        sensors::Sensors,
        pages::Pages,
        padded::Padded,
    );
    assert_eq!(others, [24, 24, 20, 4, 108, 15, 24]);

    let logins = read::<logins::Logins>(&all).await;
    assert_eq!(
        logins[0].at,
        Timestamp::from_seconds(1_704_067_200 + 4 * 86_413)
    );
    assert_eq!(logins[0].ip, "10.0.0.4");
    let events = read::<payloads::Payloads>(&all).await;
    assert_eq!(
        (&*events[0].flag, &*events[0].payload),
        ("True", "{'ok': True, 'n': 0}")
    );
    let customers = read::<customers::Customers>(&all).await;
    assert_eq!(customers[5].doc["name"], "C\"5");
    let sensors = read::<sensors::Sensors>(&all).await;
    assert_eq!((sensors[1].celsius, sensors[1].humidity), (11.25, None));
}
