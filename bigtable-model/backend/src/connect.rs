use std::ffi::OsString;
use std::sync::Arc;

use crate::{Backend, ConnectError};

/// Opens a backend by name.
///
/// | target | backend |
/// |---|---|
/// | `memory:` | tables in this process, empty at first |
/// | `bigtable://my-project/my-instance` | Bigtable, or the emulator that `BIGTABLE_EMULATOR_HOST` names |
///
/// `?app_profile=my-profile` after the second form routes requests by that app profile,
/// `?view=my-view` makes calls on that authorized view of each table, and `?repeat_adds=true` says
/// that the server keeps the tokens of additions, so that they are
/// [safe to repeat](crate::grpc::GrpcSettings::repeat_adds); `&` joins them. Nothing is sent yet:
/// the first request finds out whether the project and the instance exist.
///
/// # Errors
///
/// [`ConnectError`] says what is wrong with the target and what to write instead. Without an
/// emulator the credentials are
/// [Application Default Credentials](https://cloud.google.com/docs/authentication/application-default-credentials);
/// if there are none, or Bigtable refuses them, the first call fails with `UNAUTHENTICATED` and
/// says where they were looked for. They need a crypto provider for the whole process, which the
/// program installs first: [`install_crypto_provider`](crate::grpc::auth::install_crypto_provider).
pub async fn connect(target: &str) -> Result<Arc<dyn Backend>, ConnectError> {
    open(target, std::env::var_os(EMULATOR_HOST))
}

/// The variable that names an emulator, as in every Bigtable client: `host:port`.
pub(crate) const EMULATOR_HOST: &str = "BIGTABLE_EMULATOR_HOST";

fn open(target: &str, emulator: Option<OsString>) -> Result<Arc<dyn Backend>, ConnectError> {
    match Target::parse(target)? {
        Target::Memory => open_memory(),
        Target::Bigtable(instance) => instance.open(emulator.map(address).transpose()?),
    }
}

/// An address that is not valid Unicode names no server. It still asks for an emulator: without one
/// the service itself would be opened.
fn address(emulator: OsString) -> Result<String, ConnectError> {
    let invalid = |address: OsString| ConnectError::InvalidEmulatorAddress {
        address: address.to_string_lossy().into_owned(),
    };
    emulator.into_string().map_err(invalid)
}

#[cfg(feature = "memory")]
fn open_memory() -> Result<Arc<dyn Backend>, ConnectError> {
    Ok(Arc::new(crate::MemoryBackend::new()))
}

#[cfg(not(feature = "memory"))]
fn open_memory() -> Result<Arc<dyn Backend>, ConnectError> {
    Err(ConnectError::FeatureMissing {
        target: "memory:",
        feature: "memory",
    })
}

/// What a target says, before anything is opened.
#[derive(Debug, PartialEq, Eq)]
enum Target {
    Memory,
    Bigtable(Instance),
}

#[derive(Debug, PartialEq, Eq)]
#[cfg_attr(
    not(feature = "grpc"),
    allow(
        dead_code,
        reason = "a target is checked even where it cannot be opened"
    )
)]
struct Instance {
    project: String,
    instance: String,
    app_profile: String,
    view: String,
    repeat_adds: bool,
}

impl Target {
    fn parse(target: &str) -> Result<Self, ConnectError> {
        if let Some(rest) = target.strip_prefix("memory:") {
            return match rest {
                "" => Ok(Self::Memory),
                _ if has_view(rest) => Err(ConnectError::NoViews {
                    target: target.to_owned(),
                }),
                _ => Err(surplus(target, rest, "memory:")),
            };
        }
        match target.strip_prefix("bigtable://") {
            Some(rest) => Instance::parse(target, rest).map(Self::Bigtable),
            None => Err(ConnectError::UnknownScheme {
                target: target.to_owned(),
            }),
        }
    }
}

impl Instance {
    /// Parsed by hand: a project may be `example.com:project`, which has an invalid port as a URL's
    /// host.
    fn parse(target: &str, rest: &str) -> Result<Self, ConnectError> {
        let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (project, instance) = path.split_once('/').unwrap_or((path, ""));
        let incomplete = |missing| ConnectError::Incomplete {
            target: target.to_owned(),
            missing,
        };
        if project.is_empty() {
            return Err(incomplete("project"));
        }
        if instance.is_empty() {
            return Err(incomplete("instance"));
        }
        if let Some(at) = instance.find(['/', '#']) {
            let (_, rest) = instance.split_at(at);
            return Err(surplus(target, rest, "bigtable://project/instance"));
        }
        let [app_profile, view, repeat_adds] = parameters(query)?;
        Ok(Self {
            project: project.to_owned(),
            instance: instance.to_owned(),
            app_profile,
            view,
            repeat_adds: is_true(REPEAT_ADDS, repeat_adds)?,
        })
    }

    /// An empty variable counts as unset.
    #[cfg(feature = "grpc")]
    fn open(self, emulator: Option<String>) -> Result<Arc<dyn Backend>, ConnectError> {
        use super::grpc::{GrpcBackend, GrpcSettings};
        let mut settings = GrpcSettings::new(self.project, self.instance)
            .app_profile(self.app_profile)
            .authorized_view(self.view);
        if self.repeat_adds {
            settings = settings.repeat_adds();
        }
        if let Some(address) = emulator.filter(|address| !address.is_empty()) {
            settings = settings.emulator(address);
        }
        Ok(Arc::new(GrpcBackend::new(&settings)?))
    }

    #[cfg(not(feature = "grpc"))]
    fn open(self, _: Option<String>) -> Result<Arc<dyn Backend>, ConnectError> {
        Err(ConnectError::FeatureMissing {
            target: "bigtable://",
            feature: "grpc",
        })
    }
}

