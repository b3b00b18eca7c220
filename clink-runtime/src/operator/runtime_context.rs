//! Is who an operator instance is and what surrounds it: identity, time, counters, logs, dead
//! letters.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use clink_plan::id::OperatorId;

use crate::config::RECORD_BYTES_MAX;
use crate::error::Result;
use crate::metrics::{Accumulator, Accumulators, Counter, Gauge, MetricError, OperatorMetrics};
use crate::state::NamedTypes;
use crate::sync::wake::Waker;
use crate::sys::clock::Clock;

use super::bad_records::BadRecords;
use super::interrupts::Interrupts;
use super::notices::Notices;
use super::side_output::SideOutputPort;
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
    pub(crate) side_outputs: Arc<[SideOutputPort]>,
    pub(crate) clock: Clock,
    /// Wakes the subtask, for what comes from outside its channels.
    pub(crate) waker: Waker,
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
    /// Sums over the instances of operators.
    pub accumulators: Arc<Accumulators>,
    /// Longest record of text, in bytes without its line end.
    pub record_bytes_max: usize,
    /// Wakes what is blocked when the job is stopped or cancelled.
    pub interrupts: Arc<Interrupts>,
    /// What operators of this process have in common, by name.
    pub shared: Shared,
    /// The types of state that is asked for by name.
    pub state_types: NamedTypes,
}

/// Values that several operators of one run hold together, such as the feedback of an iteration.
#[derive(Debug, Default)]
pub struct Shared(Mutex<BTreeMap<String, Arc<dyn Any + Send + Sync>>>);

impl Shared {
    /// The value of that name, made by whoever asks first; all give it one type.
    pub(crate) fn value<V: Any + Send + Sync>(
        &self,
        name: &str,
        make: impl FnOnce() -> V,
    ) -> Arc<V> {
        let mut values = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let value = values.entry(name.to_owned()).or_insert_with(|| Arc::new(make()));
        Arc::clone(value).downcast().expect("a name stands for values of one type")
    }
}

impl Default for JobShared {
    fn default() -> Self {
        Self {
            bad_records: BadRecords::default(),
            notices: Arc::default(),
            accumulators: Arc::default(),
            record_bytes_max: RECORD_BYTES_MAX,
            interrupts: Arc::default(),
            shared: Shared::default(),
            state_types: NamedTypes::default(),
        }
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

    /// Has this called once the job is stopped or cancelled, from another thread: for a source that
    /// is blocked in a call of its own, to be woken (shut a socket down, send into a channel). When
    /// its `produce` then returns, it is not asked again.
    pub fn on_interrupt(&self, wake: impl FnOnce() + Send + 'static) {
        self.shared.interrupts.on_interrupt(wake);
    }

    /// True once the job has been stopped or cancelled: for a call that looks now and then whether
    /// it should go on.
    pub fn is_interrupted(&self) -> bool {
        self.shared.interrupts.have_come()
    }

    /// The counter of that name, of this instance: read as `clink_custom_total`.
    ///
    /// # Errors
    /// If the name is a gauge's.
    pub fn counter(&self, name: &str) -> Result<Counter, MetricError> {
        self.metrics.custom().counter(name)
    }

    /// The gauge of that name, of this instance: read as `clink_custom`.
    ///
    /// # Errors
    /// If the name is a counter's.
    pub fn gauge(&self, name: &str) -> Result<Gauge, MetricError> {
        self.metrics.custom().gauge(name)
    }

    /// The accumulator of that name: one sum over all instances of this operator, in
    /// [`JobView::accumulators`](crate::local::JobView::accumulators) and in the summary of a run.
    pub fn accumulator(&self, name: &str) -> Accumulator {
        self.shared.accumulators.of(&self.operator, name)
    }

    /// Hands over a record that cannot be used: the run's options say whether the job fails, or it
    /// is counted, or kept in the file of dead letters with this reason and how the record begins.
    ///
    /// # Errors
    /// One with the reason, to be returned, where the job is to fail; else if the file takes no
    /// more.
    #[cold]
    pub fn report_bad_record(
        &self,
        reason: impl fmt::Display,
        record: impl fmt::Display,
    ) -> Result<()> {
        let record = RecordError::in_operator(reason.to_string(), &record.to_string());
        self.shared.bad_records.take(record, self)
    }

    /// True if [`report_bad_record`](Self::report_bad_record) makes use of the record.
    pub(crate) fn shows_bad_records(&self) -> bool {
        self.shared.bad_records.are_shown()
    }

    /// Logs at level debug. Lines say which operator and subtask they are from.
    pub fn log_debug(&self, message: impl fmt::Display) {
        tracing::debug!(target: "job", "{message}");
    }

    /// Logs at level info.
    pub fn log_info(&self, message: impl fmt::Display) {
        tracing::info!(target: "job", "{message}");
    }

    /// Logs at level warn.
    pub fn log_warn(&self, message: impl fmt::Display) {
        tracing::warn!(target: "job", "{message}");
    }

    /// Logs at level error; the job goes on.
    pub fn log_error(&self, message: impl fmt::Display) {
        tracing::error!(target: "job", "{message}");
    }
}
