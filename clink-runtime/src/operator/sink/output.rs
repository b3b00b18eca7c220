//! Keeps an output file in step with checkpoints: what came after the last one is cut off at a
//! restore, since it will come again.
//!
//! State: a row `(path, bytes)` per file, given to every instance. An instance cuts its own file
//! and those of instances that are no more (`old index % parallelism` is its own), and keeps their
//! rows, so that a file that was left at a lower parallelism is gone on with at a higher one.
//!
//! `PATH` and its parts, `PATH.part-<n>`, belong to the sink. Such a file without a row was left
//! by an earlier run, or begun after the checkpoint: it is begun anew if it has a writer, else
//! removed.

use std::path::Path;

use crate::error::{Error, Result};
use crate::state::{OperatorListState, Union};
use crate::sys::files::{self, File, FileError};

use super::super::runtime_context::RuntimeContext;
use super::compress::Compression;
use super::error::FileSinkError;
use super::writer::OutputFile;

/// A file and its length at a checkpoint.
pub(super) type FileRow = (String, u64);

/// The rows of a file sink.
pub(super) type FileRows = OperatorListState<FileRow, Union>;

/// Opens the file of an instance: empty at a fresh start, else as long as its row says.
///
/// Also returns the rows of files this instance looks after and does not write.
pub(super) fn open(
    base: &str,
    ctx: &RuntimeContext,
    rows: &[FileRow],
) -> Result<(OutputFile, Vec<FileRow>)> {
    let instance = Instance { base, index: ctx.subtask_index(), count: ctx.parallelism() };
    let own = instance.own_path();
    let rows = if ctx.is_restored() { rows } else { &[] };
    let mut kept = Vec::new();
    for row in rows {
        if instance.looks_after(&row.0).map_err(|error| Error::from(error).refusal())? {
            cut(row)?;
            kept.push(row.clone());
        }
    }
    instance.remove_strays(rows)?;
    let (file, bytes) = match rows.iter().find(|(path, _)| *path == own) {
        Some(row) => (cut(row)?, row.1),
        None => (create(&own)?, 0),
    };
    let compression = Compression::of_name(base);
    Ok((OutputFile::new(own, file, bytes, compression, ctx)?, kept))
}

/// What stands between a path and the number of a part. Not a mere dot as in the reference: files
/// named like that are a log rotation's or another job's, and a sink removes parts that are no
/// more.
const PART: &str = ".part-";

/// The path that a job gives a sink which writes this file, as a part or as the whole.
pub(crate) fn base_of(path: &str) -> &str {
    let part = path.rfind(PART).map(|at| path.split_at(at));
    part.filter(|(_, suffix)| part_number(suffix).is_some()).map_or(path, |(base, _)| base)
}

/// The number of a part, as in `.part-3`.
fn part_number(suffix: &str) -> Option<u32> {
    let digits = suffix.strip_prefix(PART)?;
    let number: u32 = digits.parse().ok()?;
    (number.to_string() == digits).then_some(number)
}

/// An instance among its siblings, and the files that follow from that.
struct Instance<'a> {
    /// The path that the job gives.
    base: &'a str,
    index: u32,
    count: u32,
}

impl Instance<'_> {
    fn own_path(&self) -> String {
        match self.count {
            0 | 1 => self.base.to_owned(),
            _ => format!("{}{PART}{}", self.base, self.index),
        }
    }

    /// Removes the files this instance looks after that have no row: a run at another parallelism
    /// wrote them, and their records come again.
    fn remove_strays(&self, rows: &[FileRow]) -> Result<()> {
        let base = Path::new(self.base);
        let Some(name) = base.file_name().and_then(|name| name.to_str()) else { return Ok(()) };
        let folder = folder_of(base);
        if !files::is_folder(folder) {
            return Ok(());
        }
        for entry in files::list_folder(folder)? {
            let suffix = entry.name.to_str().and_then(|found| found.strip_prefix(name));
            let is_own = |s: &&str| s.is_empty() || part_number(s).is_some();
            let Some(suffix) = suffix.filter(is_own) else {
                continue;
            };
            let path = format!("{}{suffix}", self.base);
            let is_known = rows.iter().any(|(known, _)| *known == path);
            // Nothing but a file was made by a sink: `/dev/null` must stay.
            if entry.path.is_file() && !is_known && self.looks_after(&path)? {
                claim(&files::open_read_write(&entry.path)?, &path)?;
                files::remove_file(&entry.path)?;
            }
        }
        Ok(())
    }

    /// True if the file's writer is no more and its file falls to this instance.
    fn looks_after(&self, path: &str) -> Result<bool, FileSinkError> {
        let suffix = path.strip_prefix(self.base);
        let number = suffix.and_then(part_number);
        let (old_index, is_live) = match (suffix, number) {
            (Some(""), _) => (0, self.count <= 1),
            (_, Some(number)) => (number, self.count > 1 && number < self.count),
            _ => {
                let (path, found) = (self.own_path(), path.to_owned());
                return Err(FileSinkError::OtherPath { path, found });
            }
        };
        Ok(!is_live && old_index % self.count.max(1) == self.index)
    }
}

/// Claims a file, then cuts it to the length it had at the checkpoint.
fn cut((path, bytes): &FileRow) -> Result<File> {
    let place = Path::new(path);
    let found = if files::exists(place)? { files::size(place)? } else { 0 };
    if found < *bytes {
        let (path, expected) = (path.clone(), *bytes);
        return Err(Error::from(FileSinkError::Shorter { path, expected, found }).refusal());
    }
    let file = files::open_read_write(place)?;
    claim(&file, path)?;
    files::set_len(&file, place, *bytes)?;
    files::sync(&file, place)?;
    Ok(file)
}

fn folder_of(path: &Path) -> &Path {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

/// Creates an empty file whose name survives a power cut.
pub(super) fn create(path: &str) -> Result<File> {
    let place = Path::new(path);
    let folder = folder_of(place);
    if !files::is_folder(folder) {
        return Err(Error::from(FileSinkError::NoFolder {
            path: path.to_owned(),
            folder: folder.display().to_string(),
            current: files::current_folder(),
        }));
    }
    let file = files::open_read_write(place)?;
    let metadata = file.metadata().map_err(|error| FileError::new("look at", place, error))?;
    if !metadata.is_file() {
        return Err(Error::from(FileSinkError::NotAFile { path: path.to_owned() }).terminal());
    }
    claim(&file, path)?;
    files::set_len(&file, place, 0)?;
    files::sync_folder(folder)?;
    Ok(file)
}

/// Keeps other sinks and processes off the file for as long as it is open.
pub(super) fn claim(file: &File, path: &str) -> Result<()> {
    if files::lock_open(file, Path::new(path))? {
        return Ok(());
    }
    Err(Error::from(FileSinkError::InUse { path: path.to_owned() }).terminal())
}
