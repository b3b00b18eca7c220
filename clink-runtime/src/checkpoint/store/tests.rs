//! Writes checkpoints, interrupts them between any two steps, and looks at what is left.

use std::io::Write as _;
use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch};
use clink_plan::id::{OperatorId, SubtaskId};
use clink_plan::key_group::{KeyGroupRange, key_group_range_for_subtask};
use tempfile::TempDir;

use super::*;
use crate::checkpoint::restore::RestoredJob;
use crate::checkpoint::snapshot::SlotScope;

fn slot(uid: &str, name: &str, subtask_index: u32, rows: &[i64]) -> SlotSnapshot {
    let values: ArrayRef = Arc::new(Int64Array::from(rows.to_vec()));
    SlotSnapshot {
        operator: OperatorIdentity { id: OperatorId::from_uid(uid), uid: uid.into() },
        subtask_index,
        parallelism: 2,
        slot: name.into(),
        scope: SlotScope::Operator,
        by_name: false,
        key_groups: key_group_range_for_subtask(subtask_index, 2),
        rows: RecordBatch::try_from_iter([("value", values)]).unwrap(),
    }
}

fn snapshot(id: u64, subtask: u32) -> SubtaskSnapshot {
    SubtaskSnapshot {
        subtask: SubtaskId(subtask),
        checkpoint: CheckpointId(id),
        slots: vec![slot("read", "offset", subtask, &[7, -1]), slot("count", "n", subtask, &[])],
    }
}

fn open(root: &TempDir) -> CheckpointStore {
    CheckpointStore::open(root.path(), "job").unwrap()
}

fn write(store: &CheckpointStore, id: u64) -> Vec<WrittenSlot> {
    let part = |subtask| store.write(&snapshot(id, subtask)).unwrap();
    [part(0), part(1)].concat()
}

fn complete(store: &CheckpointStore, id: u64) -> Manifest {
    store.complete(CheckpointId(id), 1_000, write(store, id), []).unwrap()
}

fn ids(numbers: &[u64]) -> Vec<CheckpointId> {
    numbers.iter().copied().map(CheckpointId).collect()
}

/// Every path under a folder, relative to it.
fn tree(folder: &Path) -> Vec<String> {
    let mut paths = Vec::new();
    for entry in files::list_folder(folder).unwrap() {
        let name = entry.name.into_string().unwrap();
        if entry.is_folder {
            paths.extend(tree(&entry.path).into_iter().map(|below| format!("{name}/{below}")));
        }
        paths.push(name);
    }
    paths
}

/// In place: ext4 syncs a file that is cut to nothing and written again, and thousands of those
/// take their time.
fn overwrite(path: &Path, bytes: &[u8]) {
    let mut file = files::open_read_write(path).unwrap();
    file.write_all(bytes).unwrap();
}

fn load(store: &CheckpointStore, point: &str) -> Result<RestoredJob, CheckpointError> {
    RestoredJob::load(store, &point.parse().unwrap())
}

#[test]
fn a_checkpoint_is_what_the_layout_says_and_reads_back() {
    let root = tempfile::tempdir().unwrap();
    let store = open(&root);
    assert_eq!(store.next_id().unwrap(), CheckpointId(1));
    let manifest = complete(&store, 1);
    let below = [
        "count/0-n.arrow",
        "count/1-n.arrow",
        "count",
        "manifest.json",
        "read/0-offset.arrow",
        "read/1-offset.arrow",
        "read",
    ];
    assert_eq!(tree(&store.folder(CheckpointId(1))), below, "and no temporary file");
    assert_eq!(store.load(&RestorePoint::Latest).unwrap().manifest, manifest);
    let restored = load(&store, "latest").unwrap();
    let read = OperatorId::from_uid("read");
    let rows = restored.operator_rows(read, "offset").unwrap().unwrap();
    assert_eq!(rows, [snapshot(1, 0).slots[0].rows.clone(), snapshot(1, 1).slots[0].rows.clone()]);
    assert_eq!(store.next_id().unwrap(), CheckpointId(2));
}

#[test]
fn one_run_at_a_time_has_a_folder_open() {
    let root = tempfile::tempdir().unwrap();
    let store = open(&root);
    let again = CheckpointStore::open(root.path(), "job");
    assert!(matches!(again, Err(CheckpointError::InUse { .. })), "{again:?}");
    CheckpointStore::open(root.path(), "other").unwrap();
    drop(store);
    open(&root);
}

