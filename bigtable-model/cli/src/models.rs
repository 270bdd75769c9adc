//! The models that commands know: of a lock file, or of the program's own types.

use std::collections::BTreeMap;
use std::path::Path;

use bigtable_model::Model;
use bigtable_model::dynamic::AnyModel;
use bigtable_model::lock::{self, Change, Lock, LockError, Locked, Mode};

use crate::failure::{Doing as _, Failure};

/// A tuple of up to 12 models, for [`run`](crate::run).
pub trait Types: lock::Models {
    /// Adds each as a value, with the `.proto` of its events.
    #[doc(hidden)]
    fn list(all: &mut Vec<(AnyModel, Option<String>)>);
}

macro_rules! tuples {
    ($($first:ident $($rest:ident)*)?) => {$(
        impl<$first: Model, $($rest: Model),*> Types for ($first, $($rest,)*) {
            fn list(all: &mut Vec<(AnyModel, Option<String>)>) {
                all.push((AnyModel::of::<$first>(), Locked::of::<$first>().proto));
                $(all.push((AnyModel::of::<$rest>(), Locked::of::<$rest>().proto));)*
            }
        }

        tuples!($($rest)*);
    )?};
}

tuples!(A B C D E F G H I J K L);

/// Where the models of a command are from.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Source {
    /// A lock file.
    File,
    /// The types of the program.
    Program {
        models: fn() -> Models,
        lock: fn(&Path, Mode) -> Result<Vec<Change>, LockError>,
    },
}

impl Source {
    pub(crate) const fn of<T: Types>() -> Self {
        Self::Program {
            models: Models::of_types::<T>,
            lock: lock::check_file::<T>,
        }
    }

    /// The models; `path` is the lock file's.
    pub(crate) fn models(self, path: &Path) -> Result<Models, Failure> {
        match self {
            Self::File => Models::of_lock(path),
            Self::Program { models, .. } => Ok(models()),
        }
    }
}

/// Models by their names.
#[derive(Debug)]
pub(crate) struct Models {
    list: Vec<AnyModel>,
    /// The `.proto` of events that are stored as messages of one, by the models' names.
    protos: BTreeMap<String, String>,
    /// Where they are from, for errors.
    from: String,
}

impl Models {
    /// The models that a lock file describes. Others are left out.
    fn of_lock(path: &Path) -> Result<Self, Failure> {
        let lock = Lock::open(path).doing(|| {
            "the models are in a lock file, named by `--lock` or BIGTABLE_LOCK".to_owned()
        })?;
        let described = lock
            .models
            .iter()
            .filter(|(_, one)| one.described.is_some());
        let all = described
            .map(|(name, one)| Ok((AnyModel::of_lock(&lock, name)?, one.proto.clone())))
            .collect::<Result<Vec<_>, bigtable_model::Error>>()?;
        Ok(Self::new(all, path.display().to_string()))
    }

    fn of_types<T: Types>() -> Self {
        let mut all = Vec::new();
        T::list(&mut all);
        Self::new(all, "this program".to_owned())
    }

    fn new(all: Vec<(AnyModel, Option<String>)>, from: String) -> Self {
        let protos = all.iter().filter_map(|(model, proto)| {
            let name = model.schema().model.to_string();
            Some((name, proto.clone()?))
        });
        Self {
            protos: protos.collect(),
            list: all.into_iter().map(|(model, _)| model).collect(),
            from,
        }
    }

    pub(crate) fn all(&self) -> &[AnyModel] {
        &self.list
    }

    /// The `.proto` of a model whose events are messages of one.
    pub(crate) fn proto(&self, model: &AnyModel) -> Option<&str> {
        let proto = self.protos.get(&*model.schema().model);
        proto.map(String::as_str)
    }

    pub(crate) fn get(&self, name: &str) -> Result<&AnyModel, Failure> {
        let mut models = self.list.iter();
        models
            .find(|one| one.schema().model == name)
            .ok_or_else(|| {
                let known = self.list.iter().map(|one| &*one.schema().model);
                let known: Vec<_> = known.collect();
                Failure::new(format_args!(
                    "{} has no model `{name}`, but {}",
                    self.from,
                    known.join(", ")
                ))
            })
    }

    /// The models with these names, or all of them.
    pub(crate) fn named(&self, names: &[String]) -> Result<Vec<&AnyModel>, Failure> {
        match names {
            [] => Ok(self.list.iter().collect()),
            names => names.iter().map(|name| self.get(name)).collect(),
        }
    }
}
