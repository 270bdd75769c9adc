//! The weather of the first example without its struct: the lock file describes it.
//!
//! ```sh
//! cargo run --release --example by_name
//! ```

use std::collections::HashMap;

use bigtable_model::backend::connect;
use bigtable_model::dynamic::{AnyModel, AnyQuery, EventBatch, ensure_tables, insert};
use bigtable_model::lock::Lock;
use bigtable_model::{BackendExt, Timestamp};
use bigtable_model_examples::csv_file;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data");

/// The model's fields and the file's columns.
const FIELDS: [(&str, &str); 4] = [
    ("station", "origin"),
    ("at", "time_hour"),
    ("temp", "temp"),
    ("wind_direction", "wind_dir"),
];

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let lock = Lock::open(format!("{FOLDER}/weather.lock"))?;
    let weather = AnyModel::of_lock(&lock, "Observation")?;

    let path = format!("{FOLDER}/nyc-weather-2013.csv");
    let lines = csv_file::read::<HashMap<String, String>>(path.as_ref())?.rows;
    let mut batch = EventBatch::new(&weather);
    for line in lines.iter().take(5_000) {
        let date = format!("{}-{:0>2}-{:0>2}", line["year"], line["month"], line["day"]);
        // A text is enough for a value of any type: the model knows the type of each field.
        let known = FIELDS.map(|(field, column)| (field, line[column].as_str()));
        let known = known.into_iter().filter(|(_, value)| !value.is_empty());
        let event = known.chain([("local_date", date.as_str())]);
        batch.push(event.map(|(field, value)| (field, value.into())))?;
    }
    let target = std::env::args().skip_while(|one| one != "--backend").nth(1);
    let db = connect(target.as_deref().unwrap_or("memory:")).await?;
    ensure_tables(&db, &weather, Timestamp::MIN..Timestamp::MAX).await?;
    let written = insert(&db, &batch).await?.into_result()?;
    println!("{written} observations written");

    let day = AnyQuery::of(&weather).set("station", "EWR").between(
        "at",
        "2013-01-16T05:00:00Z",
        "2013-01-17T05:00:00Z",
    );
    println!("{}", day.explain());
    for event in db.fetch(&day).await?.events() {
        println!("{event}");
    }
    Ok(())
}
