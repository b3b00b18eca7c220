//! Reads and writes files: the only door to `std::fs` in this crate.
//!
//! Durable: a name `durable` promises that the result survives a power cut once the call returns.
//! Errors:  [`FileError`]: what was being done, to which path, and why it failed.
#![expect(clippy::disallowed_methods, reason = "this is the one place that touches files")]

use std::ffi::{OsStr, OsString};
use std::fmt;
pub use std::fs::File;
use std::fs::{self, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use std::time::{SystemTime, UNIX_EPOCH};

/// Why a file could not be used, as `read /x/y: no such file or directory`.
///
/// The cause is part of the text, so [`std::error::Error::source`] does not repeat it.
#[derive(Debug)]
pub struct FileError {
    /// What was being done: a verb phrase that reads well before the path.
    pub action: &'static str,
    /// To which file or folder.
    pub path: PathBuf,
    /// What the system said.
    pub source: io::Error,
}

impl FileError {
    /// An error of `action` on `path`.
    pub fn new(action: &'static str, path: &Path, source: io::Error) -> Self {
        Self { action, path: path.to_path_buf(), source }
    }

    /// Whether there is nothing at the path.
    pub fn is_not_found(&self) -> bool {
        matches!(self.source.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {}", self.action, self.path.display(), reason(&self.source))
    }
}

impl std::error::Error for FileError {}

/// The system's words in the house's form: lower case, without the error number.
pub fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error ").next().unwrap_or(&text);
    let mut letters = text.chars();
    match (letters.next(), letters.clone().next()) {
        // An abbreviation keeps its capitals.
        (Some(first), Some(second)) if !second.is_uppercase() => {
            first.to_lowercase().chain(letters).collect()
        }
        _ => text.to_owned(),
    }
}

/// One file or folder in a folder.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FolderEntry {
    /// Its name in the folder.
    pub name: OsString,
    /// The folder's path with the name.
    pub path: PathBuf,
    /// Whether it is a folder, or a link to one.
    pub is_folder: bool,
}

/// An exclusive lock on a file; let go when it is dropped, or when the process ends in any way.
#[derive(Debug)]
pub struct FileLock(#[expect(dead_code, reason = "held for its lock only")] File);

/// Locks the file at `path`, creating it where it does not exist; `None` if another process or
/// handle holds it.
///
/// # Errors
/// [`FileError`] if the file cannot be created or locked.
pub fn lock(path: &Path) -> Result<Option<FileLock>, FileError> {
    let file = open_append(path)?;
    Ok(lock_open(&file, path)?.then_some(FileLock(file)))
}

/// Tries for a lock that is held, and the time between two: a process that has been forked and has
/// not become another program yet holds what its parent has let go of, for a moment.
const LOCK_TRIES: u32 = 20;
const LOCK_PAUSE: Duration = Duration::from_millis(5);

/// Locks an open file until it is closed; false if another process or handle holds it.
///
/// # Errors
/// [`FileError`] if the system cannot lock it.
pub fn lock_open(file: &File, path: &Path) -> Result<bool, FileError> {
    for tried in 0..LOCK_TRIES {
        if tried > 0 {
            // Who holds it tells nobody when it lets go.
            let _ = crossbeam_channel::after(LOCK_PAUSE).recv();
        }
        match file.try_lock() {
            Ok(()) => return Ok(true),
            Err(fs::TryLockError::WouldBlock) => {}
            Err(fs::TryLockError::Error(source)) => {
                return Err(FileError::new("lock", path, source));
            }
        }
    }
    Ok(false)
}

/// The folder that relative paths start from, for messages.
pub fn current_folder() -> String {
    let unknown = |_| "not known".to_owned();
    std::env::current_dir().map_or_else(unknown, |folder| folder.display().to_string())
}

/// The whole content of a file.
///
/// # Errors
/// [`FileError`] if it cannot be opened or read.
pub fn read(path: &Path) -> Result<Vec<u8>, FileError> {
    fs::read(path).map_err(|source| FileError::new("read", path, source))
}

/// Opens a file for reading.
///
/// # Errors
/// [`FileError`] if it does not exist or may not be read.
pub fn open(path: &Path) -> Result<File, FileError> {
    File::open(path).map_err(|source| FileError::new("open", path, source))
}

/// Creates a file for writing, empty even if it existed.
///
/// # Errors
/// [`FileError`] if its folder does not exist or may not be written.
pub fn create(path: &Path) -> Result<File, FileError> {
    File::create(path).map_err(|source| FileError::new("create", path, source))
}

/// Opens a file for reading and writing, at its start; creates it if it does not exist and keeps
/// what it holds if it does.
///
/// # Errors
/// [`FileError`] if its folder does not exist or it may not be written.
pub fn open_read_write(path: &Path) -> Result<File, FileError> {
    OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)
        .map_err(|source| FileError::new("open", path, source))
}

