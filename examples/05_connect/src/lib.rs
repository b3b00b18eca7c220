//! Finds flights that made up time in the air, from a stream of departures and one of arrivals.
#![forbid(unsafe_code)]

use clink::prelude::*;

#[derive(Data, Clone, Debug)]
struct Departure {
    carrier: String,
    flight: u32,
    dep_delay: Option<i64>,
}

#[derive(Data, Clone, Debug)]
struct Arrival {
    carrier: String,
    flight: u32,
    dest: String,
    arr_delay: i64,
}

/// Minutes between a late departure and a less late arrival.
#[derive(Data, Clone, Debug)]
struct MadeUp {
    carrier: String,
    flight: u32,
    minutes: i64,
}

/// Keeps what comes first, departure or arrival, until the other one comes.
#[clink::operator(uid = "pair")]
#[derive(Default)]
struct Pair {
    #[state]
    departed: ValueState<i64>, // minutes late
    #[state]
    arrived: ValueState<i64>,
}

impl KeyedCoOperator for Pair {
    type Key = (String, u32);
    type In1 = Departure;
    type In2 = Arrival;
    type Out = MadeUp;

    fn process_element1(
        &mut self,
        departure: Departure,
        ctx: &mut KeyedCoContext<'_, Self>,
    ) -> Result<()> {
        let Some(dep_delay) = departure.dep_delay else { return Ok(()) }; // cancelled: never left
        self.departed.set(ctx, dep_delay)?;
        self.compare(ctx)
    }

    fn process_element2(
        &mut self,
        arrival: Arrival,
        ctx: &mut KeyedCoContext<'_, Self>,
    ) -> Result<()> {
        self.arrived.set(ctx, arrival.arr_delay)?;
        self.compare(ctx)
    }
}

impl Pair {
    /// Emits what both delays come to, and forgets them, once both are there.
    fn compare(&mut self, ctx: &mut KeyedCoContext<'_, Self>) -> Result<()> {
        if let (Some(departed), Some(arrived)) = (self.departed.get(ctx)?, self.arrived.get(ctx)?) {
            let ((carrier, flight), minutes) = (ctx.key().clone(), departed - arrived);
            ctx.emit(MadeUp { carrier, flight, minutes });
            self.departed.clear(ctx)?;
            self.arrived.clear(ctx)?;
        }
        Ok(())
    }
}

/// What the command line of this job takes besides the engine's flags.
#[derive(clink::Args)]
struct Reports {
    /// A CSV file of departures
    #[arg(long, default_value = "examples/data/newark-2013-01-01.csv")]
    departures: String,
    /// An NDJSON file of arrivals
    #[arg(long, default_value = "examples/data/newark-arrivals-2013-01-01.ndjson")]
    arrivals: String,
}

/// Flights of one day that made up ten minutes and more in the air.
#[clink::job(name = "made-up", version = "1.0.0")]
fn made_up(pipeline: &Pipeline, reports: Reports) -> Result<()> {
    let departures = pipeline
        .source(files::csv::<Departure>(&reports.departures))
        .uid("departures")
        .key_by(|departure| (departure.carrier.clone(), departure.flight));
    let arrivals = pipeline
        .source(files::ndjson::<Arrival>(&reports.arrivals))
        .uid("arrivals")
        .key_by(|arrival| (arrival.carrier.clone(), arrival.flight));
    departures
        .connect(arrivals)
        .process(Pair::default())
        .filter(|made_up| made_up.minutes >= 10)
        .sink(print());
    Ok(())
}
