//! Each of seven former layouts with each of eight current ones, under the oracle.

use crate::pairs::Pair;
use crate::{oracle, world};

/// Pairs in modules of the former layout, a test each. A former layout says whether its keys begin
/// with the site, a current one how a column of an event is changed.
macro_rules! product {
    ({$($former:tt)+} $currents:tt) => {
        mod plain {
            product! {@plain $currents}
        }
        $(product! {@former $former $currents})+
    };
    (@plain {$([
        $name:ident $order:ident $change:ident $tables:ident
        [$($on_struct:tt)*] $key:tt $($on_fields:tt)+
    ])+}) => {$(
        pub mod $name {
            use crate::pairs::names::*;

            model!(Plain PlainKey $tables [family = "M", $($on_struct)*] $key $($on_fields)+);
        }
    )+};
    (@former [
        $name:ident $order:ident $narrows:literal $tables:ident
        [$($on_struct:tt)*] $key:tt $($on_fields:tt)+
    ] {$($current:tt)+}) => {
        mod $name {
            use crate::pairs::names::*;

            model!(Old OldKey $tables [family = "OLD", $($on_struct)*] $key $($on_fields)+);
            $(product! {@pair $order $narrows $current})+
        }
    };
    (@pair $former:ident $narrows:literal [
        $name:ident $order:ident $change:ident $tables:ident
        [$($on_struct:tt)*] $key:tt $($on_fields:tt)+
    ]) => {
        mod $name {
            use super::Old;
            use crate::pairs::names::*;
            use crate::product::plain::$name::Plain;

            both! {
                KeyOrder::$former.of_both(KeyOrder::$order), $narrows, $change,
                $tables [$($on_struct)*] $key $($on_fields)+
            }

            #[tokio::test]
            async fn killed_at_many_points() {
                crate::product::check::<Both>(module_path!()).await;
            }
        }
    };
}

product! {
    {
        [calendar Ascending true fixed [table = "SAMPLE", marker = "E", gc(max_versions = 1)]
            {site: u8, sensor: String} [format = "%Y%m%d%H%M%S%3f"] [text]]
        [postcard Ascending true fixed [table = "SAMPLE", layout = "cells", serialize(postcard)]
            {site: u8 [binary], sensor: String [width = 4]} [bucket = "15m"]]
        [structured Ascending true fixed [table = "SAMPLE", encoding = "structured"]
            {site: u16, sensor: String [escape]} [unit = "ms"]]
        [reversed NewestFirst true fixed [table = "SAMPLE", cell_time = "write"]
            {site: u32 [width = 3], sensor: String [escape]} [unit = "us", reverse, binary]]
        [salted Salted true fixed [table = "SAMPLE", serialize(proto), salt(shards = 4, of(sensor))]
            {site: u8, sensor: String} [unit = "ms"]]
        [swapped Different false fixed [table = "SAMPLE", layout = "cells"]
            {sensor: String [width = 3], site: u8} [bucket = "day", zone = "Europe/Berlin"]]
        [days Ascending true by_day [table = "SAMPLE_{at:%Y%m%d}", layout = "columns"]
            {site: u8, sensor: String} [bucket = "hour", unit = "ms"]]
    }
    {
        [written Ascending columns fixed
            [table = "SAMPLE_V2", cell_time = "write", gc(max_versions = 1)]
            {site: u8 [binary], sensor: String} [unit = "us"] [column = "LEVEL", family = "L"]]
        [months Ascending columns fixed
            [table = "SAMPLE_V2", layout = "cells", gc(max_age = "36500d")]
            {site: u8, sensor: String [width = 5]} [bucket = "month", zone = "Europe/Berlin"]]
        [json Ascending whole fixed [table = "SAMPLE_V2", layout = "columns", serialize(json)]
            {site: u8, sensor: String} [bucket = "15m", unit = "ms"]]
        [reversed NewestFirst columns fixed [table = "SAMPLE_V2", marker = "EVENT"]
            {site: u8, sensor: String} [unit = "ms", reverse]]
        [salted Salted columns fixed [table = "SAMPLE_V2", salt(shards = 4, of(sensor))]
            {site: u8, sensor: String} [unit = "us"]]
        [structured Ascending columns fixed
            [table = "SAMPLE_V2", encoding = "structured", separator = "!", layout = "cells"]
            {site: u8, sensor: String} [bucket = "day"]]
        [by_month Ascending whole by_month
            [table = "SAMPLE_V2_{at:%Y%m}", serialize(postcard)]
            {site: u8, sensor: String} [format = "%Y-%m-%dT%H%M%S%6f"]]
        [weeks Different columns fixed [table = "SAMPLE_V2", layout = "columns"]
            {site: u8, sensor: String}
            [bucket = "week", label = "w{n}", origin = "2024-01-29", unit = "ms"]]
    }
}

async fn check<P: Pair>(module: &str) {
    let kills = oracle::in_memory::<P>().await;
    println!("{module}: {kills} kills in {} rounds", oracle::rounds());
    assert!(kills >= oracle::rounds(), "{kills}");
    for db in world::backends(&module.replace("::", "-")).await {
        oracle::over_calls::<P>(&db).await;
    }
}
