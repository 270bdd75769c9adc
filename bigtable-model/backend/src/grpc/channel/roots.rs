//! Root certificates from the program.

use rustls::RootCertStore;
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, TrustAnchor};

/// The trust anchors in a PEM text. Each certificate has to be valid: a client that trusts fewer
/// than it was told to would only find out when connections fail.
pub(super) fn parse(pem: &[u8]) -> Result<Vec<TrustAnchor<'static>>, String> {
    let mut roots = RootCertStore::empty();
    for (index, certificate) in CertificateDer::pem_slice_iter(pem).enumerate() {
        let number = index + 1;
        let invalid = |reason: &dyn std::fmt::Display| {
            format!("root certificate {number} is invalid: {reason}")
        };
        let certificate = certificate.map_err(|error| invalid(&unread(&error)))?;
        roots.add(certificate).map_err(|error| invalid(&error))?;
    }
    match roots.is_empty() {
        true => Err(
            "there is no root certificate: give them in PEM, \"-----BEGIN CERTIFICATE-----\", or leave them out to trust those of the system"
                .to_owned(),
        ),
        false => Ok(roots.roots),
    }
}

/// rustls prints the lines of the text as lists of bytes; and they may be secret.
fn unread(error: &pem::Error) -> String {
    match error {
        pem::Error::MissingSectionEnd { end_marker } => {
            let kind = String::from_utf8_lossy(end_marker);
            format!("its last line, \"-----END {kind}-----\", is missing")
        }
        pem::Error::IllegalSectionStart { .. } => {
            "its first line is not \"-----BEGIN CERTIFICATE-----\"".to_owned()
        }
        pem::Error::Base64Decode(_) => "it is not base64".to_owned(),
        error => error.to_string(),
    }
}
