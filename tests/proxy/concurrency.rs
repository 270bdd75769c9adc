//! Operations of one client do not wait for each other.

use std::time::Duration;

use futures::future::join_all;
use tonic::Code;

use crate::driver::Driver;
use crate::operations::Operation;

#[tokio::test]
async fn five_operations_at_once_reach_the_server_before_one_is_answered() {
    const HELD: Duration = Duration::from_secs(2);
    for operation in Operation::ALL {
        let (driver, mock) = Driver::with_client().await;
        for _ in 0..5 {
            operation.succeed(&mock, HELD);
        }
        // Those after the slow one of each kind need not be waited for.
        let running = (0..5).map(|_| {
            let driver = driver.clone();
            tokio::spawn(async move { operation.run(&driver).await.0 })
        });
        let running: Vec<_> = running.collect();
        let all_there = async {
            while mock.count() < 5 {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        let in_time = tokio::time::timeout(HELD / 2, all_there).await;
        assert!(
            in_time.is_ok(),
            "{operation:?}: {} of 5 calls",
            mock.count()
        );
        if operation == Operation::ReadRows {
            for ended in join_all(running).await {
                assert_eq!(ended.unwrap(), Code::Ok);
            }
        }
    }
}