/// Opens a file so that every write goes to its end; creates it if it does not exist.
///
/// # Errors
/// [`FileError`] if its folder does not exist or it may not be written.
pub fn open_append(path: &Path) -> Result<File, FileError> {
    OpenOptions::new()
        .append(true)
        .create(true)
        .open(path)
        .map_err(|source| FileError::new("open", path, source))
}

/// The environment variable that names another [`temporary_folder`].
pub const TEMPORARY_FOLDER_VARIABLE: &str = if cfg!(windows) { "TMP" } else { "TMPDIR" };

/// The system's folder for temporary files.
pub fn temporary_folder() -> PathBuf {
    std::env::temp_dir()
}

/// Creates a file without a name, open for reading and writing by this process alone: the system
/// removes it when it is closed, or when the process ends in any way.
///
/// # Errors
/// [`FileError`], with the folder as its path, if that does not exist or may not be written.
pub fn create_unnamed(folder: &Path) -> Result<File, FileError> {
    let failed = |source| FileError::new("create a temporary file in", folder, source);
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    loop {
        let path = temporary_beside(&folder.join("clink"));
        match options.open(&path) {
            Ok(file) => {
                fs::remove_file(&path).map_err(failed)?;
                return Ok(file);
            }
            // Left by a process of this number that ended before it could take the name away; the
            // next name is another one.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(failed(error)),
        }
    }
}

/// Fills `bytes` from an open file; `path` is for the error's text.
///
/// # Errors
/// [`FileError`] if the system could not read it, or if it ends before `bytes` is full.
pub fn read_at(
    file: &mut File,
    path: &Path,
    offset: u64,
    bytes: &mut [u8],
) -> Result<(), FileError> {
    let read = file.seek(SeekFrom::Start(offset)).and_then(|_| file.read_exact(bytes));
    read.map_err(|source| FileError::new("read", path, source))
}

/// Writes `bytes` into an open file, which grows where they go past its end; `path` is for the
/// error's text.
///
/// # Errors
/// [`FileError`] if the system could not write them all: some of them may be there.
pub fn write_at(file: &mut File, path: &Path, offset: u64, bytes: &[u8]) -> Result<(), FileError> {
    let written = file.seek(SeekFrom::Start(offset)).and_then(|_| file.write_all(bytes));
    written.map_err(|source| FileError::new("write", path, source))
}

/// Cuts or extends an open file to `bytes`; `path` is for the error's text.
///
/// # Errors
/// [`FileError`] if the system refuses.
pub fn set_len(file: &File, path: &Path, bytes: u64) -> Result<(), FileError> {
    file.set_len(bytes).map_err(|source| FileError::new("set the length of", path, source))
}

/// Waits until what was written to an open file is on the disk; `path` is for the error's text.
///
/// # Errors
/// [`FileError`] if the system could not write it: what is on the disk is then unknown.
pub fn sync(file: &File, path: &Path) -> Result<(), FileError> {
    file.sync_data().map_err(|source| FileError::new("sync", path, source))
}

