//! Keeps a folder of parts in step with checkpoints: what was finished after the last one goes away
//! at a restore, since its records come again.
//!
//! Names: `part-<instance>-<number>.<extension>`, numbers from 0 in eight digits. A part that is
//! being written has a dot in front, which hides it from readers; it is locked, and an instance has
//! one at any time. Whoever takes its lock may touch the parts of that instance.
//!
//! State: a row `(path, bytes)` per instance that ever wrote: the part it was writing, and how much
//! of it the checkpoint covers. Parts with smaller numbers are covered as a whole and are never
//! looked at again: they may have been taken away. Rows go to every instance; one looks after its
//! own parts and those of instances that are no more (`old index % parallelism` is its own).

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::sys::files::{self, File};

use super::super::runtime_context::RuntimeContext;
use super::compress::Compression;
use super::error::FileSinkError;
use super::output::{FileRow, claim, create};
use super::writer::OutputFile;

/// A folder of parts, seen from one instance.
#[derive(Debug)]
pub(super) struct Folder {
    path: String,
    extension: &'static str,
    compression: Option<Compression>,
    ctx: RuntimeContext,
}

/// Where an instance goes on.
pub(super) struct Start {
    /// The number of the part that it writes.
    pub(super) number: u64,
    /// How many bytes of it are covered.
    pub(super) bytes: u64,
    /// The part itself.
    pub(super) output: OutputFile,
    /// Rows of instances that are no more.
    pub(super) kept: Vec<FileRow>,
}

/// A part that is there.
struct Found {
    instance: u32,
    number: u64,
    path: PathBuf,
    is_open: bool,
}

/// What a checkpoint covers of an instance's parts: all before `number`, and `bytes` of that one.
#[derive(Clone, Copy, Default)]
struct Covered {
    number: u64,
    bytes: u64,
}

/// The parts of one instance that are there, and those that are locked by now.
struct Claimed<'a> {
    instance: u32,
    covered: Option<Covered>,
    parts: Vec<&'a Found>,
    locks: BTreeMap<&'a Path, File>,
}

impl Folder {
    pub(super) fn new(
        path: &str,
        extension: &'static str,
        compression: Option<Compression>,
        ctx: &RuntimeContext,
    ) -> Self {
        let path = path.trim_end_matches('/');
        let path = if path.is_empty() { "/" } else { path }.to_owned();
        Self { path, extension, compression, ctx: ctx.clone() }
    }

    /// Brings the folder to the state of the checkpoint and opens the part to go on with; without
    /// a checkpoint it has no parts then.
    pub(super) fn open(&self, rows: &[FileRow]) -> Result<Start> {
        let rows = if self.ctx.is_restored() { rows } else { &[] };
        let covered = self.covered(rows).map_err(|error| Error::from(error).refusal())?;
        let place = Path::new(&self.path);
        if files::exists(place)? && !files::is_folder(place) {
            let path = self.path.clone();
            return Err(Error::from(FileSinkError::NotAFolder { path }).terminal());
        }
        files::create_dir_durable(place)?;
        let found = self.list()?;
        let own = self.ctx.subtask_index();
        let known = covered.keys().copied().chain(found.iter().map(|part| part.instance));
        let instances: BTreeSet<u32> = known.filter(|index| self.looks_after(*index)).collect();
        // Nothing is changed before all of it is known to be ours and to be there.
        let claimed = instances.into_iter().map(|instance| {
            let parts = found.iter().filter(|part| part.instance == instance).collect();
            self.claim(instance, covered.get(&instance).copied(), parts)
        });
        let claimed = claimed.collect::<Result<Vec<_>>>()?;
        let (mut start, mut kept) = (Covered::default(), Vec::new());
        let mut file = None;
        for mut claimed in claimed {
            let Claimed { instance, covered, .. } = claimed;
            let gone_on_with = self.bring_back(&mut claimed)?;
            match covered {
                Some(covered) if instance == own => (start, file) = (covered, gone_on_with),
                Some(covered) => kept.push(self.publish_left(instance, covered)?),
                None => {}
            }
        }
        let path = self.open_path(own, start.number);
        let file = file.map_or_else(|| create(&path), Ok)?;
        files::sync_folder(place)?;
        let output = OutputFile::new(path, file, start.bytes, self.compression, &self.ctx)?;
        Ok(Start { number: start.number, bytes: start.bytes, output, kept })
    }

    /// Begins an instance's own part.
    pub(super) fn begin(&self, number: u64) -> Result<OutputFile> {
        let path = self.open_path(self.ctx.subtask_index(), number);
        let file = create(&path)?;
        OutputFile::new(path, file, 0, self.compression, &self.ctx)
    }

    /// Makes an instance's own part visible, durably; what is in it is on the disk already.
    pub(super) fn publish(&self, number: u64) -> Result<()> {
        self.publish_of(self.ctx.subtask_index(), number)
    }

    /// Removes an instance's own part that nobody needs.
    pub(super) fn discard(&self, number: u64) -> Result<()> {
        let path = self.open_path(self.ctx.subtask_index(), number);
        Ok(files::remove_file(Path::new(&path))?)
    }

    /// The row of this instance.
    pub(super) fn row(&self, number: u64, bytes: u64) -> FileRow {
        (self.path_of(self.ctx.subtask_index(), number), bytes)
    }

    fn publish_of(&self, instance: u32, number: u64) -> Result<()> {
        let from = self.open_path(instance, number);
        let to = self.path_of(instance, number);
        Ok(files::rename_durable(Path::new(&from), Path::new(&to))?)
    }

