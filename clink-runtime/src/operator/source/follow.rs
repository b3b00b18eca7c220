//! Follows files that grow, are rotated, emptied and added to a folder.
//!
//! In:     nothing, or the rows of a checkpoint.
//! Out:    values in the order of each file; files take turns.
//! Limit:  64 files open at a time; one that has nothing is closed and watched if others wait, or
//!         once it has been quiet for a minute.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::error::{Error, Result};
use crate::operator::notices::Notices;
use crate::sys::files;

use super::super::context::SourceContext;
use super::super::contract::{Produced, Progress};
use super::super::runtime_context::RuntimeContext;
use super::blocks::Limits;
use super::error::FileSourceError;
use super::file::check_followed;
use super::location::Location;
use super::reader::{Emitted, Format, RecordReader, check_paths, emit_all};
use super::split::{FileSplit, UNKNOWN_END};

/// How long to wait before looking again where nothing had come.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// Time between two looks at the names and lengths of the files, in milliseconds.
const SCAN_EVERY_MS: i64 = 500;

/// How long a file is read on that is no longer where it was, and silent, in milliseconds: whoever
/// writes to it may do so until told of the new one.
const GONE_AFTER_MS: i64 = 5_000;

/// How long a file must have been silent to be closed, in milliseconds.
const QUIET_AFTER_MS: i64 = 60_000;

/// Files open at a time.
const OPEN_MAX: usize = 64;

/// Reads all files that a path names, now and later.
#[derive(Debug)]
pub(super) struct Follower<F: Format> {
    pub(super) path: String,
    pub(super) options: F::Options,
    limits: Limits,
    tails: Vec<Tail<F>>,
    /// The file whose turn it is.
    turn: usize,
    next_scan_ms: i64,
    notices: Arc<Notices>,
    /// Bytes of files that are no longer looked at.
    past_bytes: u64,
    /// Bytes that had been read before this run.
    resumed: u64,
}

/// One file.
#[derive(Debug)]
struct Tail<F: Format> {
    /// Its path, number and length, as last seen; where to go on.
    split: FileSplit,
    reader: Option<F::Reader>,
    /// It does not grow and has been read.
    done: bool,
    /// When it was seen to be no longer where it was.
    gone_ms: Option<i64>,
    /// When something came from it.
    active_ms: i64,
    /// Its length when it was closed for others, though a line without its end may be left.
    rested: Option<u64>,
}

/// What a round through the files may open.
struct Room {
    open: usize,
    /// More files wait to be read than may be open: one that has nothing makes room.
    is_short: bool,
}

impl<F: Format> Tail<F> {
    fn new(split: FileSplit, now_ms: i64) -> Self {
        Self { split, reader: None, done: false, gone_ms: None, active_ms: now_ms, rested: None }
    }

    fn position(&self) -> u64 {
        self.reader.as_ref().map_or(self.split.position, RecordReader::position)
    }

    /// Goes back to the start of a file that was emptied; returns how far it had been read.
    fn start_again(&mut self, notices: &Notices) -> u64 {
        let (path, position) = (&self.split.path, self.position());
        notices.add(format!("{path} was emptied at byte {position}: reading it from its start"));
        (self.reader, self.split.position, self.rested) = (None, 0, None);
        position
    }

    /// Lets go of the file; the position stays known.
    fn close(&mut self) {
        self.split.position = self.position();
        self.reader = None;
    }

    /// True if there may be something to read.
    fn waits(&self) -> bool {
        let has_more = self.split.position != self.split.end;
        self.reader.is_some() || (!self.done && has_more && self.rested != Some(self.split.end))
    }

    /// Makes room for others, until the file is longer.
    fn rest(&mut self) {
        self.close();
        self.rested = Some(self.split.end);
    }

    /// True if the file under its name is this one, and has lost bytes that had been read.
    fn was_emptied(&self) -> bool {
        let Some(reader) = self.reader.as_ref().filter(|reader| reader.grows()) else {
            return false;
        };
        let found = files::identity(Path::new(&self.split.path)).ok();
        found.is_some_and(|(file, bytes)| file == self.split.file && bytes < reader.read_to())
    }

    /// True if it is no longer where it was, and has been read.
    fn is_over(&self) -> bool {
        self.gone_ms.is_some() && self.done && self.reader.is_none()
    }

    /// True if it is open, and more may come behind its end.
    fn grows(&self) -> bool {
        self.reader.as_ref().is_some_and(RecordReader::grows)
    }
}

impl<F: Format> Follower<F> {
    pub(super) fn new(path: String, options: F::Options) -> Self {
        Self {
            path,
            options,
            limits: Limits::default(),
            tails: Vec::new(),
            turn: 0,
            next_scan_ms: i64::MIN,
            notices: Arc::default(),
            past_bytes: 0,
            resumed: 0,
        }
    }

