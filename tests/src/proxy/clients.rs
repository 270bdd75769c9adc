//! The clients of a proxy, by their IDs.

use std::collections::HashMap;
use std::env;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use bigtable_model::backend::grpc::raw::{RawClient, announcing_everything};
use bigtable_model::backend::grpc::{
    CallOptions, FlowControl, GrpcBackend, GrpcSettings, RequestLimits, wire,
};
use futures::FutureExt;
use tonic::Status;

use super::messages::{CreateClientRequest, ENABLE_ALL};

/// The clients. The lock is held to find a client, never while it works.
#[derive(Debug, Default)]
pub(super) struct Clients(RwLock<HashMap<String, Arc<Client>>>);

/// A client with its own channels.
#[derive(Debug)]
pub(super) struct Client {
    pub(super) raw: RawClient,
}

impl Clients {
    pub(super) fn create(&self, request: &CreateClientRequest) -> Result<(), Status> {
        let id = required("client_id", &request.client_id)?.to_owned();
        let client = Arc::new(Client::new(request)?);
        let mut clients = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if clients.contains_key(&id) {
            let message = format!("there is a client \"{id}\" already");
            return Err(Status::already_exists(message));
        }
        clients.insert(id, client);
        Ok(())
    }

    pub(super) fn get(&self, id: &str) -> Result<Arc<Client>, Status> {
        let clients = self.0.read().unwrap_or_else(PoisonError::into_inner);
        clients.get(id).cloned().ok_or_else(|| unknown(id))
    }

    pub(super) fn remove(&self, id: &str) -> Result<(), Status> {
        let mut clients = self.0.write().unwrap_or_else(PoisonError::into_inner);
        clients.remove(id).map(|_| ()).ok_or_else(|| unknown(id))
    }
}

impl Client {
    fn new(request: &CreateClientRequest) -> Result<Self, Status> {
        let project = required("project_id", &request.project_id)?;
        let instance = required("instance_id", &request.instance_id)?;
        let address = match required("data_target", &request.data_target)? {
            "emulator" => emulator()?,
            address => address.to_owned(),
        };
        if request
            .security_options
            .as_ref()
            .is_some_and(|options| *options != Default::default())
        {
            return Err(Status::invalid_argument(
                "security_options: only plaintext is served",
            ));
        }
        if !(0..=ENABLE_ALL).contains(&request.optional_feature_config) {
            return Err(Status::invalid_argument(
                "optional_feature_config is not known",
            ));
        }
        let timeout = request.per_operation_timeout.map(timeout).transpose()?;
        // Cookies, retry advice and the last scanned key are always on: they cost nothing.
        let settings = GrpcSettings::new(project, instance)
            .app_profile(&request.app_profile_id)
            .emulator(address)
            .limits(RequestLimits {
                checked: false,
                ..RequestLimits::default()
            });
        let settings = match request.optional_feature_config {
            ENABLE_ALL => announcing_everything(settings).flow_control(FlowControl::default()),
            _ => settings,
        };
        let backend = GrpcBackend::new(&settings)
            .map_err(|error| Status::invalid_argument(error.to_string()))?;
        let backend = match timeout {
            Some(timeout) => backend
                .with_options(CallOptions::new().deadline(timeout))
                .map_err(|error| Status::invalid_argument(error.to_string()))?,
            None => backend,
        };
        Ok(Self {
            raw: RawClient::new(backend),
        })
    }

    /// Refuses later operations. It does not wait for those in progress.
    pub(super) fn close(&self) {
        let closed = self.raw.backend().close();
        closed.now_or_never();
    }
}

fn required<'a>(field: &str, value: &'a str) -> Result<&'a str, Status> {
    match value {
        "" => Err(Status::invalid_argument(format!("{field} is missing"))),
        value => Ok(value),
    }
}

fn emulator() -> Result<String, Status> {
    env::var("BIGTABLE_EMULATOR_HOST").map_err(|_| {
        Status::invalid_argument(
            "data_target is \"emulator\", and BIGTABLE_EMULATOR_HOST is not set",
        )
    })
}

fn timeout(duration: wire::Duration) -> Result<Duration, Status> {
    let seconds = u64::try_from(duration.seconds)
        .ok()
        .map(Duration::from_secs);
    let nanos = u64::try_from(duration.nanos).ok().map(Duration::from_nanos);
    let timeout = seconds
        .zip(nanos)
        .and_then(|(seconds, nanos)| seconds.checked_add(nanos));
    let timeout = timeout.filter(|timeout| !timeout.is_zero());
    timeout.ok_or_else(|| Status::invalid_argument("per_operation_timeout must be above 0"))
}

fn unknown(id: &str) -> Status {
    Status::not_found(format!("there is no client \"{id}\""))
}
