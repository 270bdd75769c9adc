//! Copies of events in other tables.

mod games;
mod servers;
mod strays;
mod tables;
mod untimed;

use std::sync::Arc;

use bigtable_model::backend::faults::{Fault, FaultRule, FaultyBackend, When};
use bigtable_model::{Backend, Code, Status};

fn busy() -> Status {
    Status::new(Code::Unavailable, "busy")
}

/// Makes calls on a table fail.
fn failing(table: &str, when: When) -> FaultRule {
    FaultRule::new(Fault::Error(busy())).table(table).when(when)
}

/// No faults until they are switched on.
fn faulty(db: Arc<dyn Backend>, seed: u64, rules: Vec<FaultRule>) -> FaultyBackend {
    let faulty = FaultyBackend::new(db, seed, rules).unwrap();
    faulty.set_active(false);
    faulty
}
