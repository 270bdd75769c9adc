//! Values of sensitive columns are in no error and no text, in any codec.

use std::error::Error as StdError;

use bigtable_model::data::{Mutation, RowMutations};
use bigtable_model::dynamic::{AnyModel, EventBatch};
use bigtable_model::value::{CellCodec, ValueError};
use bigtable_model::{Backend, BackendExt, Error, MemoryBackend, Model};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Kind {
    Private,
}

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "ACCOUNT", family = "A")]
struct Account {
    #[bigtable(key)]
    user: String,
    name: String,
    #[bigtable(sensitive)]
    native: Option<i64>,
    #[bigtable(sensitive)]
    utf8: Option<String>,
    #[bigtable(text, sensitive)]
    text: Option<u16>,
    #[bigtable(json, sensitive)]
    json: Option<Kind>,
    #[bigtable(with = Loud, sensitive, alias = "FORMER")]
    own: Option<String>,
    #[bigtable(text)]
    shown: Option<u16>,
}

/// A codec whose errors quote what they refuse.
#[derive(Debug)]
struct Loud;

impl CellCodec<String> for Loud {
    const NAME: &'static str = "loud";

    fn encode(value: &String, out: &mut Vec<u8>) -> Result<(), ValueError> {
        match value.len() {
            4 => out.extend(value.bytes()),
            _ => {
                return Err(ValueError::refused(
                    Self::NAME,
                    format!("`{value}` is not 4"),
                ));
            }
        }
        Ok(())
    }

    fn decode(bytes: &[u8]) -> Result<String, ValueError> {
        let text = String::from_utf8_lossy(bytes);
        match bytes.len() {
            4 => Ok(text.into_owned()),
            _ => Err(ValueError::malformed(
                format!("4 letters, not {text}"),
                bytes,
            )),
        }
    }
}

/// What is written where something fails: the secret, but as bytes that no column reads.
const SECRET: &[u8] = b"s3cret\xff";

fn all(error: &Error) -> String {
    let mut text = format!("{error:?}");
    let mut cause: Option<&dyn StdError> = Some(error);
    while let Some(one) = cause {
        text.push_str(&one.to_string());
        cause = one.source();
    }
    text
}

async fn with_cell(qualifier: &'static str) -> MemoryBackend {
    let db = MemoryBackend::new();
    db.ensure_tables::<Account>().await.unwrap();
    let cell = |qualifier: &'static str, value: &'static [u8]| Mutation::SetCell {
        family: "A".into(),
        qualifier: qualifier.into(),
        timestamp_micros: 1_000,
        value: value.into(),
    };
    let row = RowMutations {
        key: "anna".into(),
        mutations: vec![cell("name", b"Anna"), cell(qualifier, SECRET)],
    };
    db.mutate_row("ACCOUNT", row).await.unwrap();
    db
}

#[tokio::test]
async fn errors_of_reads_do_not_quote_them() {
    for qualifier in ["native", "utf8", "text", "json", "own", "FORMER"] {
        let db = with_cell(qualifier).await;
        let error = db.fetch(&Account::scan()).await.unwrap_err();
        let text = all(&error);
        assert!(matches!(error, Error::BadCell { .. }), "{text}");
        let column = if qualifier == "FORMER" {
            "own"
        } else {
            qualifier
        };
        assert!(text.contains(column) && text.contains("anna"), "{text}");
        assert!(text.contains("7 bytes"), "{text}");
        for secret in ["s3cret", "115, 51"] {
            assert!(!text.contains(secret), "{qualifier}: {text}");
        }
    }
    let shown = with_cell("shown").await;
    let error = shown.fetch(&Account::scan()).await.unwrap_err();
    assert!(all(&error).contains("s3cret"), "{error:?}");
}

#[tokio::test]
async fn errors_of_writes_do_not_quote_them() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Account>().await.unwrap();
    let account = Account {
        user: "anna".into(),
        name: "Anna".into(),
        native: None,
        utf8: None,
        text: None,
        json: None,
        own: Some("s3cret".into()),
        shown: None,
    };
    let inserted = db.insert(&account).await.unwrap_err();
    let update = Account::update(&account.key()).own(Some("s3cret".to_owned()));
    let updated = db.send(update).await.unwrap_err();
    for error in [inserted, updated] {
        let text = all(&error);
        assert!(matches!(error, Error::Value { .. }), "{text}");
        assert!(text.contains("A:own") && !text.contains("s3cret"), "{text}");
    }
}

#[tokio::test]
async fn events_as_text_do_not_show_them() {
    let model = AnyModel::of::<Account>();
    let mut batch = EventBatch::new(&model);
    let values = [
        ("user", "anna".into()),
        ("name", "Anna".into()),
        ("text", 4711_i64.into()),
    ];
    batch.push_with(values, []).unwrap();
    let event = batch.events().next().unwrap();
    assert_eq!(event.to_string(), "user=anna name=Anna text=***");
    assert!(!format!("{event:?}").contains("4711"));
    assert_eq!(event.value("text").unwrap().to_string(), "4711");
    let values = [
        ("user", "anna".into()),
        ("name", "Anna".into()),
        ("text", 471_147_i64.into()),
    ];
    let refused = batch.push_with(values, []).unwrap_err();
    assert!(!format!("{refused:?}").contains("471147"), "{refused:?}");
}
