//! Is an operator's only way to its surroundings: output, time, key and timers.

use std::fmt;

use crate::data::Data;
use crate::error::{Error, Result};
use crate::state::{CurrentKey, KeyedState, sealed};
use crate::time::EventTime;
use crate::time::timers::{NO_KEY, Timers};

use super::contract::{KeyedCoOperator, KeyedOperator};
use super::emitter::Emitter;
use super::runtime_context::RuntimeContext;
use super::services::Services;
use super::side_output::OutputTag;
use super::source::RecordError;

/// The surroundings of one record (or hook) in an operator without a key.
#[derive(Debug)]
pub struct Context<'a, Out> {
    pub(crate) emitter: &'a mut Emitter<Out>,
    pub(crate) services: &'a mut Services,
    pub(crate) runtime: &'a RuntimeContext,
    pub(crate) time: Option<EventTime>,
}

impl<'a, Out: Data> Context<'a, Out> {
    /// Emits a record with the event time of the one at hand.
    #[inline]
    pub fn emit(&mut self, value: Out) {
        self.emitter.push(value, self.time);
    }

    /// Emits a record with an event time of its own, an [`EventTime`] or a
    /// [`Timestamp`](crate::data::Timestamp).
    #[inline]
    pub fn emit_at(&mut self, value: Out, time: impl Into<EventTime>) {
        self.emitter.push(value, Some(time.into()));
    }

    /// Emits a record to a side output, with the event time of the one at hand.
    ///
    /// # Errors
    /// If the job does not read a side output of this tag and type.
    pub fn emit_side<T: Data>(&mut self, tag: &OutputTag<T>, value: T) -> Result<()> {
        self.services.side.push(tag, value, self.time)
    }

    /// Emits a record to a side output, with an event time of its own.
    ///
    /// # Errors
    /// If the job does not read a side output of this tag and type.
    pub fn emit_side_at<T: Data>(
        &mut self,
        tag: &OutputTag<T>,
        value: T,
        time: impl Into<EventTime>,
    ) -> Result<()> {
        self.services.side.push(tag, value, Some(time.into()))
    }

    /// Event time of the record at hand; in a timer hook, the time of the timer.
    pub fn event_time(&self) -> Option<EventTime> {
        self.time
    }

    /// The watermark so far: no record before it is on time any more.
    pub fn watermark(&self) -> Option<EventTime> {
        self.services.timers.watermark()
    }

    /// The timers of this instance.
    pub fn timers(&mut self) -> TimerService<'_> {
        TimerService { timers: &mut self.services.timers, key: NO_KEY }
    }

    /// Who this instance is.
    pub fn runtime(&self) -> &'a RuntimeContext {
        self.runtime
    }
}

/// The surroundings of one record in a [`KeyedOperator`]: its key is current.
pub type KeyedContext<'a, O> = KeyContext<'a, <O as KeyedOperator>::Key, <O as KeyedOperator>::Out>;

/// The surroundings of one record in a [`KeyedCoOperator`]: its key is current.
pub type KeyedCoContext<'a, O> =
    KeyContext<'a, <O as KeyedCoOperator>::Key, <O as KeyedCoOperator>::Out>;

/// The surroundings of one record (or timer) whose key is current; [`KeyedContext`] and
/// [`KeyedCoContext`] are names for it.
pub struct KeyContext<'a, K, Out> {
    pub(crate) key: &'a K,
    pub(crate) index: u32,
    pub(crate) context: Context<'a, Out>,
}

impl<'a, K, Out: Data> KeyContext<'a, K, Out> {
    /// The key of the record at hand.
    #[inline]
    pub fn key(&self) -> &'a K {
        self.key
    }

    /// Emits a record with the event time of the one at hand.
    #[inline]
    pub fn emit(&mut self, value: Out) {
        self.context.emit(value);
    }

    /// Emits a record with an event time of its own, an [`EventTime`] or a
    /// [`Timestamp`](crate::data::Timestamp).
    #[inline]
    pub fn emit_at(&mut self, value: Out, time: impl Into<EventTime>) {
        self.context.emit_at(value, time);
    }

    /// Emits a record to a side output, with the event time of the one at hand.
    ///
    /// # Errors
    /// If the job does not read a side output of this tag and type.
    pub fn emit_side<T: Data>(&mut self, tag: &OutputTag<T>, value: T) -> Result<()> {
        self.context.emit_side(tag, value)
    }

    /// Emits a record to a side output, with an event time of its own.
    ///
    /// # Errors
    /// If the job does not read a side output of this tag and type.
    pub fn emit_side_at<T: Data>(
        &mut self,
        tag: &OutputTag<T>,
        value: T,
        time: impl Into<EventTime>,
    ) -> Result<()> {
        self.context.emit_side_at(tag, value, time)
    }

    /// Event time of the record at hand; in a timer hook, the time of the timer.
    pub fn event_time(&self) -> Option<EventTime> {
        self.context.time
    }

    /// The watermark so far: no record before it is on time any more.
    pub fn watermark(&self) -> Option<EventTime> {
        self.context.watermark()
    }

    /// The timers of the current key.
    pub fn timers(&mut self) -> TimerService<'_> {
        TimerService { timers: &mut self.context.services.timers, key: self.index }
    }

    /// State of the current key that is no field, for operators that learn only at work what they
    /// are to remember: the slot of that name, empty at its first mention. It is saved and restored
    /// like a field, and either finds what the other has left in a checkpoint; an operator whose
    /// former fields are asked for by name says so in its `STATE_BY_NAME`
    /// ([`KeyedOperator::STATE_BY_NAME`]).
    ///
    /// ```
    /// use clink_runtime::operator::{KeyedContext, KeyedOperator};
    ///
    /// /// Counts the records of each key under names that its configuration gives.
    /// struct Count { name: String }
    ///
    /// impl KeyedOperator for Count {
    ///     type Key = String;
    ///     type In = u64;
    ///     type Out = u64;
    ///     fn process(
    ///         &mut self,
    ///         _: u64,
    ///         ctx: &mut KeyedContext<'_, Self>,
    ///     ) -> clink_runtime::Result<()> {
    ///         let seen = ctx.keyed_state::<u64>(&self.name)?.update(|n| n + 1)?;
    ///         ctx.emit(seen);
    ///         Ok(())
    ///     }
    /// }
    /// ```
    ///
    /// What a checkpoint holds under a name that is not asked for stays in the checkpoints that
    /// follow. A field costs a little less per record: a name is looked up at each call.
    ///
    /// # Errors
    /// If the name is empty, begins with `__clink_`, holds `|` or a newline, or is a field's; if
    /// the operator has asked for it with another type; if a checkpoint holds it with another type.
    #[inline]
    pub fn keyed_state<V: Data>(&mut self, name: &str) -> Result<KeyedState<'_, V>> {
        let Context { services, runtime, .. } = &mut self.context;
        let types = &runtime.shared.state_types;
        match services.named.state(name, &runtime.operator, types) {
            Ok(values) => Ok(KeyedState::new(values, self.index)),
            Err(error) => Err(Error::from(error).terminal()),
        }
    }

    /// Who this instance is.
    pub fn runtime(&self) -> &'a RuntimeContext {
        self.context.runtime
    }
}