    /// Looks whether there is something to follow. A folder may be empty, and so may a pattern.
    pub(super) fn check(&self) -> Result<()> {
        check_followed(&self.path)?;
        if let Location::File(path) = Location::of(&self.path) {
            files::open(Path::new(path))?;
        }
        Ok(())
    }

    /// Takes the files of a checkpoint.
    pub(super) fn open(
        &mut self,
        splits: Vec<FileSplit>,
        limits: Limits,
        ctx: &RuntimeContext,
    ) -> Result<()> {
        check_followed(&self.path)?;
        check_siblings(&self.path, &splits)?;
        let now_ms = ctx.processing_time_ms();
        self.limits = limits;
        self.notices = Arc::clone(ctx.notices());
        self.tails = splits.into_iter().map(|split| Tail::new(split, now_ms)).collect();
        self.find_saved(now_ms)?;
        self.resumed = self.bytes();
        // What is rotated away before the first record is asked for is known by then.
        self.scan(now_ms)
    }

    /// Finds the files of a checkpoint by their numbers, under whatever names they are now.
    fn find_saved(&mut self, now_ms: i64) -> Result<()> {
        let named = self.named()?;
        for tail in &mut self.tails {
            match named.get(&tail.split.file) {
                Some((path, _)) => tail.split.path.clone_from(path),
                None => tail.gone_ms = Some(now_ms),
            }
        }
        let lost = self.find_gone()?;
        match lost.first() {
            Some(lost) => Err(Error::from(gone(lost)).refusal()),
            None => Ok(()),
        }
    }

