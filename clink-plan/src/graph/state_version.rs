//! Packs the state schema versions that a job expects on restore into one text.
//!
//! Shape:  lines `operator id|state type|version` with an optional `|slot`, the id in decimal,
//!         sorted by id, then by state type; no newline at the end.

use std::collections::BTreeMap;
use std::fmt;

use crate::descriptor::SlotDescriptor;
use crate::id::OperatorId;

/// The schema version of one piece of state.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StateVersion {
    /// Whose state it is.
    pub operator: OperatorId,
    /// The type tag of the state.
    pub state_type: String,
    /// The version of its schema.
    pub version: u32,
    /// The slot's name; empty if it is not named.
    pub slot: String,
}

impl StateVersion {
    /// What a job expects of `slot` of `operator`. Its type tag is `kind:name`: an operator may
    /// have several slots of one kind, and each has a version of its own.
    pub fn of(operator: OperatorId, slot: &SlotDescriptor) -> StateVersion {
        StateVersion {
            operator,
            state_type: format!("{}:{}", slot.kind, slot.name),
            version: slot.version,
            slot: slot.name.to_owned(),
        }
    }
}

/// Why versions cannot be packed or unpacked.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StateVersionError {
    /// A line has too few or too many parts, or a number that is none.
    Line {
        /// The line, from 1.
        number: usize,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A state type or slot holds `|` or a newline, which would tear the packed line.
    Separator {
        /// The text that holds it.
        text: String,
    },
    /// One operator claims the same state type for two different slots.
    Slots {
        /// The operator.
        operator: OperatorId,
        /// The state type that both slots claim.
        state_type: String,
    },
}

impl fmt::Display for StateVersionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StateVersionError::Line { number, problem } => write!(f, "line {number}: {problem}"),
            StateVersionError::Separator { text } => {
                write!(f, "{text:?} holds `|` or a newline, which separate packed versions")
            }
            StateVersionError::Slots { operator, state_type } => write!(
                f,
                "operator {operator} names two different slots for state type `{state_type}`"
            ),
        }
    }
}

impl std::error::Error for StateVersionError {}

/// Packs versions, sorted; of two for the same state the later one wins.
///
/// # Errors
/// [`StateVersionError::Separator`] and [`StateVersionError::Slots`].
pub fn pack_versions(versions: &[StateVersion]) -> Result<String, StateVersionError> {
    let mut sorted: BTreeMap<(u64, &str), (u32, &str)> = BTreeMap::new();
    for entry in versions {
        for text in [&entry.state_type, &entry.slot] {
            if text.contains(['|', '\n']) {
                return Err(StateVersionError::Separator { text: text.clone() });
            }
        }
        let value = (entry.version, entry.slot.as_str());
        let old = sorted.insert((entry.operator.0, &entry.state_type), value);
        if let Some((_, slot)) = old
            && !slot.is_empty()
            && !entry.slot.is_empty()
            && slot != entry.slot
        {
            let state_type = entry.state_type.clone();
            return Err(StateVersionError::Slots { operator: entry.operator, state_type });
        }
    }
    let lines = sorted.into_iter().map(|((operator, state_type), (version, slot))| {
        let separator = if slot.is_empty() { "" } else { "|" };
        format!("{operator}|{state_type}|{version}{separator}{slot}")
    });
    Ok(lines.collect::<Vec<_>>().join("\n"))
}

/// Unpacks what [`pack_versions`] wrote; blank lines are skipped.
///
/// # Errors
/// [`StateVersionError::Line`] for the first line that is not one.
pub fn unpack_versions(text: &str) -> Result<Vec<StateVersion>, StateVersionError> {
    let lines = text.split('\n').enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(index, line)| {
            unpack_line(line)
                .map_err(|problem| StateVersionError::Line { number: index + 1, problem })
        })
        .collect()
}

fn unpack_line(line: &str) -> Result<StateVersion, &'static str> {
    let mut parts = line.split('|');
    let (Some(operator), Some(state_type), Some(version)) =
        (parts.next(), parts.next(), parts.next())
    else {
        return Err("expected `operator id|state type|version`");
    };
    let slot = parts.next().unwrap_or_default();
    if parts.next().is_some() {
        return Err("expected at most four parts separated by `|`");
    }
    let operator = operator.parse().map_err(|_| "the operator id is not a decimal number")?;
    let version = version.parse().map_err(|_| "the version is not a decimal number")?;
    Ok(StateVersion {
        operator: OperatorId(operator),
        state_type: state_type.to_owned(),
        version,
        slot: slot.to_owned(),
    })
}