/// Waits until the names in a folder are on the disk.
///
/// # Errors
/// [`FileError`] if the folder does not exist or the system refuses.
#[cfg(unix)]
pub fn sync_folder(path: &Path) -> Result<(), FileError> {
    let folder = File::open(path).map_err(|source| FileError::new("open", path, source))?;
    folder.sync_all().map_err(|source| FileError::new("sync folder", path, source))
}

/// Does nothing: only Unix systems can sync a folder.
///
/// # Errors
/// None.
#[cfg(not(unix))]
pub fn sync_folder(_path: &Path) -> Result<(), FileError> {
    Ok(())
}

/// A name beside `path` that nothing else uses: hidden, unique in this process and between
/// processes on one machine, and always ending in `.tmp`.
pub fn temporary_beside(path: &Path) -> PathBuf {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or(OsStr::new("file")));
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    name.push(format!(".{}-{count}.tmp", std::process::id()));
    path.with_file_name(name)
}

/// Replaces a file by `bytes`, durably: after a crash the path holds the old content or the new,
/// never a part of it.
///
/// # Errors
/// [`FileError`] if any step fails; the path then still holds what it held, unless only the last
/// step failed, the sync of the folder.
pub fn write_durable(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    let temporary = temporary_beside(path);
    let written = create(&temporary).and_then(|mut file| {
        file.write_all(bytes).map_err(|source| FileError::new("write", &temporary, source))?;
        sync(&file, &temporary)
    });
    if let Err(error) = written.and_then(|()| rename(&temporary, path)) {
        // The first error is the one to report; a temporary file that stays is harmless.
        let _ = fs::remove_file(&temporary);
        return Err(error);
    }
    sync_folder(folder_of(path))
}

/// Renames a file, replacing what `to` was; not durable until [`sync_folder`].
///
/// # Errors
/// [`FileError`] if `from` does not exist or the two are not on one file system.
pub fn rename(from: &Path, to: &Path) -> Result<(), FileError> {
    fs::rename(from, to).map_err(|source| FileError::new("rename to", to, source))
}

/// Renames a file, replacing what `to` was, durably.
///
/// # Errors
/// As for [`rename`] and [`sync_folder`].
pub fn rename_durable(from: &Path, to: &Path) -> Result<(), FileError> {
    rename(from, to)?;
    if folder_of(from) != folder_of(to) {
        sync_folder(folder_of(from))?;
    }
    sync_folder(folder_of(to))
}

/// Creates a folder and those above it; none of it is durable until [`sync_folder`].
///
/// # Errors
/// [`FileError`] if a part of the path is a file or may not be written.
pub fn create_dir(path: &Path) -> Result<(), FileError> {
    fs::create_dir_all(path).map_err(|source| FileError::new("create folder", path, source))
}

/// Creates a folder and those above it, durably.
///
/// # Errors
/// As for [`create_dir`] and [`sync_folder`].
pub fn create_dir_durable(path: &Path) -> Result<(), FileError> {
    let new: Vec<&Path> = path.ancestors().take_while(|folder| !names_folder(folder)).collect();
    create_dir(path)?;
    new.iter().try_for_each(|folder| sync_folder(folder_of(folder)))
}

/// Whether the path names an existing folder; the empty path is the current one.
fn names_folder(path: &Path) -> bool {
    path.as_os_str().is_empty() || path.is_dir()
}

/// What is in a folder, sorted by name: a listing must not depend on the file system's order.
///
/// # Errors
/// [`FileError`] if the folder does not exist or may not be read.
pub fn list_folder(path: &Path) -> Result<Vec<FolderEntry>, FileError> {
    let failed = |source| FileError::new("list", path, source);
    let mut entries = Vec::new();
    for entry in fs::read_dir(path).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let path = entry.path();
        entries.push(FolderEntry { name: entry.file_name(), is_folder: path.is_dir(), path });
    }
    entries.sort();
    Ok(entries)
}

