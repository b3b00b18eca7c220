//! Runs one operator, or a chain of them, by hand: records, time and barriers in, output out.

use std::time::Duration;

use clink_plan::key_group::KeyGroupRange;

use crate::channel::{Batch, ErasedBatch, StreamElement};
use crate::config::BATCH_RECORDS;
use crate::data::Data;
use crate::operator::{OutputTag, Produced};
use crate::subtask::RuntimeError;
use crate::time::{EventTime, Watermark};

use super::bench::{Bench, Emitted};
use super::setup::HarnessSetup;
use super::snapshot::Snapshot;

/// What a harness over a source takes.
#[derive(Clone, Copy, Debug)]
pub enum NoInput {}

/// What a harness over a sink emits.
#[derive(Clone, Copy, Debug)]
pub enum NoOutput {}

/// What a harness over an operator with two inputs takes.
pub struct Two<First, Second>(std::marker::PhantomData<fn(First, Second)>);

/// Has inputs: the type of the records of the only one, or [`Two`].
pub trait Inputs {}

impl<T: Data> Inputs for T {}

impl<First, Second> Inputs for Two<First, Second> {}

/// What left a harness by its main output.
#[derive(Clone, Debug, PartialEq)]
pub enum Element<T> {
    /// A record with its event time.
    Record(T, Option<EventTime>),
    /// Event time moved.
    Watermark(Watermark),
    /// A barrier passed; the number of the checkpoint, from 1.
    Barrier(u64),
    /// The input was stopped before its end.
    Stopped,
}

/// One operator instance, or a chain of them, run by hand on a virtual clock.
///
/// It is a subtask of the engine: the operators see the same calls in the same order as in a job.
/// Each call here lets them work until they wait, for input or for a time; nothing happens
/// between calls. A sink is asked to flush after each, since its input has run dry.
///
/// Made from a [`HarnessSetup`], of which there is a constructor per contract:
///
/// | contract | constructor | given records by |
/// |---|---|---|
/// | `Operator` | [`operator`](Self::operator) | [`push`](Self::push) |
/// | `KeyedOperator` | [`keyed`](Self::keyed) | [`push`](Self::push) |
/// | `CoOperator` | [`co`](Self::co) | [`first`](Self::first), [`second`](Self::second) |
/// | `KeyedCoOperator` | [`keyed_co`](Self::keyed_co) | the same |
/// | `Sink` | [`sink`](Self::sink) | [`push`](Self::push) |
/// | `Source` | [`source`](Self::source) | [`produce`](Self::produce) |
///
/// What an operator returns as an error, or panics with, comes back as the [`RuntimeError`] that
/// ends a job, and the operators are closed. The harness itself panics where a test does what
/// makes no sense, such as to push a record after the end.
pub struct OperatorHarness<In, Out> {
    bench: Bench,
    setup: HarnessSetup<In, Out>,
}

impl<In, Out> OperatorHarness<In, Out> {
    pub(super) fn new(bench: Bench, setup: HarnessSetup<In, Out>) -> Self {
        Self { bench, setup }
    }

    /// What it was made from, for another one.
    pub fn setup(&self) -> HarnessSetup<In, Out> {
        self.setup.clone()
    }

    /// The virtual clock, in milliseconds since the epoch.
    pub fn now_ms(&self) -> i64 {
        self.bench.clock.now_ms()
    }

    /// Moves the clock. Processing-time timers fire on the way, each at its time. A source is not
    /// asked: [`produce`](Self::produce) does that.
    ///
    /// # Errors
    /// What the operators failed with.
    #[track_caller]
    pub fn advance_clock(&mut self, by: Duration) -> Result<(), RuntimeError> {
        self.bench.assert_open();
        self.bench.advance(by)
    }

    /// Sends a barrier through the operators; what they captured.
    ///
    /// # Errors
    /// What the operators failed with.
    #[track_caller]
    pub fn barrier(&mut self) -> Result<Snapshot, RuntimeError> {
        self.bench.barrier()
    }

