//! Adds the name of its airline to each departure, by a look-up that answers later.
#![forbid(unsafe_code)]

mod directory;

use clink::prelude::*;
use directory::Directory;

#[derive(Data, Clone, Debug)]
struct Flight {
    carrier: String,
    flight: u64,
    origin: String,
    dest: String,
    departed_at: Option<Timestamp>,
}

#[derive(Data, Clone, Debug)]
struct Departure {
    departed_at: Option<Timestamp>,
    airline: String,
    flight: u64,
    origin: String,
    dest: String,
}

/// What the command line of this job takes besides the engine's flags.
#[derive(clink::Args)]
struct Input {
    /// A CSV file of flights
    #[arg(long, default_value = "examples/data/flights-2013-01.csv.gz")]
    input: String,
}

/// Departures with the names of their airlines, in the order of the file.
#[clink::job(name = "departures", version = "1.0.0")]
fn departures(pipeline: &Pipeline, args: Input) -> Result<()> {
    let directory = Directory::open()?;
    pipeline
        .source(files::csv::<Flight>(&args.input))
        .filter(|flight| flight.departed_at.is_some()) // the others were cancelled
        .map_async(AsyncOptions::ordered().capacity(64), move |flight| {
            let airline = directory.look_up(&flight.carrier); // asked now ...
            async move {
                let Flight { flight, origin, dest, departed_at, .. } = flight;
                let airline = airline.await?; // ... and answered while others are asked
                Ok(Departure { departed_at, airline, flight, origin, dest })
            }
        })
        .sink(print());
    Ok(())
}
