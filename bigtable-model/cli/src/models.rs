//! The models that commands know: of a lock file, or of the program's own types.

use std::path::Path;

use bigtable_model::Model;
use bigtable_model::dynamic::AnyModel;
use bigtable_model::lock::Lock;

use crate::failure::{Doing as _, Failure};

/// A tuple of up to 12 models, for [`run`](crate::run).
pub trait Types {
    /// Adds the models as values.
    #[doc(hidden)]
    fn add_to(list: &mut Vec<AnyModel>);
}

macro_rules! tuples {
    ($($name:ident)*) => {
        tuples!(@ [$($name)*]);
    };
    (@ []) => {};
    (@ [$first:ident $($rest:ident)*]) => {
        impl<$first: Model, $($rest: Model),*> Types for ($first, $($rest,)*) {
            fn add_to(list: &mut Vec<AnyModel>) {
                list.push(AnyModel::of::<$first>());
                $(list.push(AnyModel::of::<$rest>());)*
            }
        }

        tuples!(@ [$($rest)*]);
    };
}

tuples!(A B C D E F G H I J K L);

/// How the models of a command are found, from the path of a lock file.
pub(crate) type Source<'a> = &'a dyn Fn(&Path) -> Result<Models, Failure>;

/// Models by their names.
pub(crate) struct Models {
    list: Vec<AnyModel>,
    /// Where they are from, for errors.
    from: String,
}

impl Models {
    /// The models of a lock file. Those whose file does not describe them are left out.
    pub(crate) fn of_lock(path: &Path) -> Result<Self, Failure> {
        let lock = Lock::open(path).doing(|| {
            "the models are in a lock file, named by `--lock` or BIGTABLE_LOCK".to_owned()
        })?;
        let described = lock
            .models
            .iter()
            .filter(|(_, one)| one.described.is_some());
        let models = described.map(|(name, _)| AnyModel::of_lock(&lock, name));
        Ok(Self {
            list: models.collect::<Result<_, _>>()?,
            from: path.display().to_string(),
        })
    }

    pub(crate) fn of_types<T: Types>() -> Self {
        let mut list = Vec::new();
        T::add_to(&mut list);
        Self {
            list,
            from: "this program".to_owned(),
        }
    }

    pub(crate) fn all(&self) -> &[AnyModel] {
        &self.list
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