    /// Closes the operators at once, as a cancelled job does: what they would emit at the end is
    /// not due, and nothing is captured.
    #[track_caller]
    pub fn cancel(&mut self) {
        self.bench.assert_open();
        self.bench.cancel();
    }

    /// True once the operators are closed: after the end, a stop, a cancel or a failure.
    pub fn is_over(&self) -> bool {
        self.bench.is_over()
    }

    /// The key groups of this instance; a record of another key is an error.
    pub fn key_groups(&self) -> KeyGroupRange {
        self.bench.instances().first().map_or(KeyGroupRange::ALL, |first| first.key_groups)
    }

    /// The watermarks that left by the main output since they were asked for last.
    pub fn watermarks(&mut self) -> Vec<Watermark> {
        let mut watermarks = Vec::new();
        self.bench.main().retain(|emitted| match emitted {
            Emitted::Control(StreamElement::Watermark(watermark)) => {
                watermarks.push(*watermark);
                false
            }
            _ => true,
        });
        watermarks
    }

    /// The records of a side output since they were asked for last.
    ///
    /// # Panics
    /// If the setup does not declare it with this tag and type.
    #[track_caller]
    pub fn take_side<T: Data>(&mut self, tag: &OutputTag<T>) -> Vec<T> {
        self.take_side_records(tag).into_iter().map(|(value, _)| value).collect()
    }

    /// The records of a side output with their event times, since they were asked for last.
    ///
    /// # Panics
    /// As for [`take_side`](Self::take_side).
    #[track_caller]
    pub fn take_side_records<T: Data>(
        &mut self,
        tag: &OutputTag<T>,
    ) -> Vec<(T, Option<EventTime>)> {
        let name = tag.name();
        match self.bench.side(name) {
            Some(emitted) => take_records(emitted),
            None => panic!("side output `{name}` is not read: add `.side_output(…)` to the setup"),
        }
    }

    /// The sum of an accumulator of that name, over all operators of the harness.
    pub fn accumulator(&self, name: &str) -> i64 {
        let all = self.bench.shared.accumulators.list().into_iter();
        all.filter(|accumulated| accumulated.name == name).map(|accumulated| accumulated.sum).sum()
    }

    /// The counter of that name, over all operators of the harness; 0 if there is none.
    pub fn counter(&self, name: &str) -> u64 {
        let counters = self.bench.metrics.iter().flat_map(|metrics| metrics.custom().counters());
        counters.filter(|(counter, _)| counter == name).map(|(_, count)| count).sum()
    }

    /// The gauge of that name, over all operators of the harness; 0 if there is none.
    pub fn gauge(&self, name: &str) -> i64 {
        let gauges = self.bench.metrics.iter().flat_map(|metrics| metrics.custom().gauges());
        gauges.filter(|(gauge, _)| gauge == name).map(|(_, value)| value).sum()
    }

    /// How many records were handed over as bad.
    pub fn bad_records(&self) -> u64 {
        self.bench.metrics.iter().map(|metrics| metrics.bad_records()).sum()
    }
}

/// What leaves by the main output.
impl<In, Out: Data> OperatorHarness<In, Out> {
    /// The records emitted since they were asked for last.
    pub fn take_output(&mut self) -> Vec<Out> {
        self.take_records().into_iter().map(|(value, _)| value).collect()
    }

    /// The records emitted, with their event times, since they were asked for last.
    pub fn take_records(&mut self) -> Vec<(Out, Option<EventTime>)> {
        take_records(self.bench.main())
    }

    /// All that was emitted and not taken, in order: records, watermarks and barriers.
    pub fn take_elements(&mut self) -> Vec<Element<Out>> {
        let mut elements = Vec::new();
        for emitted in self.bench.main().drain(..) {
            match emitted {
                Emitted::Batch(batch) => {
                    let records = records(batch).into_iter();
                    elements.extend(records.map(|(value, time)| Element::Record(value, time)));
                }
                Emitted::Control(StreamElement::Watermark(at)) => {
                    elements.push(Element::Watermark(at));
                }
                Emitted::Control(StreamElement::Barrier(barrier)) => {
                    elements.push(Element::Barrier(barrier.id.0));
                }
                Emitted::Control(StreamElement::Drain) => elements.push(Element::Stopped),
                Emitted::Control(StreamElement::Data(_) | StreamElement::Probe(_)) => {}
            }
        }
        elements
    }
}

