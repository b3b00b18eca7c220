//! Turns each record into one other record by a future, with many of them in flight at once.
//!
//! In:     batches; watermarks, which pass between the results as they came between the records.
//! Out:    a result for each record, with the event time of the record; in the order of the records
//!         or, between two watermarks, as they come.
//! Limit:  `capacity` records in flight; beyond it no more are taken in.
//! Errors: the last error of a record whose attempts all failed, as a bad record.
//!
//! The subtask polls the futures itself, in its own turns: there is no runtime. What wakes a future
//! wakes the subtask, and a panic in one is the subtask's. Barriers and the end wait until nothing
//! is in flight, so there is nothing to save.

mod in_flight;
mod options;
mod order;
mod ready;

use std::collections::VecDeque;
use std::marker::PhantomData;
use std::sync::Arc;
use std::task::Poll;

use crate::channel::{Batch, ErasedBatch, StreamElement};
use crate::data::{AsSerialize, Data};
use crate::error::{Error, Result, Retry};
use crate::metrics::{Counter, Gauge};
use crate::state::snapshot::{RestoredSlots, SnapshotWriter};
use crate::time::{EventTime, Watermark};

use super::RuntimeContext;
use super::emitter::Emitter;
use super::stage::{Outbox, Stage, Turn, WRONG_TYPE};

use in_flight::{Flight, InFlight};
pub use options::AsyncOptions;
use order::{Leaving, Order};

/// The gauge of records in flight.
pub const IN_FLIGHT: &str = "async_in_flight";

/// The counter of attempts that followed a failed one.
pub const RETRIES: &str = "async_retries";

/// The counter of attempts that took too long.
pub const TIMEOUTS: &str = "async_timeouts";

/// Calls a closure on each value and emits what its future comes to.
pub struct AsyncMapStage<F, In, Fut, Out> {
    apply: Arc<F>,
    options: AsyncOptions,
    emitter: Emitter<Out>,
    /// Records that have been accepted and not begun.
    accepted: VecDeque<(In, Option<EventTime>)>,
    spare: Option<Box<Batch<In>>>,
    order: Order<(Out, Option<EventTime>)>,
    /// There once `open` has been called.
    opened: Option<Opened<In, Fut>>,
    types: PhantomData<fn(In) -> Out>,
}

struct Opened<In, Fut> {
    ctx: RuntimeContext,
    in_flight: InFlight<In, Fut>,
    /// A record is wanted after its first attempt.
    keeps: bool,
    flying: Gauge,
    retries: Counter,
    timeouts: Counter,
}

impl<F, In, Fut, Out> AsyncMapStage<F, In, Fut, Out>
where
    In: Data,
    Out: Data,
    Fut: Future<Output = Result<Out>> + Send + 'static,
    F: Fn(In) -> Fut + Send + Sync + 'static,
{
    /// An instance around a closure that all instances share.
    pub fn new(options: AsyncOptions, apply: Arc<F>) -> Self {
        Self {
            apply,
            options,
            emitter: Emitter::default(),
            accepted: VecDeque::new(),
            spare: None,
            order: Order::new(options.ordered),
            opened: None,
            types: PhantomData,
        }
    }

    fn opened(&mut self) -> &mut Opened<In, Fut> {
        self.opened.as_mut().expect("a stage is opened before anything else is asked of it")
    }

    /// Begins accepted records while there is room for them.
    fn begin(&mut self, out: &mut Outbox) -> Result<()> {
        let now_ms = self.opened().ctx.processing_time_ms();
        while self.order.records() < self.options.capacity as usize
            && let Some((value, time)) = self.accepted.pop_front()
        {
            let group = self.order.begin();
            let opened = self.opened();
            let record = opened.keeps.then(|| value.clone());
            let flight = Flight { record, time, group, attempts: 0 };
            let place = opened.in_flight.begin(flight);
            self.attempt(place, value, now_ms)?;
            // What is there at once makes room at once.
            self.leave(out);
        }
        Ok(())
    }

    fn attempt(&mut self, place: usize, value: In, now_ms: i64) -> Result<()> {
        let future = (self.apply)(value);
        let until_ms = self.options.timeout_at_ms(now_ms);
        self.opened().in_flight.attempt(place, future, until_ms);
        self.poll(place, now_ms).map(|_| ())
    }

    /// Polls an attempt; true if it has come to its end.
    fn poll(&mut self, place: usize, now_ms: i64) -> Result<bool> {
        match self.opened().in_flight.poll(place) {
            Poll::Pending => Ok(false),
            Poll::Ready(Ok(result)) => {
                if let Some(Flight { time, group, .. }) = self.opened().in_flight.end(place) {
                    self.order.end(group, Some((result, time)));
                }
                Ok(true)
            }
            Poll::Ready(Err(error)) => self.failed(place, &error, now_ms).map(|()| true),
        }
    }

    /// An attempt has failed: another one follows, or the record is a bad one.
    fn failed(&mut self, place: usize, error: &Error, now_ms: i64) -> Result<()> {
        let options = self.options;
        let opened = self.opened();
        let attempts = opened.in_flight.flight(place).map_or(0, |flight| flight.attempts);
        if attempts <= options.retries && error.retry() != Retry::Never {
            opened.in_flight.wait(place, options.retry_at_ms(attempts, now_ms));
            return Ok(());
        }
        let Some(flight) = opened.in_flight.end(place) else { return Ok(()) };
        let record = flight.record.as_ref().map(shown).unwrap_or_default();
        let times = if attempts == 1 { "attempt" } else { "attempts" };
        let reason = format!("no result after {attempts} {times}: {error}");
        opened.ctx.report_bad_record(reason, record)?;
        self.order.end(flight.group, None);
        Ok(())
    }

    /// Goes on with those that have been woken and those whose time has come.
    fn go_on(&mut self, now_ms: i64) -> Result<()> {
        // One that wakes itself while it is polled has its turn again with the next tick.
        for _ in 0..self.opened().in_flight.woken() {
            if let Some(place) = self.opened().in_flight.next_woken() {
                self.poll(place, now_ms)?;
            }
        }
        for (place, is_late) in self.opened().in_flight.take_due(now_ms) {
            // A result that has come meanwhile is welcome.
            if is_late && !self.poll(place, now_ms)? {
                self.opened().timeouts.add(1);
                let span = self.options.timeout.unwrap_or_default();
                self.failed(place, &Error::new(format!("no answer within {span:?}")), now_ms)?;
            } else if !is_late {
                let flight = self.opened().in_flight.flight(place);
                if let Some(value) = flight.and_then(|flight| flight.record.clone()) {
                    self.opened().retries.add(1);
                    self.attempt(place, value, now_ms)?;
                }
            }
        }
        Ok(())
    }

    /// Emits all that may leave.
    fn leave(&mut self, out: &mut Outbox) {
        while let Some(leaving) = self.order.next() {
            match leaving {
                Leaving::Result((result, time)) => self.emitter.push(result, time),
                Leaving::Watermark(watermark) => {
                    self.emitter.take_all(&mut out.main);
                    out.push(StreamElement::Watermark(watermark));
                }
            }
        }
        let flying = i64::try_from(self.order.records()).unwrap_or(i64::MAX);
        self.opened().flying.set(flying);
    }
}

