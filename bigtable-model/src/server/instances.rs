use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use crate::Backend;

type Make = dyn Fn(&str) -> Arc<dyn Backend> + Send + Sync;

/// The instances that a server has, by their names `projects/{project}/instances/{instance}`.
///
/// Clients name any project and instance; the tables of one are not seen in another.
pub struct Instances {
    make: Box<Make>,
    made: Mutex<BTreeMap<String, Arc<dyn Backend>>>,
}

impl Instances {
    /// Instances that spring up when they are first named: `make` gets the name, and is called once for each.
    pub fn new<B: Backend>(make: impl Fn(&str) -> Arc<B> + Send + Sync + 'static) -> Self {
        Self::with(move |name| make(name))
    }

    fn with(make: impl Fn(&str) -> Arc<dyn Backend> + Send + Sync + 'static) -> Self {
        Self {
            make: Box::new(make),
            made: Mutex::default(),
        }
    }

    pub(super) fn get(&self, name: &str) -> Arc<dyn Backend> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(backend) = made.get(name) {
            return Arc::clone(backend);
        }
        let backend = (self.make)(name);
        made.insert(name.to_owned(), Arc::clone(&backend));
        backend
    }
}

/// One backend under every name.
impl From<Arc<dyn Backend>> for Instances {
    fn from(backend: Arc<dyn Backend>) -> Self {
        Self::with(move |_| Arc::clone(&backend))
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