/// One input.
impl<In: Data, Out> OperatorHarness<In, Out> {
    /// Gives the operators a record without an event time.
    ///
    /// # Errors
    /// What the operators failed with.
    #[track_caller]
    pub fn push(&mut self, value: In) -> Result<(), RuntimeError> {
        self.bench.send(0, data([(value, None)]))
    }

    /// Gives the operators a record with its event time.
    ///
    /// # Errors
    /// What the operators failed with.
    #[track_caller]
    pub fn push_at(&mut self, value: In, time: impl Into<EventTime>) -> Result<(), RuntimeError> {
        self.bench.send(0, data([(value, Some(time.into()))]))
    }

    /// Gives the operators records in whole batches, as a busy channel does.
    ///
    /// # Errors
    /// What the operators failed with.
    #[track_caller]
    pub fn push_all(&mut self, values: impl IntoIterator<Item = In>) -> Result<(), RuntimeError> {
        Input { bench: &mut self.bench, input: 0, types: std::marker::PhantomData }.push_all(values)
    }
}

/// Any number of inputs.
impl<In: Inputs, Out> OperatorHarness<In, Out> {
    /// Moves event time, on every input that has not ended.
    ///
    /// # Errors
    /// What the operators failed with.
    #[track_caller]
    pub fn watermark(&mut self, time: impl Into<EventTime>) -> Result<(), RuntimeError> {
        let watermark = Watermark::At(time.into());
        self.bench.send_all(&StreamElement::Watermark(watermark))
    }

    /// Says that no input has anything for now, so that event time need not wait for it.
    ///
    /// # Errors
    /// What the operators failed with.
    #[track_caller]
    pub fn idle(&mut self) -> Result<(), RuntimeError> {
        self.bench.send_all(&StreamElement::Watermark(Watermark::Idle))
    }

    /// Ends every input that is open: event time comes to its end, then the operators flush, are
    /// captured a last time, and are closed.
    ///
    /// # Errors
    /// What the operators failed with.
    #[track_caller]
    pub fn end(&mut self) -> Result<Snapshot, RuntimeError> {
        self.bench.assert_open();
        self.bench.end(false)
    }

    /// Stops every input that is open: the operators are captured and closed, and neither event
    /// time nor the data has come to its end.
    ///
    /// # Errors
    /// What the operators failed with.
    #[track_caller]
    pub fn stop(&mut self) -> Result<Snapshot, RuntimeError> {
        self.bench.assert_open();
        self.bench.end(true)
    }
}

/// Two inputs.
impl<A: Data, B: Data, Out> OperatorHarness<Two<A, B>, Out> {
    /// The first input.
    pub fn first(&mut self) -> Input<'_, A> {
        Input { bench: &mut self.bench, input: 0, types: std::marker::PhantomData }
    }

    /// The second input.
    pub fn second(&mut self) -> Input<'_, B> {
        Input { bench: &mut self.bench, input: 1, types: std::marker::PhantomData }
    }
}

/// A source.
impl<Out: Data> OperatorHarness<NoInput, Out> {
    /// Asks the source to produce, once; what it said. While it rests it is not asked, and the
    /// answer is how much longer it does. Once it says [`Produced::End`] it is closed.
    ///
    /// # Errors
    /// What the source failed with.
    #[track_caller]
    pub fn produce(&mut self) -> Result<Produced, RuntimeError> {
        self.bench.assert_open();
        self.bench.produce()
    }

