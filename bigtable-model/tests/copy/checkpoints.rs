//! Checkpoints: what is kept, and what is refused.

use std::io;
use std::path::PathBuf;

use bigtable_model::backend::faults::{FaultyBackend, Method};
use bigtable_model::copy::{
    CheckpointError, CheckpointStore, CopyError, CopyJob, FileCheckpoint, MemoryCheckpoint,
};
use bigtable_model::{Backend, Model};
use futures::future::BoxFuture;

use super::tables::{Flat, Reading, at, chain, meters, of_day, rows};

/// A temporary folder, deleted at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        let name = format!("job-{test}-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn file(&self) -> PathBuf {
        self.0.join("day.checkpoint")
    }

    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).unwrap();
        entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[tokio::test]
async fn a_job_that_is_done_only_compares() {
    let folder = Folder::new("done");
    let db = FaultyBackend::new(meters().await, 1, Vec::new()).unwrap();
    let job = of_day().checkpoint(FileCheckpoint::new(folder.file()));
    let first = job.run(&db).await.unwrap();
    let writes = || {
        let calls = db.calls();
        calls
            .iter()
            .filter(|call| call.method == Method::MutateRows)
            .count()
    };
    let before = writes();
    // A new store, as another process would open it.
    let job = of_day().checkpoint(FileCheckpoint::new(folder.file()));
    let again = job.run(&db).await.unwrap();
    assert_eq!(writes(), before);
    let resumed = again.resumed.unwrap();
    assert_eq!(
        (resumed.rows, resumed.events, resumed.parts_done),
        (10, 20, 4)
    );
    assert_eq!((again.checksum, again.bytes), (first.checksum, first.bytes));
    assert_eq!(folder.names(), ["day.checkpoint"]);
}

#[tokio::test]
async fn what_a_killed_save_left_behind_is_removed() {
    let folder = Folder::new("left");
    let others = [".other.checkpoint.1-2.tmp", ".day.checkpoint.x.tmp"];
    for name in others.into_iter().chain([".day.checkpoint.12-3.tmp"]) {
        std::fs::write(folder.0.join(name), "half").unwrap();
    }
    let store = FileCheckpoint::new(folder.file());
    assert_eq!(store.load().await.unwrap(), None);
    let mut names = folder.names();
    names.sort();
    assert_eq!(
        names,
        [".day.checkpoint.x.tmp", ".other.checkpoint.1-2.tmp"]
    );
    store.save(b"one".to_vec()).await.unwrap();
    store.save(b"two".to_vec()).await.unwrap();
    assert_eq!(store.load().await.unwrap(), Some(b"two".to_vec()));
}

/// Why a job is refused with a checkpoint of the day's job; checks that it then did nothing.
async fn refused(job: CopyJob<Reading, Reading>) -> String {
    let saved = MemoryCheckpoint::new();
    let db = meters().await;
    of_day().checkpoint(saved.clone()).run(&db).await.unwrap();
    let before = saved.saved();
    let db = meters().await;
    let error = job.checkpoint(saved.clone()).run(&db).await.unwrap_err();
    assert!(matches!(
        error,
        CopyError::Checkpoint(CheckpointError::OtherJob { .. })
    ));
    assert!(!error.is_retryable());
    assert_eq!(saved.saved(), before);
    assert_eq!(db.tables().list().await.unwrap(), ["SENSOR"]);
    error.to_string()
}

#[tokio::test]
async fn the_checkpoint_of_another_job_is_refused() {
    assert_eq!(
        refused(of_day().into_table("SENSOR_20170727")).await,
        "the checkpoint in memory belongs to another job: it copies SENSOR to SENSOR_20170726, this one SENSOR to SENSOR_20170727"
    );
    let words = "the checkpoint in memory belongs to another job: the query, one of the models or the tag was another";
    assert_eq!(refused(of_day().tag("2")).await, words);
    let next = Reading::scan().at(at(0, 0)..at(1, 1));
    let next = CopyJob::new(&next, |reading: Reading| reading).into_table("SENSOR_20170726");
    assert_eq!(refused(next).await, words);
}

#[tokio::test]
async fn the_checkpoint_of_another_model_is_refused() {
    let saved = MemoryCheckpoint::new();
    let db = meters().await;
    of_day().checkpoint(saved.clone()).run(&db).await.unwrap();
    let day = Reading::scan().at(at(0, 0)..at(1, 0));
    let job = CopyJob::new(&day, Flat::from).into_table("SENSOR_20170726");
    let error = job.checkpoint(saved).run(&db).await.unwrap_err();
    assert!(matches!(
        error,
        CopyError::Checkpoint(CheckpointError::OtherJob { .. })
    ));
}

