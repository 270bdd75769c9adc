//! An instance and the way to it.

use crate::ConnectError;
use crate::Status;
use crate::grpc::channel::flow::Flow;
use crate::grpc::channel::in_flight::{Gate, Pass};
use crate::grpc::channel::transport::Transport;
use crate::grpc::protocol::names::{InstanceName, Target};
use crate::grpc::settings::GrpcSettings;
use crate::grpc::settings::options::Options;

/// What all clones of a backend share.
#[derive(Debug)]
pub(crate) struct Instance {
    pub(crate) name: InstanceName,
    pub(crate) transport: Transport,
    pub(crate) gate: Gate,
    /// `None` if bulk writes are sent as they come.
    pub(crate) flow: Option<Flow>,
}

impl Instance {
    pub(crate) fn new(settings: &GrpcSettings) -> Result<Self, ConnectError> {
        crate::grpc::observe::meter::describe();
        Ok(Self {
            name: InstanceName::new(&settings.project, &settings.instance),
            transport: Transport::new(settings)?,
            gate: Gate::default(),
            flow: settings.flow_control.map(Flow::new),
        })
    }

    /// Lets an operation begin.
    pub(crate) fn enter(&self) -> Result<Pass, Status> {
        self.gate.enter()
    }

    /// What a call of the data API is for.
    pub(crate) fn target(&self, table: &str, options: &Options) -> Target {
        (self.name).target(table, options.view.as_deref(), &options.app_profile)
    }
}
