#![allow(clippy::unwrap_used, reason = "tests")]

use std::io::Write as _;

use super::*;

/// A folder of its own, deleted at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        let path = std::env::temp_dir().join(format!("file-{test}-{}", process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn put(path: &Path, content: &[u8]) -> io::Result<()> {
    replace(path, |file| file.write_all(content))
}

#[cfg(unix)]
#[test]
fn nobody_gets_access_who_had_none() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

    let folder = Folder::new("mode");
    let path = folder.0.join("data");
    put(&path, b"1").unwrap();
    // A new file has the mode of any other new file.
    fs::write(folder.0.join("other"), b"").unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().mode() & 0o777;
    assert_eq!(mode(&path), mode(&folder.0.join("other")));
    for wanted in [0o600, 0o640, 0o664, 0o400] {
        fs::set_permissions(&path, fs::Permissions::from_mode(wanted)).unwrap();
        replace(&path, |file| {
            // It is closed to others before it has any content.
            assert_eq!(file.metadata()?.mode() & 0o777, wanted);
            file.write_all(b"2")
        })
        .unwrap();
        assert_eq!(mode(&path), wanted, "{wanted:o}");
    }
    // For a link the target's mode counts: a link's own mode allows everything.
    let link = folder.0.join("link");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    put(&link, b"3").unwrap();
    assert_eq!(mode(&link), 0o400);
    assert_eq!(fs::read(&path).unwrap(), b"3");
}

#[cfg(unix)]
#[test]
fn the_file_that_links_lead_to_is_replaced() {
    use std::os::unix::fs::symlink;

    let folder = Folder::new("links");
    for inner in ["here", "there"] {
        fs::create_dir_all(folder.0.join(inner)).unwrap();
    }
    // From one link to the next, relative to each one's own folder; there is no file yet.
    symlink("here/second", folder.0.join("first")).unwrap();
    symlink("../there/data", folder.0.join("here/second")).unwrap();
    let (first, data) = (folder.0.join("first"), folder.0.join("there/data"));
    for content in [b"1", b"2"] {
        put(&first, content).unwrap();
        assert_eq!(fs::read(&data).unwrap(), content);
        assert!(fs::symlink_metadata(&first).unwrap().is_symlink());
    }
    // The file that a killed program left lies beside the target.
    let left = folder.0.join("there/.data.12-0.tmp");
    fs::write(&left, "half").unwrap();
    remove_unfinished(&first).unwrap();
    assert!(!left.exists());
    symlink("circle", folder.0.join("circle")).unwrap();
    let error = put(&folder.0.join("circle"), b"").unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::InvalidInput, "{error}");
}

/// To open a pipe would wait for somebody at its other end.
#[cfg(unix)]
#[test]
fn pipes_are_neither_opened_nor_replaced() {
    let folder = Folder::new("pipes");
    let paths = ["data", ".data.12-0.tmp"].map(|name| folder.0.join(name));
    for path in &paths {
        let made = process::Command::new("mkfifo").arg(path).status();
        assert!(made.unwrap().success());
        let error = put(path, b"1").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput, "{error}");
        assert!(open(path).unwrap_err().to_string().contains("regular file"));
    }
    remove_unfinished(&paths[0]).unwrap();
    assert_eq!(folder.names(), [".data.12-0.tmp", "data"]);
}

#[test]
fn what_was_left_behind_is_deleted_and_what_is_written_is_not() {
    let folder = Folder::new("left");
    let path = folder.0.join("data");
    let left = [".data.12-0.tmp", ".data.12-1.tmp"];
    let others = [".data.x.tmp", ".other.12-0.tmp", "data.12-0.tmp", "notes"];
    for name in left.iter().chain(&others) {
        fs::write(folder.0.join(name), "half").unwrap();
    }
    let (temporary, file) = Temporary::beside(&path).unwrap();
    remove_unfinished(&path).unwrap();
    let own = temporary.0.file_name().unwrap().to_str().unwrap();
    let mut expected = [others.as_slice(), &[own]].concat();
    expected.sort_unstable();
    assert_eq!(folder.names(), expected);
    drop((temporary, file));
    remove_unfinished_in(&folder.0, |name| name == "other").unwrap();
    let mut expected = others.to_vec();
    expected.retain(|name| !name.starts_with(".other"));
    expected.sort_unstable();
    assert_eq!(folder.names(), expected);
}

#[test]
fn names_of_unfinished_files_are_known() {
    assert_eq!(unfinished(".p.i.snapshot.12-3.tmp"), Some("p.i.snapshot"));
    for name in [
        "p.i.snapshot",
        ".p.i.snapshot.x.tmp",
        ".12-3.tmp",
        "p.i.snapshot.12-3.tmp",
    ] {
        assert_eq!(unfinished(name), None, "{name}");
    }
}