    /// Looks for files that are to be read on and are no longer where they were among those beside
    /// them; returns those that are not there either, which are given up.
    fn find_gone(&mut self) -> Result<Vec<FileSplit>> {
        let is_gone =
            |tail: &Tail<F>| tail.gone_ms.is_some() && tail.reader.is_none() && !tail.done;
        // By folder: a pattern may name files of many.
        let mut folders = BTreeMap::new();
        let mut lost = Vec::new();
        for tail in self.tails.iter_mut().filter(|tail| is_gone(tail)) {
            let beside = match folders.entry(folder_of(&tail.split.path)) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => {
                    let files = numbered_files(new.key())?;
                    new.insert(files)
                }
            };
            let found = beside.get(&tail.split.file).and_then(|(path, bytes)| {
                let split = FileSplit { path: path.clone(), end: *bytes, ..tail.split.clone() };
                // Its number may have been given to another file since.
                let reader = F::enter(&split, self.limits, true, &self.options).ok()?;
                Some((split, reader))
            });
            match found {
                Some((split, reader)) => (tail.split, tail.reader) = (split, Some(reader)),
                None => {
                    tail.done = true;
                    lost.extend((tail.split.position < tail.split.end).then(|| tail.split.clone()));
                }
            }
        }
        Ok(lost)
    }

    /// The files that the path names now, by their number: path and length.
    fn named(&self) -> Result<BTreeMap<u64, (String, u64)>> {
        let mut named = BTreeMap::new();
        for path in Location::of(&self.path).files_or_none()? {
            // One that went away in between is found gone by that.
            if let Ok((file, bytes)) = files::identity(Path::new(&path)) {
                named.insert(file, (path, bytes));
            }
        }
        Ok(named)
    }

    /// Emits what has come, file by file.
    pub(super) fn produce(&mut self, ctx: &mut SourceContext<'_, F::Out>) -> Result<Produced> {
        let now_ms = ctx.runtime().processing_time_ms();
        if now_ms >= self.next_scan_ms {
            self.scan(now_ms)?;
            self.next_scan_ms = now_ms.saturating_add(SCAN_EVERY_MS);
        }
        let open = self.tails.iter().filter(|tail| tail.reader.is_some()).count();
        let waiting = self.tails.iter().filter(|tail| tail.waits()).count();
        let mut room = Room { open, is_short: waiting > OPEN_MAX };
        let mut bad = 0;
        for _ in 0..self.tails.len() {
            self.turn = (self.turn + 1) % self.tails.len();
            if self.read(self.turn, now_ms, &mut room, ctx, &mut bad)? {
                return Ok(Produced::More);
            }
        }
        Ok(Produced::Idle(LOOK_AGAIN))
    }

    /// Reads one file as far as it goes; true if a batch is full.
    fn read(
        &mut self,
        index: usize,
        now_ms: i64,
        room: &mut Room,
        ctx: &mut SourceContext<'_, F::Out>,
        bad: &mut u32,
    ) -> Result<bool> {
        let Some(tail) = self.tails.get_mut(index).filter(|tail| tail.waits()) else {
            return Ok(false);
        };
        if tail.reader.is_none() && room.open >= OPEN_MAX {
            return Ok(false);
        }
        let reader = match &mut tail.reader {
            Some(reader) => reader,
            None => {
                let entered = F::enter(&tail.split, self.limits, true, &self.options);
                // It may have gone, or another taken its name: the next look will tell.
                let file = files::identity(Path::new(&tail.split.path)).ok().map(|(file, _)| file);
                if file != Some(tail.split.file) {
                    return Ok(false);
                }
                room.open += 1;
                tail.reader.insert(entered?)
            }
        };
        let before = reader.position();
        let emitted = emit_all(reader, ctx, bad)?;
        if reader.position() != before {
            tail.active_ms = now_ms;
        }
        // Nothing has come of what was read ahead: the file ends before.
        let was_emptied = matches!(emitted, Emitted::Later) && tail.was_emptied();
        if was_emptied {
            self.past_bytes += tail.start_again(&self.notices);
            room.open = room.open.saturating_sub(1);
            return Ok(true);
        }
        match emitted {
            Emitted::Full => return Ok(true),
            // One that is gone would not be found again under its name.
            Emitted::Later if room.is_short && tail.gone_ms.is_none() => {
                tail.rest();
                room.open = room.open.saturating_sub(1);
            }
            Emitted::Later => {}
            Emitted::End => {
                room.open = room.open.saturating_sub(1);
                tail.close();
                tail.split.end = tail.split.position;
                tail.done = true;
            }
        }
        Ok(false)
    }

    /// Looks at names and lengths: new files, renamed ones, emptied ones, those that are gone.
    fn scan(&mut self, now_ms: i64) -> Result<()> {
        let mut named = self.named()?;
        for tail in &mut self.tails {
            let Some((path, bytes)) = named.remove(&tail.split.file) else {
                tail.gone_ms.get_or_insert(now_ms);
                continue;
            };
            tail.gone_ms = None;
            tail.split.path = path;
            // An open one is looked at whenever it has nothing to read.
            if bytes < tail.position() && !tail.done && tail.reader.is_none() {
                // Of a compressed file nobody knows how long it should be.
                let entered = F::enter(&tail.split, self.limits, true, &self.options);
                if entered.is_ok_and(|reader| reader.grows()) {
                    self.past_bytes += tail.start_again(&self.notices);
                }
            }
            if tail.grows() || !tail.done {
                tail.split.end = bytes;
            }
            if now_ms.saturating_sub(tail.active_ms) > QUIET_AFTER_MS && tail.position() == bytes {
                tail.close();
            }
        }
        let between = self.unseen_generations(&named, now_ms)?;
        let mut new: Vec<_> = named.into_iter().collect();
        new.sort_by(|(_, one), (_, other)| one.0.cmp(&other.0));
        for (file, (path, bytes)) in new {
            let split = FileSplit { file, ..FileSplit::new(&path, 0, bytes) };
            self.tails.push(Tail::new(split, now_ms));
        }
        let gone = |split| Tail { gone_ms: Some(now_ms), ..Tail::new(split, now_ms) };
        self.tails.extend(between.into_iter().map(gone));
        for lost in self.find_gone()? {
            let FileSplit { path, position, end, .. } = lost;
            let unread = end - position;
            self.notices.add(format!("{path} is gone, and its last {unread} bytes are not read"));
        }
        self.retire(now_ms);
        Ok(())
    }

    /// Files that had the name of a followed one between two looks: rotated as that was, and
    /// written after it.
    ///
    /// Those that were read are remembered for as long as they lie there, or they would be found
    /// anew.
    fn unseen_generations(
        &mut self,
        named: &BTreeMap<u64, (String, u64)>,
        now_ms: i64,
    ) -> Result<Vec<FileSplit>> {
        let is_one = matches!(Location::of(&self.path), Location::File(_));
        let just_gone = self.tails.iter().filter(|tail| tail.gone_ms == Some(now_ms));
        let just_gone: Vec<u64> = just_gone.map(|tail| tail.split.file).collect();
        if !is_one || just_gone.is_empty() {
            return Ok(Vec::new());
        }
        let beside = numbered_files(&folder_of(&self.path))?;
        let is_over = |tail: &Tail<F>| tail.is_over() && !beside.contains_key(&tail.split.file);
        self.past_bytes +=
            self.tails.iter().filter(|t| is_over(t)).map(Tail::position).sum::<u64>();
        self.tails.retain(|tail| !is_over(tail));
        let written = |path: &str| files::modified(Path::new(path));
        let rotated = just_gone.iter().filter_map(|file| beside.get(file));
        let Some(since) = rotated.filter_map(|(path, _)| written(path)).min() else {
            return Ok(Vec::new());
        };
        let is_known = |file: &u64| {
            named.contains_key(file) || self.tails.iter().any(|tail| tail.split.file == *file)
        };
        let mut unseen: Vec<_> = beside
            .into_iter()
            .filter(|(file, (path, _))| !is_known(file) && is_rotation(&self.path, path))
            .filter_map(|(file, (path, bytes))| Some((written(&path)?, file, path, bytes)))
            .filter(|(at, ..)| *at > since)
            .collect();
        unseen.sort();
        let split = |(_, file, path, bytes): (_, u64, String, u64)| FileSplit {
            file,
            ..FileSplit::new(&path, 0, bytes)
        };
        Ok(unseen.into_iter().map(split).collect())
    }

    /// Reads files that have been gone for long to their end, and forgets them.
    fn retire(&mut self, now_ms: i64) {
        for tail in &mut self.tails {
            let is_over = tail.gone_ms.is_some_and(|gone_ms| {
                now_ms.saturating_sub(gone_ms.max(tail.active_ms)) > GONE_AFTER_MS
            });
            match &mut tail.reader {
                // Its last line may have no end: what comes next is the end of the file.
                Some(reader) if is_over && reader.grows() => reader.stop_growing(),
                None if is_over => tail.done = true,
                _ => {}
            }
        }
        // Of one file the rotated ones are remembered: see `unseen_generations`.
        if !matches!(Location::of(&self.path), Location::File(_)) {
            let over = self.tails.iter().filter(|tail| tail.is_over());
            self.past_bytes += over.map(Tail::position).sum::<u64>();
            self.tails.retain(|tail| !tail.is_over());
        }
    }

    /// The files, each moved on past what was emitted.
    pub(super) fn snapshot(&self) -> Vec<FileSplit> {
        let moved = |tail: &Tail<F>| {
            let position = tail.position();
            let end = tail.split.end.max(position);
            FileSplit { position, end, ..tail.split.clone() }
        };
        self.tails.iter().map(moved).collect()
    }

    pub(super) fn progress(&self) -> Progress {
        Progress { bytes: self.bytes().saturating_sub(self.resumed), ..Progress::default() }
    }

    fn bytes(&self) -> u64 {
        self.past_bytes + self.tails.iter().map(Tail::position).sum::<u64>()
    }

    pub(super) fn close(&mut self) {
        self.tails.iter_mut().for_each(Tail::close);
    }
}

