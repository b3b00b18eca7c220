//! Decides what becomes of a record that does not fit its type: the job fails, or it is counted,
//! and written to a file of dead letters.
//!
//! | policy | the job | the record |
//! |---|---|---|
//! | [`BadRecordPolicy::Fail`] | fails at the first | is named in the error |
//! | [`BadRecordPolicy::Skip`] | goes on | is counted |
//! | [`BadRecordPolicy::File`] | goes on | is counted and written, a JSON object a line |
//!
//! A dead letter says `file`, `line` or `row`, `byte`, `column`, `reason`, `payload` (how the
//! record begins), `operator`, `subtask` and `at`; of a record that an operator has reported there
//! is no place in a file. The file is emptied at a fresh start and goes on
//! at a restore; then what came after the checkpoint is there twice, at the same place of its
//! input.
//! It is on the disk before a checkpoint says that the record has been passed.

use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};

use memchr::memrchr;
use serde::Serialize;

use crate::data::Timestamp;
use crate::error::{Error, Result};
use crate::sys::files::{self, File, FileError};

use super::runtime_context::RuntimeContext;
use super::source::RecordError;

/// No letter is longer, in bytes: of a record it holds the beginning only.
const LETTER_BYTES_MAX: u64 = 64 * 1024;

/// What becomes of a bad record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum BadRecordPolicy {
    /// The job fails.
    #[default]
    Fail,
    /// It is counted.
    Skip,
    /// It is counted and written to this file.
    File(PathBuf),
}

impl FromStr for BadRecordPolicy {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "fail" => Ok(Self::Fail),
            "skip" => Ok(Self::Skip),
            // A misspelt word must not become a file of that name.
            path if path.contains(['.', '/', '\\']) => Ok(Self::File(path.into())),
            other => Err(format!(
                "expected `fail`, `skip` or a file such as `bad.ndjson` (`./{other}` if that is \
                 one), found `{other}`"
            )),
        }
    }
}

/// Takes the bad records of a job.
#[derive(Debug, Default)]
pub struct BadRecords {
    policy: BadRecordPolicy,
    letters: Option<Letters>,
}

/// The file of dead letters.
#[derive(Debug)]
struct Letters {
    path: PathBuf,
    /// The file, and whether it has lines that may not be on the disk.
    file: Mutex<(File, bool)>,
}

/// One line of the file.
#[derive(Serialize)]
struct Letter<'a> {
    file: Option<&'a str>,
    line: Option<u64>,
    row: Option<u64>,
    byte: Option<u64>,
    column: Option<&'a str>,
    reason: &'a str,
    payload: &'a str,
    operator: &'a str,
    subtask: u32,
    at: Timestamp,
}

impl BadRecords {
    /// Opens the file of dead letters, if there is one: empty at a fresh start.
    ///
    /// # Errors
    /// If it cannot be written, or somebody else writes to it.
    pub fn open(policy: BadRecordPolicy, restored: bool) -> Result<Self, FileError> {
        let BadRecordPolicy::File(path) = &policy else {
            return Ok(Self { policy, letters: None });
        };
        if path.exists() && !path.is_file() {
            let other = std::io::Error::other("it is no file; `skip` counts bad records only");
            return Err(FileError::new("open", path, other));
        }
        let file = files::open_append(path)?;
        if !files::lock_open(&file, path)? {
            let busy = std::io::Error::other("another job writes its bad records to it");
            return Err(FileError::new("open", path, busy));
        }
        let kept = if restored { whole_lines(path)? } else { 0 };
        files::set_len(&file, path, kept)?;
        let letters = Letters { path: path.clone(), file: Mutex::new((file, false)) };
        Ok(Self { policy, letters: Some(letters) })
    }

    /// True if more is told of a record than that there was one.
    pub fn are_shown(&self) -> bool {
        self.policy != BadRecordPolicy::Skip
    }

    /// Takes a record that did not fit.
    ///
    /// # Errors
    /// The record's own where the job is to fail; else if the file takes no more.
    pub fn take(&self, record: RecordError, ctx: &RuntimeContext) -> Result<()> {
        ctx.metrics.add_bad(1);
        match (&self.policy, &self.letters) {
            // The record will be the same in a new attempt.
            (BadRecordPolicy::Fail, _) => Err(Error::from(record).terminal()),
            (_, Some(letters)) => Ok(letters.write(&record, ctx)?),
            _ => Ok(()),
        }
    }

    /// Waits until every dead letter so far is on the disk.
    ///
    /// # Errors
    /// If the system could not write it.
    pub fn sync(&self) -> Result<(), FileError> {
        self.letters.as_ref().map_or(Ok(()), Letters::sync)
    }

    /// The file of dead letters.
    pub fn file(&self) -> Option<&Path> {
        self.letters.as_ref().map(|letters| letters.path.as_path())
    }
}

/// How much of the file is whole lines: one that a crash or a full disk tore would take the next
/// letter into it.
fn whole_lines(path: &Path) -> Result<u64, FileError> {
    let failed = |error| FileError::new("read", path, error);
    let bytes = files::size(path)?;
    let from = bytes.saturating_sub(LETTER_BYTES_MAX);
    let (mut file, mut tail) = (files::open(path)?, Vec::new());
    file.seek(SeekFrom::Start(from)).map_err(failed)?;
    file.read_to_end(&mut tail).map_err(failed)?;
    Ok(match memrchr(b'\n', &tail) {
        Some(newline) => from + newline as u64 + 1,
        None if from == 0 => 0,
        // No letter is that long: it is no file of them, and nothing of it is cut.
        None => bytes,
    })
}

impl Letters {
    fn write(&self, record: &RecordError, ctx: &RuntimeContext) -> Result<(), FileError> {
        let letter = Letter {
            file: Some(record.file.as_str()).filter(|file| !file.is_empty()),
            line: record.line,
            row: record.row,
            byte: record.byte,
            column: record.column.as_deref(),
            reason: &record.reason,
            payload: &record.preview,
            operator: ctx.operator(),
            subtask: ctx.subtask_index(),
            at: Timestamp::from_millis(ctx.processing_time_ms()),
        };
        let failed = |error| FileError::new("write", &self.path, error);
        let mut line = serde_json::to_vec(&letter).map_err(|error| failed(error.into()))?;
        line.push(b'\n');
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.1 = true;
        // One call for a line: what a crash leaves is whole lines but for the last.
        file.0.write_all(&line).map_err(failed)
    }

    fn sync(&self) -> Result<(), FileError> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if std::mem::take(&mut file.1) {
            files::sync(&file.0, &self.path)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_torn_letter_is_cut_off_before_the_next_one_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bad.ndjson");
        let long = vec![b'x'; LETTER_BYTES_MAX as usize];
        let lines = [&long[..], b"\n"].concat();
        for (before, kept) in [
            (b"{}\n{}\n{\"file".to_vec(), b"{}\n{}\n".to_vec()),
            (b"{\"file".to_vec(), Vec::new()),
            ([&lines[..], b"{"].concat(), lines.clone()),
            (lines.clone(), lines.clone()),
            (Vec::new(), Vec::new()),
        ] {
            files::write_durable(&path, &before).unwrap();
            let policy = BadRecordPolicy::File(path.clone());
            drop(BadRecords::open(policy, true).unwrap());
            assert_eq!(files::read(&path).unwrap(), kept);
        }
    }
}
