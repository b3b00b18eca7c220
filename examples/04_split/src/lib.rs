//! Writes the flights that left very late into a file for each airport.
#![forbid(unsafe_code)]

use clink::prelude::*;

#[derive(Data, Clone, Debug)]
struct Flight {
    scheduled_at: Timestamp,
    carrier: String,
    flight: u32,
    origin: Airport,
    dest: String,
    dep_delay: Option<i64>,
}

#[derive(Data, Clone, Copy, Debug)]
enum Airport {
    #[data(rename = "EWR")]
    Newark,
    #[data(rename = "JFK")]
    Kennedy,
    #[data(rename = "LGA")]
    LaGuardia,
}

/// What the command line of this job takes besides the engine's flags.
#[derive(clink::Args)]
struct Places {
    /// A CSV file of flights
    #[arg(long, default_value = "examples/data/flights-2013-01.csv.gz")]
    input: String,
    /// The folder for the files, which must be there
    #[arg(long, default_value = "target")]
    out: String,
}

/// Flights that left more than three hours late, in a file per airport.
#[clink::job(name = "very-late", version = "1.0.0")]
fn very_late(pipeline: &Pipeline, places: Places) -> Result<()> {
    let late = pipeline
        .source(files::csv::<Flight>(&places.input))
        .uid("flights")
        .filter(|flight| flight.dep_delay.is_some_and(|minutes| minutes > 180));
    let [newark, kennedy, la_guardia] =
        late.split(["newark", "kennedy", "la-guardia"], |flight| match flight.origin {
            Airport::Newark => 0,
            Airport::Kennedy => 1,
            Airport::LaGuardia => 2,
        });
    let file = |airport| files::ndjson_sink(format!("{}/late-{airport}.ndjson", places.out));
    newark.sink(file("newark")).uid("newark");
    kennedy.sink(file("kennedy")).uid("kennedy");
    la_guardia.sink(file("la-guardia")).uid("la-guardia");
    Ok(())
}
