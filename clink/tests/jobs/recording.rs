//! Are operators of every kind that note each call and fail where they are told to.
//!
//! Operators are rebuilt from their parameters, so what they share with a test is found by a number
//! that travels as one.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{LazyLock, Mutex};
use std::time::Duration;

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
    /// The record, or the time of an event-time timer or a watermark; 0 where there is none.
    pub(crate) of: i64,
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
pub(crate) fn note(
    log: u64,
    uid: &'static str,
    hook: &'static str,
    subtask: u32,
    of: i64,
) -> Result<()> {
    let deed = {
        let mut logs = LOGS.lock().unwrap();
        let log = logs.get_mut(&log).unwrap();
        log.calls.push(Call { uid, hook, subtask, of });
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
    log: u64,
    count: u64,
    /// How long it rests after each record, in milliseconds; 0 for no rest and many at once.
    pause_ms: u64,
    #[transient]
    subtask: u32,
    #[transient]
    splits: Vec<(u64, u64)>,
}

impl RecordingSource {
    pub(crate) fn new(log: u64, count: u64) -> Self {
        Self { log, count, ..Self::default() }
    }

    /// One that rests after each record.
    pub(crate) fn resting(log: u64, count: u64, pause_ms: u64) -> Self {
        Self { pause_ms, ..Self::new(log, count) }
    }

    fn note(&self, hook: &'static str) -> Result<()> {
        note(self.log, "src", hook, self.subtask, 0)
    }
}

impl Source for RecordingSource {
    type Out = u64;
    type Split = (u64, u64);

    fn check(&self) -> Result<()> {
        self.note("check")
    }

    fn splits(&self, wanted: u32) -> Result<Vec<(u64, u64)>> {
        self.note("splits")?;
        Ok((0..wanted.into()).map(|split| (split, 0)).collect())
    }

    fn open(&mut self, splits: Vec<(u64, u64)>, ctx: &RuntimeContext) -> Result<()> {
        self.subtask = ctx.subtask_index();
        self.splits = splits;
        self.note("open")
    }

    fn produce(&mut self, ctx: &mut SourceContext<'_, u64>) -> Result<Produced> {
        self.note("produce")?;
        let count = if self.count == 0 { u64::MAX } else { self.count };
        let Some((split, next)) = self.splits.iter_mut().find(|(_, next)| *next < count) else {
            return Ok(Produced::End);
        };
        let records = if self.pause_ms > 0 { 1 } else { 50.min(count - *next) };
        for _ in 0..records {
            ctx.emit(*split + 1_000 * *next);
            *next += 1;
        }
        Ok(match self.pause_ms {
            0 => Produced::More,
            ms => Produced::Idle(Duration::from_millis(ms)),
        })
    }

    fn snapshot(&mut self) -> Result<Vec<(u64, u64)>> {
        self.note("snapshot")?;
        Ok(self.splits.clone())
    }

    fn close(&mut self) -> Result<()> {
        self.note("close")
    }
}

/// A time as what is noted of a call.
fn of_time(watermark: Watermark) -> i64 {
    match watermark {
        Watermark::At(time) => time.as_millis(),
        Watermark::Idle => -1,
    }
}

/// What a timer of that time emits: nothing that makes more timers.
fn odd(ms: i64) -> u64 {
    ms.cast_unsigned().wrapping_mul(2) | 1
}

/// Notes the record, emits it and, if the operator has timers, registers one of either kind for
/// each fifth record, a little later than the record and than now.
macro_rules! process {
    ($self:ident, $hook:literal, $n:ident, $ctx:ident) => {{
        $ctx.emit($n);
        if $self.delay_ms > 0 && $n.is_multiple_of(5_000) {
            let (time, now_ms) = ($ctx.event_time(), $ctx.runtime().processing_time_ms());
            let time = time.map_or(0, |time| time.as_millis());
            $ctx.timers().register_event_time(Timestamp::from_millis(time + 3));
            $ctx.timers().register_processing_time(now_ms + $self.delay_ms.cast_signed());
        }
        $self.note($hook, $n.cast_signed())
    }};
}

/// The hooks that every operator between a source and a sink has, each noted; a timer emits an odd
/// number that tells its time.
macro_rules! noted_hooks {
    ($timer:ty) => {
        fn open(&mut self, ctx: &RuntimeContext) -> Result<()> {
            self.subtask = ctx.subtask_index();
            self.note("open", 0)
        }

        fn on_watermark(&mut self, at: Watermark, _: &mut Context<'_, u64>) -> Result<()> {
            self.note("on_watermark", of_time(at))
        }

        fn on_barrier(&mut self, _: Barrier, _: &mut Context<'_, u64>) -> Result<()> {
            self.note("on_barrier", 0)
        }

        fn on_event_time_timer(&mut self, time: EventTime, ctx: &mut $timer) -> Result<()> {
            ctx.emit(odd(time.as_millis()));
            self.note("on_event_time_timer", time.as_millis())
        }

        fn on_processing_time_timer(&mut self, _: i64, ctx: &mut $timer) -> Result<()> {
            // Its time differs from run to run.
            ctx.emit(odd(0));
            self.note("on_processing_time_timer", 0)
        }

        fn flush(&mut self, _: &mut Context<'_, u64>) -> Result<()> {
            self.note("flush", 0)
        }

        fn close(&mut self) -> Result<()> {
            self.note("close", 0)
        }
    };
}

/// Lets an operator note a call under its uid.
macro_rules! noting {
    ($name:ident, $uid:literal) => {
        impl $name {
            pub(crate) fn new(log: u64, delay_ms: u64) -> Self {
                Self { log, delay_ms, ..Self::default() }
            }

            fn note(&self, hook: &'static str, of: i64) -> Result<()> {
                note(self.log, $uid, hook, self.subtask, of)
            }
        }
    };
}

/// Passes numbers on.
#[clink::operator(uid = "op")]
#[derive(Default)]
pub(crate) struct RecordingOperator {
    log: u64,
    /// How much later processing-time timers are, in milliseconds; 0 for no timers at all.
    delay_ms: u64,
    #[transient]
    subtask: u32,
}

noting!(RecordingOperator, "op");

impl Operator for RecordingOperator {
    type In = u64;
    type Out = u64;

    fn process(&mut self, n: u64, ctx: &mut Context<'_, u64>) -> Result<()> {
        process!(self, "process", n, ctx)
    }

    noted_hooks!(Context<'_, u64>);
}

/// Where every third number goes as well.
pub(crate) const THIRDS: OutputTag<u64> = OutputTag::new("thirds");

/// Passes numbers on, every third one to a side output as well.
#[clink::operator(uid = "aside")]
#[derive(Default)]
pub(crate) struct RecordingAside {
    log: u64,
    /// How much later processing-time timers are, in milliseconds; 0 for no timers at all.
    delay_ms: u64,
    #[transient]
    subtask: u32,
}

noting!(RecordingAside, "aside");

impl Operator for RecordingAside {
    type In = u64;
    type Out = u64;

    fn process(&mut self, n: u64, ctx: &mut Context<'_, u64>) -> Result<()> {
        if n.is_multiple_of(3) {
            ctx.emit_side(&THIRDS, n)?;
        }
        process!(self, "process", n, ctx)
    }

    noted_hooks!(Context<'_, u64>);
}

/// Passes numbers on by key.
#[clink::operator(uid = "keyed")]
#[derive(Default)]
pub(crate) struct RecordingKeyed {
    log: u64,
    /// How much later processing-time timers are, in milliseconds; 0 for no timers at all.
    delay_ms: u64,
    #[transient]
    subtask: u32,
    #[state]
    last: ValueState<u64>,
}

noting!(RecordingKeyed, "keyed");

impl KeyedOperator for RecordingKeyed {
    type Key = u64;
    type In = u64;
    type Out = u64;

    fn process(&mut self, n: u64, ctx: &mut KeyedContext<'_, Self>) -> Result<()> {
        self.last.set(ctx, n)?;
        process!(self, "process", n, ctx)
    }

    noted_hooks!(KeyedContext<'_, Self>);
}

/// Passes the numbers of two inputs on.
#[clink::operator(uid = "co")]
#[derive(Default)]
pub(crate) struct RecordingCo {
    log: u64,
    /// How much later processing-time timers are, in milliseconds; 0 for no timers at all.
    delay_ms: u64,
    #[transient]
    subtask: u32,
}

noting!(RecordingCo, "co");

impl CoOperator for RecordingCo {
    type In1 = u64;
    type In2 = u64;
    type Out = u64;

    fn process_element1(&mut self, n: u64, ctx: &mut Context<'_, u64>) -> Result<()> {
        process!(self, "process_element1", n, ctx)
    }

    fn process_element2(&mut self, n: u64, ctx: &mut Context<'_, u64>) -> Result<()> {
        process!(self, "process_element2", n, ctx)
    }

    noted_hooks!(Context<'_, u64>);
}

/// Passes the numbers of two inputs on by key.
#[clink::operator(uid = "keyed-co")]
#[derive(Default)]
pub(crate) struct RecordingKeyedCo {
    log: u64,
    /// How much later processing-time timers are, in milliseconds; 0 for no timers at all.
    delay_ms: u64,
    #[transient]
    subtask: u32,
    #[state]
    last: ValueState<u64>,
}

noting!(RecordingKeyedCo, "keyed-co");

impl KeyedCoOperator for RecordingKeyedCo {
    type Key = u64;
    type In1 = u64;
    type In2 = u64;
    type Out = u64;

    fn process_element1(&mut self, n: u64, ctx: &mut KeyedCoContext<'_, Self>) -> Result<()> {
        self.last.set(ctx, n)?;
        process!(self, "process_element1", n, ctx)
    }

    fn process_element2(&mut self, n: u64, ctx: &mut KeyedCoContext<'_, Self>) -> Result<()> {
        self.last.set(ctx, n)?;
        process!(self, "process_element2", n, ctx)
    }

    noted_hooks!(KeyedCoContext<'_, Self>);
}

/// Takes numbers.
#[clink::operator(uid = "sink")]
#[derive(Default)]
pub(crate) struct RecordingSink {
    log: u64,
    #[transient]
    subtask: u32,
}

impl RecordingSink {
    pub(crate) fn new(log: u64) -> Self {
        Self { log, ..Self::default() }
    }

    fn note(&self, hook: &'static str, of: i64) -> Result<()> {
        note(self.log, "sink", hook, self.subtask, of)
    }
}

impl Sink for RecordingSink {
    type In = u64;

    fn open(&mut self, ctx: &RuntimeContext) -> Result<()> {
        self.subtask = ctx.subtask_index();
        self.note("open", 0)
    }

    fn on_data(&mut self, n: u64) -> Result<()> {
        self.note("on_data", n.cast_signed())
    }

    fn flush(&mut self) -> Result<()> {
        self.note("flush", 0)
    }

    fn finish(&mut self) -> Result<()> {
        self.note("finish", 0)
    }

    fn on_watermark(&mut self, at: Watermark) -> Result<()> {
        self.note("on_watermark", of_time(at))
    }

    fn on_barrier(&mut self) -> Result<()> {
        self.note("on_barrier", 0)
    }

    fn close(&mut self) -> Result<()> {
        self.note("close", 0)
    }
}

/// Source, operator, keyed operator and sink of one log, with event time that moves while the
/// source goes on; `count` records per split of the source.
pub(crate) fn timed_pipeline_of(pipeline: &Pipeline, log: u64, count: u64) {
    timed(pipeline, log, count)
        .process(RecordingOperator::new(log, 0))
        .name("op's label")
        .key_by(|n| n % 16)
        .process(RecordingKeyed::new(log, 0))
        .sink(RecordingSink::new(log));
}

/// Every kind of operator, one after the other, with timers; `count` records per split of the
/// source, and as many more by the second inputs.
pub(crate) fn every_kind(pipeline: &Pipeline, log: u64, count: u64) {
    let more = if count == 0 { u64::MAX } else { count };
    let more = |uid| {
        let numbers = pipeline.generate(more, |n| n % 1_000_000 * 1_000).uid(uid);
        numbers.event_time(time, monotonic())
    };
    timed(pipeline, log, count)
        .process(RecordingOperator::new(log, 70))
        .key_by(|n| n % 16)
        .process(RecordingKeyed::new(log, 70))
        .connect(more("more-1"))
        .process(RecordingCo::new(log, 70))
        .key_by(|n| n % 16)
        .connect(more("more-2").key_by(|n| n % 16))
        .process(RecordingKeyedCo::new(log, 70))
        .sink(RecordingSink::new(log));
}

fn timed<'p>(pipeline: &'p Pipeline, log: u64, count: u64) -> DataStream<'p, u64> {
    pipeline.source(RecordingSource::new(log, count)).event_time(time, monotonic())
}

/// A thousand of the numbers is a millisecond.
fn time(n: &u64) -> Timestamp {
    Timestamp::from_millis((*n / 1_000).cast_signed())
}