fn folder_of(path: &str) -> PathBuf {
    match Path::new(path).parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

/// True if a file is named as rotations of another are: `app.log.1`, `app.log-20130131`. Not a
/// compressed one: it has what another file had.
fn is_rotation(path: &str, other: &str) -> bool {
    let name = |path| Path::new(path).file_name().and_then(std::ffi::OsStr::to_str);
    let suffix = name(path).zip(name(other)).and_then(|(base, other)| other.strip_prefix(base));
    suffix.is_some_and(|suffix| {
        let is_mark = |c: char| matches!(c, '.' | '-' | '_' | ':' | 'T');
        suffix.starts_with(is_mark)
            && suffix.ends_with(|c: char| c.is_ascii_digit())
            && suffix.chars().all(|c| c.is_ascii_digit() || is_mark(c))
    })
}

/// Every file in a folder, by its number, which a rotated one keeps; none if the folder is gone.
fn numbered_files(folder: &Path) -> Result<BTreeMap<u64, (String, u64)>> {
    let mut numbered = BTreeMap::new();
    let entries = match files::list_folder(folder) {
        Err(error) if error.is_not_found() => return Ok(numbered),
        entries => entries?,
    };
    for entry in entries.into_iter().filter(|entry| !entry.is_folder) {
        let Some(path) = entry.path.to_str() else { continue };
        if let Ok((file, bytes)) = files::identity(&entry.path) {
            numbered.insert(file, (path.to_owned(), bytes));
        }
    }
    Ok(numbered)
}

/// Refuses files of another path; one that was rotated away lies beside its old place.
fn check_siblings(path: &str, splits: &[FileSplit]) -> Result<()> {
    let folder = Path::new(path).parent().and_then(Path::to_str);
    let is_beside = |split: &FileSplit| match (folder, Path::new(&split.path).parent()) {
        (Some(folder), Some(own)) => own == Path::new(folder) || files::matches(folder, own),
        (folder, own) => folder.is_none() && own.is_none(),
    };
    let (_, others): (Vec<_>, Vec<_>) =
        splits.iter().cloned().partition(|split| is_beside(split) && split.end != UNKNOWN_END);
    check_paths(path, &others)
}

fn gone(split: &FileSplit) -> FileSourceError {
    FileSourceError::Gone { path: split.path.clone(), byte: split.position, bytes: split.end }
}
