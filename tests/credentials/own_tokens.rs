//! Tokens that a program supplies itself.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use bigtable_model::backend::grpc::auth::{AccessToken, TokenSource};
use bigtable_model::backend::grpc::{CallOptions, GrpcBackend, GrpcSettings, ServiceSettings};
use bigtable_model::{Backend, Code, ConnectError, Status};
use futures::future::BoxFuture;
use tokio::io::AsyncReadExt;
use tokio::net::TcpListener;

use crate::child::write;
use crate::server::{Notes, Place, Presented};

/// Returns another token each time, and fails on demand.
#[derive(Debug, Default, Clone)]
struct Counted {
    given: Arc<AtomicUsize>,
    failure: Arc<Mutex<Option<Status>>>,
}

impl TokenSource for Counted {
    fn token(&self) -> BoxFuture<'_, Result<AccessToken, Status>> {
        Box::pin(async {
            if let Some(failure) = self.failure.lock().unwrap().clone() {
                return Err(failure);
            }
            let number = self.given.fetch_add(1, Ordering::SeqCst);
            AccessToken::bearer(format!("secret-{number}"))?.quota_project("payer")
        })
    }
}

fn backend(place: &Place, source: &Counted) -> Result<GrpcBackend, ConnectError> {
    let service = ServiceSettings::new()
        .data_address(&place.address)
        .admin_address(&place.address)
        .root_certificates(place.certificate.as_str())
        .credentials(source.clone());
    GrpcBackend::new(&GrpcSettings::new("p", "i").service(service))
}

#[tokio::test]
async fn every_call_asks_for_its_token() {
    let (notes, place) = Notes::start_tls();
    let backend = backend(&place, &Counted::default()).unwrap();
    write(&backend).await.unwrap();
    backend.tables().list().await.unwrap();
    let presented = ["Bearer secret-0", "Bearer secret-1"];
    assert_eq!(
        notes.taken(),
        presented.map(|token| Presented::new(token, Some("payer")))
    );
}

#[tokio::test]
async fn without_a_token_nothing_is_sent_and_the_reason_is_told() {
    let (notes, place) = Notes::start_tls();
    let source = Counted::default();
    let backend = backend(&place, &source).unwrap();
    let refused = Status::new(Code::PermissionDenied, "the vault is locked");
    *source.failure.lock().unwrap() = Some(refused.clone());
    assert_eq!(write(&backend).await, Err(refused));
    assert!(notes.taken().is_empty());
    *source.failure.lock().unwrap() = None;
    write(&backend).await.unwrap();
    assert_eq!(notes.taken().len(), 1);
}

#[tokio::test]
async fn a_server_with_another_certificate_gets_no_token() {
    let (notes, place) = Notes::start_tls();
    let (_others, other) = Notes::start_tls();
    let source = Counted::default();
    let place = Place {
        certificate: other.certificate,
        ..place
    };
    let backend = backend(&place, &source).unwrap();
    let once = backend
        .with_options(CallOptions::new().without_retries())
        .unwrap();
    let error = once.tables().list().await.unwrap_err();
    assert_eq!(error.code, Code::Unavailable, "{error}");
    assert!(error.message.contains("certificate"), "{error}");
    assert!(notes.taken().is_empty());
}

#[tokio::test]
async fn a_server_without_tls_gets_no_token() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let place = Place {
        address: listener.local_addr().unwrap().to_string(),
        certificate: Notes::start_tls().1.certificate,
    };
    let backend = backend(&place, &Counted::default()).unwrap();
    let call = tokio::spawn(async move { backend.tables().list().await });
    let (mut stream, _) = listener.accept().await.unwrap();
    let mut sent = vec![0; 4096];
    let count = stream.read(&mut sent).await.unwrap();
    assert_eq!(sent[0], 0x16, "the first byte is that of a TLS handshake");
    let plain = |text: &[u8]| sent[..count].windows(text.len()).any(|part| part == text);
    assert!(!plain(b"secret") && !plain(b"PRI * HTTP/2"));
    call.abort();
}

#[tokio::test]
async fn certificates_that_are_none_are_refused_at_once() {
    let good = Notes::start_tls().1.certificate;
    let cut = |pem: &str| format!("{}{}", &pem[..100], &pem[104..]);
    let no_certificate = "-----BEGIN CERTIFICATE-----\n?\n-----END CERTIFICATE-----\n";
    let no_der = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    let unended = "-----BEGIN CERTIFICATE-----\nAAAA\n";
    let key = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n";
    for (pem, words) in [
        (String::new(), "no root certificate"),
        ("garbage".to_owned(), "no root certificate"),
        ("\u{0}\u{1}\u{2}".to_owned(), "no root certificate"),
        (key.to_owned(), "no root certificate"),
        (no_certificate.to_owned(), "root certificate 1"),
        (no_der.to_owned(), "root certificate 1"),
        (unended.to_owned(), "-----END CERTIFICATE-----"),
        ("-----BEGIN secret".to_owned(), "its first line"),
        (cut(&good), "root certificate 1"),
        (format!("{good}{no_der}"), "root certificate 2"),
    ] {
        let place = Place {
            address: "localhost:1".to_owned(),
            certificate: pem,
        };
        let error = backend(&place, &Counted::default()).unwrap_err();
        let ConnectError::InvalidEndpoint { address, reason } = &error else {
            panic!("{error:?}");
        };
        assert_eq!(address, "localhost:1");
        assert!(reason.contains(words), "{words}: {error}");
        assert!(!reason.contains("[45, 45"), "{error}");
    }
}

/// Like certificate bundles: several certificates with text in between.
#[tokio::test]
async fn any_of_the_certificates_is_trusted() {
    let (notes, place) = Notes::start_tls();
    let other = Notes::start_tls().1.certificate;
    let place = Place {
        certificate: format!("# One\n{other}\n# Two\n{}", place.certificate),
        ..place
    };
    let backend = backend(&place, &Counted::default()).unwrap();
    write(&backend).await.unwrap();
    assert_eq!(notes.taken().len(), 1);
}
