//! Application Default Credentials from every source reach the server.

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::child;
use crate::http_server::HttpServer;
use crate::server::{Notes, Presented};

/// Made for this test; it gives access to nothing.
pub(crate) const KEY: &str = include_str!("throwaway_key.pem");

/// A directory that is deleted after the test.
pub(crate) struct Home(PathBuf);

impl Home {
    pub(crate) fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("bigtable-model-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> String {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub(crate) fn service_account(key: &str) -> String {
    json!({
        "type": "service_account",
        "project_id": "p",
        "private_key_id": "the-key",
        "private_key": key,
        "client_email": "writer@p.iam.gserviceaccount.com",
        "token_uri": "http://localhost:1/not-asked",
        "universe_domain": "googleapis.com",
    })
    .to_string()
}

#[tokio::test]
async fn the_metadata_server_is_asked_for_a_token() {
    let home = Home::new("metadata");
    let metadata = HttpServer::start(
        "200 OK",
        r#"{"access_token":"of-metadata","expires_in":3600,"token_type":"Bearer"}"#,
    )
    .await;
    let (notes, place) = Notes::start_tls();
    let variables = [
        ("GCE_METADATA_HOST", metadata.address.as_str()),
        ("GOOGLE_CLOUD_QUOTA_PROJECT", "payer"),
    ];
    let outcome = child::run(Some(&place), home.path(), &variables).await;
    assert_eq!(outcome.answers(), ["OK", "OK"], "{}", outcome.printed);
    let expected = Presented::new("Bearer of-metadata", Some("payer"));
    assert_eq!(notes.taken(), [expected.clone(), expected]);
    assert!(
        !outcome.printed.contains("of-metadata"),
        "{}",
        outcome.printed
    );
    let asked = metadata.asked();
    assert_eq!(asked.len(), 1, "one token serves both calls: {asked:?}");
    assert!(
        asked[0].contains("/service-accounts/default/token"),
        "{}",
        asked[0]
    );
}

#[tokio::test]
async fn a_key_file_signs_tokens_of_its_own() {
    let home = Home::new("key-file");
    let file = home.write("key.json", &service_account(KEY));
    let (notes, place) = Notes::start_tls();
    let variables = [
        ("GOOGLE_APPLICATION_CREDENTIALS", file.as_str()),
        ("GOOGLE_CLOUD_QUOTA_PROJECT", "payer"),
    ];
    let outcome = child::run(Some(&place), home.path(), &variables).await;
    assert_eq!(outcome.answers(), ["OK", "OK"], "{}", outcome.printed);
    let presented = notes.taken();
    assert_eq!(presented.len(), 2);
    assert_eq!(presented[0].quota_project.as_deref(), Some("payer"));
    let authorization = presented[0].authorization.clone().unwrap();
    let token = authorization.strip_prefix("Bearer ").unwrap();
    let parts: Vec<&str> = token.split('.').collect();
    assert_eq!(parts.len(), 3, "a signed token has three parts");
    let claims: serde_json::Value = serde_json::from_slice(&base64(parts[1])).unwrap();
    assert_eq!(claims["iss"], "writer@p.iam.gserviceaccount.com");
    assert_eq!(
        claims["scope"],
        "https://www.googleapis.com/auth/cloud-platform"
    );
    let line_of_key = KEY.lines().nth(5).unwrap();
    for secret in [parts[2], line_of_key] {
        assert!(!outcome.printed.contains(secret), "a secret was printed");
    }
}

#[tokio::test]
async fn the_well_known_file_of_a_user_names_the_project_that_pays() {
    let home = Home::new("user");
    let tokens = HttpServer::start(
        "200 OK",
        r#"{"access_token":"of-user","expires_in":3600,"token_type":"Bearer"}"#,
    )
    .await;
    let user = json!({
        "type": "authorized_user",
        "client_id": "id",
        "client_secret": "hidden",
        "refresh_token": "hidden too",
        "token_uri": format!("http://{}/token", tokens.address),
        "quota_project_id": "payer",
    });
    let path = if cfg!(windows) {
        "gcloud"
    } else {
        ".config/gcloud"
    };
    home.write(
        &format!("{path}/application_default_credentials.json"),
        &user.to_string(),
    );
    let (notes, place) = Notes::start_tls();
    let outcome = child::run(Some(&place), home.path(), &[]).await;
    assert_eq!(outcome.answers(), ["OK", "OK"], "{}", outcome.printed);
    let expected = Presented::new("Bearer of-user", Some("payer"));
    assert_eq!(notes.taken(), [expected.clone(), expected]);
    for secret in ["of-user", "hidden"] {
        assert!(!outcome.printed.contains(secret), "{}", outcome.printed);
    }
}

#[tokio::test]
async fn an_emulator_gets_no_token_even_where_there_are_credentials() {
    let home = Home::new("emulator");
    let file = home.write("key.json", &service_account(KEY));
    let (notes, address) = Notes::start_plaintext();
    let variables = [
        ("GOOGLE_APPLICATION_CREDENTIALS", file.as_str()),
        ("GOOGLE_CLOUD_QUOTA_PROJECT", "payer"),
        ("BIGTABLE_EMULATOR_HOST", address.as_str()),
    ];
    let outcome = child::run(None, home.path(), &variables).await;
    assert_eq!(outcome.answers(), ["OK", "OK"], "{}", outcome.printed);
    assert_eq!(notes.taken(), [Presented::NOTHING, Presented::NOTHING]);
}

/// Decodes base64 of the URL's alphabet, without padding.
fn base64(text: &str) -> Vec<u8> {
    let digit = |byte| match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'-' => 62,
        b'_' => 63,
        _ => panic!("{byte} is no digit of base64"),
    };
    let bits = text.bytes().flat_map(|byte| {
        let value = digit(byte);
        (0..6).rev().map(move |bit| value >> bit & 1)
    });
    let bits: Vec<u8> = bits.collect();
    let bytes = bits.chunks_exact(8);
    bytes
        .map(|byte| byte.iter().fold(0, |sum, bit| sum << 1 | bit))
        .collect()
}
