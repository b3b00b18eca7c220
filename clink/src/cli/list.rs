//! Lists what this binary holds: its jobs and its annotated operators.

use std::io::{self, Write};

use clink_runtime::registry::probe::operators;

use super::Exit;
use super::command::Invocation;

pub(super) fn list(invocation: &Invocation) -> Exit {
    match write(invocation, &mut io::stdout().lock()) {
        Ok(()) => Exit::Done,
        Err(_) => Exit::Failed,
    }
}

fn write(invocation: &Invocation, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "jobs")?;
    for job in &invocation.jobs {
        writeln!(out, "  {} {}  {}", job.name, job.version, job.location)?;
        if !job.description.is_empty() {
            writeln!(out, "    {}", job.description)?;
        }
    }
    writeln!(out, "operators")?;
    for entry in operators() {
        let descriptor = entry.descriptor;
        let (kind, uid) = (entry.kind.name(), descriptor.uid);
        writeln!(out, "  {}  {kind}  uid {uid}  {}", descriptor.type_name, descriptor.location)?;
    }
    Ok(())
}
