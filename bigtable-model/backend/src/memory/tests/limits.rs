use super::*;
use crate::Code;
use crate::data::{EntryBatch, ReadModifyWriteRow, ReadModifyWriteRule, RuleAction};

const MIB: usize = 1 << 20;

fn zeros(len: usize) -> Bytes {
    Bytes::from(vec![0; len])
}

#[test]
fn a_value_has_100_mib() {
    let db = database();
    write(&db, "r", vec![set("q", 0, zeros(100 * MIB))]).unwrap();
    let got = write(&db, "r", vec![set("q", 0, zeros(100 * MIB + 1))]);
    assert_eq!(got.unwrap_err().code, Code::InvalidArgument);
}

#[test]
fn a_row_has_256_mib_after_all_its_mutations() {
    let db = database();
    let value = zeros(100 * MIB);
    let writes = |names: &[&str]| {
        let writes = names.iter().map(|name| set(name, 0, value.clone()));
        writes.collect::<Vec<_>>()
    };
    write(&db, "r", writes(&["a", "b"])).unwrap();
    let got = write(&db, "r", writes(&["c"]));
    assert_eq!(got.unwrap_err().code, Code::FailedPrecondition);
    assert_eq!(shown(&db), ["r a@0", "r b@0"], "nothing of it was written");
    write(&db, "r", writes(&["a", "b"])).unwrap();
    let mut replacing = vec![Mutation::DeleteFromRow];
    replacing.extend(writes(&["c", "d"]));
    write(&db, "r", replacing).unwrap();
    assert_eq!(shown(&db), ["r c@0", "r d@0"]);
}

#[test]
fn appends_are_limited_too() {
    let db = database();
    let append = |len: usize| {
        let rule = ReadModifyWriteRule {
            family: "f".into(),
            qualifier: Bytes::from_static(b"q"),
            action: RuleAction::Append(zeros(len)),
        };
        let request = ReadModifyWriteRow {
            table: "t".to_owned(),
            key: Bytes::from_static(b"r"),
            rules: vec![rule],
        };
        block_on(db.read_modify_write_row(request))
    };
    append(99 * MIB).unwrap();
    let got = append(2 * MIB);
    assert_eq!(got.unwrap_err().code, Code::InvalidArgument);
}

#[test]
fn a_request_has_100_000_mutations() {
    let db = database();
    let entry = |key: &str, count: usize| RowMutations {
        key: Bytes::copy_from_slice(key.as_bytes()),
        mutations: vec![Mutation::DeleteFromRow; count],
    };
    let rows = vec![entry("a", 60_000), entry("b", 40_000)];
    assert_eq!(
        block_on(db.mutate_rows("t", EntryBatch::of(rows)))
            .unwrap()
            .len(),
        2
    );
    let rows = vec![entry("a", 60_000), entry("b", 40_001)];
    let got = block_on(db.mutate_rows("t", EntryBatch::of(rows)));
    assert_eq!(got.unwrap_err().code, Code::InvalidArgument);
}
