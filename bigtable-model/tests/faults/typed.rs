//! How typed operations handle faults.

use super::*;

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "QUOTE", family = "MD")]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, unit = "ms")]
    at: Timestamp,
    bid: f64,
}

fn quote(millis: i64) -> Quote {
    Quote {
        symbol: "ZXZZT".into(),
        at: Timestamp::from_millis(millis),
        bid: 600.55,
    }
}

async fn market(rules: Vec<FaultRule>) -> FaultyBackend {
    let db = FaultyBackend::new(Arc::new(MemoryBackend::new()), 7, rules).unwrap();
    db.set_active(false);
    db.ensure_tables::<Quote>().await.unwrap();
    db.set_active(true);
    db
}

#[tokio::test]
async fn insert_many_names_the_entries_that_failed() {
    let status = moving();
    let applied = false;
    let rule = FaultRule::new(Fault::FailEntry { applied, status }).when(When::Every(3));
    let db = market(vec![rule]).await;
    let quotes: Vec<_> = (0..7).map(quote).collect();
    let outcome = db.insert_many(&quotes).await;
    assert_eq!(outcome.written(), 5);
    let failed: Vec<_> = outcome.failed().iter().map(|failed| failed.index).collect();
    assert_eq!(failed, [2, 5]);
    for failed in outcome.failed() {
        assert!(failed.error.is_retryable());
        let shown = failed.error.to_string();
        let at = quote(failed.index as i64).at.to_string();
        assert!(shown.contains(&at), "{shown} names {at}");
    }
    let stored = db.fetch(&Quote::query().symbol("ZXZZT")).await.unwrap();
    assert_eq!(stored.len(), 5);
}

#[tokio::test]
async fn insert_many_fails_all_of_a_request_that_fails() {
    let db = market(vec![FaultRule::new(Fault::LoseAnswer(moving()))]).await;
    let quotes: Vec<_> = (0..3).map(quote).collect();
    let outcome = db.insert_many(&quotes).await;
    assert_eq!((outcome.written(), outcome.failed().len()), (0, 3));
    db.set_active(false);
    let stored = db.fetch(&Quote::query().symbol("ZXZZT")).await.unwrap();
    assert_eq!(stored, quotes, "only the answer was lost");
}

#[tokio::test]
async fn a_stream_ends_with_the_error() {
    let db = market(vec![cut(2, true)]).await;
    let quotes: Vec<_> = (0..4).map(quote).collect();
    db.insert_many(&quotes).await.into_result().unwrap();
    let mut stream = db.stream(&Quote::query().symbol("ZXZZT"));
    assert_eq!(stream.try_next().await.unwrap().as_ref(), Some(&quotes[0]));
    assert_eq!(stream.try_next().await.unwrap().as_ref(), Some(&quotes[1]));
    let error = stream.try_next().await.unwrap_err();
    assert!(error.is_retryable());
    assert!(matches!(
        error,
        Error::Backend {
            method: "ReadRows",
            ..
        }
    ));
    assert!(stream.try_next().await.unwrap().is_none());
}

#[tokio::test]
async fn only_passing_faults_are_retryable() {
    for (code, retryable) in [
        (Code::Unavailable, true),
        (Code::Aborted, true),
        (Code::DeadlineExceeded, true),
        (Code::PermissionDenied, false),
        (Code::Internal, false),
    ] {
        let status = Status::new(code, "no");
        let db = market(vec![FaultRule::new(Fault::Error(status))]).await;
        let error = db.insert(&quote(1)).await.unwrap_err();
        assert_eq!(error.is_retryable(), retryable, "{code}");
    }
}
