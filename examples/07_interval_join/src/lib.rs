//! Tells of each flight what the weather was like when it left.
#![forbid(unsafe_code)]

use clink::prelude::*;

#[derive(Data, Clone, Debug)]
struct Flight {
    carrier: String,
    flight: u32,
    origin: String,
    departed_at: Option<Timestamp>,
}

/// What an airport has observed, once an hour.
#[derive(Data, Clone, Debug)]
struct Report {
    origin: String,
    observed_at: Timestamp,
    wind_mph: f64,
    visibility_miles: f64,
}

#[derive(Data, Clone, Debug)]
struct Departure {
    flight: String,
    origin: String,
    departed_at: Option<Timestamp>,
    wind_mph: f64,
    visibility_miles: f64,
}

/// What the command line of this job takes besides the engine's flags.
#[derive(clink::Args)]
struct Input {
    /// A CSV file of flights
    #[arg(long, default_value = "examples/data/flights-2013-01.csv.gz")]
    flights: String,
    /// A CSV file of weather reports
    #[arg(long, default_value = "examples/data/weather-sample.csv")]
    weather: String,
}

/// Departures, each with the last weather report before it.
#[clink::job(name = "departures", version = "1.0.0")]
fn departures(pipeline: &Pipeline, args: Input) -> Result<()> {
    let flights = pipeline
        .source(files::csv::<Flight>(&args.flights))
        .uid("flights")
        .filter(|flight| flight.departed_at.is_some()) // a join is of records with an event time
        .event_time(|flight| flight.departed_at, monotonic());
    let reports = pipeline
        .source(files::csv::<Report>(&args.weather))
        .uid("weather")
        .event_time(|report| report.observed_at, monotonic());
    flights
        .key_by(|flight| flight.origin.clone())
        .interval_join(reports.key_by(|report| report.origin.clone()))
        .between(before(minutes(59)), Offset::ZERO) // the report of the hour: flights have minutes
        .inner(|flight, report| Departure {
            flight: format!("{}{}", flight.carrier, flight.flight),
            origin: flight.origin.clone(),
            departed_at: flight.departed_at,
            wind_mph: report.wind_mph,
            visibility_miles: report.visibility_miles,
        })
        .uid("departures")
        .sink(print());
    Ok(())
}
