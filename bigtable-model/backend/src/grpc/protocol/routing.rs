//! What a request is routed by: the header that names its resource.

use bytes::Bytes;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, PercentEncode, utf8_percent_encode};
use tonic::metadata::{Ascii, MetadataValue};

use super::names;
use crate::{Code, Status};

/// Everything but letters, digits and the four marks that a URL never escapes.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

/// The maximum size of the names in `x-goog-request-params`. Servers take 8 to 16 KiB of headers,
/// and break off a call that has more, so that it would be made again and again. Names that the
/// service accepts have some hundred bytes.
const MOST_PARAMS: usize = 4 << 10;

/// How much of a name an error shows.
const SHOWN: usize = 64;

/// Room for the value of `x-goog-request-params` with names of the usual lengths.
const PARAMS: usize = 128;

/// The value of `x-goog-request-params`.
pub(crate) type Params = MetadataValue<Ascii>;

/// The resource that a request is routed by, and the field of the request that names it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Routing<'a> {
    /// A call of the data API on a table.
    Table { name: &'a str, app_profile: &'a str },
    /// A call of the data API on an authorized view.
    View { name: &'a str, app_profile: &'a str },
    /// A call of the data API on the instance.
    Instance { name: &'a str, app_profile: &'a str },
    /// A call of the admin API: the field is `name` or `parent`.
    Admin { field: &'static str, name: &'a str },
}

impl Routing<'_> {
    /// The header's value. A name that does not fit in it, or cannot be sent, is an error.
    pub(crate) fn params(self) -> Result<Params, Status> {
        let params = match self {
            Self::Table { name, app_profile } => with_profile("table_name", name, app_profile),
            Self::View { name, app_profile } => {
                with_profile("authorized_view_name", name, app_profile)
            }
            Self::Instance { name, app_profile } => with_profile("name", name, app_profile),
            Self::Admin { field, name } => format!("{field}={}", escaped(name)),
        };
        match params.len() {
            ..=MOST_PARAMS => header(params),
            _ => Err(self.too_long()),
        }
    }

    #[cold]
    fn too_long(self) -> Status {
        let (name, app_profile) = match self {
            Self::Table { name, app_profile }
            | Self::View { name, app_profile }
            | Self::Instance { name, app_profile } => (name, app_profile),
            Self::Admin { name, .. } => (name, ""),
        };
        let table = names::table_id(name);
        let (what, name) = if app_profile.len() > name.len() {
            ("app profile", app_profile)
        } else if 2 * table.len() > name.len() {
            ("table", table)
        } else {
            ("instance", name)
        };
        let shown: String = name.chars().take(SHOWN).collect();
        let message = format!(
            "{what} \"{shown}...\": the name has {} bytes, and the headers of a call hold {MOST_PARAMS} of all names: nothing was sent",
            name.len()
        );
        Status::new(Code::InvalidArgument, message)
    }
}

/// A resource by its field, and the app profile.
fn with_profile(field: &str, name: &str, app_profile: &str) -> String {
    let mut params = String::with_capacity(PARAMS);
    params.push_str(field);
    params.push('=');
    params.extend(escaped(name));
    params.push_str("&app_profile_id=");
    params.extend(escaped(app_profile));
    params
}

fn escaped(text: &str) -> PercentEncode<'_> {
    utf8_percent_encode(text, ESCAPED)
}

fn header(text: String) -> Result<Params, Status> {
    let text = Bytes::from(text);
    MetadataValue::try_from(text.clone()).map_err(|_| {
        Status::new(
            Code::InvalidArgument,
            format!("\"{}\" cannot be sent as a header", text.escape_ascii()),
        )
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn names_are_url_encoded_in_the_routing_header() {
        let routing = Routing::Table {
            name: "projects/a.com:p/instances/i/tables/t-1_x~",
            app_profile: "my profile",
        };
        assert_eq!(
            routing.params().unwrap(),
            "table_name=projects%2Fa.com%3Ap%2Finstances%2Fi%2Ftables%2Ft-1_x~&app_profile_id=my%20profile"
        );
        let routing = Routing::Admin {
            field: "parent",
            name: "projects/p/instances/i",
        };
        assert_eq!(
            routing.params().unwrap(),
            "parent=projects%2Fp%2Finstances%2Fi"
        );
    }

    #[test]
    fn names_that_do_not_fit_are_refused_before_anything_is_sent() {
        let long = "x".repeat(100_000);
        let table = format!("projects/p/instances/i/tables/{long}");
        for (routing, what) in [
            (
                Routing::Table {
                    name: &table,
                    app_profile: "",
                },
                "table",
            ),
            (
                Routing::Table {
                    name: "t",
                    app_profile: &long,
                },
                "app profile",
            ),
            (
                Routing::Admin {
                    field: "name",
                    name: &table,
                },
                "table",
            ),
        ] {
            let error = routing.params().unwrap_err();
            assert_eq!(error.code, Code::InvalidArgument);
            let begin = format!("{what} \"{}", "x".repeat(64));
            assert!(error.message.starts_with(&begin), "{error}");
            assert!(error.message.contains("has 100000 bytes"), "{error}");
            assert!(error.message.len() < 300, "{error}");
            assert!(error.message.ends_with("nothing was sent"), "{error}");
        }
        let longest = format!("projects/p/instances/i/tables/{}", "x".repeat(4000));
        let routing = Routing::Table {
            name: &longest,
            app_profile: "",
        };
        assert!(routing.params().is_ok());
        // The escaped length counts.
        let escaped = "#".repeat(2000);
        let routing = Routing::Admin {
            field: "name",
            name: &escaped,
        };
        assert!(routing.params().is_err());
    }
}
