//! Owns every path under a checkpoint folder.
//!
//! Shape: `<root>/<job>/chk-<id>/manifest.json` and
//!        `<root>/<job>/chk-<id>/<operator>/<index>-<slot>.arrow`, where `<operator>` is the uid,
//!        or the id in hex where the author gave none.
//!
//! A slot's name may hold anything, its file's name only ASCII letters, digits, `_`, `-` and `.`:
//! other bytes are written as `%` and two hex digits, and a long name ends in `~` and its hash.

use std::fmt::Write as _;
use std::path::{Component, Path, PathBuf};

use clink_plan::id::CheckpointId;
use clink_plan::key_group::fnv1a_64;

use super::error::CheckpointError;
use super::snapshot::OperatorIdentity;

/// The file that makes a checkpoint exist.
pub const MANIFEST: &str = "manifest.json";

const CHECKPOINT_PREFIX: &str = "chk-";

/// The longest folder name: file systems stop at 255 bytes.
const NAME_BYTES_MAX: usize = 200;

/// The longest part of a slot's name that its file's name holds.
const SLOT_BYTES_MAX: usize = 120;

/// The paths of one job's checkpoints.
#[derive(Clone, Debug)]
pub struct Layout {
    job_folder: PathBuf,
}

impl Layout {
    /// The paths of `job` under `root`.
    ///
    /// # Errors
    /// [`CheckpointError::Name`] if the job's name cannot name a folder.
    pub fn new(root: &Path, job: &str) -> Result<Self, CheckpointError> {
        check_name("job", job)?;
        Ok(Self { job_folder: root.join(job) })
    }

    /// What a run locks to keep others off the job's folder.
    pub fn lock_file(&self) -> PathBuf {
        self.job_folder().join("lock")
    }

    /// The folder of all checkpoints of the job.
    pub fn job_folder(&self) -> &Path {
        &self.job_folder
    }

    /// The folder of one checkpoint.
    pub fn checkpoint_folder(&self, id: CheckpointId) -> PathBuf {
        self.job_folder.join(format!("{CHECKPOINT_PREFIX}{id}"))
    }
}

/// The manifest in a checkpoint's folder.
pub fn manifest_path(checkpoint_folder: &Path) -> PathBuf {
    checkpoint_folder.join(MANIFEST)
}

/// The checkpoint whose folder has this name; `None` for a name that no checkpoint has.
pub fn checkpoint_of(folder_name: &str) -> Option<CheckpointId> {
    let digits = folder_name.strip_prefix(CHECKPOINT_PREFIX)?;
    let id: u64 = digits.parse().ok()?;
    // `chk-07` and `chk-+7` parse, and are not ours.
    (id.to_string() == digits).then_some(CheckpointId(id))
}

/// The folder of an operator's files, relative to the checkpoint's folder.
///
/// # Errors
/// [`CheckpointError::Name`] if the uid cannot name a folder.
pub fn operator_folder(operator: &OperatorIdentity) -> Result<String, CheckpointError> {
    if operator.uid.is_empty() {
        return Ok(operator.id.to_string());
    }
    check_name("uid", &operator.uid)?;
    Ok(operator.uid.clone())
}

/// The name of a slot's file in its operator's folder.
pub fn slot_file_name(subtask_index: u32, slot: &str) -> String {
    let mut name = String::new();
    for byte in slot.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'-' | b'.' => name.push(byte.into()),
            _ => {
                // Writing to a `String` cannot fail.
                let _ = write!(name, "%{byte:02x}");
            }
        }
    }
    if name.len() > SLOT_BYTES_MAX {
        name.truncate(SLOT_BYTES_MAX);
        let _ = write!(name, "~{:016x}", fnv1a_64(slot.as_bytes()));
    }
    format!("{subtask_index}-{name}.arrow")
}

/// Whether a path from a manifest stays in its checkpoint's folder.
pub fn stays_inside(relative: &str) -> bool {
    !relative.is_empty()
        && !relative.contains('\\')
        && Path::new(relative).components().all(|part| matches!(part, Component::Normal(_)))
}

fn check_name(what: &'static str, name: &str) -> Result<(), CheckpointError> {
    let reason = if name.is_empty() {
        "it is empty"
    } else if name.len() > NAME_BYTES_MAX {
        "it is longer than 200 bytes"
    } else if name.starts_with('.') {
        "it starts with a dot"
    } else if name.contains(|c: char| matches!(c, '/' | '\\' | ':') || c.is_control()) {
        "it holds a path separator, a colon or a control character"
    } else {
        return Ok(());
    };
    Err(CheckpointError::Name { what, name: name.to_owned(), reason })
}

#[cfg(test)]
mod tests {
    use clink_plan::id::OperatorId;

    use super::*;

    #[test]
    fn paths_have_the_documented_shape() {
        let layout = Layout::new(Path::new("/x"), "delays").unwrap();
        let folder = layout.checkpoint_folder(CheckpointId(7));
        assert_eq!(folder, Path::new("/x/delays/chk-7"));
        assert_eq!(manifest_path(&folder), Path::new("/x/delays/chk-7/manifest.json"));
        let mut operator = OperatorIdentity { id: OperatorId(255), uid: "mean-delay".into() };
        assert_eq!(operator_folder(&operator).unwrap(), "mean-delay");
        operator.uid.clear();
        assert_eq!(operator_folder(&operator).unwrap(), "00000000000000ff");
        assert_eq!(slot_file_name(3, "sum"), "3-sum.arrow");
    }

    #[test]
    fn a_name_cannot_leave_its_folder() {
        for bad in ["", "..", ".x", "a/b", "a\\b", "a\0b", "c:", &"x".repeat(201)] {
            assert!(Layout::new(Path::new("/x"), bad).is_err(), "{bad:?}");
            let operator = OperatorIdentity { id: OperatorId(1), uid: bad.into() };
            assert!(bad.is_empty() || operator_folder(&operator).is_err(), "{bad:?}");
        }
        for bad in ["", "/etc/x", "../x", "a/../x", "./x", "a\\b"] {
            assert!(!stays_inside(bad), "{bad:?}");
        }
        assert!(stays_inside("count/0-sum.arrow"));
    }

    #[test]
    fn different_slots_have_different_files() {
        assert_eq!(slot_file_name(0, "../a b%"), "0-..%2fa%20b%25.arrow");
        let long = "ü".repeat(300);
        assert!(slot_file_name(u32::MAX, &long).len() < 255);
        assert_ne!(slot_file_name(0, &long), slot_file_name(0, &format!("{long}x")));
    }

    #[test]
    fn only_our_folders_are_checkpoints() {
        assert_eq!(checkpoint_of("chk-12"), Some(CheckpointId(12)));
        for other in
            ["chk-", "chk-07", "chk-+7", "chk--1", "chk-x", "12", "chk-18446744073709551616"]
        {
            assert_eq!(checkpoint_of(other), None, "{other}");
        }
    }
}
