//! A failed attempt, with what the next one inherits from it.

use std::error::Error;

use bytes::Bytes;
use http::HeaderMap;
use tonic::metadata::MetadataMap;

use super::call_error::CallError;
use crate::grpc::protocol::status::{self, Fate};
use crate::{Code, Status};

/// What went wrong with one attempt.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) status: Status,
    pub(crate) cookies: Cookies,
    /// The row that is too large to read, if that was the failure.
    pub(crate) large_row: Option<Bytes>,
    /// Whether the plan of a query has expired.
    pub(crate) plan_expired: bool,
    /// Whether the connection could not be made or broke.
    pub(crate) unreached: bool,
    pub(crate) fate: Fate,
}

impl Failure {
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Status::new(code, message).into()
    }

    pub(crate) fn from_tonic(error: &tonic::Status) -> Self {
        Self {
            status: status::from_tonic(error),
            cookies: Cookies::of(error.metadata()),
            large_row: status::large_row(error.details()),
            plan_expired: status::is_plan_expired(error),
            unreached: status::is_unreached(error),
            fate: fate(error),
        }
    }

    /// Adds which server could not be reached, if that was the failure.
    pub(crate) fn on_the_way_to(mut self, address: &str) -> Self {
        if self.unreached {
            self.status.message = format!("{address}: {}", self.status.message);
        }
        self
    }
}

impl From<Status> for Failure {
    fn from(status: Status) -> Self {
        Self {
            status,
            cookies: Cookies::default(),
            large_row: None,
            plan_expired: false,
            unreached: false,
            fate: Fate::Open,
        }
    }
}

/// A call that has an answer, or the beginning of one, never fails like this.
fn fate(error: &tonic::Status) -> Fate {
    let cause = error.source();
    let call = cause.and_then(|cause| cause.downcast_ref::<CallError>());
    call.map_or(Fate::Open, CallError::fate)
}

impl From<Failure> for Status {
    fn from(failure: Failure) -> Self {
        failure.status
    }
}

const COOKIE: &str = "x-goog-cbt-cookie-";

/// The maximum size of cookies in a request. If a server gave more, it would refuse the headers
/// with them.
const MOST_COOKIES: usize = 4 << 10;

fn bytes(cookies: &HeaderMap) -> usize {
    let sizes = cookies
        .iter()
        .map(|(name, value)| name.as_str().len() + value.len());
    sizes.sum()
}

/// The routing cookies of an operation: a server's hints about where the next attempt should go.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cookies(Option<Box<HeaderMap>>);

impl Cookies {
    pub(crate) fn of(metadata: &MetadataMap) -> Self {
        let headers: &HeaderMap = metadata.as_ref();
        let mut cookies = HeaderMap::new();
        for (name, value) in headers {
            if name.as_str().starts_with(COOKIE) {
                cookies.append(name, value.clone());
            }
        }
        Self((!cookies.is_empty()).then(|| Box::new(cookies)))
    }

    /// Adds newer cookies. Cookies with other names stay, as long as all of them fit into a
    /// request's headers.
    pub(crate) fn update(&mut self, newer: Self) {
        let Some(newer) = newer.0 else { return };
        let mut cookies = self.0.take().unwrap_or_default();
        for name in newer.keys() {
            cookies.remove(name);
        }
        if bytes(&cookies) + bytes(&newer) > MOST_COOKIES {
            cookies.clear();
        }
        for (name, value) in newer.iter() {
            cookies.append(name, value.clone());
        }
        self.0 = (bytes(&cookies) <= MOST_COOKIES).then_some(cookies);
    }

    pub(crate) fn write(&self, metadata: &mut MetadataMap) {
        let headers: &mut HeaderMap = metadata.as_mut();
        for (name, value) in self.0.iter().flat_map(|cookies| cookies.iter()) {
            headers.append(name, value.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metadata(pairs: &[(&'static str, &'static str)]) -> MetadataMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, http::HeaderValue::from_static(value));
        }
        MetadataMap::from_headers(headers)
    }

    #[test]
    fn cookies_that_do_not_fit_into_headers_are_not_kept() {
        let of = |name: &'static str, len| {
            let mut headers = HeaderMap::new();
            let value = http::HeaderValue::from_bytes(&vec![b'x'; len]);
            headers.extend(
                value
                    .ok()
                    .map(|value| (http::HeaderName::from_static(name), value)),
            );
            Cookies::of(&MetadataMap::from_headers(headers))
        };
        let kept = |cookies: &Cookies| {
            let mut out = MetadataMap::new();
            cookies.write(&mut out);
            let names = out.keys().map(|name| match name {
                tonic::metadata::KeyRef::Ascii(name) => name.as_str().to_owned(),
                tonic::metadata::KeyRef::Binary(name) => name.as_str().to_owned(),
            });
            names.collect::<Vec<_>>()
        };
        let (a, b) = ("x-goog-cbt-cookie-a", "x-goog-cbt-cookie-b");
        let mut cookies = Cookies::default();
        cookies.update(of(a, 3000));
        assert_eq!(kept(&cookies), [a]);
        cookies.update(of(b, 2000));
        assert_eq!(kept(&cookies), [b], "the newer one is the better hint");
        cookies.update(of(a, 1000));
        assert_eq!(kept(&cookies).len(), 2);
        cookies.update(of(a, 100_000));
        assert!(kept(&cookies).is_empty());
    }

    #[test]
    fn cookies_stay_until_one_of_their_name_comes() {
        let mut cookies = Cookies::default();
        cookies.update(Cookies::of(&metadata(&[
            ("x-goog-cbt-cookie-a", "1"),
            ("x-goog-cbt-cookie-b", "2"),
            ("x-other", "3"),
        ])));
        cookies.update(Cookies::of(&metadata(&[("x-other", "4")])));
        cookies.update(Cookies::of(&metadata(&[("x-goog-cbt-cookie-b", "5")])));
        let mut out = MetadataMap::new();
        cookies.write(&mut out);
        let expected = metadata(&[("x-goog-cbt-cookie-a", "1"), ("x-goog-cbt-cookie-b", "5")]);
        assert_eq!(out.as_ref(), expected.as_ref());
    }
}
