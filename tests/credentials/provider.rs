//! The program chooses the crypto provider of its process.

use crate::child::{self, PROVIDER, TOKEN};
use crate::default_credentials::{Home, KEY, service_account};
use crate::server::Notes;

#[tokio::test]
async fn without_one_default_credentials_are_refused_with_the_call_to_make() {
    let home = Home::new("no-provider");
    let file = home.write("key.json", &service_account(KEY));
    let (notes, place) = Notes::start_tls();
    let variables = [
        ("GOOGLE_APPLICATION_CREDENTIALS", file.as_str()),
        (PROVIDER, "none"),
    ];
    for place in [Some(&place), None] {
        let outcome = child::run(place, home.path(), &variables).await;
        let answers = outcome.answers();
        assert_eq!(answers.len(), 1, "{}", outcome.printed);
        for words in [
            "refused",
            "auth::install_crypto_provider()",
            "install_default",
        ] {
            assert!(answers[0].contains(words), "{}", answers[0]);
        }
        assert_eq!(outcome.told("provider"), "none");
    }
    assert!(notes.taken().is_empty());
}

#[tokio::test]
async fn tokens_of_the_program_need_none_and_leave_none() {
    let home = Home::new("own-token");
    let (notes, place) = Notes::start_tls();
    let variables = [(PROVIDER, "none"), (TOKEN, "1")];
    let outcome = child::run(Some(&place), home.path(), &variables).await;
    assert_eq!(outcome.answers(), ["OK", "OK"], "{}", outcome.printed);
    assert_eq!(notes.taken().len(), 2);
    assert_eq!(outcome.told("provider"), "none");
}

#[tokio::test]
async fn the_programs_own_is_used_and_stays() {
    let home = Home::new("own-provider");
    let file = home.write("key.json", &service_account(KEY));
    let (notes, place) = Notes::start_tls();
    let variables = [
        ("GOOGLE_APPLICATION_CREDENTIALS", file.as_str()),
        (PROVIDER, "own"),
    ];
    let outcome = child::run(Some(&place), home.path(), &variables).await;
    assert_eq!(outcome.answers(), ["OK", "OK"], "{}", outcome.printed);
    assert_eq!(notes.taken().len(), 2);
    assert_eq!(outcome.told("provider"), "own");
}
