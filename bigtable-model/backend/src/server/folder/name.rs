//! The names of instances as names of files.

use std::fmt::Write as _;
use std::path::Path;

use percent_encoding::percent_decode_str;

use crate::grpc::protocol::names::is_instance;

const ENDING: &str = ".snapshot";

/// File systems allow 255 bytes, and a snapshot that is being written has some more digits and an
/// extension.
const MAX_BYTES: usize = 200;

/// The file of the instance `projects/{project}/instances/{instance}`; `None` if its name would be
/// too long.
pub(super) fn file(instance: &str) -> Option<String> {
    let name = instance.strip_prefix("projects/")?;
    let (project, instance) = name.split_once("/instances/")?;
    let file = format!("{}.{}{ENDING}", encode(project), encode(instance));
    (file.len() <= MAX_BYTES).then_some(file)
}

/// The instance that a file holds; `None` if [`file`] would not give the file this name.
pub(super) fn instance(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    let (project, instance) = name.strip_suffix(ENDING)?.split_once('.')?;
    let decode = |part| percent_decode_str(part).decode_utf8().ok();
    let found = format!(
        "projects/{}/instances/{}",
        decode(project)?,
        decode(instance)?
    );
    // One name, one file: another spelling that decodes to the same instance is not ours.
    (is_instance(&found) && file(&found).as_deref() == Some(name)).then_some(found)
}

/// Whether a file with this name should hold an instance.
pub(super) fn is_snapshot(name: &str) -> bool {
    name.ends_with(ENDING) && !name.starts_with('.')
}

/// Capital letters are escaped too: some file systems do not distinguish them from small ones.
fn encode(part: &str) -> String {
    let mut encoded = String::with_capacity(part.len());
    for byte in part.bytes() {
        match byte {
            b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' => encoded.push(char::from(byte)),
            // Writing to a string never fails.
            _ => drop(write!(encoded, "%{byte:02x}")),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_after_instances() {
        for (name, wanted) in [
            ("projects/p/instances/i", "p.i.snapshot"),
            (
                "projects/my-project/instances/i_1",
                "my-project.i_1.snapshot",
            ),
            (
                "projects/example.com:p/instances/I",
                "example%2ecom%3ap.%49.snapshot",
            ),
            ("projects/../instances/..", "%2e%2e.%2e%2e.snapshot"),
            (
                "projects/a\\b\0/instances/é%",
                "a%5cb%00.%c3%a9%25.snapshot",
            ),
        ] {
            assert_eq!(file(name).as_deref(), Some(wanted));
            assert_eq!(instance(Path::new(wanted)).as_deref(), Some(name));
        }
        let long = format!("projects/p/instances/{}", "i".repeat(200));
        assert_eq!(file(&long), None);
    }

    #[test]
    fn other_files_are_no_instances() {
        for name in [
            "p.snapshot",
            ".i.snapshot",
            "p..snapshot",
            "p.i.j.snapshot",
            "P.i.snapshot",
            "p.%69.snapshot",
            "p.%2E.snapshot",
            "a%2fb.i.snapshot",
            "p.%ff.snapshot",
        ] {
            assert_eq!(instance(Path::new(name)), None, "{name}");
        }
    }
}
