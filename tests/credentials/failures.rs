//! A failure says what was looked for, and where.

use crate::child;
use crate::default_credentials::Home;
use crate::http_server::HttpServer;
use crate::server::Notes;

#[tokio::test]
async fn a_named_file_that_is_not_there_is_told_at_once() {
    let home = Home::new("no-file");
    let (notes, place) = Notes::start_tls();
    let variables = [("GOOGLE_APPLICATION_CREDENTIALS", "/nowhere/key.json")];
    for place in [Some(&place), None] {
        let outcome = child::run(place, home.path(), &variables).await;
        let answers = outcome.answers();
        assert_eq!(answers.len(), 1, "{}", outcome.printed);
        for words in [
            "refused",
            "/nowhere/key.json",
            "GOOGLE_APPLICATION_CREDENTIALS",
        ] {
            assert!(answers[0].contains(words), "{}", answers[0]);
        }
    }
    assert!(notes.taken().is_empty());
}

#[tokio::test]
async fn a_file_that_is_no_key_is_named() {
    let home = Home::new("bad-file");
    for text in [
        "no json",
        "{}",
        r#"{"type":"unheard_of"}"#,
        r#"{"type":"service_account"}"#,
    ] {
        let file = home.write("key.json", text);
        let (notes, place) = Notes::start_tls();
        let variables = [("GOOGLE_APPLICATION_CREDENTIALS", file.as_str())];
        let outcome = child::run(Some(&place), home.path(), &variables).await;
        let answers = outcome.answers();
        assert_eq!(answers.len(), 2, "{}", outcome.printed);
        for words in ["UNAUTHENTICATED", &file, "GOOGLE_APPLICATION_CREDENTIALS"] {
            assert!(answers[0].contains(words), "{}", answers[0]);
        }
        assert!(notes.taken().is_empty(), "a call went out without a token");
    }
}

#[tokio::test]
async fn where_there_is_nothing_every_place_is_told() {
    let home = Home::new("nothing");
    let metadata = HttpServer::start("404 Not Found", "no service account here").await;
    let (notes, place) = Notes::start_tls();
    let variables = [("GCE_METADATA_HOST", metadata.address.as_str())];
    let outcome = child::run(Some(&place), home.path(), &variables).await;
    let answers = outcome.answers();
    assert_eq!(answers.len(), 2, "{}", outcome.printed);
    for answer in answers {
        for words in [
            "UNAUTHENTICATED",
            "GOOGLE_APPLICATION_CREDENTIALS names (it is not set)",
            "application_default_credentials.json (it is not there)",
            home.path().to_str().unwrap(),
            &metadata.address,
            "GCE_METADATA_HOST",
        ] {
            assert!(answer.contains(words), "{words}: {answer}");
        }
    }
    assert!(notes.taken().is_empty(), "a call went out without a token");
}

#[tokio::test]
async fn a_metadata_server_that_is_not_there_is_not_waited_for() {
    let home = Home::new("unreachable");
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = free.local_addr().unwrap().to_string();
    drop(free);
    let (_notes, place) = Notes::start_tls();
    let variables = [("GCE_METADATA_HOST", address.as_str())];
    let outcome = child::run(Some(&place), home.path(), &variables).await;
    let answers = outcome.answers();
    assert_eq!(answers.len(), 2, "{}", outcome.printed);
    for answer in answers {
        assert!(answer.starts_with("UNAUTHENTICATED"), "{answer}");
        assert!(answer.contains(&address), "{answer}");
    }
}

/// As if packets to the metadata server were dropped.
#[tokio::test]
async fn a_metadata_server_that_does_not_answer_is_not_waited_for() {
    let home = Home::new("silent");
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = silent.local_addr().unwrap().to_string();
    let (_notes, place) = Notes::start_tls();
    let variables = [("GCE_METADATA_HOST", address.as_str())];
    let outcome = child::run(Some(&place), home.path(), &variables).await;
    let answers = outcome.answers();
    assert_eq!(answers.len(), 2, "{}", outcome.printed);
    for answer in answers {
        assert!(answer.starts_with("UNAUTHENTICATED"), "{answer}");
        for words in ["none within 10 s", &address] {
            assert!(answer.contains(words), "{answer}");
        }
    }
}
