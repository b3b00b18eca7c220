//! Words an event for people (pure).

use std::fmt::Write;

use serde_json::Value;
use tracing::Level;

use super::event::Said;
use crate::cli::style;

/// One event as a line, or a few where its message has several.
///
/// What the command says is bare where it only informs, for it is meant for who typed it; what an
/// author logs has its values behind it, and last where in the job it was said.
pub(super) fn line(said: &Said<'_>, colours: bool) -> String {
    let mut line = match &said.fields.shown {
        Some(shown) => shown.clone(),
        None => format!("{}{}", opening(said.level), said.fields.message.as_deref().unwrap_or("")),
    };
    if !said.is_ours() {
        for (name, value) in said.values().into_iter().chain(&said.place()) {
            // A string takes whatever is written to it.
            let _ = match value {
                Value::String(text) if is_one_word(text) => write!(line, " {name}={text}"),
                other => write!(line, " {name}={other}"),
            };
        }
    }
    let line = visible(&line);
    if colours { style::opening(&line) + "\n" } else { line + "\n" }
}

fn opening(level: Level) -> &'static str {
    match level {
        Level::ERROR => "error: ",
        Level::WARN => "warning: ",
        Level::INFO => "",
        Level::DEBUG => "debug: ",
        Level::TRACE => "trace: ",
    }
}

fn is_one_word(text: &str) -> bool {
    !text.is_empty() && !text.contains(|c: char| c.is_whitespace() || c == '"' || c == '=')
}

/// The same with control characters spelt out: a value of the input must not move the cursor.
fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\t' => shown.push(c),
            _ if c.is_control() => shown.extend(c.escape_default()),
            _ => shown.push(c),
        }
    }
    shown
}
