//! Writes an event as one JSON object on one line (pure).
//!
//! `time`, `level` and `message` come first; `target` and `spans` where an author logs, the `job`
//! of a run, `operator` and `subtask` inside one; then the values of the event and of the spans
//! around it.

use jiff::Timestamp;
use serde_json::Value;
use tracing::Level;

use super::event::Said;

/// Names that every line has of its own; a value of that name stands under `fields.NAME`.
const OWN: [&str; 6] = ["time", "level", "message", "target", "spans", "job"];

/// One event as a line.
pub(super) fn line(said: &Said<'_>) -> String {
    let message = said.fields.message.clone().unwrap_or_default();
    let mut members = vec![
        ("time".to_owned(), Value::String(time(said.at_ms))),
        ("level".to_owned(), Value::from(level(said.level))),
        ("message".to_owned(), Value::String(message)),
    ];
    if !said.is_ours() {
        members.push(("target".to_owned(), Value::from(said.target)));
        let spans: Vec<&str> = said.spans.clone();
        if !spans.is_empty() {
            members.push(("spans".to_owned(), Value::from(spans)));
        }
    }
    let place = said.place();
    for (name, value) in said.run.iter().chain(&place) {
        members.push(((*name).to_owned(), value.clone()));
    }
    for (name, value) in said.values() {
        let taken = OWN.contains(name) || place.iter().any(|(own, _)| own == name);
        let name = if taken { format!("fields.{name}") } else { (*name).to_owned() };
        members.push((name, value.clone()));
    }
    let members: Vec<String> = (members.into_iter())
        .map(|(name, value)| format!("{}:{value}", Value::String(name)))
        .collect();
    format!("{{{}}}\n", members.join(","))
}

/// RFC 3339 with milliseconds; empty for a moment that has no such name.
fn time(at_ms: i64) -> String {
    Timestamp::from_millisecond(at_ms).map_or_else(|_| String::new(), |at| format!("{at:.3}"))
}

fn level(level: Level) -> &'static str {
    match level {
        Level::ERROR => "error",
        Level::WARN => "warn",
        Level::INFO => "info",
        Level::DEBUG => "debug",
        Level::TRACE => "trace",
    }
}