/// The files whose paths match a pattern of `*`, `?`, `[…]` and `**`, sorted; hidden ones only
/// where the pattern names the dot.
///
/// # Errors
/// [`FileError`] if the text is no pattern, or a folder on the way may not be read.
pub fn matching(pattern: &str) -> Result<Vec<PathBuf>, FileError> {
    let failed = |source| FileError::new("look for", Path::new(pattern), source);
    let found =
        glob::glob_with(pattern, PATTERN).map_err(|error| failed(io::Error::other(error)))?;
    let mut paths = Vec::new();
    for path in found {
        let path = path.map_err(|error| {
            let path = error.path().to_path_buf();
            FileError::new("list", &path, error.into())
        })?;
        if !path.is_dir() {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

/// Whether a path, as it is spelled, matches a pattern.
pub fn matches(pattern: &str, path: &Path) -> bool {
    glob::Pattern::new(pattern).is_ok_and(|pattern| pattern.matches_path_with(path, PATTERN))
}

/// How patterns are read: as a shell reads them.
const PATTERN: glob::MatchOptions = glob::MatchOptions {
    case_sensitive: true,
    require_literal_separator: true,
    require_literal_leading_dot: true,
};

/// What tells a file from others under whatever name it stands, a number made of its own in the
/// file system and of the moment at which it was made; and its size in bytes.
///
/// # Errors
/// [`FileError`] if it does not exist.
pub fn identity(path: &Path) -> Result<(u64, u64), FileError> {
    let metadata = path.metadata().map_err(|source| FileError::new("stat", path, source))?;
    // The number of a file that is gone is soon given to another one.
    let made = metadata.created().ok().and_then(|made| made.duration_since(UNIX_EPOCH).ok());
    let made = made.map_or(0, |since| since.as_nanos() as u64);
    Ok((inode(&metadata) ^ made.rotate_left(32), metadata.len()))
}

#[cfg(unix)]
fn inode(metadata: &fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

/// Only Unix systems number files; elsewhere a file that takes another's name is taken for it.
#[cfg(not(unix))]
fn inode(_metadata: &fs::Metadata) -> u64 {
    0
}

/// When a file was last written to; `None` if it does not exist, or the system does not tell.
pub fn modified(path: &Path) -> Option<SystemTime> {
    path.metadata().ok()?.modified().ok()
}

/// Whether something stands at the path.
///
/// # Errors
/// [`FileError`] if the system does not tell.
pub fn exists(path: &Path) -> Result<bool, FileError> {
    path.try_exists().map_err(|source| FileError::new("look for", path, source))
}

/// Whether the path names a folder, or a link to one.
pub fn is_folder(path: &Path) -> bool {
    path.is_dir()
}

/// Whether the path names what is neither a file nor a folder: a pipe, a socket, a device.
pub fn is_special(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| !found.is_file() && !found.is_dir())
}

/// The path from the root, links not followed.
pub fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// One name for a file, however it is spelled and through whatever links it is reached; a file that
/// is not there yet is named by its folder.
pub fn resolved(path: &Path) -> PathBuf {
    let absolute = absolute(path);
    absolute.canonicalize().unwrap_or_else(|_| {
        let folder = absolute.parent().and_then(|folder| folder.canonicalize().ok());
        match (folder, absolute.file_name()) {
            (Some(folder), Some(name)) => folder.join(name),
            _ => absolute,
        }
    })
}

/// The size of a file in bytes.
///
/// # Errors
/// [`FileError`] if it does not exist.
pub fn size(path: &Path) -> Result<u64, FileError> {
    let metadata = path.metadata().map_err(|source| FileError::new("stat", path, source))?;
    Ok(metadata.len())
}

/// Removes a file; one that does not exist is no error.
///
/// # Errors
/// [`FileError`] if it may not be removed.
pub fn remove_file(path: &Path) -> Result<(), FileError> {
    unless_missing("remove", path, fs::remove_file(path))
}

/// Removes a folder and all in it; one that does not exist is no error.
///
/// # Errors
/// [`FileError`] if a part of it may not be removed.
pub fn remove_folder(path: &Path) -> Result<(), FileError> {
    unless_missing("remove folder", path, fs::remove_dir_all(path))
}

fn unless_missing(
    action: &'static str,
    path: &Path,
    result: io::Result<()>,
) -> Result<(), FileError> {
    match result {
        Err(source) if source.kind() != io::ErrorKind::NotFound => {
            Err(FileError::new(action, path, source))
        }
        _ => Ok(()),
    }
}

/// The folder a path is in: the current one for a bare name.
fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<OsString> {
        list_folder(folder).unwrap().into_iter().map(|entry| entry.name).collect()
    }

    #[test]
    fn an_error_says_what_where_and_why_once() {
        let error = read(Path::new("/nowhere/x")).unwrap_err();
        assert_eq!(error.to_string(), "read /nowhere/x: no such file or directory");
        assert!(error.is_not_found() && std::error::Error::source(&error).is_none());
        let other = FileError::new("write", Path::new("x"), io::Error::other("EOF reached"));
        assert_eq!(other.to_string(), "write x: EOF reached");
    }

    #[test]
    fn a_durable_write_replaces_the_whole_file_and_leaves_nothing_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("a/b");
        create_dir_durable(&deep).unwrap();
        create_dir_durable(&deep).unwrap();
        let path = deep.join("x");
        for text in ["a longer text", "short"] {
            write_durable(&path, text.as_bytes()).unwrap();
            assert_eq!(read(&path).unwrap(), text.as_bytes());
        }
        assert_eq!(names(&deep), ["x"]);
        assert_eq!(size(&path).unwrap(), 5);
    }

    #[test]
    fn a_write_that_fails_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let taken = folder.path().join("taken");
        create_dir(&taken).unwrap();
        assert!(write_durable(&taken, b"x").is_err());
        assert_eq!(names(folder.path()), ["taken"]);
    }

    #[test]
    fn a_sink_can_cut_a_file_and_go_on() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        open_append(&path).unwrap().write_all(b"kept|torn").unwrap();
        set_len(&open_read_write(&path).unwrap(), &path, 5).unwrap();
        let mut file = open_append(&path).unwrap();
        file.write_all(b"new").unwrap();
        sync(&file, &path).unwrap();
        assert_eq!(read(&path).unwrap(), b"kept|new");
        rename_durable(&path, &folder.path().join("done")).unwrap();
        assert_eq!(names(folder.path()), ["done"]);
    }

    #[test]
    fn a_file_without_a_name_is_never_seen_and_keeps_what_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        let mut file = create_unnamed(path).unwrap();
        assert_eq!(names(path), Vec::<OsString>::new());
        write_at(&mut file, path, 4, b"after").unwrap();
        write_at(&mut file, path, 0, b"here").unwrap();
        let mut bytes = [0; 6];
        read_at(&mut file, path, 2, &mut bytes).unwrap();
        assert_eq!(&bytes, b"reafte");
        let error = read_at(&mut file, path, 4, &mut bytes).unwrap_err();
        assert_eq!(error.source.kind(), io::ErrorKind::UnexpectedEof);
    }

    #[test]
    fn a_file_that_a_dead_process_left_is_no_obstacle() {
        let folder = tempfile::tempdir().unwrap();
        let next = temporary_beside(&folder.path().join("clink"));
        let name = next.to_string_lossy().into_owned();
        let (start, count) = name.trim_end_matches(".tmp").rsplit_once('-').unwrap();
        let count: u64 = count.parse().unwrap();
        // Other tests may take some of the numbers.
        let left: Vec<_> = (1..4).map(|n| format!("{start}-{}.tmp", count + n)).collect();
        left.iter().for_each(|path| drop(create(Path::new(path)).unwrap()));
        create_unnamed(folder.path()).unwrap();
        assert_eq!(names(folder.path()).len(), left.len());
    }

    #[test]
    fn removing_what_is_not_there_is_no_error() {
        let folder = tempfile::tempdir().unwrap();
        remove_file(&folder.path().join("x")).unwrap();
        remove_folder(&folder.path().join("x")).unwrap();
        assert!(remove_file(folder.path()).is_err());
    }
}
