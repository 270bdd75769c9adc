//! A server that is killed while it saves.

use std::time::{Duration, Instant};

use bigtable_model::Backend;
use bigtable_model::data::{EntryBatch, RowMutations};
use bigtable_model_tests::emulator::lasting_port;
use bigtable_model_tests::runs::nightly;

use super::served::{Folder, Served};
use super::{client, create_table, read};
use crate::fixture::{TABLE, row, set};

const ROWS: usize = 2_000;

fn kills() -> usize {
    nightly(60, 4)
}

/// The same value in all rows, with some more bytes.
fn written(number: u64) -> Vec<RowMutations> {
    let value = format!("{number:01000}");
    let cells = |at: usize| {
        row(
            &format!("{at:05}"),
            vec![set("f", "q", 1_000, value.as_str())],
        )
    };
    (0..ROWS).map(cells).collect()
}

/// It comes back with everything from the previous save, or with everything from this one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_while_it_saves() {
    let port = lasting_port();
    let folder = Folder::new("saving");
    let mut server = Served::start(port, &folder).await;
    let backend = client(port);
    create_table(&backend).await;
    let mut saved = 0;
    let mut dice = fastrand::Rng::with_seed(25);
    let mut news = 0;
    for kill in 1..=kills() as u64 {
        let outcomes = backend
            .mutate_rows(TABLE, EntryBatch::of(written(kill)))
            .await
            .unwrap();
        assert!(outcomes.iter().all(Result::is_ok));
        let before = Instant::now();
        if kill == 1 {
            server.save().await;
            saved = kill;
        }
        let while_saving = before.elapsed().max(Duration::from_millis(20));
        let micros = u64::try_from(while_saving.as_micros()).unwrap();
        server.begin_save().await;
        tokio::time::sleep(Duration::from_micros(dice.u64(0..micros))).await;
        server.kill().await;
        server = Served::start(port, &folder).await;
        let rows = read(&backend).await;
        let values: Vec<_> = rows
            .values()
            .map(|value| String::from_utf8_lossy(value))
            .collect();
        let numbers = values.iter().map(|value| value.parse::<u64>().unwrap());
        let numbers: std::collections::BTreeSet<_> = numbers.collect();
        assert_eq!((rows.len(), numbers.len()), (ROWS, 1), "after kill {kill}");
        let found = numbers.into_iter().next().unwrap();
        assert!(
            [saved, kill].contains(&found),
            "{found}, not {saved} or {kill}"
        );
        news += u64::from(found != saved);
        saved = found;
    }
    println!("{news} of {} killed saves are complete", kills());
}
