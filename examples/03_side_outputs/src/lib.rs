//! Finds flights that made up time in the air, and hands doubtful reports to people.
#![forbid(unsafe_code)]

use clink::prelude::*;

#[derive(Data, Clone, Debug)]
struct Flight {
    carrier: String,
    flight: u32,
    dest: String,
    scheduled_at: Timestamp,
    dep_delay: Option<i64>,
    arr_delay: Option<i64>,
}

/// Minutes between a late departure and a less late arrival.
#[derive(Data, Clone, Debug)]
struct MadeUp {
    carrier: String,
    flight: u32,
    scheduled_at: Timestamp,
    minutes: i64,
}

/// A report that somebody should look at.
#[derive(Data, Clone, Debug)]
struct Doubt {
    why: Why,
    carrier: String,
    flight: u32,
    dest: String,
    scheduled_at: Timestamp,
}

#[derive(Data, Clone, Copy, Debug)]
enum Why {
    NeverArrived,
    UnlikelyDelay,
}

/// The side output: its name in the plan, and its type.
const DOUBTS: OutputTag<Doubt> = OutputTag::new("doubts");

/// Compares departure and arrival.
#[clink::operator(uid = "compare")]
struct Compare {
    unlikely_above: i64,
}

impl Operator for Compare {
    type In = Flight;
    type Out = MadeUp;

    fn process(&mut self, report: Flight, ctx: &mut Context<'_, MadeUp>) -> Result<()> {
        let Some(dep_delay) = report.dep_delay else { return Ok(()) }; // cancelled: never left
        let Flight { carrier, flight, dest, scheduled_at, arr_delay, .. } = report;
        let why = match arr_delay {
            Some(_) if dep_delay > self.unlikely_above => Why::UnlikelyDelay,
            Some(arr_delay) => {
                let minutes = dep_delay - arr_delay;
                ctx.emit(MadeUp { carrier, flight, scheduled_at, minutes });
                return Ok(());
            }
            None => Why::NeverArrived,
        };
        ctx.emit_side(&DOUBTS, Doubt { why, carrier, flight, dest, scheduled_at })
    }
}

/// What the command line of this job takes besides the engine's flags.
#[derive(clink::Args)]
struct Input {
    /// A CSV file of flights
    #[arg(long, default_value = "examples/data/flights-2013-01.csv.gz")]
    input: String,
}

/// Flights that made up 50 minutes and more, and reports that cannot be right.
#[clink::job(name = "made-up", version = "1.0.0")]
fn made_up(pipeline: &Pipeline, args: Input) -> Result<()> {
    let compared = pipeline
        .source(files::csv::<Flight>(&args.input))
        .uid("flights")
        .process(Compare { unlikely_above: 12 * 60 });
    compared.side_output(&DOUBTS).sink(print());
    compared.filter(|made_up| made_up.minutes >= 50).sink(print());
    Ok(())
}
