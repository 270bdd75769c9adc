//! The same rows through Google's command-line client, which shares no code with this one.

use std::process::Command;

use bigtable_model::data::Mutation;

use crate::fixture::{Fixture, TABLE, set};

fn cbt(fixture: &Fixture, arguments: &[&str]) -> Option<String> {
    cbt_on(fixture.address, &fixture.instance, arguments)
}

/// The output of `cbt`; `None` if it is not installed.
pub(crate) fn cbt_on(address: &str, instance: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new("cbt")
        .env("BIGTABLE_EMULATOR_HOST", address)
        .args(["-project", "p", "-instance", instance])
        .args(arguments)
        .output();
    let Ok(output) = output else {
        eprintln!("skipped: Google's command-line client cbt is not installed");
        return None;
    };
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cbt {arguments:?}: {errors}");
    Some(String::from_utf8(output.stdout).unwrap())
}

#[tokio::test]
async fn cbt_reads_what_we_wrote() {
    let Some(fixture) = Fixture::new().await else {
        return;
    };
    let cells = vec![
        set("f", "BID", 1_426_535_612_156_000, "11.25"),
        set("f", "gone", 1000, "x"),
    ];
    fixture
        .write("NASDAQ#ZXZZT#1426535612156", cells)
        .await
        .unwrap();
    let delete = Mutation::DeleteFromColumn {
        family: "f".into(),
        qualifier: "gone".into(),
        start_micros: 0,
        end_micros: 0,
    };
    fixture
        .write("NASDAQ#ZXZZT#1426535612156", vec![delete])
        .await
        .unwrap();
    let Some(printed) = cbt(&fixture, &["read", TABLE]) else {
        return;
    };
    let lines: Vec<_> = printed.lines().map(str::trim).collect();
    assert_eq!(lines[1], "NASDAQ#ZXZZT#1426535612156");
    assert!(lines[2].starts_with("f:BID "), "{printed}");
    assert_eq!(lines[3], "\"11.25\"");
    assert!(!printed.contains("gone"), "{printed}");
}

#[tokio::test]
async fn we_read_what_cbt_wrote() {
    let Some(fixture) = Fixture::without_table() else {
        return;
    };
    let commands: [&[&str]; 4] = [
        &["createtable", TABLE],
        &["createfamily", TABLE, "f"],
        &["setgcpolicy", TABLE, "f", "maxversions=3"],
        &["set", TABLE, "k", "f:q=v@1000", "f:r=w@2000"],
    ];
    for command in commands {
        if cbt(&fixture, command).is_none() {
            return;
        }
    }
    assert_eq!(fixture.cells("k").await, ["f:q@1000=v", "f:r@2000=w"]);
    let schema = fixture.backend.tables().get(TABLE).await.unwrap();
    let rule = bigtable_model::data::GcRule::MaxVersions(3);
    assert_eq!(schema.families["f"].gc_rule, Some(rule));
}