const VIEW: &str = "view";
const REPEAT_ADDS: &str = "repeat_adds";

/// The known parameters.
const PARAMETERS: [&str; 3] = ["app_profile", VIEW, REPEAT_ADDS];

/// The values of the known parameters; empty if a parameter is missing.
fn parameters(query: &str) -> Result<[String; 3], ConnectError> {
    let mut values = PARAMETERS.map(|_| None);
    for (name, value) in url::form_urlencoded::parse(query.as_bytes()) {
        let known = PARAMETERS.iter().zip(&mut values);
        let place = known.into_iter().find(|(known, _)| **known == name);
        let name = name.to_string();
        let Some((_, place)) = place else {
            return Err(ConnectError::UnknownParameter { name });
        };
        if place.replace(value.into_owned()).is_some() {
            return Err(ConnectError::RepeatedParameter { name });
        }
    }
    Ok(values.map(Option::unwrap_or_default))
}

fn is_true(name: &'static str, value: String) -> Result<bool, ConnectError> {
    match value.as_str() {
        "true" => Ok(true),
        "" | "false" => Ok(false),
        _ => Err(ConnectError::NotTrueOrFalse { name, value }),
    }
}

/// Whether the rest of a target names an authorized view.
fn has_view(rest: &str) -> bool {
    let query = rest.strip_prefix('?').unwrap_or_default();
    let mut parameters = url::form_urlencoded::parse(query.as_bytes());
    parameters.any(|(name, _)| name == VIEW)
}

fn surplus(target: &str, surplus: &str, expected: &'static str) -> ConnectError {
    ConnectError::Surplus {
        target: target.to_owned(),
        surplus: surplus.to_owned(),
        expected,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

    use super::*;

    fn instance(target: &str) -> Instance {
        match Target::parse(target).unwrap() {
            Target::Bigtable(instance) => instance,
            Target::Memory => panic!("{target} is no instance"),
        }
    }

    #[test]
    fn targets_name_memory_or_an_instance() {
        assert_eq!(Target::parse("memory:"), Ok(Target::Memory));
        let one = instance("bigtable://my-project/my-instance");
        assert_eq!(
            (one.project.as_str(), one.instance.as_str()),
            ("my-project", "my-instance")
        );
        assert_eq!(one.app_profile, "");
        let one = instance("bigtable://example.com:p/i?app_profile=batch%20jobs");
        assert_eq!(one.project, "example.com:p");
        assert_eq!(one.app_profile, "batch jobs");
        assert_eq!(one.view, "");
        let one = instance("bigtable://p/i?view=tenant-7&app_profile=batch");
        assert_eq!((&*one.view, &*one.app_profile), ("tenant-7", "batch"));
        assert!(!one.repeat_adds && !instance("bigtable://p/i?repeat_adds=false").repeat_adds);
        assert!(instance("bigtable://p/i?app_profile=x&repeat_adds=true").repeat_adds);
    }

    #[cfg(feature = "grpc")]
    #[test]
    fn an_instance_is_at_an_emulator_or_at_bigtable() {
        let open = |emulator: Option<&str>| {
            open("bigtable://p/i", emulator.map(OsString::from)).map(|_| ())
        };
        assert_eq!(open(Some("localhost:8086")), Ok(()));
        for none in [None, Some("")] {
            // With credentials the result depends on the machine: on its environment and its
            // certificates.
            let missing = open(none) == Err(ConnectError::CredentialsMissing);
            assert_eq!(missing, cfg!(not(feature = "auth")));
        }
        let error = open(Some("http://localhost:8086")).unwrap_err().to_string();
        assert!(error.contains("BIGTABLE_EMULATOR_HOST"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn an_emulator_that_is_no_unicode_is_an_error() {
        use std::os::unix::ffi::OsStringExt;

        let address = || Some(OsString::from_vec(b"local\xffhost:8086".to_vec()));
        let error = open("bigtable://p/i", address()).unwrap_err();
        assert_eq!(
            error,
            ConnectError::InvalidEmulatorAddress {
                address: "local\u{fffd}host:8086".to_owned()
            }
        );
        #[cfg(feature = "memory")]
        assert!(open("memory:", address()).is_ok());
    }

    #[cfg(not(feature = "memory"))]
    #[test]
    fn without_its_feature_memory_is_refused_by_name() {
        let error = open("memory:", None).unwrap_err().to_string();
        assert!(error.contains("the feature \"memory\""), "{error}");
    }

    #[test]
    fn a_wrong_target_is_answered_with_what_to_write() {
        for (target, words) in [
            ("", "write \"bigtable://project/instance\" or \"memory:\""),
            ("postgres://a/b", "names no backend"),
            ("BIGTABLE://a/b", "names no backend"),
            ("memory:?view=tenant-7", "no authorized views"),
            ("bigtable://p/i?view=x&view=y", "write it once"),
            ("memory:x", "goes on with \"x\""),
            ("bigtable://", "has no project"),
            ("bigtable:///i", "has no project"),
            ("bigtable://p", "has no instance"),
            ("bigtable://p/", "has no instance"),
            ("bigtable://p?app_profile=x", "has no instance"),
            ("bigtable://p/i/t", "goes on with \"/t\""),
            ("bigtable://p/i#f", "goes on with \"#f\""),
            (
                "bigtable://p/i?profile=x",
                "write app_profile, view or repeat_adds",
            ),
            ("bigtable://p/i?repeat_adds=yes", "write true or false"),
            (
                "bigtable://p/i?app_profile=x&app_profile=y",
                "write it once",
            ),
        ] {
            let error = Target::parse(target).unwrap_err().to_string();
            assert!(error.contains(words), "{target}: {error}");
        }
    }
}
