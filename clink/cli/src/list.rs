//! Lists what a graph may be made of: the built-in operator types and their parameters.

use std::io::{self, Write};

use clink::cli::Exit;
use clink_runtime::registry::builtin::{BuiltinParam, BuiltinType, types};

/// Writes the list to stdout.
pub(crate) fn list() -> Exit {
    match write(&mut io::stdout().lock()) {
        Ok(()) => Exit::Done,
        Err(_) => Exit::Failed,
    }
}

fn write(out: &mut impl Write) -> io::Result<()> {
    let types = types();
    let sources = types.iter().filter(|of| of.input.is_empty());
    section(out, "sources", sources)?;
    let inner = types.iter().filter(|of| !of.input.is_empty() && !of.output.is_empty());
    section(out, "operators", inner)?;
    section(out, "sinks", types.iter().filter(|of| of.output.is_empty()))
}

fn section<'t>(
    out: &mut impl Write,
    heading: &str,
    types: impl Iterator<Item = &'t BuiltinType>,
) -> io::Result<()> {
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
