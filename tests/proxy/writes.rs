//! Writes are sent exactly as given.

use bigtable_model::backend::grpc::wire::{self, MutationKind};
use tonic::{Code, Status};

use crate::driver::{Driver, TABLE, code};
use crate::mock::Step;
use crate::operations::{check_row, modify_row, mutate_row, set_cell};

fn mutation(kind: MutationKind) -> wire::Mutation {
    wire::Mutation { kind: Some(kind) }
}

/// One of each kind.
fn mutations() -> Vec<wire::Mutation> {
    vec![
        set_cell(),
        mutation(MutationKind::DeleteFromColumn(wire::DeleteFromColumn {
            family_name: "f".into(),
            column_qualifier: "col".into(),
            time_range: Some(wire::TimestampRange {
                start_timestamp_micros: 1000,
                end_timestamp_micros: 2000,
            }),
        })),
        mutation(MutationKind::DeleteFromFamily(wire::DeleteFromFamily {
            family_name: "f".into(),
        })),
        mutation(MutationKind::DeleteFromRow(wire::DeleteFromRow {})),
    ]
}

#[tokio::test]
async fn a_write_is_sent_as_it_is_also_the_second_time() {
    let (driver, mock) = Driver::with_client().await;
    let request = wire::MutateRowRequest {
        mutations: mutations(),
        ..mutate_row()
    };
    mock.mutate_row
        .on_call([Step::Fail(Status::unavailable("gone"))]);
    mock.mutate_row
        .on_call([Step::Send(wire::MutateRowResponse {})]);
    let result = driver.mutate_row(request.clone()).await;
    assert_eq!(code(&result.status), (Code::Ok, ""));
    let sent: Vec<_> = mock
        .mutate_row
        .seen()
        .into_iter()
        .map(|call| call.request)
        .collect();
    assert_eq!(sent, [request.clone(), request]);
}

#[tokio::test]
async fn a_write_with_the_servers_time_is_sent_once() {
    let (driver, mock) = Driver::with_client().await;
    let mut request = mutate_row();
    if let Some(MutationKind::SetCell(cell)) = &mut request.mutations[0].kind {
        cell.timestamp_micros = -1;
    }
    mock.mutate_row
        .on_call([Step::Fail(Status::unavailable("gone"))]);
    mock.mutate_row
        .on_call([Step::Send(wire::MutateRowResponse {})]);
    let result = driver.mutate_row(request).await;
    assert_eq!(code(&result.status).0, Code::Unavailable);
    assert_eq!(mock.mutate_row.count(), 1);
}

#[tokio::test]
async fn a_condition_is_passed_on_with_empty_cells_and_no_predicate() {
    let (driver, mock) = Driver::with_client().await;
    let empty = || mutation(MutationKind::SetCell(wire::SetCell::default()));
    let request = wire::CheckAndMutateRowRequest {
        predicate_filter: None,
        true_mutations: vec![empty(), empty()],
        false_mutations: vec![empty()],
        ..check_row()
    };
    let answer = wire::CheckAndMutateRowResponse {
        predicate_matched: true,
    };
    mock.check_and_mutate_row.on_call([Step::Send(answer)]);
    let result = driver.check_and_mutate_row(request.clone()).await;
    assert_eq!(code(&result.status), (Code::Ok, ""));
    assert_eq!(result.result, Some(answer));
    assert_eq!(mock.check_and_mutate_row.only().request, request);
}

#[tokio::test]
async fn a_condition_without_mutations_is_the_servers_to_refuse() {
    let (driver, mock) = Driver::with_client().await;
    let request = wire::CheckAndMutateRowRequest {
        table_name: TABLE.to_owned(),
        ..wire::CheckAndMutateRowRequest::default()
    };
    let refused = Status::invalid_argument("no mutations");
    mock.check_and_mutate_row.on_call([Step::Fail(refused)]);
    let result = driver.check_and_mutate_row(request.clone()).await;
    assert_eq!(
        code(&result.status),
        (Code::InvalidArgument, "no mutations")
    );
    assert_eq!(result.result, None);
    assert_eq!(mock.check_and_mutate_row.only().request, request);
}

#[tokio::test]
async fn changed_columns_come_back_in_the_servers_order() {
    let (driver, mock) = Driver::with_client().await;
    let rule = |qualifier: &'static str, rule| wire::ReadModifyWriteRule {
        family_name: "f".into(),
        column_qualifier: qualifier.into(),
        rule: Some(rule),
    };
    let request = wire::ReadModifyWriteRowRequest {
        rules: vec![
            rule("a", wire::RuleKind::IncrementAmount(-2)),
            rule("b", wire::RuleKind::AppendValue("more".into())),
            rule("a", wire::RuleKind::AppendValue("x".into())),
        ],
        ..modify_row()
    };
    let column = |qualifier: &'static str| wire::Column {
        qualifier: qualifier.into(),
        cells: vec![wire::Cell {
            timestamp_micros: 1000,
            value: qualifier.into(),
            labels: Vec::new(),
        }],
    };
    let row = wire::Row {
        key: "row".into(),
        families: vec![
            wire::Family {
                name: "g".into(),
                columns: vec![column("z"), column("b")],
            },
            wire::Family {
                name: "f".into(),
                columns: vec![column("b"), column("a")],
            },
        ],
    };
    let answer = wire::ReadModifyWriteRowResponse {
        row: Some(row.clone()),
    };
    mock.read_modify_write_row.on_call([Step::Send(answer)]);
    let result = driver.read_modify_write_row(request.clone()).await;
    assert_eq!(code(&result.status), (Code::Ok, ""));
    assert_eq!(result.row, Some(row));
    assert_eq!(mock.read_modify_write_row.only().request, request);
}
