//! Finds the checkpoint that a job is to start from.

use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clink_plan::id::CheckpointId;

use super::CheckpointStore;
use crate::checkpoint::error::CheckpointError;
use crate::checkpoint::layout::{MANIFEST, manifest_path};
use crate::checkpoint::manifest::Manifest;
use crate::sys::files;

/// Where a job starts from.
///
/// # Example
/// ```
/// use clink_runtime::checkpoint::store::RestorePoint;
/// use clink_runtime::plan::id::CheckpointId;
/// assert_eq!("latest".parse(), Ok(RestorePoint::Latest));
/// assert_eq!("7".parse(), Ok(RestorePoint::Id(CheckpointId(7))));
/// assert_eq!("x/chk-7".parse(), Ok(RestorePoint::Path("x/chk-7".into())));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RestorePoint {
    /// Nothing: afresh, though there are checkpoints.
    Nothing,
    /// The newest complete checkpoint.
    Latest,
    /// The complete checkpoint of this number.
    Id(CheckpointId),
    /// The checkpoint in this folder, or with this manifest, wherever it is.
    Path(PathBuf),
}

impl FromStr for RestorePoint {
    type Err = Infallible;

    /// Reads `latest`, `none`, a number, or else a path. A number too large for a checkpoint is a
    /// path.
    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(match text.parse() {
            _ if text == "latest" => Self::Latest,
            _ if text == "none" => Self::Nothing,
            Ok(id) => Self::Id(CheckpointId(id)),
            Err(_) => Self::Path(text.into()),
        })
    }
}

impl std::fmt::Display for RestorePoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Nothing => f.write_str("none"),
            Self::Latest => f.write_str("latest"),
            Self::Id(id) => id.fmt(f),
            Self::Path(path) => path.display().fmt(f),
        }
    }
}

/// A complete checkpoint and the folder it is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredCheckpoint {
    /// What it consists of.
    pub manifest: Manifest,
    /// What the manifest's paths are relative to.
    pub folder: PathBuf,
}

pub(super) fn load(
    store: &CheckpointStore,
    point: &RestorePoint,
) -> Result<StoredCheckpoint, CheckpointError> {
    let folder = match point {
        RestorePoint::Nothing => None,
        RestorePoint::Latest => store.list()?.last().map(|id| store.folder(*id)),
        RestorePoint::Id(id) => Some(store.folder(*id)),
        RestorePoint::Path(path) => Some(folder_of(path)),
    };
    let not_found = || -> Result<CheckpointError, CheckpointError> {
        let (folder, available) = (store.job_folder().to_path_buf(), store.list()?);
        Ok(match point {
            RestorePoint::Path(path) => CheckpointError::NotACheckpoint {
                path: path.clone(),
                there: files::exists(path)?,
                folder,
                available,
            },
            _ => {
                CheckpointError::NotFound { wanted: point.to_string(), searched: folder, available }
            }
        })
    };
    let Some(folder) = folder else {
        return Err(not_found()?);
    };
    let path = manifest_path(&folder);
    let manifest = match files::read(&path) {
        Ok(bytes) => Manifest::decode(&path, &bytes)?,
        Err(error) if error.is_not_found() => return Err(not_found()?),
        Err(error) => return Err(error.into()),
    };
    check(store, point, &path, &manifest)?;
    Ok(StoredCheckpoint { manifest, folder })
}

/// The folder of a checkpoint given by its folder or by its manifest.
fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if path.file_name().is_some_and(|name| name == MANIFEST) => parent.into(),
        _ => path.into(),
    }
}

fn check(
    store: &CheckpointStore,
    point: &RestorePoint,
    path: &Path,
    manifest: &Manifest,
) -> Result<(), CheckpointError> {
    if manifest.job != store.job() {
        return Err(CheckpointError::WrongJob {
            path: path.into(),
            expected: store.job().into(),
            found: manifest.job.clone(),
        });
    }
    // A folder that a person copied may have any name.
    if !matches!(point, RestorePoint::Path(_)) && store.folder(manifest.id) != folder_of(path) {
        let reason = format!("it is the manifest of checkpoint {}", manifest.id);
        return Err(CheckpointError::Manifest { path: path.into(), reason });
    }
    Ok(())
}
