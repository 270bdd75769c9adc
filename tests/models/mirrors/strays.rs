//! Copies whose event no longer exists.

use bigtable_model::mirror::MirrorOf;
use bigtable_model::{BackendExt, Model, Timestamp};

use crate::support::backends;

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "JOB", family = "J", mirror(JobByOwner, LatestJob))]
struct Job {
    #[bigtable(key)]
    host: String,
    #[bigtable(time, unit = "ms")]
    at: Timestamp,
    owner: String,
}

/// A key with a column, which another insert of the event may change.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "JOB_BY_OWNER", family = "J", layout = "cells")]
struct JobByOwner {
    #[bigtable(key)]
    owner: String,
    #[bigtable(time, bucket = "hour")]
    at: Timestamp,
    host: String,
}

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "LATEST_JOB", family = "J", layout = "latest")]
struct LatestJob {
    #[bigtable(key)]
    host: String,
    #[bigtable(time)]
    at: Timestamp,
    owner: String,
}

impl MirrorOf<Job> for JobByOwner {
    fn mirror_of(job: &Job) -> Option<Self> {
        let Job { host, at, owner } = job.clone();
        Some(Self { owner, at, host })
    }

    fn source_key(&self) -> Option<JobKey> {
        let Self { host, at, .. } = self.clone();
        Some(JobKey { host, at })
    }
}

impl MirrorOf<Job> for LatestJob {
    fn mirror_of(job: &Job) -> Option<Self> {
        let Job { host, at, owner } = job.clone();
        Some(Self { host, at, owner })
    }

    fn source_key(&self) -> Option<JobKey> {
        // One host's copies do not know their event.
        let Self { host, at, .. } = self.clone();
        (host != "dark").then_some(JobKey { host, at })
    }
}

fn job(host: &str, millis: i64, owner: &str) -> Job {
    Job {
        host: host.into(),
        at: Timestamp::from_millis(millis),
        owner: owner.into(),
    }
}

#[tokio::test]
async fn strays_are_deleted_and_copies_of_events_stay() {
    for db in backends("mirrors", "strays") {
        db.ensure_tables::<Job>().await.unwrap();
        let jobs = [
            job("a", 1, "jo"),
            job("a", 2, "jo"),
            job("a", 3, "sam"),
            job("b", 7, "jo"),
            job("dark", 5, "jo"),
        ];
        db.insert_many(&jobs).await.into_result().unwrap();
        let latest = async || db.fetch(&LatestJob::query().host("a")).await.unwrap();
        let reports = db.delete_strays::<Job>().await.unwrap();
        assert!(reports.iter().all(|table| table.deleted == 0));

        // The newest two are deleted, and one changes its owner.
        db.delete::<Job>(&jobs[2].key()).await.unwrap();
        db.delete::<Job>(&jobs[1].key()).await.unwrap();
        db.insert(&job("b", 7, "eve")).await.unwrap();
        assert_eq!(
            latest().await[0].at,
            jobs[2].at,
            "a delete leaves copies alone"
        );
        let reports = db.delete_strays::<Job>().await.unwrap();
        let told: Vec<_> = reports
            .iter()
            .map(|table| {
                (
                    table.table.as_str(),
                    table.deleted,
                    table.unknown,
                    table.failed,
                )
            })
            .collect();
        assert_eq!(told, [("JOB_BY_OWNER", 3, 0, 0), ("LATEST_JOB", 2, 1, 0)]);
        assert_eq!(
            latest().await,
            LatestJob::mirror_of(&jobs[0])
                .into_iter()
                .collect::<Vec<_>>()
        );
        let of_jo = db.fetch(&JobByOwner::query().owner("jo")).await.unwrap();
        let hosts: Vec<_> = of_jo.iter().map(|job| job.host.as_str()).collect();
        assert_eq!(hosts, ["a", "dark"]);
        let of_eve = db.fetch(&JobByOwner::query().owner("eve")).await.unwrap();
        assert_eq!(of_eve.len(), 1);
    }
}
