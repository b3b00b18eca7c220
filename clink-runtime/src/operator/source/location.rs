//! Says what the path of a source names: files, standard input or a peer.
//!
//! | path | names |
//! |---|---|
//! | `data/x.csv` | a file; a named pipe |
//! | `data` | the files of a folder; hidden ones, pipes and those of its folders left out |
//! | `data/*.csv`, `logs/**/app-?.log` | the files that match, unless a file has just this name |
//! | `-` | standard input |
//! | `tcp://HOST:PORT` | what a peer sends |

use std::path::{Path, PathBuf};

use crate::sys::files;

use super::error::FileSourceError;

/// The path of standard input.
const STDIN: &str = "-";

/// What stands before the name of a peer.
const SOCKET: &str = "tcp://";

/// What a path names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Location<'a> {
    /// Standard input.
    Stdin,
    /// A peer, as `HOST:PORT`.
    Socket(&'a str),
    /// A file that gives its bytes once.
    Pipe(&'a str),
    /// A file.
    File(&'a str),
    /// The files in a folder.
    Folder(&'a str),
    /// The files that match a pattern.
    Pattern(&'a str),
}

impl<'a> Location<'a> {
    /// What a path names whatever stands there: standard input, a peer.
    pub(super) fn by_name(path: &'a str) -> Option<Self> {
        match path {
            STDIN => Some(Self::Stdin),
            _ => path.strip_prefix(SOCKET).map(Self::Socket),
        }
    }

    /// Looks at a path, and at what stands there.
    pub(super) fn of(path: &'a str) -> Self {
        if let Some(named) = Self::by_name(path) {
            return named;
        }
        let place = Path::new(path);
        if files::is_folder(place) {
            return Self::Folder(path);
        }
        match files::exists(place) {
            Ok(true) if place.is_file() => Self::File(path),
            Ok(true) => Self::Pipe(path),
            _ if is_pattern(path) => Self::Pattern(path),
            _ => Self::File(path),
        }
    }

    /// True if its bytes come once, so that it must not be looked at before it is read.
    pub(super) fn comes_once(self) -> bool {
        matches!(self, Self::Stdin | Self::Socket(_) | Self::Pipe(_))
    }

    /// The files there are now, in the order of their names; one at least.
    pub(super) fn files(self) -> Result<Vec<String>, FileSourceError> {
        let found = self.files_or_none()?;
        if found.is_empty() {
            let path = self.path().to_owned();
            return Err(match self {
                Self::Folder(_) => FileSourceError::EmptyFolder { path },
                _ => FileSourceError::NoMatch { path, folder: files::current_folder() },
            });
        }
        Ok(found)
    }

    /// The files there are now, if there are any.
    pub(super) fn files_or_none(self) -> Result<Vec<String>, FileSourceError> {
        let mut paths: Vec<PathBuf> = match self {
            Self::Folder(path) => {
                let entries = files::list_folder(Path::new(path))?.into_iter();
                // Hidden files are those that somebody is still writing.
                let shown = entries.filter(|entry| {
                    !entry.is_folder && !entry.name.as_encoded_bytes().starts_with(b".")
                });
                shown.map(|entry| entry.path).collect()
            }
            Self::Pattern(pattern) => files::matching(pattern)?,
            other => return Ok(vec![other.path().to_owned()]),
        };
        // What comes once is read when it is looked at, so it must be named alone.
        paths.retain(|path| !files::is_special(path));
        let text = |path: PathBuf| {
            path.into_os_string().into_string().map_err(|path| FileSourceError::NotText {
                path: path.to_string_lossy().into_owned(),
            })
        };
        paths.into_iter().map(text).collect()
    }

    fn path(self) -> &'a str {
        match self {
            Self::Stdin => STDIN,
            Self::Socket(path)
            | Self::Pipe(path)
            | Self::File(path)
            | Self::Folder(path)
            | Self::Pattern(path) => path,
        }
    }
}

/// A path as messages show it.
pub(super) fn shown(path: &str) -> &str {
    if path == STDIN { "standard input" } else { path }
}

/// True if the text of a path may be a pattern.
pub(super) fn is_pattern(path: &str) -> bool {
    path.contains(['*', '?', '['])
}

/// True if a source of this path reads what a sink writes at `target`, a file or the files of a
/// folder, if it is there by then; however the two are spelled.
pub(crate) fn reads(path: &str, target: &Path) -> bool {
    let resolved = |path: &str| files::resolved(Path::new(path));
    let holds = |folder: Option<&Path>| folder == Some(target);
    match Location::of(path) {
        Location::Stdin | Location::Socket(_) => false,
        Location::Pipe(path) | Location::File(path) => {
            let file = resolved(path);
            file == target || holds(file.parent())
        }
        Location::Folder(path) => {
            let folder = resolved(path);
            folder == target || target.parent() == Some(&folder)
        }
        Location::Pattern(pattern) => {
            let pattern = files::absolute(Path::new(pattern));
            let matches = pattern.to_str().is_some_and(|text| files::matches(text, target));
            matches || holds(pattern.parent())
        }
    }
}

/// True if a file that a checkpoint speaks of is one of those that a path names, whether or not it
/// is still there. Paths are compared as they are spelled.
pub(super) fn covers(path: &str, file: &str) -> bool {
    path == file
        || Path::new(file).parent().is_some_and(|folder| folder == Path::new(path))
        || (is_pattern(path) && files::matches(path, Path::new(file)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_a_stream_or_files() {
        assert_eq!(Location::of("-"), Location::Stdin);
        assert_eq!(Location::of("tcp://[::1]:9000"), Location::Socket("[::1]:9000"));
        assert_eq!(Location::of("no/such.csv"), Location::File("no/such.csv"));
        assert_eq!(Location::of("no/*.csv"), Location::Pattern("no/*.csv"));
    }

    #[test]
    fn a_folder_and_a_pattern_name_their_files_in_order() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["b.csv", "a.csv", ".part.csv", "c.txt", "x[1].csv"] {
            files::write_durable(&folder.path().join(name), b"").unwrap();
        }
        files::create_dir(&folder.path().join("d.csv")).unwrap();
        let root = folder.path().to_str().unwrap().to_owned();
        let names = |path: &str| -> Vec<String> {
            let found = Location::of(path).files().unwrap().into_iter();
            found.map(|file| file.strip_prefix(&format!("{root}/")).unwrap().to_owned()).collect()
        };
        assert_eq!(names(&root), ["a.csv", "b.csv", "c.txt", "x[1].csv"]);
        assert_eq!(names(&format!("{root}/*.csv")), ["a.csv", "b.csv", "x[1].csv"]);
        assert_eq!(names(&format!("{root}/?.csv")), ["a.csv", "b.csv"]);
        assert_eq!(names(&format!("{root}/x[1].csv")), ["x[1].csv"], "a file of just this name");
        let none = Location::of(&format!("{root}/*.parquet")).files().unwrap_err().to_string();
        assert!(none.contains("*.parquet") && none.contains("no file matches"), "{none}");
    }

    #[test]
    fn a_saved_file_belongs_to_its_path_also_when_it_is_gone() {
        assert!(covers("logs/a.log", "logs/a.log"));
        assert!(covers("logs", "logs/a.log") && covers("logs/", "logs/a.log"));
        assert!(covers("logs/*.log", "logs/a.log"));
        assert!(!covers("logs", "logs/deep/a.log"));
        assert!(!covers("logs/*.log", "logs/a.txt") && !covers("other", "logs/a.log"));
    }
}
