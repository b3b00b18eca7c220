//! Are operators of every kind that note each call and fail where they are told to.
//!
//! Operators are rebuilt from their parameters, so what they share with a test is found by a number
//! that travels as one.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{LazyLock, Mutex};

use clink::prelude::*;
use clink::time::Watermark;
use clink_runtime::local::Signal;
use crossbeam_channel::Sender;

/// One call of an operator instance.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Call {
    pub(crate) uid: &'static str,
    pub(crate) hook: &'static str,
    pub(crate) subtask: u32,
}

/// What to do when a call is the one a test waits for.
#[derive(Clone, Debug)]
pub(crate) enum Deed {
    Error,
    Panic,
    Send(Signal, Sender<Signal>),
}

/// The call at which something is done: the operator, the hook, how many such calls before.
#[derive(Clone, Debug)]
pub(crate) struct Moment {
    pub(crate) uid: &'static str,
    pub(crate) hook: &'static str,
    pub(crate) after: u64,
    pub(crate) deed: Deed,
}

#[derive(Default)]
struct Log {
    calls: Vec<Call>,
    moment: Option<Moment>,
    /// The subtask in which it was done.
    done_in: Option<u32>,
}

static LOGS: LazyLock<Mutex<BTreeMap<u64, Log>>> = LazyLock::new(Mutex::default);
static NEXT: AtomicU64 = AtomicU64::new(0);

/// A new log; its number goes into the operators.
pub(crate) fn log(moment: Option<Moment>) -> u64 {
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    LOGS.lock().unwrap().insert(number, Log { moment, ..Log::default() });
    number
}

/// All calls, and where the deed was done.
pub(crate) fn calls(log: u64) -> (Vec<Call>, Option<u32>) {
    let log = LOGS.lock().unwrap().remove(&log).unwrap();
    (log.calls, log.done_in)
}

/// The message of every error and panic here.
pub(crate) const SAID: &str = "as the test wants it";

/// Notes a call, and does what the test wants of it.
fn note(log: u64, uid: &'static str, hook: &'static str, subtask: u32) -> Result<()> {
    let deed = {
        let mut logs = LOGS.lock().unwrap();
        let log = logs.get_mut(&log).unwrap();
        log.calls.push(Call { uid, hook, subtask });
        let due = |moment: &mut Moment| {
            let here = moment.uid == uid && moment.hook == hook;
            let now = here && moment.after == 0;
            moment.after -= u64::from(here && !now);
            now
        };
        let taken = log.moment.take_if(due);
        if taken.is_some() {
            log.done_in = Some(subtask);
        }
        taken.map(|moment| moment.deed)
    };
    match deed {
        Some(Deed::Error) => Err(Error::new(SAID)),
        Some(Deed::Panic) => panic!("{SAID}"),
        Some(Deed::Send(signal, signals)) => {
            signals.send(signal).unwrap();
            Ok(())
        }
        None => Ok(()),
    }
}

/// A source of `count` numbers per split, without end if that is 0.
#[clink::operator(uid = "src")]
#[derive(Default)]
pub(crate) struct RecordingSource {
    pub(crate) log: u64,
    pub(crate) count: u64,
    #[transient]
    subtask: u32,
    #[transient]
    splits: Vec<(u64, u64)>,
}

impl Source for RecordingSource {
    type Out = u64;
    type Split = (u64, u64);

    fn splits(&self, wanted: u32) -> Result<Vec<(u64, u64)>> {
        note(self.log, "src", "splits", self.subtask)?;
        Ok((0..wanted.into()).map(|split| (split, 0)).collect())
    }

    fn open(&mut self, splits: Vec<(u64, u64)>, ctx: &RuntimeContext) -> Result<()> {
        self.subtask = ctx.subtask_index();
        self.splits = splits;
        note(self.log, "src", "open", self.subtask)
    }

    fn produce(&mut self, ctx: &mut SourceContext<'_, u64>) -> Result<Produced> {
        note(self.log, "src", "produce", self.subtask)?;
        let count = if self.count == 0 { u64::MAX } else { self.count };
        let Some((split, next)) = self.splits.iter_mut().find(|(_, next)| *next < count) else {
            return Ok(Produced::End);
        };
        for _ in 0..50.min(count - *next) {
            ctx.emit(*split + 1_000 * *next);
            *next += 1;
        }
        Ok(Produced::More)
    }

    fn snapshot(&mut self) -> Result<Vec<(u64, u64)>> {
        note(self.log, "src", "snapshot", self.subtask)?;
        Ok(self.splits.clone())
    }