impl<K, Out> fmt::Debug for KeyContext<'_, K, Out> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyContext")
            .field("key_index", &self.index)
            .field("operator", &self.context.runtime.operator)
            .finish_non_exhaustive()
    }
}

impl<K, Out> sealed::Sealed for KeyContext<'_, K, Out> {}

impl<K, Out> CurrentKey for KeyContext<'_, K, Out> {
    #[inline]
    fn key_index(&self) -> u32 {
        self.index
    }
}

/// Registers and deletes timers: of the current key, or of the instance where there is none.
///
/// A timer is a time: registering the same one twice makes one timer. Timers are saved with the
/// state of the operator and fire in the order of their times. One whose time has passed fires at
/// the next chance.
#[derive(Debug)]
pub struct TimerService<'a> {
    timers: &'a mut Timers,
    key: u32,
}

impl TimerService<'_> {
    /// Has `on_event_time_timer` called once the watermark has come to this time.
    pub fn register_event_time(&mut self, time: impl Into<EventTime>) {
        self.timers.event_time.register(time.into().as_millis(), self.key);
    }

    /// Has `on_processing_time_timer` called once the clock has come to this time, in milliseconds
    /// since the epoch.
    pub fn register_processing_time(&mut self, at_ms: i64) {
        self.timers.processing_time.register(at_ms, self.key);
    }

    /// Removes an event-time timer; false if there is none.
    pub fn delete_event_time(&mut self, time: impl Into<EventTime>) -> bool {
        self.timers.event_time.delete(time.into().as_millis(), self.key)
    }

    /// Removes a processing-time timer; false if there is none.
    pub fn delete_processing_time(&mut self, at_ms: i64) -> bool {
        self.timers.processing_time.delete(at_ms, self.key)
    }
}

/// The surroundings of a source that produces.
#[derive(Debug)]
pub struct SourceContext<'a, Out> {
    pub(crate) emitter: &'a mut Emitter<Out>,
    pub(crate) services: &'a mut Services,
    pub(crate) runtime: &'a RuntimeContext,
}

impl<'a, Out: Data> SourceContext<'a, Out> {
    /// Emits a record without an event time.
    #[inline]
    pub fn emit(&mut self, value: Out) {
        self.emitter.push(value, None);
    }

    /// Emits a record with its event time, an [`EventTime`] or a
    /// [`Timestamp`](crate::data::Timestamp).
    #[inline]
    pub fn emit_at(&mut self, value: Out, time: impl Into<EventTime>) {
        self.emitter.push(value, Some(time.into()));
    }

    /// Emits a record to a side output, without an event time.
    ///
    /// # Errors
    /// If the job does not read a side output of this tag and type.
    pub fn emit_side<T: Data>(&mut self, tag: &OutputTag<T>, value: T) -> Result<()> {
        self.services.side.push(tag, value, None)
    }

    /// Hands over a record of the input that does not fit its type, after the position has moved
    /// past it: the run's options say whether the job fails, or it is counted, or kept in a file.
    ///
    /// # Errors
    /// The record's own, to be returned, where the job is to fail; else if the file takes no more.
    #[cold]
    pub fn bad_record(&mut self, record: RecordError) -> Result<()> {
        self.runtime.shared.bad_records.take(record, self.runtime)
    }

    /// True once a full batch waits: a good moment to return from `produce`.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.emitter.full_batches() > 0
    }

    /// Who this instance is.
    pub fn runtime(&self) -> &'a RuntimeContext {
        self.runtime
    }
}