/// The number of parallel parts and of rows for each write may change between runs.
#[tokio::test]
async fn settings_do_not_make_another_job() {
    let saved = MemoryCheckpoint::new();
    let db = meters().await;
    of_day().checkpoint(saved.clone()).run(&db).await.unwrap();
    let day = Reading::scan()
        .at(at(0, 0)..at(1, 0))
        .events()
        .max_scans(7)
        .reversed();
    let job = CopyJob::new(&day, |reading: Reading| reading).into_table("SENSOR_20170726");
    let job = job
        .parallelism(1)
        .unwrap()
        .rows_per_write(1)
        .unwrap()
        .checkpoint(saved);
    assert!(job.run(&db).await.unwrap().resumed.is_some());
}

#[tokio::test]
async fn a_damaged_file_is_refused() {
    let folder = Folder::new("damaged");
    let db = meters().await;
    let job = of_day().checkpoint(FileCheckpoint::new(folder.file()));
    job.run(&db).await.unwrap();
    let whole = std::fs::read(folder.file()).unwrap();
    let mut changed = whole.clone();
    changed[100] ^= 1;
    let cut = whole[..whole.len() / 2].to_vec();
    let text = String::from_utf8(whole).unwrap();
    let later = text
        .replace("checkpoint 1\n", "checkpoint 2\n")
        .into_bytes();
    let cases = [
        (changed, " is damaged in line 8: the checksum is not that"),
        (
            cut,
            ": the checksum is not that of the lines before: it was cut off or changed; delete it and the target",
        ),
        (
            Vec::new(),
            " is damaged in line 1: it is no checkpoint of a copy",
        ),
        (vec![0xff], " is damaged in line 1: it is not text"),
        (
            later,
            " has version 2 of the format, this crate reads version 1",
        ),
    ];
    for (bytes, words) in cases {
        std::fs::write(folder.file(), &bytes).unwrap();
        let error = job.run(&db).await.unwrap_err().to_string();
        let start = format!("the checkpoint {}", folder.file().display());
        assert!(
            error.starts_with(&start) && error.contains(words),
            "{error}"
        );
        assert_eq!(std::fs::read(folder.file()).unwrap(), bytes);
    }
}

#[tokio::test]
async fn a_file_that_can_t_be_used_is_told() {
    let folder = Folder::new("absent");
    let file = folder.0.join("absent").join("day.checkpoint");
    let db = meters().await;
    let error = of_day()
        .checkpoint(FileCheckpoint::new(&file))
        .run(&db)
        .await
        .unwrap_err();
    let words = format!("the checkpoint {} cannot be read: ", file.display());
    assert!(chain(&error).starts_with(&words), "{}", chain(&error));
    assert_eq!(db.tables().list().await.unwrap(), ["SENSOR"]);
}

/// Fails all saves but the first.
#[derive(Debug, Default)]
struct Full(MemoryCheckpoint);

impl CheckpointStore for Full {
    fn name(&self) -> String {
        "on a full disk".to_owned()
    }

    fn load(&self) -> BoxFuture<'_, io::Result<Option<Vec<u8>>>> {
        self.0.load()
    }

    fn save(&self, checkpoint: Vec<u8>) -> BoxFuture<'_, io::Result<()>> {
        match self.0.saved() {
            None => self.0.save(checkpoint),
            Some(_) => Box::pin(async { Err(io::Error::other("no space")) }),
        }
    }
}

#[tokio::test]
async fn a_save_that_fails_ends_the_job() {
    let db = meters().await;
    let job = of_day().checkpoint(Full::default());
    let error = job.run(&db).await.unwrap_err();
    assert_eq!(
        chain(&error),
        "the checkpoint on a full disk cannot be written: no space"
    );
    assert!(error.is_retryable());
}

/// Without a checkpoint the same is written.
#[tokio::test]
async fn a_job_without_a_checkpoint_copies_all_each_time() {
    let db = meters().await;
    of_day().run(&db).await.unwrap();
    let first = rows(&db, "SENSOR_20170726").await;
    assert_eq!(of_day().run(&db).await.unwrap().resumed, None);
    assert_eq!(rows(&db, "SENSOR_20170726").await, first);
}
