//! Is an operator's only way to its surroundings: identity, time, key and output.

use std::sync::Arc;

use clink_plan::id::OperatorId;

use crate::config::RECORD_BYTES_MAX;
use crate::data::Data;
use crate::error::Result;
use crate::metrics::OperatorMetrics;
use crate::state::{CurrentKey, sealed};
use crate::sys::clock::Clock;
use crate::time::EventTime;

use super::bad_records::BadRecords;
use super::contract::KeyedOperator;
use super::emitter::Emitter;
use super::notices::Notices;
use super::source::RecordError;

/// Who an operator instance is and what surrounds it.
#[derive(Clone, Debug)]
pub struct RuntimeContext {
    /// Id in the graph.
    pub(crate) operator: String,
    pub(crate) uid: String,
    pub(crate) name: String,
    pub(crate) type_name: String,
    pub(crate) operator_id: OperatorId,
    pub(crate) subtask_index: u32,
    pub(crate) parallelism: u32,
    pub(crate) restored: bool,
    pub(crate) clock: Clock,
    pub(crate) metrics: Arc<OperatorMetrics>,
    pub(crate) shared: Arc<JobShared>,
}

/// What all operators of a job share.
#[derive(Debug)]
pub struct JobShared {
    /// Takes records that do not fit.
    pub bad_records: BadRecords,
    /// What a person should know.
    pub notices: Arc<Notices>,
    /// Longest record of text, in bytes without its line end.
    pub record_bytes_max: usize,
}

impl Default for JobShared {
    fn default() -> Self {
        let (bad_records, notices) = (BadRecords::default(), Arc::default());
        Self { bad_records, notices, record_bytes_max: RECORD_BYTES_MAX }
    }
}

impl RuntimeContext {
    /// The operator's id in the job graph.
    pub fn operator(&self) -> &str {
        &self.operator
    }

    /// The stable name the author gave; empty without one.
    pub fn uid(&self) -> &str {
        &self.uid
    }

    /// The label for people: the display name, else the last part of the type's name.
    pub fn name(&self) -> &str {
        if self.name.is_empty() {
            self.type_name.rsplit("::").next().unwrap_or_default()
        } else {
            &self.name
        }
    }

    /// What the operator's state is filed under.
    pub fn operator_id(&self) -> OperatorId {
        self.operator_id
    }

    /// Which of the parallel instances this is, from 0.
    pub fn subtask_index(&self) -> u32 {
        self.subtask_index
    }

    /// How many parallel instances there are.
    pub fn parallelism(&self) -> u32 {
        self.parallelism
    }

    /// True if this run goes on from a checkpoint.
    pub fn is_restored(&self) -> bool {
        self.restored
    }

    /// Longest record that a source of text takes, in bytes without its line end.
    pub fn record_bytes_max(&self) -> usize {
        self.shared.record_bytes_max
    }

    /// Where to put what a person should know though the job goes on.
    pub(crate) fn notices(&self) -> &Arc<Notices> {
        &self.shared.notices
    }

    /// Processing time in milliseconds since the epoch.
    pub fn processing_time_ms(&self) -> i64 {
        self.clock.now_ms()
    }
}

/// The surroundings of one record (or hook) in an operator without a key.
#[derive(Debug)]
pub struct Context<'a, Out> {
    pub(crate) emitter: &'a mut Emitter<Out>,
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

    /// Event time of the record at hand.
    pub fn event_time(&self) -> Option<EventTime> {
        self.time
    }

    /// Who this instance is.
    pub fn runtime(&self) -> &'a RuntimeContext {
        self.runtime
    }
}

/// The surroundings of one record in a keyed operator: its key is current.
pub struct KeyedContext<'a, O: KeyedOperator> {
    pub(crate) key: &'a O::Key,
    pub(crate) index: u32,
    pub(crate) context: Context<'a, O::Out>,
}

impl<'a, O: KeyedOperator> KeyedContext<'a, O> {
    /// The key of the record at hand.
    #[inline]
    pub fn key(&self) -> &'a O::Key {
        self.key
    }

    /// Emits a record with the event time of the one at hand.
    #[inline]
    pub fn emit(&mut self, value: O::Out) {
        self.context.emit(value);
    }

    /// Emits a record with an event time of its own, an [`EventTime`] or a
    /// [`Timestamp`](crate::data::Timestamp).
    #[inline]
    pub fn emit_at(&mut self, value: O::Out, time: impl Into<EventTime>) {
        self.context.emit_at(value, time);
    }

    /// Event time of the record at hand.
    pub fn event_time(&self) -> Option<EventTime> {
        self.context.time
    }

    /// Who this instance is.
    pub fn runtime(&self) -> &'a RuntimeContext {
        self.context.runtime
    }
}

impl<O: KeyedOperator> std::fmt::Debug for KeyedContext<'_, O> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KeyedContext")
            .field("key_index", &self.index)
            .field("operator", &self.context.runtime.operator)
            .finish_non_exhaustive()
    }
}

impl<O: KeyedOperator> sealed::Sealed for KeyedContext<'_, O> {}

impl<O: KeyedOperator> CurrentKey for KeyedContext<'_, O> {
    #[inline]
    fn key_index(&self) -> u32 {
        self.index
    }
}

/// The surroundings of a source that produces.
#[derive(Debug)]
pub struct SourceContext<'a, Out> {
    pub(crate) emitter: &'a mut Emitter<Out>,
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
