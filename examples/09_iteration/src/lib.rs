//! Finds a seat for everybody whose flight was cancelled: that day, the next day, or the one after.
#![forbid(unsafe_code)]

use clink::prelude::*;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

#[derive(Data, Clone, Debug)]
struct Flight {
    scheduled_at: Timestamp,
    origin: String,
    dest: String,
    departed_at: Option<Timestamp>,
}

/// Passengers who look for a seat on a day.
#[derive(Data, Clone, Debug)]
struct Request {
    origin: String,
    dest: String,
    day: Timestamp,
    passengers: u32,
}

/// A day on which no seat is left.
#[derive(Data, Clone, Debug)]
struct SoldOut {
    origin: String,
    dest: String,
    day: Timestamp,
}

const SOLD_OUT: OutputTag<SoldOut> = OutputTag::new("sold-out");

/// Gives away the free seats of each route and day. Who finds none asks again for the next day.
#[clink::operator(uid = "seats")]
#[derive(Default)]
struct Seats {
    a_day: u32,
    #[state]
    taken: ValueState<u32>,
}

impl KeyedOperator for Seats {
    type Key = (String, String, Timestamp);
    type In = Request;
    type Out = Request;

    fn process(&mut self, request: Request, ctx: &mut KeyedContext<'_, Self>) -> Result<()> {
        let Request { origin, dest, day, passengers } = request;
        let free = self.a_day.saturating_sub(*self.taken.get(ctx)?.unwrap_or(&0));
        let seated = passengers.min(free);
        self.taken.update(ctx, |taken| taken + seated)?;
        if seated > 0 && seated == free {
            let (origin, dest) = (origin.clone(), dest.clone());
            ctx.emit_side(&SOLD_OUT, SoldOut { origin, dest, day })?;
        }
        if passengers > seated {
            let (day, passengers) = (midnight(day.as_millis() + DAY_MS), passengers - seated);
            ctx.emit(Request { origin, dest, day, passengers });
        }
        Ok(())
    }
}

/// The start of the day (UTC) of a moment.
fn midnight(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis - millis.rem_euclid(DAY_MS))
}

/// What the command line of this job takes besides the engine's flags.
#[derive(clink::Args)]
struct Input {
    /// A CSV file of flights
    #[arg(long, default_value = "examples/data/flights-2013-01.csv.gz")]
    input: String,
    /// Free seats on each route every day
    #[arg(long, default_value = "60")]
    seats: u32,
}

/// Routes and days that the passengers of cancelled flights fill up.
#[clink::job(name = "sold-out", version = "1.0.0")]
fn sold_out(pipeline: &Pipeline, args: Input) -> Result<()> {
    let requests = pipeline
        .source(files::csv::<Flight>(&args.input))
        .uid("flights")
        .filter(|flight| flight.departed_at.is_none()) // cancelled
        .map(|Flight { scheduled_at, origin, dest, .. }| {
            let day = midnight(scheduled_at.as_millis());
            Request { origin, dest, day, passengers: 50 }
        });
    let seats = Seats { a_day: args.seats, ..Seats::default() };
    requests
        .iterate(IterationConfig::new().uid("next-day").max_records(100_000), |requests| {
            let unseated = requests
                .key_by(|request| (request.origin.clone(), request.dest.clone(), request.day))
                .process(seats);
            let sold_out = unseated.side_output(&SOLD_OUT);
            (unseated, sold_out) // what goes back, and what comes out
        })
        .sink(print());
    Ok(())
}
