//! Writes a manifest as JSON and reads it back, trusting nothing.

use std::path::Path;

use clink_plan::id::{CheckpointId, OperatorId};
use clink_plan::key_group::KeyGroupRange;
use serde::{Deserialize, Serialize};

use super::{CheckpointError, Manifest, ManifestFile, ManifestOperator};
use crate::checkpoint::snapshot::{OperatorIdentity, SlotScope};

/// The newest format this build reads. Format 2 says which slots were asked for by name.
const FORMAT: u64 = 2;

/// The format of a manifest in which no slot was asked for by name: what an earlier release
/// understands is written as it would have.
const FORMAT_OF_FIELDS: u64 = 1;

/// The last field, around eight hex digits.
const SEAL: (&str, &str) = (",\n  \"crc32\": \"", "\"\n}\n");
const SEAL_BYTES: usize = SEAL.0.len() + 8 + SEAL.1.len();

/// What every format has.
#[derive(Deserialize)]
struct FormatJson {
    format: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ManifestJson {
    format: u64,
    job: String,
    id: u64,
    created_at_ms: i64,
    operators: Vec<OperatorJson>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct OperatorJson {
    uid: String,
    id: String,
    parallelism: u32,
    files: Vec<FileJson>,
    finished: Vec<u32>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileJson {
    subtask_index: u32,
    slot: String,
    scope: ScopeJson,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    by_name: bool,
    path: String,
    bytes: u64,
    rows: u64,
    crc32: String,
    key_groups: (u16, u16),
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ScopeJson {
    Keyed,
    Operator,
}

impl Manifest {
    /// The manifest as the bytes of its file.
    pub fn encode(&self) -> Vec<u8> {
        let mut sorted = self.clone();
        sorted.sort();
        let mut text = serde_json::to_string_pretty(&ManifestJson::from(sorted))
            .expect("strings, numbers and lists of them always encode");
        let body = text.len() - "\n}".len();
        text.truncate(body);
        let crc32 = hex32(crc32fast::hash(text.as_bytes()));
        text.push_str(SEAL.0);
        text.push_str(&crc32);
        text.push_str(SEAL.1);
        text.into_bytes()
    }

    /// Reads the bytes of a manifest's file; `path` is for errors.
    ///
    /// # Errors
    /// [`CheckpointError::Corrupt`] if the bytes are not those that were written,
    /// [`CheckpointError::NewerFormat`] if a later release wrote them, and
    /// [`CheckpointError::Manifest`] if they contradict themselves.
    pub fn decode(path: &Path, bytes: &[u8]) -> Result<Manifest, CheckpointError> {
        let body = unseal(path, bytes)?;
        let invalid = |reason: String| CheckpointError::Manifest { path: path.into(), reason };
        let mut text = body.to_owned();
        text.push_str("\n}");
        let FormatJson { format: found } =
            serde_json::from_str(&text).map_err(|error| invalid(error.to_string()))?;
        if found > FORMAT {
            return Err(CheckpointError::NewerFormat {
                path: path.into(),
                found,
                supported: FORMAT,
            });
        }
        let json: ManifestJson =
            serde_json::from_str(&text).map_err(|error| invalid(error.to_string()))?;
        let manifest = Manifest::try_from(json).map_err(invalid)?;
        manifest.check().map_err(invalid)?;
        Ok(manifest)
    }
}

/// Everything before the last field, once the checksum in that field is right.
fn unseal<'a>(path: &Path, bytes: &'a [u8]) -> Result<&'a str, CheckpointError> {
    let corrupt = |check, expected: &str, found: &str| CheckpointError::Corrupt {
        path: path.into(),
        check,
        expected: expected.into(),
        found: found.into(),
    };
    let text = str::from_utf8(bytes).map_err(|_| corrupt("encoding", "UTF-8", "something else"))?;
    let sealed =
        text.len().checked_sub(SEAL_BYTES).and_then(|at| text.split_at_checked(at)).and_then(
            |(body, seal)| {
                let written = seal.strip_prefix(SEAL.0)?.strip_suffix(SEAL.1)?;
                Some((body, written))
            },
        );
    let Some((body, written)) = sealed else {
        return Err(corrupt("last field", "a crc32", "something else"));
    };
    let computed = hex32(crc32fast::hash(body.as_bytes()));
    if computed != written {
        return Err(corrupt("crc32", written, &computed));
    }
    Ok(body)
}

fn hex32(value: u32) -> String {
    format!("{value:08x}")
}

/// Reads lower-case hex of exactly `digits` digits.
fn from_hex(what: &str, digits: usize, text: &str) -> Result<u64, String> {
    let is_hex = |c: char| matches!(c, '0'..='9' | 'a'..='f');
    if text.len() == digits
        && text.chars().all(is_hex)
        && let Ok(value) = u64::from_str_radix(text, 16)
    {
        return Ok(value);
    }
    Err(format!("{what} `{text}` is not {digits} hex digits"))
}

impl From<Manifest> for ManifestJson {
    fn from(manifest: Manifest) -> Self {
        let by_name = manifest.files().any(|file| file.by_name);
        Self {
            format: if by_name { FORMAT } else { FORMAT_OF_FIELDS },
            job: manifest.job,
            id: manifest.id.0,
            created_at_ms: manifest.created_at_ms,
            operators: manifest.operators.into_iter().map(OperatorJson::from).collect(),
        }
    }
}

impl From<ManifestOperator> for OperatorJson {
    fn from(operator: ManifestOperator) -> Self {
        Self {
            uid: operator.identity.uid,
            id: operator.identity.id.to_string(),
            parallelism: operator.parallelism,
            files: operator.files.into_iter().map(FileJson::from).collect(),
            finished: operator.finished,
        }
    }
}

impl From<ManifestFile> for FileJson {
    fn from(file: ManifestFile) -> Self {
        Self {
            subtask_index: file.subtask_index,
            slot: file.slot,
            scope: match file.scope {
                SlotScope::Keyed => ScopeJson::Keyed,
                SlotScope::Operator => ScopeJson::Operator,
            },
            by_name: file.by_name,
            path: file.path,
            bytes: file.bytes,
            rows: file.rows,
            crc32: hex32(file.crc32),
            key_groups: (file.key_groups.start, file.key_groups.end),
        }
    }
}

impl TryFrom<ManifestJson> for Manifest {
    type Error = String;

    fn try_from(json: ManifestJson) -> Result<Self, String> {
        let operators = json.operators.into_iter().map(ManifestOperator::try_from);
        Ok(Self {
            job: json.job,
            id: CheckpointId(json.id),
            created_at_ms: json.created_at_ms,
            operators: operators.collect::<Result<_, _>>()?,
        })
    }
}

impl TryFrom<OperatorJson> for ManifestOperator {
    type Error = String;

    fn try_from(json: OperatorJson) -> Result<Self, String> {
        let files = json.files.into_iter().map(ManifestFile::try_from);
        Ok(Self {
            identity: OperatorIdentity {
                id: OperatorId(from_hex("operator id", 16, &json.id)?),
                uid: json.uid,
            },
            parallelism: json.parallelism,
            files: files.collect::<Result<_, _>>()?,
            finished: json.finished,
        })
    }
}

impl TryFrom<FileJson> for ManifestFile {
    type Error = String;

    fn try_from(json: FileJson) -> Result<Self, String> {
        let crc32 = from_hex("crc32", 8, &json.crc32)?;
        Ok(Self {
            subtask_index: json.subtask_index,
            slot: json.slot,
            scope: match json.scope {
                ScopeJson::Keyed => SlotScope::Keyed,
                ScopeJson::Operator => SlotScope::Operator,
            },
            by_name: json.by_name,
            path: json.path,
            bytes: json.bytes,
            rows: json.rows,
            crc32: u32::try_from(crc32).map_err(|_| "crc32 has more than 32 bits".to_owned())?,
            key_groups: KeyGroupRange { start: json.key_groups.0, end: json.key_groups.1 },
        })
    }
}