#[test]
fn nothing_is_a_checkpoint_before_its_manifest() {
    let root = tempfile::tempdir().unwrap();
    let store = open(&root);
    complete(&store, 1);
    write(&store, 2);
    assert_eq!(store.list().unwrap(), ids(&[1]));
    assert!(matches!(load(&store, "2"), Err(CheckpointError::NotFound { .. })));
    // A crash while the manifest is written leaves a temporary one.
    let torn = files::temporary_beside(&manifest_path(&store.folder(CheckpointId(2))));
    files::write_durable(&torn, b"{").unwrap();
    assert_eq!(store.list().unwrap(), ids(&[1]));

    drop(store);
    let reopened = open(&root);
    assert_eq!(tree(&reopened.folder(CheckpointId(2))), [""; 0], "swept");
    assert_eq!(reopened.next_id().unwrap(), CheckpointId(3), "a number is never given twice");
    drop(reopened);
    let reopened = open(&root);
    assert_eq!(reopened.next_id().unwrap(), CheckpointId(3), "not even two crashes later");
    complete(&reopened, 3);
    reopened.retain(CheckpointId(1), 9).unwrap();
    assert_eq!(reopened.list().unwrap(), ids(&[1, 3]));
    assert!(!tree(reopened.job_folder()).contains(&"chk-2".to_owned()));
}

#[test]
fn an_abandoned_checkpoint_leaves_nothing_and_takes_nothing() {
    let root = tempfile::tempdir().unwrap();
    let store = open(&root);
    let parts = write(&store, 1);
    store.abandon(CheckpointId(1)).unwrap();
    assert_eq!(store.write(&snapshot(1, 1)).unwrap(), [], "too late");
    assert_eq!(tree(store.job_folder()), ["chk-1", "lock"]);
    assert_eq!(store.next_id().unwrap(), CheckpointId(2));
    let late = store.complete(CheckpointId(1), 0, parts.clone(), []);
    assert!(matches!(late, Err(CheckpointError::Inconsistent { .. })));
    let foreign = store.complete(CheckpointId(2), 0, parts, []);
    assert!(matches!(foreign, Err(CheckpointError::Inconsistent { .. })));
    complete(&store, 2);
    assert!(store.abandon(CheckpointId(2)).is_err(), "a complete one is retention's");
    assert_eq!(store.retain(CheckpointId(1), 1).unwrap(), []);
    assert_eq!(store.list().unwrap(), ids(&[2]));
    assert!(!tree(store.job_folder()).contains(&"chk-1".to_owned()));
}

#[test]
fn parts_that_contradict_each_other_make_no_checkpoint() {
    let root = tempfile::tempdir().unwrap();
    let store = open(&root);
    let parts = write(&store, 1);
    let twice = [parts.clone(), parts.clone()].concat();
    let error = store.complete(CheckpointId(1), 0, twice, []).unwrap_err();
    let expect = "checkpoint 1: operator `count`: two files hold slot `n` of subtask 0";
    assert_eq!(error.to_string(), expect);
    let mut other = parts.clone();
    other[0].parallelism = 3;
    assert!(store.complete(CheckpointId(1), 0, other, []).is_err());
    assert_eq!(store.list().unwrap(), []);
    store.complete(CheckpointId(1), 0, parts, []).unwrap();
}

#[test]
fn retention_deletes_the_oldest_and_never_a_half() {
    let root = tempfile::tempdir().unwrap();
    let store = open(&root);
    (1..=4).for_each(|id| drop(complete(&store, id)));
    assert_eq!(store.retain(CheckpointId(1), 2).unwrap(), ids(&[1, 2]));
    assert_eq!(store.list().unwrap(), ids(&[3, 4]));
    // A crash in the middle of a deletion: the manifest goes first.
    files::remove_file(&manifest_path(&store.folder(CheckpointId(3)))).unwrap();
    assert_eq!(store.list().unwrap(), ids(&[4]));
    assert_eq!(store.retain(CheckpointId(1), 2).unwrap(), []);
    assert!(!files::is_folder(&store.folder(CheckpointId(3))), "the rest went later");
}

