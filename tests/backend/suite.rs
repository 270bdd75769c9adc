//! The conformance suite over gRPC: against our own server and against Google's emulator.

use std::sync::Arc;

use bigtable_model::backend::grpc::{GrpcBackend, GrpcSettings, RequestLimits};
use bigtable_model::backend::memory::Profile;
use bigtable_model::server::{Instances, Server, ServerOptions};
use bigtable_model::testing::{Deviation, EMULATOR_DEVIATIONS, backend_suite};
use bigtable_model::{Backend, MemoryBackend};
use bigtable_model_tests::emulator::Emulator;

/// `checked`: whether the client refuses what the server would, so nothing is sent.
async fn run(address: &str, instance: &str, checked: bool, deviations: &[Deviation]) {
    let limits = RequestLimits {
        checked,
        ..RequestLimits::default()
    };
    let settings = GrpcSettings::new("p", instance)
        .emulator(address)
        .limits(limits);
    let db: Arc<dyn Backend> = Arc::new(GrpcBackend::new(&settings).unwrap());
    let report = backend_suite(|| Arc::clone(&db), deviations).await;
    report.assert_passed();
    assert_eq!(
        db.tables().list().await,
        Ok(Vec::new()),
        "cases clean up after themselves"
    );
}

/// A server in memory; it ends with the test's runtime.
async fn serve(profile: Profile, chunk_seed: Option<u64>) -> String {
    let memory = move |_: &str| Arc::new(MemoryBackend::builder().profile(profile).build());
    let options = ServerOptions::default()
        .chunk_seed(chunk_seed)
        .split_rows(true);
    let server = Server::bind("127.0.0.1:0", Instances::new(memory), &options);
    let server = server.await.unwrap();
    let address = server.local_addr().to_string();
    tokio::spawn(server.serve());
    address
}

/// The wire loses none of the service's behaviour, wherever answers are cut.
#[tokio::test]
async fn our_server() {
    for seed in [None, Some(0), Some(1), Some(2), Some(u64::MAX)] {
        let address = serve(Profile::Service, seed).await;
        run(&address, "i", seed.is_none(), &[]).await;
    }
}

/// Nor any deviation of the emulator.
#[tokio::test]
async fn our_server_as_the_emulator() {
    let address = serve(Profile::Emulator, Some(0)).await;
    run(&address, "i", false, EMULATOR_DEVIATIONS).await;
}

#[tokio::test]
async fn google_emulator() {
    let Some(emulator) = Emulator::shared() else {
        return;
    };
    run(emulator.address(), "suite", false, EMULATOR_DEVIATIONS).await;
}
