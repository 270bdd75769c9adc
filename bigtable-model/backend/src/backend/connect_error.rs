//! Why a backend cannot be opened.

use crate::InvalidSetting;

/// Why a backend cannot be opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// The target has an unknown scheme.
    #[error("\"{target}\" names no backend: write \"bigtable://project/instance\" or \"memory:\"")]
    UnknownScheme {
        /// The target as it was given.
        target: String,
    },
    /// The target does not name a project and an instance.
    #[error("\"{target}\" has no {missing}: write \"bigtable://project/instance\"")]
    Incomplete {
        /// The target as it was given.
        target: String,
        /// `project` or `instance`.
        missing: &'static str,
    },
    /// The target has text after its end.
    #[error("\"{target}\" goes on with \"{surplus}\" where it should end: write \"{expected}\"")]
    Surplus {
        /// The target as it was given.
        target: String,
        /// The surplus text.
        surplus: String,
        /// What is allowed there.
        expected: &'static str,
    },
    /// The target's query has an unknown parameter.
    #[error(
        "\"{name}\" is no parameter of a bigtable:// target: write app_profile, view or repeat_adds"
    )]
    UnknownParameter {
        /// The parameter.
        name: String,
    },
    /// The target's query has a parameter twice.
    #[error("the parameter \"{name}\" is there twice: write it once")]
    RepeatedParameter {
        /// The parameter.
        name: String,
    },
    /// A parameter that is true or false has another value.
    #[error("the parameter \"{name}\" cannot be \"{value}\": write true or false")]
    NotTrueOrFalse {
        /// The parameter.
        name: &'static str,
        /// The value that is not known.
        value: String,
    },
    /// An authorized view of tables in memory, which have none.
    #[error(
        "\"{target}\": tables in memory have no authorized views: leave out \"?view\", or write \"bigtable://project/instance?view=...\""
    )]
    NoViews {
        /// The target as it was given.
        target: String,
    },
    /// The emulator's address is invalid.
    #[error(
        "\"{address}\" is no address of an emulator: set BIGTABLE_EMULATOR_HOST to \"host:port\", such as \"localhost:8086\""
    )]
    InvalidEmulatorAddress {
        /// The address as it was given.
        address: String,
    },
    /// An address of Bigtable itself, or a root certificate, is invalid.
    #[error("\"{address}\" cannot be connected to: {reason}")]
    InvalidEndpoint {
        /// The address as it was given.
        address: String,
        /// What is wrong.
        reason: String,
    },
    /// A setting cannot work.
    #[error(transparent)]
    Setting(#[from] InvalidSetting),
    /// The credentials cannot be used.
    #[error("there are no credentials for Bigtable: {reason}")]
    Credentials {
        /// What was looked for, and where.
        reason: String,
    },
    /// Application Default Credentials need a crypto provider, and the process has none.
    #[error(
        "Application Default Credentials need a crypto provider for the whole process, which the program has to choose: call `backend::grpc::auth::install_crypto_provider()` of bigtable-model first, or install another one with `rustls::crypto::CryptoProvider::install_default`"
    )]
    CryptoProviderMissing,
    /// Bigtable itself needs credentials, and the crate was built without the default ones.
    #[error(
        "Bigtable needs credentials: switch on the feature \"auth\" of bigtable-model, or give `ServiceSettings::credentials`; or set BIGTABLE_EMULATOR_HOST to an emulator's \"host:port\""
    )]
    CredentialsMissing,
    /// The crate was built without what the target needs.
    #[error("\"{target}\" needs the feature \"{feature}\" of bigtable-model, which is off")]
    FeatureMissing {
        /// How the target begins.
        target: &'static str,
        /// The feature to switch on.
        feature: &'static str,
    },
}