#[test]
fn a_missing_or_changed_file_refuses_the_whole_checkpoint() {
    let root = tempfile::tempdir().unwrap();
    let store = open(&root);
    let manifest = complete(&store, 1);
    let folder = store.folder(CheckpointId(1));
    let mut paths: Vec<_> = manifest.files().map(|file| folder.join(&file.path)).collect();
    paths.push(manifest_path(&folder));
    for path in paths {
        let whole = files::read(&path).unwrap();
        let refused = |what: &str| {
            let error = load(&store, "latest").unwrap_err();
            let is_damage =
                matches!(&error, CheckpointError::Corrupt { path: named, .. } if *named == path);
            assert!(is_damage, "{what}: {error}");
        };
        for at in 0..whole.len() {
            let mut flipped = whole.clone();
            flipped[at] ^= 0x10;
            overwrite(&path, &flipped);
            refused(&format!("byte {at}"));
        }
        for cut in [0, 1, whole.len() - 1] {
            files::set_len(&files::open_read_write(&path).unwrap(), &path, cut as u64).unwrap();
            refused(&format!("cut at {cut}"));
        }
        if !path.ends_with("manifest.json") {
            files::remove_file(&path).unwrap();
            refused("removed");
        }
        files::write_durable(&path, &whole).unwrap();
    }
    load(&store, "latest").unwrap();
}

#[test]
fn a_checkpoint_is_found_by_number_and_by_path_and_only_by_its_job() {
    let root = tempfile::tempdir().unwrap();
    let store = open(&root);
    let error = load(&store, "latest").unwrap_err();
    assert!(error.to_string().contains("there is no complete checkpoint; start without --restore"));
    complete(&store, 1);
    complete(&store, 2);
    let folder = store.folder(CheckpointId(1));
    for point in ["1", folder.to_str().unwrap(), manifest_path(&folder).to_str().unwrap()] {
        assert_eq!(load(&store, point).unwrap().id(), CheckpointId(1), "{point}");
    }
    assert_eq!(load(&store, "latest").unwrap().id(), CheckpointId(2));
    for point in ["9", "99999999999999999999", root.path().to_str().unwrap(), "/dev/null"] {
        let error = load(&store, point).unwrap_err();
        assert!(error.is_refusal() && error.to_string().ends_with(" are 2, 1"), "{error}");
    }
    let other = CheckpointStore::open(root.path(), "other").unwrap();
    let error = load(&other, folder.to_str().unwrap()).unwrap_err();
    assert!(matches!(error, CheckpointError::WrongJob { .. }), "{error}");
    let moved = store.folder(CheckpointId(5));
    files::rename(&folder, &moved).unwrap();
    assert!(matches!(load(&store, "5"), Err(CheckpointError::Manifest { .. })));
    assert_eq!(load(&store, moved.to_str().unwrap()).unwrap().id(), CheckpointId(1));
}

#[test]
fn a_file_made_to_deceive_the_decoder_is_an_error() {
    let root = tempfile::tempdir().unwrap();
    let store = open(&root);
    let mut file = complete(&store, 1).operators[1].files[0].clone();
    let path = store.folder(CheckpointId(1)).join(&file.path);
    let whole = files::read(&path).unwrap();
    let mut decoded = 0;
    for at in 0..whole.len() {
        for value in [0, 0x7f, 0xff, whole[at] ^ 1] {
            let mut forged = whole.clone();
            forged[at] = value;
            overwrite(&path, &forged);
            file.crc32 = crc32fast::hash(&forged);
            match slot_file::read(&path, &file) {
                Ok(rows) => decoded += rows.num_rows(),
                Err(error) => assert!(matches!(error, CheckpointError::Corrupt { .. }), "{error}"),
            }
        }
    }
    assert!(decoded > 0, "some bytes are values or padding");
}

#[test]
fn several_threads_write_one_checkpoint() {
    fn shared<T: Send + Sync>(value: T) -> T {
        value
    }
    let root = tempfile::tempdir().unwrap();
    let store = shared(open(&root));
    let parts = std::thread::scope(|scope| {
        let writers = [0, 1].map(|subtask| {
            let store = &store;
            scope.spawn(move || store.write(&snapshot(1, subtask)).unwrap())
        });
        writers.map(|writer| writer.join().unwrap()).concat()
    });
    let manifest = store.complete(CheckpointId(1), 0, parts, []).unwrap();
    assert_eq!(manifest.files().count(), 4);
    shared(load(&store, "1").unwrap());
}

#[test]
fn a_snapshot_that_cannot_be_written_leaves_no_temporary_file() {
    let root = tempfile::tempdir().unwrap();
    let store = open(&root);
    files::create_dir(&store.folder(CheckpointId(1)).join("count/0-n.arrow")).unwrap();
    let error = store.write(&snapshot(1, 0)).unwrap_err();
    assert!(matches!(error, CheckpointError::File(_)), "{error}");
    assert!(tree(store.job_folder()).iter().all(|path| !path.ends_with(".tmp")));
    let range = KeyGroupRange { start: 0, end: 64 };
    assert_eq!(snapshot(1, 0).slots[0].key_groups, range);
}