/// A record as JSON, as far as it can be written.
#[cold]
fn shown<T: Data>(record: &T) -> String {
    let json = serde_json::to_string(&AsSerialize(record));
    json.unwrap_or_else(|error| format!("(no JSON: {error})"))
}

impl<F, In, Fut, Out> Stage for AsyncMapStage<F, In, Fut, Out>
where
    In: Data,
    Out: Data,
    Fut: Future<Output = Result<Out>> + Send + 'static,
    F: Fn(In) -> Fut + Send + Sync + 'static,
{
    fn open(&mut self, ctx: &RuntimeContext, _restored: Option<&RestoredSlots<'_>>) -> Result<()> {
        self.opened = Some(Opened {
            in_flight: InFlight::new(self.options.capacity, ctx.waker.clone()),
            keeps: self.options.retries > 0 || ctx.shows_bad_records(),
            flying: ctx.gauge(IN_FLIGHT)?,
            retries: ctx.counter(RETRIES)?,
            timeouts: ctx.counter(TIMEOUTS)?,
            ctx: ctx.clone(),
        });
        Ok(())
    }

    fn accept(&mut self, _input: usize, batch: ErasedBatch) {
        let mut batch: Box<Batch<In>> = batch.downcast().expect(WRONG_TYPE);
        self.accepted.extend(batch.drain());
        self.spare = Some(batch);
    }

    fn run(&mut self, out: &mut Outbox) -> Result<Turn> {
        self.begin(out)?;
        if self.accepted.is_empty() {
            self.emitter.take_full(&mut out.main);
            return Ok(Turn::Done);
        }
        self.emitter.take_all(&mut out.main);
        Ok(Turn::Waiting)
    }

    fn take_spare(&mut self) -> Option<ErasedBatch> {
        self.spare.take().map(ErasedBatch::from)
    }

    fn recycle(&mut self, batch: ErasedBatch) {
        self.emitter.recycle(batch);
    }

    fn quiesce(&mut self, out: &mut Outbox) -> Result<Turn> {
        self.emitter.take_all(&mut out.main);
        Ok(if self.order.is_empty() { Turn::Done } else { Turn::Waiting })
    }

    fn settle(&mut self, out: &mut Outbox) -> Result<()> {
        self.emitter.take_all(&mut out.main);
        Ok(())
    }

    /// Holds the watermark until the records before it have left; those behind it may begin.
    fn on_watermark(&mut self, watermark: Watermark, out: &mut Outbox) -> Result<Turn> {
        self.order.watermark(watermark);
        self.leave(out);
        Ok(Turn::Done)
    }

    fn snapshot(&mut self, _writer: &mut SnapshotWriter<'_>) -> Result<()> {
        Ok(())
    }

    fn flush(&mut self, _out: &mut Outbox) -> Result<Turn> {
        Ok(Turn::Done)
    }

    fn deadline_ms(&self) -> Option<i64> {
        self.opened.as_ref()?.in_flight.next_ms()
    }

    fn is_awaiting(&self) -> bool {
        let is_woken = |opened: &Opened<In, Fut>| opened.in_flight.woken() > 0;
        self.order.is_due() || self.opened.as_ref().is_some_and(is_woken)
    }

    fn awaits_outside(&self) -> bool {
        self.opened.as_ref().is_some_and(|opened| opened.in_flight.awaits())
    }

    fn attend(&mut self, now_ms: i64) -> Result<()> {
        self.go_on(now_ms)
    }

    fn tick(&mut self, now_ms: i64, out: &mut Outbox) -> Result<()> {
        self.go_on(now_ms)?;
        self.leave(out);
        self.emitter.take_full(&mut out.main);
        Ok(())
    }

    fn close(&mut self) -> Result<()> {
        if let Some(opened) = &mut self.opened {
            opened.flying.set(0);
            opened.in_flight.clear();
        }
        self.accepted.clear();
        Ok(())
    }

    fn take_emitted(&mut self) -> (u64, u64) {
        (self.emitter.take_count(), 0)
    }
}
