//! Answers that violate the protocol: the error says how, and there is no second attempt.

use bigtable_model::backend::grpc::wire::{self, ExecuteQueryAnswer, ExecuteQueryResponse};
use bigtable_model::backend::sql::SqlParameters;

use crate::answers::{
    Part, all, assert_broken, column, int, int64, list, of, plan, rows, string, text, texts,
};
use crate::scripted::{Scripted, Step};

const BROKEN: &str = "InvalidExecuteQueryResponse";

/// The error of a query whose plan has such columns and whose stream is this one. A second attempt
/// would succeed.
async fn failure(
    columns: Vec<wire::ColumnMetadata>,
    steps: Vec<Step<ExecuteQueryResponse>>,
) -> bigtable_model::Status {
    let (server, backend) = Scripted::start().await;
    server.prepares(plan("plan", columns));
    server.execute.script(steps);
    server.executes([]);
    let error = all(&backend, SqlParameters::new()).await.unwrap_err();
    assert_eq!(server.counts(), (1, 1), "no second attempt");
    error
}

/// The same for one batch.
async fn of_batch(
    columns: Vec<wire::SqlType>,
    values: Vec<wire::SqlValue>,
) -> bigtable_model::Status {
    let columns = ('a'..).zip(columns);
    let columns = columns.map(|(name, of)| column(&name.to_string(), of));
    let batch = Part::new().reset().batch(values).token("t");
    failure(columns.collect(), vec![batch.into()]).await
}

#[tokio::test]
async fn metadata_among_results() {
    let metadata = ExecuteQueryResponse {
        response: Some(ExecuteQueryAnswer::Metadata(texts("").metadata)),
    };
    let columns = || vec![column("a", string())];
    let error = failure(columns(), vec![Step::Send(metadata)]).await;
    assert_broken(&error, "Expected results response, but received: METADATA");
    assert_broken(&error, BROKEN);
    let neither = ExecuteQueryResponse { response: None };
    let error = failure(columns(), vec![Step::Send(neither)]).await;
    assert_broken(&error, BROKEN);
}

#[tokio::test]
async fn rows_that_are_cut_off() {
    for count in [1, 3] {
        let values = (0..count).map(int).collect();
        let error = of_batch(vec![int64(), int64()], values).await;
        assert_broken(&error, "Incomplete row received");
        assert_broken(&error, BROKEN);
    }
}

#[tokio::test]
async fn values_of_another_kind() {
    let array = of(wire::SqlTypeKind::Array(Box::new(wire::ArrayType {
        element_type: Some(Box::new(string())),
    })));
    let field = |of| wire::StructField {
        field_name: String::new(),
        r#type: Some(of),
    };
    let structure = of(wire::SqlTypeKind::Struct(wire::StructType {
        fields: vec![field(string()), field(int64())],
    }));
    let map = of(wire::SqlTypeKind::Map(Box::new(wire::MapType {
        key_type: Some(Box::new(string())),
        value_type: Some(Box::new(int64())),
    })));
    let entry = list(vec![text("k"), text("x")]);
    for (of, value, words) in [
        (
            string(),
            int(1),
            "Value kind must be STRING_VALUE for columns of type: STRING",
        ),
        (
            array,
            list(vec![text("x"), int(1)]),
            "Value kind must be STRING_VALUE for columns of type: STRING",
        ),
        (
            structure,
            list(vec![text("x"), text("y")]),
            "Value kind must be INT_VALUE for columns of type: INT64",
        ),
        (
            map,
            list(vec![entry]),
            "Value kind must be INT_VALUE for columns of type: INT64",
        ),
    ] {
        let error = of_batch(vec![of], vec![value]).await;
        assert_broken(&error, words);
        assert_broken(&error, BROKEN);
        assert_broken(&error, "column \"a\"");
    }
}

#[tokio::test]
async fn structs_and_entries_of_maps_of_another_size() {
    let field = |of| wire::StructField {
        field_name: "x".to_owned(),
        r#type: Some(of),
    };
    let structure = of(wire::SqlTypeKind::Struct(wire::StructType {
        fields: vec![field(string()), field(int64())],
    }));
    for values in [vec![text("x")], vec![text("x"), int(1), int(2)]] {
        let error = of_batch(vec![structure.clone()], vec![list(values)]).await;
        assert_broken(&error, "Unexpected malformed struct data");
        assert_broken(&error, BROKEN);
    }
    let map = of(wire::SqlTypeKind::Map(Box::new(wire::MapType {
        key_type: Some(Box::new(string())),
        value_type: Some(Box::new(int64())),
    })));
    for entry in [vec![], vec![text("x")], vec![text("x"), int(1), int(2)]] {
        let error = of_batch(vec![map.clone()], vec![list(vec![list(entry)])]).await;
        assert_broken(&error, BROKEN);
    }
}

#[tokio::test]
async fn checksums_that_differ() {
    let data = rows(vec![text("a")]);
    for sum in [0, crate::answers::checksum(&data) ^ 1] {
        let part = Part::new().reset().data(&data).checksum(sum).token("t");
        let error = failure(vec![column("a", string())], vec![part.into()]).await;
        assert_broken(&error, "Unexpected checksum mismatch");
        assert_broken(&error, BROKEN);
    }
}

#[tokio::test]
async fn an_end_with_rows_that_no_token_released() {
    let columns = || vec![column("a", string())];
    let whole = Part::new().reset().batch(vec![text("a")]);
    let error = failure(columns(), vec![whole.into()]).await;
    assert_broken(&error, BROKEN);
    let half = Part::new().reset().data(b"half");
    let error = failure(columns(), vec![half.into()]).await;
    assert_broken(&error, BROKEN);
    let released = Part::new().reset().batch(vec![text("a")]).token("t");
    let half = Part::new().data(b"half");
    let error = failure(columns(), vec![released.into(), half.into()]).await;
    assert_broken(&error, BROKEN);
}

#[tokio::test]
async fn bytes_that_are_no_rows() {
    let data = b"\xff\xff\xff\xff";
    let sum = crate::answers::checksum(data);
    let part = Part::new().reset().data(data).checksum(sum).token("t");
    let error = failure(vec![column("a", string())], vec![part.into()]).await;
    assert_broken(&error, BROKEN);
}