    /// Asks the source until it has nothing more for now, or at all: for ever, if it always has
    /// more.
    ///
    /// # Errors
    /// What the source failed with.
    #[track_caller]
    pub fn produce_all(&mut self) -> Result<Produced, RuntimeError> {
        loop {
            match self.produce()? {
                Produced::More => {}
                said => return Ok(said),
            }
        }
    }

    /// Stops the source where it is: it is captured and closed.
    ///
    /// # Errors
    /// What the source failed with.
    #[track_caller]
    pub fn stop(&mut self) -> Result<Snapshot, RuntimeError> {
        self.bench.assert_open();
        self.bench.stop_source()
    }

    /// What it held at its end.
    ///
    /// # Panics
    /// If it has not come to its end.
    #[track_caller]
    pub fn last_snapshot(&mut self) -> Snapshot {
        assert!(self.is_over(), "the source has not come to its end: `barrier` captures it");
        self.bench.last_snapshot()
    }
}

/// One of two inputs.
#[must_use = "an input does nothing by itself: push a record to it"]
pub struct Input<'a, T> {
    bench: &'a mut Bench,
    input: usize,
    types: std::marker::PhantomData<fn(T)>,
}

impl<T: Data> Input<'_, T> {
    /// Gives the operators a record without an event time.
    ///
    /// # Errors
    /// What the operators failed with.
    #[track_caller]
    pub fn push(self, value: T) -> Result<(), RuntimeError> {
        self.bench.send(self.input, data([(value, None)]))
    }

    /// Gives the operators a record with its event time.
    ///
    /// # Errors
    /// What the operators failed with.
    #[track_caller]
    pub fn push_at(self, value: T, time: impl Into<EventTime>) -> Result<(), RuntimeError> {
        self.bench.send(self.input, data([(value, Some(time.into()))]))
    }

    /// Gives the operators records in whole batches.
    ///
    /// # Errors
    /// What the operators failed with.
    #[track_caller]
    pub fn push_all(self, values: impl IntoIterator<Item = T>) -> Result<(), RuntimeError> {
        let mut values = values.into_iter().peekable();
        while values.peek().is_some() {
            let batch = values.by_ref().take(BATCH_RECORDS).map(|value| (value, None));
            self.bench.send(self.input, data(batch))?;
        }
        Ok(())
    }

    /// Moves event time on this input; the operators see the earlier one of both.
    ///
    /// # Errors
    /// What the operators failed with.
    #[track_caller]
    pub fn watermark(self, time: impl Into<EventTime>) -> Result<(), RuntimeError> {
        let watermark = Watermark::At(time.into());
        self.bench.send(self.input, StreamElement::Watermark(watermark))
    }

    /// Says that this input has nothing for now.
    ///
    /// # Errors
    /// What the operators failed with.
    #[track_caller]
    pub fn idle(self) -> Result<(), RuntimeError> {
        self.bench.send(self.input, StreamElement::Watermark(Watermark::Idle))
    }

    /// Ends this input; the operators end with the other one.
    ///
    /// # Errors
    /// What the operators failed with.
    #[track_caller]
    pub fn end(self) -> Result<(), RuntimeError> {
        self.bench.end_input(self.input)
    }
}

fn data<T: Data>(records: impl IntoIterator<Item = (T, Option<EventTime>)>) -> StreamElement {
    StreamElement::Data(ErasedBatch::new(records.into_iter().collect::<Batch<T>>()))
}

fn records<T: Data>(batch: ErasedBatch) -> Vec<(T, Option<EventTime>)> {
    let batch = batch.downcast::<T>();
    batch.expect("a tag and a setup have the type of the output").drain().collect()
}

fn take_records<T: Data>(emitted: &mut Vec<Emitted>) -> Vec<(T, Option<EventTime>)> {
    let mut taken = Vec::new();
    for one in std::mem::take(emitted) {
        match one {
            Emitted::Batch(batch) => taken.extend(records(batch)),
            control => emitted.push(control),
        }
    }
    taken
}

/// The event time that many milliseconds after the epoch.
pub fn at_ms(ms: i64) -> EventTime {
    EventTime::from_millis(ms)
}
