//! Creating, closing and removing clients; incomplete requests are errors of the caller, not of a
//! client.

use std::time::Duration;

use bigtable_model::backend::grpc::wire;
use bigtable_model_tests::proxy::messages as m;
use futures::future::join_all;
use tonic::Code;

use crate::driver::{CLIENT, Driver, client_of, named};
use crate::mock::Mock;
use crate::operations::{Operation, all_rows};

#[tokio::test]
async fn a_client_has_all_it_needs_and_an_id_of_its_own() {
    let driver = Driver::start();
    let whole = client_of("localhost:1");
    let without = |change: fn(&mut m::CreateClientRequest)| {
        let mut request = whole.clone();
        change(&mut request);
        request
    };
    for (request, words) in [
        (without(|one| one.client_id.clear()), "client_id"),
        (without(|one| one.data_target.clear()), "data_target"),
        (without(|one| one.project_id.clear()), "project_id"),
        (without(|one| one.instance_id.clear()), "instance_id"),
        (
            without(|one| one.data_target = "nowhere".to_owned()),
            "nowhere",
        ),
        (
            without(|one| one.optional_feature_config = 7),
            "optional_feature_config",
        ),
        (
            without(|one| {
                one.per_operation_timeout = Some(wire::Duration {
                    seconds: -1,
                    nanos: 0,
                });
            }),
            "per_operation_timeout",
        ),
        (
            without(|one| {
                one.security_options = Some(m::SecurityOptions {
                    use_ssl: true,
                    ..m::SecurityOptions::default()
                });
            }),
            "security_options",
        ),
    ] {
        let error = driver.create(&request).await.unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument);
        assert!(error.message().contains(words), "{error}");
    }
    let every_feature = m::CreateClientRequest {
        optional_feature_config: m::ENABLE_ALL,
        security_options: Some(m::SecurityOptions::default()),
        ..whole.clone()
    };
    driver.create(&every_feature).await.unwrap();
    let error = driver.create(&whole).await.unwrap_err();
    assert_eq!(error.code(), Code::AlreadyExists);
}

#[tokio::test]
async fn an_id_is_free_again_when_its_client_is_removed() {
    let driver = Driver::start();
    for answer in [driver.close(CLIENT).await, driver.remove(CLIENT).await] {
        assert_eq!(answer.unwrap_err().code(), Code::NotFound);
    }
    for _ in 0..2 {
        let (mock, address) = Mock::start();
        driver.create(&client_of(&address)).await.unwrap();
        Operation::MutateRow.succeed(&mock, Duration::ZERO);
        assert_eq!(Operation::MutateRow.run(&driver).await.0, Code::Ok);
        assert_eq!(mock.count(), 1, "a client has channels of its own");
        driver.remove(CLIENT).await.unwrap();
        assert_eq!(
            driver.remove(CLIENT).await.unwrap_err().code(),
            Code::NotFound
        );
    }
}

#[tokio::test]
async fn a_request_that_is_not_whole_is_a_fault_of_the_caller() {
    let (driver, mock) = Driver::with_client().await;
    let request = m::ReadRowsRequest {
        client_id: "another client".to_owned(),
        request: Some(all_rows()),
        cancel_after_rows: 0,
    };
    let answer = driver.call::<_, m::RowsResult>("ReadRows", request).await;
    assert_eq!(answer.unwrap_err().code(), Code::NotFound);
    for method in [
        "ReadRow",
        "ReadRows",
        "MutateRow",
        "BulkMutateRows",
        "CheckAndMutateRow",
        "SampleRowKeys",
        "ReadModifyWriteRow",
        "ExecuteQuery",
    ] {
        let answer = driver.call::<_, wire::Empty>(method, named(CLIENT)).await;
        assert_eq!(
            answer.unwrap_err().code(),
            Code::InvalidArgument,
            "{method}"
        );
    }
    let answer = driver
        .call::<_, wire::Empty>("NoSuchCall", named(CLIENT))
        .await;
    assert_eq!(answer.unwrap_err().code(), Code::Unimplemented);
    assert_eq!(mock.count(), 0);
}

#[tokio::test]
async fn closing_lets_calls_in_flight_end_and_refuses_later_ones() {
    for operation in Operation::ALL {
        let (driver, mock) = Driver::with_client().await;
        for _ in 0..6 {
            operation.succeed(&mock, Duration::from_millis(300));
        }
        let under_way = join_all((0..3).map(|_| {
            let driver = driver.clone();
            tokio::spawn(async move { operation.run(&driver).await.0 })
        }));
        while mock.count() < 3 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        driver.close(CLIENT).await.unwrap();
        driver.close(CLIENT).await.unwrap();
        let (refused, message) = operation.run(&driver).await;
        assert_ne!(refused, Code::Ok, "{operation:?}");
        assert!(message.contains("closed"), "{message}");
        for ended in under_way.await {
            assert_eq!(ended.unwrap(), Code::Ok, "{operation:?}");
        }
        assert_ne!(operation.run(&driver).await.0, Code::Ok);
        assert_eq!(mock.count(), 3, "{operation:?} reached the server");
        driver.remove(CLIENT).await.unwrap();
    }
}
