//! Says why a checkpoint could not be written or read, and what to do about it.

use std::path::{Path, PathBuf};

use clink_plan::id::CheckpointId;

use crate::checkpoint::layout::MANIFEST;
use crate::error::{Domain, Retry};
use crate::sys::files::FileError;

/// Why a checkpoint could not be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The system refused a file or folder.
    #[error(transparent)]
    File(#[from] FileError),
    /// A file is not what was written.
    #[error(
        "{} is damaged: {check} is {found}, expected {expected}; restore from another checkpoint",
        path.display()
    )]
    Corrupt {
        /// Which file.
        path: PathBuf,
        /// What was compared, as `crc32` or `row count`.
        check: &'static str,
        /// What it should be.
        expected: String,
        /// What it is.
        found: String,
    },
    /// A manifest is whole, but says something that cannot be.
    #[error("read manifest {}: {reason}", path.display())]
    Manifest {
        /// Which file.
        path: PathBuf,
        /// What it says.
        reason: String,
    },
    /// The checkpoint to restore from does not exist.
    #[error("no checkpoint `{wanted}` in {}: {}", searched.display(), there_is(available))]
    NotFound {
        /// What was asked for.
        wanted: String,
        /// Where it was looked for.
        searched: PathBuf,
        /// The complete checkpoints of the job, oldest first.
        available: Vec<CheckpointId>,
    },
    /// The path to restore from leads to no checkpoint.
    #[error(
        "{}: --restore takes `latest`, `none`, a number, or the path of a checkpoint; complete in \
         {} are {}",
        no_checkpoint(path, *there), folder.display(), named(available, "none")
    )]
    NotACheckpoint {
        /// What was asked for.
        path: PathBuf,
        /// Whether something is there.
        there: bool,
        /// The job's folder.
        folder: PathBuf,
        /// The complete checkpoints in it, oldest first.
        available: Vec<CheckpointId>,
    },
    /// Another process runs this job on this folder.
    #[error(
        "{} is in use by another run of this job: wait for it to end, or give this one another \
         --checkpoint-dir",
        folder.display()
    )]
    InUse {
        /// The job's folder.
        folder: PathBuf,
    },
    /// A fresh start where an earlier run left checkpoints.
    #[error(
        "{} holds checkpoint {} of an earlier run: `--restore latest` goes on from it, `--restore \
         none` starts afresh and leaves it there",
        folder.display(), newest.0
    )]
    EarlierRun {
        /// The job's folder.
        folder: PathBuf,
        /// The newest checkpoint in it.
        newest: CheckpointId,
    },
    /// The checkpoint belongs to another job.
    #[error(
        "{} is a checkpoint of job `{found}`, this is job `{expected}`; restore from a checkpoint \
         of this job",
        path.display()
    )]
    WrongJob {
        /// The manifest.
        path: PathBuf,
        /// The job that restores.
        expected: String,
        /// The job that wrote.
        found: String,
    },
    /// A later release wrote the checkpoint.
    #[error(
        "{} has format {found}, this build reads up to {supported}; restore with a newer clink",
        path.display()
    )]
    NewerFormat {
        /// The manifest.
        path: PathBuf,
        /// Its format.
        found: u64,
        /// The newest format known.
        supported: u64,
    },
    /// The checkpoint holds state that the job would lose.
    #[error(
        "the checkpoint holds state that nothing in this job takes: {}{}; give it back its uid, \
         or drop the state with --allow-unmatched-state",
        operators.join(", "),
        perhaps_renamed(without_state)
    )]
    UnmatchedState {
        /// Whose state, as `operator `count`` or `slot `total` of operator `count``.
        operators: Vec<String>,
        /// What in this job has no state in the checkpoint: perhaps the same under a new name.
        without_state: Vec<String>,
    },
    /// A slot holds values of another type than the job's.
    #[error(
        "slot `{slot}` of {operator} holds {found}, this job expects {expected}; restore with the \
         type it was written with, or rename the slot to start it afresh"
    )]
    SchemaMismatch {
        /// Whose slot, as `operator `count``.
        operator: String,
        /// Which.
        slot: String,
        /// The job's type.
        expected: String,
        /// The checkpoint's.
        found: String,
    },
    /// A name cannot be a part of a path.
    #[error("{what} `{name}` cannot name a folder: {reason}")]
    Name {
        /// What is named.
        what: &'static str,
        /// Its name.
        name: String,
        /// Which rule it breaks.
        reason: &'static str,
    },
    /// Rows could not be encoded.
    #[error("encode {}: {reason}", path.display())]
    Encode {
        /// The file they were for.
        path: PathBuf,
        /// What the encoder said.
        reason: String,
    },
    /// The engine asked for something that contradicts what it asked before.
    #[error("checkpoint {id}: {reason}")]
    Inconsistent {
        /// Which checkpoint.
        id: CheckpointId,
        /// The contradiction.
        reason: String,
    },
}

