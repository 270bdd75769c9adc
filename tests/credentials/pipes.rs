//! Credentials from a pipe: `GOOGLE_APPLICATION_CREDENTIALS=<(vault read ...)`, or from a secret
//! manager.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::child;
use crate::default_credentials::{Home, KEY, service_account};
use crate::server::Notes;

fn make_pipe(home: &Home) -> String {
    let path = home.path().join("pipe");
    let made = Command::new("mkfifo").arg(&path).status();
    assert!(made.unwrap().success());
    path.to_str().unwrap().to_owned()
}

/// How often other work ran on the only thread; at least as often as required.
fn ticks(outcome: &child::Outcome) -> usize {
    outcome.told("ticks").parse().unwrap()
}

#[tokio::test]
async fn a_named_pipe_is_waited_for_and_read_once() {
    let home = Home::new("fifo");
    let pipe = make_pipe(&home);
    let (notes, place) = Notes::start_tls();
    let variables = [("GOOGLE_APPLICATION_CREDENTIALS", pipe.as_str())];
    let late = async {
        tokio::time::sleep(Duration::from_secs(2)).await;
        let to = pipe.clone();
        let write = move || std::fs::write(Path::new(&to), service_account(KEY)).unwrap();
        tokio::task::spawn_blocking(write).await.unwrap();
    };
    let (outcome, ()) = tokio::join!(child::run(Some(&place), home.path(), &variables), late);
    assert_eq!(outcome.answers(), ["OK", "OK"], "{}", outcome.printed);
    assert_eq!(notes.taken().len(), 2);
    assert!(ticks(&outcome) >= 10, "{}", outcome.printed);
    for secret in ["PRIVATE KEY", KEY.lines().nth(5).unwrap()] {
        assert!(!outcome.printed.contains(secret), "{}", outcome.printed);
    }
}

#[tokio::test]
async fn what_is_on_the_standard_input_is_read_once() {
    let home = Home::new("stdin");
    let (notes, place) = Notes::start_tls();
    let key = service_account(KEY);
    for path in ["/dev/fd/0", "/dev/stdin"] {
        let variables = [("GOOGLE_APPLICATION_CREDENTIALS", path)];
        let outcome = child::run_with(Some(&place), home.path(), &variables, &key).await;
        assert_eq!(outcome.answers(), ["OK", "OK"], "{}", outcome.printed);
        assert_eq!(notes.taken().len(), 2);
    }
}

#[tokio::test]
async fn a_pipe_that_nobody_writes_to_freezes_nothing() {
    let home = Home::new("silent-fifo");
    let pipe = make_pipe(&home);
    let (notes, place) = Notes::start_tls();
    let variables = [("GOOGLE_APPLICATION_CREDENTIALS", pipe.as_str())];
    let outcome = child::run(Some(&place), home.path(), &variables).await;
    let answers = outcome.answers();
    assert_eq!(answers.len(), 2, "{}", outcome.printed);
    for answer in answers {
        for words in [
            "UNAUTHENTICATED",
            &pipe,
            "nothing came out of it within 10 s",
        ] {
            assert!(answer.contains(words), "{answer}");
        }
    }
    assert!(notes.taken().is_empty());
    assert!(ticks(&outcome) >= 50, "{}", outcome.printed);
}

#[tokio::test]
async fn a_device_without_an_end_is_no_file_of_credentials() {
    let home = Home::new("device");
    let (notes, place) = Notes::start_tls();
    let variables = [("GOOGLE_APPLICATION_CREDENTIALS", "/dev/zero")];
    let outcome = child::run(Some(&place), home.path(), &variables).await;
    for answer in outcome.answers() {
        for words in ["UNAUTHENTICATED", "/dev/zero", "more than 1 MiB"] {
            assert!(answer.contains(words), "{answer}");
        }
    }
    assert!(notes.taken().is_empty());
}
