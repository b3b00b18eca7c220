//! Lists what a graph may be made of: the built-in operator types and their parameters.

use std::fmt::Write;

use clink::cli::{Exit, verbs};
use clink_runtime::registry::builtin::{BuiltinParam, BuiltinType, types};

/// Writes the list to stdout.
pub(crate) fn list() -> Exit {
    let types = types();
    let mut text = String::new();
    // A string takes whatever is written to it.
    let _ = section(&mut text, "sources", types.iter().filter(|of| of.input.is_empty()));
    let inner = types.iter().filter(|of| !of.input.is_empty() && !of.output.is_empty());
    let _ = section(&mut text, "operators", inner);
    let _ = section(&mut text, "sinks", types.iter().filter(|of| of.output.is_empty()));
    verbs::print(&text)
}

fn section<'t>(
    out: &mut String,
    heading: &str,
    types: impl Iterator<Item = &'t BuiltinType>,
) -> std::fmt::Result {
    writeln!(out, "{heading}")?;
    for of in types {
        let channels = format!("{} → {}", of.input, of.output);
        writeln!(out, "  {:20}  {}", of.type_name, channels.trim())?;
        for BuiltinParam { name, expected, default } in &of.params {
            let otherwise = default.map(|value| format!(", {value} if it is not there"));
            writeln!(out, "    {name}: {expected}{}", otherwise.unwrap_or_default())?;
        }
    }
    Ok(())
}
