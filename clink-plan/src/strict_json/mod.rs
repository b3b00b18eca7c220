//! Reads JSON documents strictly: every place that is not what it should be is noted, and nothing
//! is bent or lost.
//!
//! A key that is not known is refused, or kept where the reader asks for it; it is never dropped.

mod node;
mod problem;

pub(crate) use node::{Fields, Node, Path, Problems, UnknownKeys};
pub use problem::JsonProblem;

use serde_json::value::RawValue;

/// Reads a document by `read`, or says everything that is wrong with it.
pub(crate) fn read<T>(
    text: &str,
    unknown_keys: UnknownKeys,
    read: impl FnOnce(&Node<'_, '_>, &mut Problems) -> Option<T>,
) -> Result<T, Vec<JsonProblem>> {
    let mut problems = Problems::new(unknown_keys);
    let value = match serde_json::from_str::<&RawValue>(text) {
        Ok(raw) => read(&Node::new(raw, Path::Root), &mut problems),
        Err(error) => {
            let empty = text.trim().is_empty();
            let found = if empty { "nothing".to_owned() } else { error.to_string() };
            problems.add(Path::Root, "JSON", found, None);
            None
        }
    };
    match value {
        Some(value) if problems.found.is_empty() => Ok(value),
        _ => Err(problems.found),
    }
}

/// The heading of an error and its problems, one a line if there are several.
pub(crate) fn fmt_problems(
    f: &mut std::fmt::Formatter<'_>,
    heading: &str,
    problems: &[JsonProblem],
) -> std::fmt::Result {
    f.write_str(heading)?;
    let separator = if problems.len() > 1 { "\n  " } else { " " };
    problems.iter().try_for_each(|problem| write!(f, "{separator}{problem}"))
}