    /// Makes the part visible that an instance was writing which is no more; the row that remains.
    fn publish_left(&self, instance: u32, covered: Covered) -> Result<FileRow> {
        let Covered { mut number, bytes } = covered;
        if bytes > 0 {
            self.publish_of(instance, number)?;
            number += 1;
        }
        Ok((self.path_of(instance, number), 0))
    }

    /// What the rows say of each instance.
    fn covered(&self, rows: &[FileRow]) -> Result<BTreeMap<u32, Covered>, FileSinkError> {
        let mut covered = BTreeMap::new();
        for (path, bytes) in rows {
            let name = path.strip_prefix(&self.path).and_then(|rest| rest.strip_prefix('/'));
            let found = name.and_then(|name| self.parse(name));
            let found =
                found.filter(|(instance, number)| *path == self.path_of(*instance, *number));
            let Some((instance, number)) = found else {
                let (path, found) = (self.path.clone(), path.clone());
                return Err(FileSinkError::OtherPart { path, found });
            };
            covered.insert(instance, Covered { number, bytes: *bytes });
        }
        Ok(covered)
    }

    /// Takes the locks of an instance's open parts, and looks whether what is covered is there.
    fn claim<'a>(
        &self,
        instance: u32,
        covered: Option<Covered>,
        parts: Vec<&'a Found>,
    ) -> Result<Claimed<'a>> {
        let mut locks = BTreeMap::new();
        let Covered { number, bytes } = covered.unwrap_or_default();
        let is_gone_on_with = |part: &&Found| bytes > 0 && part.number == number;
        for part in parts.iter().copied().filter(|part| part.is_open || is_gone_on_with(part)) {
            let file = files::open_read_write(&part.path)?;
            claim(&file, &part.path.display().to_string())?;
            locks.insert(part.path.as_path(), file);
        }
        let going_on = parts.iter().copied().find(is_gone_on_with);
        let found = going_on.map_or(Ok(0), |part| files::size(&part.path))?;
        if found < bytes {
            let (path, expected) = (self.path_of(instance, number), bytes);
            return Err(Error::from(FileSinkError::Shorter { path, expected, found }).refusal());
        }
        Ok(Claimed { instance, covered, parts, locks })
    }

    /// Removes what the checkpoint does not cover; the part that it covers in part is open again,
    /// and as long as it was.
    fn bring_back(&self, claimed: &mut Claimed<'_>) -> Result<Option<File>> {
        let Claimed { instance, covered, parts, locks } = claimed;
        let Covered { number, bytes } = covered.unwrap_or_default();
        let mut kept = None;
        for part in parts.iter().filter(|part| part.number >= number) {
            if bytes > 0 && part.number == number && kept.is_none() {
                kept = Some(*part);
            } else {
                files::remove_file(&part.path)?;
            }
        }
        // Nobody goes on with an open part before that one.
        for part in parts.iter().filter(|part| part.is_open && part.number < number) {
            files::remove_file(&part.path)?;
        }
        let Some(part) = kept else { return Ok(None) };
        let open_path = self.open_path(*instance, number);
        if !part.is_open {
            files::rename_durable(&part.path, Path::new(&open_path))?;
        }
        let file = locks.remove(part.path.as_path());
        let file = file.map_or_else(|| files::open_read_write(Path::new(&open_path)), Ok)?;
        files::set_len(&file, Path::new(&open_path), bytes)?;
        files::sync(&file, Path::new(&open_path))?;
        Ok(Some(file))
    }

    /// Every part in the folder, whoever wrote it and however it is compressed; open ones first.
    fn list(&self) -> Result<Vec<Found>> {
        let mut found = Vec::new();
        for entry in files::list_folder(Path::new(&self.path))? {
            let Some(name) = entry.name.to_str() else { continue };
            let (is_open, name) = name.strip_prefix('.').map_or((false, name), |name| (true, name));
            // Nothing but a file was made by a sink.
            if let Some((instance, number)) = self.parse(name).filter(|_| entry.path.is_file()) {
                found.push(Found { instance, number, path: entry.path, is_open });
            }
        }
        Ok(found)
    }

    /// The instance and the number in the name of a part.
    fn parse(&self, name: &str) -> Option<(u32, u64)> {
        let plain = [Compression::Gzip, Compression::Zstd];
        let plain = plain.iter().find_map(|known| name.strip_suffix(known.suffix()));
        let stem = plain.unwrap_or(name).strip_suffix(self.extension)?.strip_suffix('.')?;
        let (instance, number) = stem.strip_prefix("part-")?.split_once('-')?;
        let (instance, number): (u32, u64) = (instance.parse().ok()?, number.parse().ok()?);
        (stem == stem_of(instance, number)).then_some((instance, number))
    }

    fn path_of(&self, instance: u32, number: u64) -> String {
        format!("{}/{}", self.path, self.name(instance, number))
    }

    fn open_path(&self, instance: u32, number: u64) -> String {
        format!("{}/.{}", self.path, self.name(instance, number))
    }

    fn name(&self, instance: u32, number: u64) -> String {
        let compressed = self.compression.map_or("", Compression::suffix);
        format!("{}.{}{compressed}", stem_of(instance, number), self.extension)
    }

    /// True if the parts of that instance are this one's business.
    fn looks_after(&self, instance: u32) -> bool {
        let (own, count) = (self.ctx.subtask_index(), self.ctx.parallelism().max(1));
        instance == own || (instance >= count && instance % count == own)
    }
}

/// The name of a part without its extension.
fn stem_of(instance: u32, number: u64) -> String {
    format!("part-{instance}-{number:08}")
}
