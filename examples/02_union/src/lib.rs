//! Counts the departures to each destination from two airports that report in different forms.
#![forbid(unsafe_code)]

use clink::prelude::*;

/// A row of Newark's file.
#[derive(Data, Clone, Debug)]
struct NewarkRow {
    dest: String,
    departed_at: Option<Timestamp>,
}

/// A line of Kennedy's file.
#[derive(Data, Clone, Debug)]
struct KennedyLine {
    to: String,
    left: Option<Timestamp>,
}

/// Departures to one airport, wherever they were reported.
#[derive(Data, Clone, Debug)]
struct Departures {
    dest: String,
    flights: u64,
}

/// What the command line of this job takes besides the engine's flags.
#[derive(clink::Args)]
struct Reports {
    /// Newark's CSV file
    #[arg(long, default_value = "examples/data/newark-2013-01-01.csv")]
    newark: String,
    /// Kennedy's NDJSON file
    #[arg(long, default_value = "examples/data/kennedy-2013-01-01.ndjson")]
    kennedy: String,
}

/// Departures to each destination, so far, from Newark and Kennedy together.
#[clink::job(name = "destinations", version = "1.0.0")]
fn destinations(pipeline: &Pipeline, reports: Reports) -> Result<()> {
    let newark = pipeline
        .source(files::csv::<NewarkRow>(&reports.newark))
        .uid("newark")
        .filter(|row| row.departed_at.is_some()) // the others are cancelled
        .map(|row| Departures { dest: row.dest, flights: 1 });
    let kennedy = pipeline
        .source(files::ndjson::<KennedyLine>(&reports.kennedy))
        .uid("kennedy")
        .filter(|line| line.left.is_some())
        .map(|line| Departures { dest: line.to, flights: 1 });
    newark
        .union(kennedy) // of one type by now
        .key_by_ref(|departures| &departures.dest)
        .reduce(|a, b| Departures { flights: a.flights + b.flights, ..a })
        .uid("per-destination")
        .sink(print());
    Ok(())
}