    fn close(&mut self) -> Result<()> {
        note(self.log, "src", "close", self.subtask)
    }
}

/// Passes numbers on.
#[clink::operator(uid = "op")]
#[derive(Default)]
pub(crate) struct RecordingOperator {
    pub(crate) log: u64,
    #[transient]
    subtask: u32,
}

impl Operator for RecordingOperator {
    type In = u64;
    type Out = u64;

    fn open(&mut self, ctx: &RuntimeContext) -> Result<()> {
        self.subtask = ctx.subtask_index();
        note(self.log, "op", "open", self.subtask)
    }

    fn process(&mut self, n: u64, ctx: &mut Context<'_, u64>) -> Result<()> {
        ctx.emit(n);
        note(self.log, "op", "process", self.subtask)
    }

    fn on_watermark(&mut self, _: Watermark, _: &mut Context<'_, u64>) -> Result<()> {
        note(self.log, "op", "on_watermark", self.subtask)
    }

    fn flush(&mut self, _: &mut Context<'_, u64>) -> Result<()> {
        note(self.log, "op", "flush", self.subtask)
    }

    fn close(&mut self) -> Result<()> {
        note(self.log, "op", "close", self.subtask)
    }
}

/// Passes numbers on by key.
#[clink::operator(uid = "keyed")]
#[derive(Default)]
pub(crate) struct RecordingKeyed {
    pub(crate) log: u64,
    #[transient]
    subtask: u32,
    #[state]
    last: ValueState<u64>,
}

impl KeyedOperator for RecordingKeyed {
    type Key = u64;
    type In = u64;
    type Out = u64;

    fn open(&mut self, ctx: &RuntimeContext) -> Result<()> {
        self.subtask = ctx.subtask_index();
        note(self.log, "keyed", "open", self.subtask)
    }

    fn process(&mut self, n: u64, ctx: &mut KeyedContext<'_, Self>) -> Result<()> {
        self.last.set(ctx, n)?;
        ctx.emit(n);
        note(self.log, "keyed", "process", self.subtask)
    }

    fn on_watermark(&mut self, _: Watermark, _: &mut Context<'_, u64>) -> Result<()> {
        note(self.log, "keyed", "on_watermark", self.subtask)
    }

    fn flush(&mut self, _: &mut Context<'_, u64>) -> Result<()> {
        note(self.log, "keyed", "flush", self.subtask)
    }

    fn close(&mut self) -> Result<()> {
        note(self.log, "keyed", "close", self.subtask)
    }
}

/// Takes numbers.
#[clink::operator(uid = "sink")]
#[derive(Default)]
pub(crate) struct RecordingSink {
    pub(crate) log: u64,
    #[transient]
    subtask: u32,
}

impl Sink for RecordingSink {
    type In = u64;

    fn open(&mut self, ctx: &RuntimeContext) -> Result<()> {
        self.subtask = ctx.subtask_index();
        note(self.log, "sink", "open", self.subtask)
    }

    fn on_data(&mut self, _: u64) -> Result<()> {
        note(self.log, "sink", "on_data", self.subtask)
    }

    fn flush(&mut self) -> Result<()> {
        note(self.log, "sink", "flush", self.subtask)
    }

    fn finish(&mut self) -> Result<()> {
        note(self.log, "sink", "finish", self.subtask)
    }

    fn on_barrier(&mut self) -> Result<()> {
        note(self.log, "sink", "on_barrier", self.subtask)
    }

    fn close(&mut self) -> Result<()> {
        note(self.log, "sink", "close", self.subtask)
    }
}

/// Source, operator, keyed operator and sink of one log; `count` records per split of the source.
pub(crate) fn pipeline_of(pipeline: &Pipeline, log: u64, count: u64) {
    follow(pipeline.source(source(log, count)), log);
}

/// The same, with event time that moves while the source goes on.
pub(crate) fn timed_pipeline_of(pipeline: &Pipeline, log: u64, count: u64) {
    let time = |n: &u64| Timestamp::from_millis((*n / 1_000).cast_signed());
    follow(pipeline.source(source(log, count)).event_time(time, monotonic()), log);
}

fn source(log: u64, count: u64) -> RecordingSource {
    RecordingSource { log, count, ..RecordingSource::default() }
}

fn follow(numbers: DataStream<'_, u64>, log: u64) {
    numbers
        .process(RecordingOperator { log, ..RecordingOperator::default() })
        .name("op's label")
        .key_by(|n| n % 16)
        .process(RecordingKeyed { log, ..RecordingKeyed::default() })
        .sink(RecordingSink { log, ..RecordingSink::default() });
}
