use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use crate::{Backend, Status};

type Made = Result<Arc<dyn Backend>, Status>;
type Make = dyn Fn(&str) -> Made + Send + Sync;

/// The instances of a server, by their names `projects/{project}/instances/{instance}`.
///
/// Clients may name any project and instance; instances do not share tables.
pub struct Instances {
    make: Box<Make>,
    made: Mutex<BTreeMap<String, Arc<dyn Backend>>>,
}

impl Instances {
    /// Instances that are created when they are first named: `make` gets the name, and is called
    /// once for each.
    pub fn new<B: Backend>(make: impl Fn(&str) -> Arc<B> + Send + Sync + 'static) -> Self {
        Self::with(move |name| Ok(make(name)))
    }

    /// If `make` returns an error instead of an instance, calls to that instance are answered with
    /// it.
    pub(super) fn with(make: impl Fn(&str) -> Made + Send + Sync + 'static) -> Self {
        Self {
            make: Box::new(make),
            made: Mutex::default(),
        }
    }

    pub(super) fn get(&self, name: &str) -> Made {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(backend) = made.get(name) {
            return Ok(Arc::clone(backend));
        }
        let backend = (self.make)(name)?;
        made.insert(name.to_owned(), Arc::clone(&backend));
        Ok(backend)
    }
}

/// One backend under every name.
impl From<Arc<dyn Backend>> for Instances {
    fn from(backend: Arc<dyn Backend>) -> Self {
        Self::with(move |_| Ok(Arc::clone(&backend)))
    }
}

impl fmt::Debug for Instances {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        f.debug_struct("Instances")
            .field("made", &made.keys())
            .finish_non_exhaustive()
    }
}
