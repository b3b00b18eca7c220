//! Reports late departures by limits that can be changed while the job runs.
#![forbid(unsafe_code)]

use clink::prelude::*;

#[derive(Data, Clone, Debug)]
struct Flight {
    scheduled_at: Timestamp,
    carrier: String,
    flight: u32,
    origin: Airport,
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

/// From how many minutes on a departure is late, at each airport.
#[derive(Data, Clone, Debug)]
struct Limits {
    newark: i64,
    kennedy: i64,
    la_guardia: i64,
}

impl Limits {
    fn at(&self, airport: Airport) -> i64 {
        match airport {
            Airport::Newark => self.newark,
            Airport::Kennedy => self.kennedy,
            Airport::LaGuardia => self.la_guardia,
        }
    }
}

/// A departure beyond the limit that was in force.
#[derive(Data, Clone, Debug)]
struct Alarm {
    scheduled_at: Timestamp,
    carrier: String,
    flight: u32,
    origin: Airport,
    minutes: i64,
    limit: i64,
}

/// What the command line of this job takes besides the engine's flags.
#[derive(clink::Args)]
struct Input {
    /// A CSV file of flights
    #[arg(long, default_value = "examples/data/flights-2013-01.csv.gz")]
    input: String,
    /// An NDJSON file of limits, each line in the place of the one before
    #[arg(long, default_value = "examples/06_broadcast_rules/limits.ndjson")]
    limits: String,
}

/// Departures beyond limits that change.
#[clink::job(name = "alarms", version = "1.0.0")]
fn alarms(pipeline: &Pipeline, args: Input) -> Result<()> {
    let flights = pipeline.source(files::csv::<Flight>(&args.input)).uid("flights");
    let limits = pipeline.source(files::ndjson::<Limits>(&args.limits)).uid("limits");
    flights
        .connect_broadcast(limits)
        .process(
            Limits { newark: 240, kennedy: 240, la_guardia: 240 }, // until others come
            |limits, Flight { scheduled_at, carrier, flight, origin, dep_delay }, ctx| {
                let limit = limits.at(origin);
                if let Some(minutes) = dep_delay.filter(|minutes| *minutes > limit) {
                    ctx.emit(Alarm { scheduled_at, carrier, flight, origin, minutes, limit });
                }
                Ok(())
            },
            |limits, new, _| {
                *limits = new;
                Ok(())
            },
        )
        .uid("limit")
        .sink(print());
    Ok(())
}
