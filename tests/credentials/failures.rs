//! A failure says what was looked for, and where.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

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

/// The metadata server is silent, as if packets to it were dropped.
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

/// A lifetime that no clock can add.
#[tokio::test]
async fn a_token_for_ever_is_a_token_or_an_error() {
    let home = Home::new("for-ever");
    let token = r#"{"access_token":"a","token_type":"Bearer","expires_in":18446744073709551615}"#;
    let server = HttpServer::start("200 OK", token).await;
    let (_notes, place) = Notes::start_tls();
    let metadata = [("GCE_METADATA_HOST", server.address.as_str())];
    let outcome = child::run(Some(&place), home.path(), &metadata).await;
    assert_eq!(outcome.answers(), ["OK", "OK"], "{}", outcome.printed);
    // Here Google's crate asks.
    let user = serde_json::json!({
        "type": "authorized_user",
        "client_id": "id",
        "client_secret": "hidden",
        "refresh_token": "hidden too",
        "token_uri": format!("http://{}/token", server.address),
    });
    let file = home.write("user.json", &user.to_string());
    let named = [("GOOGLE_APPLICATION_CREDENTIALS", file.as_str())];
    let outcome = child::run(Some(&place), home.path(), &named).await;
    assert_eq!(outcome.answers().len(), 2, "{}", outcome.printed);
    for answer in outcome.answers() {
        for words in ["UNAUTHENTICATED", "answer of the token's server", &file] {
            assert!(answer.contains(words), "{answer}");
        }
    }
}

#[tokio::test]
async fn an_answer_without_an_end_is_not_read_to_its_end() {
    let home = Home::new("endless");
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let (_notes, place) = Notes::start_tls();
    let endless = async {
        let mut written = 0;
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut part = b"HTTP/1.1 200 OK\r\n\r\n".to_vec();
            stream.read_buf(&mut Vec::new()).await.unwrap();
            while stream.write_all(&part).await.is_ok() {
                written += part.len();
                part = vec![b' '; 64 << 10];
            }
            assert!(written < 100 << 20, "{written} bytes were taken");
        }
    };
    let variables = [("GCE_METADATA_HOST", address.as_str())];
    let outcome = tokio::select! {
        outcome = child::run(Some(&place), home.path(), &variables) => outcome,
        () = endless => panic!("the server ended"),
    };
    assert_eq!(outcome.answers().len(), 2, "{}", outcome.printed);
    for answer in outcome.answers() {
        for words in ["UNAUTHENTICATED", "more than 64 KiB", &address] {
            assert!(answer.contains(words), "{answer}");
        }
    }
}