impl CheckpointError {
    /// Who can mend it.
    pub fn domain(&self) -> Domain {
        match self {
            Self::File(_) | Self::Corrupt { .. } | Self::Manifest { .. } => Domain::External,
            Self::Encode { .. } | Self::Inconsistent { .. } => Domain::Engine,
            _ => Domain::Author,
        }
    }

    /// What may be done next: the disk may recover, everything else would happen again.
    pub fn retry(&self) -> Retry {
        match self {
            Self::File(_) => Retry::Backoff,
            _ => Retry::Never,
        }
    }

    /// Whether state was refused: the job did not start because it could not start from what was
    /// asked for (exit code 3).
    pub fn is_refusal(&self) -> bool {
        matches!(
            self,
            Self::Corrupt { .. }
                | Self::Manifest { .. }
                | Self::NotFound { .. }
                | Self::NotACheckpoint { .. }
                | Self::Name { .. }
                | Self::WrongJob { .. }
                | Self::NewerFormat { .. }
                | Self::UnmatchedState { .. }
                | Self::SchemaMismatch { .. }
                | Self::InUse { .. }
                | Self::EarlierRun { .. }
        )
    }
}

/// How many checkpoints a message names.
const NAMED: usize = 10;

fn there_is(available: &[CheckpointId]) -> String {
    if available.is_empty() {
        return "there is no complete checkpoint; start without --restore, or name \
                the --checkpoint-dir of the run to go on from"
            .into();
    }
    format!("complete are {}", named(available, ""))
}

fn no_checkpoint(path: &Path, there: bool) -> String {
    let path = path.display();
    if there {
        return format!("{path} is no checkpoint, for it holds no {MANIFEST}");
    }
    format!("there is no checkpoint at {path}")
}

/// The newest of some checkpoints, newest first.
fn named(available: &[CheckpointId], none: &str) -> String {
    let newest: Vec<String> = available.iter().rev().take(NAMED).map(|id| id.to_string()).collect();
    let more = if available.len() > NAMED { ", …" } else { "" };
    if newest.is_empty() { none.to_owned() } else { format!("{}{more}", newest.join(", ")) }
}

fn perhaps_renamed(without_state: &[String]) -> String {
    if without_state.is_empty() {
        return String::new();
    }
    format!(" (without state in the checkpoint: {})", without_state.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(error: CheckpointError, text: &str, refusal: bool) {
        assert_eq!(error.to_string(), text);
        assert_eq!(error.is_refusal(), refusal, "{text}");
    }

    #[test]
    fn a_message_says_what_is_there_and_what_to_do() {
        let not_found = |available: Vec<u64>| CheckpointError::NotFound {
            wanted: "7".into(),
            searched: "/x/job".into(),
            available: available.into_iter().map(CheckpointId).collect(),
        };
        check(
            not_found(vec![]),
            "no checkpoint `7` in /x/job: there is no complete checkpoint; start without \
             --restore, or name the --checkpoint-dir of the run to go on from",
            true,
        );
        check(not_found(vec![3, 4]), "no checkpoint `7` in /x/job: complete are 4, 3", true);
        check(
            not_found((0..12).collect()),
            "no checkpoint `7` in /x/job: complete are 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, …",
            true,
        );
        let not_a_checkpoint = |there, available: &[u64]| CheckpointError::NotACheckpoint {
            path: "newest".into(),
            there,
            folder: "/x/job".into(),
            available: available.iter().copied().map(CheckpointId).collect(),
        };
        let takes = "--restore takes `latest`, `none`, a number, or the path of a checkpoint; \
                     complete in /x/job are";
        let says = format!("there is no checkpoint at newest: {takes} 4, 3");
        check(not_a_checkpoint(false, &[3, 4]), &says, true);
        let says = format!("newest is no checkpoint, for it holds no manifest.json: {takes} none");
        check(not_a_checkpoint(true, &[]), &says, true);
        let unmatched = |without_state| CheckpointError::UnmatchedState {
            operators: vec!["operator `count`".into()],
            without_state,
        };
        check(
            unmatched(vec!["operator `counts`".into()]),
            "the checkpoint holds state that nothing in this job takes: operator `count` (without \
             state in the checkpoint: operator `counts`); give it back its uid, or drop the state \
             with --allow-unmatched-state",
            true,
        );
    }

    #[test]
    fn a_full_disk_is_no_refusal_and_may_be_tried_again() {
        let io = std::io::Error::from(std::io::ErrorKind::StorageFull);
        let error = CheckpointError::from(FileError::new("write", "/x".as_ref(), io));
        assert_eq!((error.domain(), error.retry()), (Domain::External, Retry::Backoff));
        check(error, "write /x: no storage space", false);
    }
}
