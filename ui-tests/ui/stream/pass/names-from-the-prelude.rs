// Everything that a contract names can be named through clink.
use clink::prelude::*;
use clink::state::{CurrentKey, StateError, Union};

/// Holds records back until the watermark has passed them.
#[clink::operator(uid = "hold")]
#[derive(Default)]
struct Hold {
    #[state]
    held: OperatorListState<u64, Union>,
}

impl Operator for Hold {
    type In = u64;
    type Out = u64;

    fn process(&mut self, n: u64, ctx: &mut Context<'_, u64>) -> Result<()> {
        let time: Option<EventTime> = ctx.event_time();
        if time.is_none() {
            ctx.emit_at(n, Timestamp::from_millis(7));
            ctx.emit_at(n, EventTime::MAX);
        }
        self.held.push(n);
        Ok(())
    }

    fn on_watermark(&mut self, watermark: Watermark, ctx: &mut Context<'_, u64>) -> Result<()> {
        let _ = watermark;
        self.held.rows().iter().for_each(|n| ctx.emit(*n));
        self.held.clear();
        Ok(())
    }
}

/// Uses state behind a function of its own.
fn bump(slot: &mut ValueState<u64>, ctx: &impl CurrentKey) -> std::result::Result<u64, StateError> {
    slot.update(ctx, |n| n + 1)
}

#[clink::operator(uid = "count")]
#[derive(Default)]
struct Count {
    #[state]
    seen: ValueState<u64>,
}

impl KeyedOperator for Count {
    type Key = u64;
    type In = u64;
    type Out = u64;

    fn process(&mut self, n: u64, ctx: &mut KeyedContext<'_, Self>) -> Result<()> {
        let seen = bump(&mut self.seen, ctx)?;
        ctx.emit_at(seen, Timestamp::from_millis(n as i64));
        Ok(())
    }
}

fn plan(job: &clink::Job) -> std::result::Result<clink::plan::JobPlan, clink::JobError> {
    let graph: &clink::plan::JobGraphSpec = job.graph();
    assert!(!graph.operators.is_empty());
    job.plan(&clink::RunOptions::default())
}

fn main() {
    let job = clink::Job::build("job", |pipeline| {
        let held = pipeline.generate(10, |n| n).process(Hold::default());
        held.key_by(|n| n % 3).process(Count::default()).sink(files::csv_sink("counts.csv"));
        Ok(())
    });
    assert!(plan(&job.unwrap()).is_ok());
}
