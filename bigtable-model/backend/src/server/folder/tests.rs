#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests"
)]

use std::time::SystemTime;

use super::*;
use crate::Backend;
use crate::data::TableSchema;

const NAME: &str = "projects/p/instances/i";
const OTHER: &str = "projects/p/instances/j";

/// A folder of its own, deleted at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        let name = format!("instance-folder-{test}-{}", std::process::id());
        Self(std::env::temp_dir().join(name))
    }

    fn open(&self) -> Result<InstanceFolder, FolderError> {
        InstanceFolder::open(&self.0, MemoryBackend::builder())
    }

    fn files(&self) -> Vec<String> {
        let files = fs::read_dir(&self.0).unwrap();
        let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.filter(|name| name != LOCK).collect();
        names.sort();
        names
    }

    fn saved_at(&self, file: &str) -> SystemTime {
        fs::metadata(self.0.join(file)).unwrap().modified().unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

async fn create(folder: &InstanceFolder, name: &str, table: &str) {
    let schema = TableSchema {
        table: table.to_owned(),
        ..TableSchema::default()
    };
    let db = folder.instances().get(name).unwrap();
    db.tables().create(schema, Vec::new()).await.unwrap();
}

async fn tables(folder: &InstanceFolder, name: &str) -> Vec<String> {
    let db = folder.instances().get(name).unwrap();
    db.tables().list().await.unwrap()
}

#[tokio::test]
async fn instances_are_there_again() {
    let place = Folder::new("again");
    let folder = place.open().unwrap();
    create(&folder, NAME, "t").await;
    create(&folder, OTHER, "u").await;
    // The instance was only named, so there is nothing to keep.
    assert!(tables(&folder, "projects/p/instances/k").await.is_empty());
    folder.save().unwrap();
    create(&folder, NAME, "lost").await;
    drop(folder);
    assert_eq!(place.files(), ["p.i.snapshot", "p.j.snapshot"]);

    let folder = place.open().unwrap();
    assert_eq!(tables(&folder, NAME).await, ["t"]);
    assert_eq!(tables(&folder, OTHER).await, ["u"]);
    let db = folder.instances().get(NAME).unwrap();
    db.tables().delete("t").await.unwrap();
    folder.save().unwrap();
    drop((folder, db));
    assert!(tables(&place.open().unwrap(), NAME).await.is_empty());
}

#[tokio::test]
async fn what_did_not_change_is_not_written_again() {
    let place = Folder::new("unchanged");
    let folder = place.open().unwrap();
    create(&folder, NAME, "t").await;
    create(&folder, OTHER, "t").await;
    folder.save().unwrap();
    let before = ["p.i.snapshot", "p.j.snapshot"].map(|file| place.saved_at(file));
    std::thread::sleep(std::time::Duration::from_millis(20));
    create(&folder, OTHER, "u").await;
    folder.save().unwrap();
    assert_eq!(place.saved_at("p.i.snapshot"), before[0]);
    assert!(place.saved_at("p.j.snapshot") > before[1]);
}

#[tokio::test]
async fn an_instance_that_cannot_be_saved_keeps_no_other_from_it() {
    let place = Folder::new("unsaved");
    let folder = place.open().unwrap();
    create(&folder, NAME, "t").await;
    create(&folder, OTHER, "t").await;
    // No file can replace a folder.
    fs::create_dir_all(place.0.join("p.i.snapshot/x")).unwrap();
    let error = folder.save().unwrap_err();
    assert!(matches!(error, SnapshotError::Io { .. }), "{error}");
    assert!(place.0.join("p.j.snapshot").is_file());
    fs::remove_dir_all(place.0.join("p.i.snapshot")).unwrap();
    folder.save().unwrap();
    assert!(place.0.join("p.i.snapshot").is_file());
}

#[tokio::test]
async fn damaged_and_misnamed_files_are_errors() {
    let place = Folder::new("damaged");
    let folder = place.open().unwrap();
    create(&folder, NAME, "t").await;
    folder.save().unwrap();
    drop(folder);
    let file = place.0.join("p.i.snapshot");
    let whole = fs::read(&file).unwrap();
    fs::write(&file, whole.split_last().unwrap().1).unwrap();
    match place.open() {
        Err(FolderError::Instance(SnapshotError::Damaged { path, .. })) => assert_eq!(path, file),
        other => panic!("{other:?}"),
    }
    // An instance that lost its file to an editor, say, is not empty either.
    fs::write(&file, "").unwrap();
    assert!(matches!(place.open(), Err(FolderError::Instance(_))));
    fs::write(&file, whole).unwrap();
    fs::write(place.0.join("Mine.snapshot"), "").unwrap();
    let error = place.open().unwrap_err();
    assert!(matches!(error, FolderError::Misnamed { .. }), "{error}");
}

#[tokio::test]
async fn one_program_at_a_time() {
    let place = Folder::new("lock");
    let folder = place.open().unwrap();
    let error = place.open().unwrap_err();
    assert!(matches!(error, FolderError::InUse { .. }), "{error}");
    drop(folder);
    place.open().unwrap();
}

#[tokio::test]
async fn what_a_killed_process_left_is_cleaned_up() {
    let place = Folder::new("killed");
    drop(place.open().unwrap());
    fs::write(place.0.join(".p.i.snapshot.12-0.tmp"), "half").unwrap();
    fs::write(place.0.join("notes.txt"), "mine").unwrap();
    let folder = place.open().unwrap();
    assert_eq!(place.files(), ["notes.txt"]);
    assert!(tables(&folder, NAME).await.is_empty());
}

#[tokio::test]
async fn names_too_long_for_a_file_are_refused() {
    let place = Folder::new("long");
    let folder = place.open().unwrap();
    let name = format!("projects/p/instances/{}", "I".repeat(100));
    let error = folder.instances().get(&name).unwrap_err();
    assert_eq!(error.code, Code::InvalidArgument);
    folder.save().unwrap();
}
