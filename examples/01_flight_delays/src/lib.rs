//! Computes the mean departure delay of each airline, so far, after every flight.
#![forbid(unsafe_code)]

use clink::prelude::*;

#[derive(Data, Clone, Debug)]
struct Flight {
    carrier: String,
    origin: String,
    dep_delay: Option<i64>,
    departed_at: Option<Timestamp>,
}

#[derive(Data, Clone, Debug)]
struct Delay {
    carrier: String,
    flights: u64,
    mean_minutes: f64,
}

/// Mean departure delay per carrier, so far.
#[clink::operator(uid = "mean-delay")]
#[derive(Default)]
struct MeanDelay {
    only_above: Option<i64>, // a parameter: travels in the job graph
    #[state]
    flights: ValueState<u64>, // keyed state: one value per key
    #[state]
    minutes: ValueState<i64>,
}

impl KeyedOperator for MeanDelay {
    type Key = String;
    type In = Flight;
    type Out = Delay;

    fn process(&mut self, flight: Flight, ctx: &mut KeyedContext<'_, Self>) -> Result<()> {
        let Some(delay) = flight.dep_delay else { return Ok(()) }; // cancelled: never left
        if self.only_above.is_some_and(|floor| delay <= floor) {
            return Ok(());
        }
        let flights = self.flights.update(ctx, |n| n + 1)?; // starts from the default
        let minutes = self.minutes.update(ctx, |m| m + delay)?;
        ctx.emit(Delay {
            carrier: flight.carrier,
            flights,
            mean_minutes: minutes as f64 / flights as f64,
        });
        Ok(())
    }
}

/// What the command line of this job takes besides the engine's flags.
#[derive(clink::Args)]
struct Input {
    /// A CSV file of flights
    #[arg(long, default_value = "examples/data/flights-2013-01.csv.gz")]
    input: String,
}

/// Mean departure delay per airline, so far.
#[clink::job(name = "delays", version = "1.0.0")]
fn delays(pipeline: &Pipeline, args: Input) -> Result<()> {
    pipeline
        .source(files::csv::<Flight>(&args.input))
        .event_time(|f| f.departed_at, bounded(minutes(5))) // None has no event time
        .key_by(|f| f.carrier.clone())
        .process(MeanDelay::default())
        .sink(print());
    Ok(())
}
