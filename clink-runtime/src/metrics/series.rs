//! Is the table of every series: its name, what it means, and how it is read.
//!
//! What is not in it is told nowhere; what is in it is exported by
//! [`prometheus`](super::prometheus) and listed in the book, both made from it.

use std::fmt;
use std::time::Duration;

use super::{Accumulated, ChannelMetrics, CustomMetrics, OperatorMetrics, SourceMetrics, Times};

/// What may happen to a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It grows, from zero at the start of a run.
    Counter,
    /// It goes up and down.
    Gauge,
}

impl Kind {
    /// The word for it in the exposition format.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
        }
    }
}

/// One value of a series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A number of things.
    Count(u64),
    /// A number that may be below zero.
    Number(i64),
    /// A span, or a moment after the epoch, in seconds.
    Seconds(Duration),
    /// A moment in milliseconds since the epoch; `i64::MAX` is the end of time.
    Millis(i64),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count(count) => write!(f, "{count}"),
            Self::Number(number) => write!(f, "{number}"),
            Self::Seconds(span) => write!(f, "{}", span.as_secs_f64()),
            Self::Millis(i64::MAX) => f.write_str("+Inf"),
            Self::Millis(ms) => write!(f, "{ms}"),
        }
    }
}

/// What is read of one operator instance.
#[derive(Clone, Copy, Debug)]
pub struct OperatorReading<'a> {
    /// Its counters.
    pub counters: &'a OperatorMetrics,
    /// How far it has come, for a source.
    pub source: Option<&'a SourceMetrics>,
    /// True if nothing reads it.
    pub is_sink: bool,
    /// True if it has side outputs.
    pub has_side_outputs: bool,
}

impl OperatorReading<'_> {
    fn unless_source(&self, count: u64) -> Option<Value> {
        self.source.is_none().then_some(Value::Count(count))
    }

    fn of_source(&self, count: impl FnOnce(&SourceMetrics) -> u64) -> Option<Value> {
        self.source.map(|source| Value::Count(count(source)))
    }
}

/// What is read of one subtask.
#[derive(Clone, Copy, Debug)]
pub struct SubtaskReading<'a> {
    /// What it has done with its time.
    pub times: Times,
    /// The channels into it; `None` if there are none.
    pub input: Option<&'a ChannelMetrics>,
}

impl SubtaskReading<'_> {
    fn of_input(&self, count: impl FnOnce(&ChannelMetrics) -> u64) -> Option<Value> {
        self.input.map(|input| Value::Count(count(input)))
    }
}

/// What is read of the checkpoints of a job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CheckpointReading {
    /// Completed in this run.
    pub completed: u64,
    /// Given up in this run.
    pub aborted: u64,
    /// The last that completed in this run.
    pub last: Option<LastCheckpoint>,
}

/// The last checkpoint that completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastCheckpoint {
    /// When, after the epoch.
    pub at: Duration,
    /// From its start until it existed.
    pub took: Duration,
    /// Bytes of the state in it.
    pub bytes: u64,
}

/// What a series is about, and how its value is read; `None` where there is none.
#[derive(Clone, Copy, Debug)]
pub enum Read {
    /// Each operator instance.
    Operator(fn(&OperatorReading<'_>) -> Option<Value>),
    /// Each of the numbers that an operator instance keeps itself, by name.
    Custom(fn(&CustomMetrics) -> Vec<(String, Value)>),
    /// Each accumulator of an operator.
    Accumulator(fn(&Accumulated) -> Value),
    /// Each subtask. It has the labels of the first operator of its chain: all of them share its
    /// turns, and telling them apart would take two looks at the clock for each batch of each.
    Subtask(fn(&SubtaskReading<'_>) -> Option<Value>),
    /// The checkpoints of the job.
    Checkpoints(fn(&CheckpointReading) -> Option<Value>),
}

impl Read {
    /// The names of the labels, in order.
    pub fn labels(&self) -> &'static [&'static str] {
        match self {
            Self::Operator(_) | Self::Subtask(_) => &["job", "operator", "name", "uid", "subtask"],
            Self::Custom(_) => &["job", "operator", "name", "uid", "subtask", "metric"],
            Self::Accumulator(_) => &["job", "operator", "accumulator"],
            Self::Checkpoints(_) => &["job"],
        }
    }

    /// What it is about, in words.
    pub fn subject(&self) -> &'static str {
        match self {
            Self::Operator(_) => "operator instance",
            Self::Custom(_) => "metric of an operator instance",
            Self::Accumulator(_) => "accumulator of an operator",
            Self::Subtask(_) => "subtask",
            Self::Checkpoints(_) => "job",
        }
    }
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Series {
    /// Its name.
    pub name: &'static str,
    /// What may happen to its value.
    pub kind: Kind,
    /// The unit of its value.
    pub unit: &'static str,
    /// What it says.
    pub help: &'static str,
    /// How it is read.
    pub read: Read,
}

const fn series(
    name: &'static str,
    kind: Kind,
    unit: &'static str,
    help: &'static str,
    read: Read,
) -> Series {
    Series { name, kind, unit, help, read }
}

/// Every series there is, in the order in which they are told.
pub const SERIES: &[Series] = &[
    series(
        "clink_records_in_total",
        Kind::Counter,
        "records",
        "Records that an operator has taken in; not told of sources.",
        Read::Operator(|read| read.unless_source(read.counters.records_in())),
    ),
    series(
        "clink_records_out_total",
        Kind::Counter,
        "records",
        "Records that an operator has emitted; not told of sinks.",
        Read::Operator(|read| (!read.is_sink).then(|| Value::Count(read.counters.records_out()))),
    ),
    series(
        "clink_side_output_records_total",
        Kind::Counter,
        "records",
        "Records that an operator has emitted to its side outputs; told of those that have some.",
        Read::Operator(|read| {
            read.has_side_outputs.then(|| Value::Count(read.counters.side_records()))
        }),
    ),
    series(
        "clink_bad_records_total",
        Kind::Counter,
        "records",
        "Records left out: those a source could not read, and those an operator has reported.",
        Read::Operator(|read| Some(Value::Count(read.counters.bad_records()))),
    ),
    series(
        "clink_late_records_total",
        Kind::Counter,
        "records",
        "Records that an operator has dropped because they came late; not told of sources.",
        Read::Operator(|read| read.unless_source(read.counters.late_records())),
    ),
    series(
        "clink_bytes_read_total",
        Kind::Counter,
        "bytes",
        "Bytes that a source has read of its input as it is stored; 0 where it reads none.",
        Read::Operator(|read| read.of_source(SourceMetrics::bytes)),
    ),
    series(
        "clink_watermark_ms",
        Kind::Gauge,
        "milliseconds since the epoch",
        "Last watermark that an operator sent on; none before the first, +Inf at the end of input.",
        Read::Operator(|read| read.counters.watermark().map(Value::Millis)),
    ),
    series(
        "clink_custom_total",
        Kind::Counter,
        "the author's",
        "Counter that an operator keeps itself, under the name that it gives.",
        Read::Custom(|read| {
            let counters = read.counters().into_iter();
            counters.map(|(name, count)| (name, Value::Count(count))).collect()
        }),
    ),
    series(
        "clink_custom",
        Kind::Gauge,
        "the author's",
        "Gauge that an operator keeps itself, under the name that it gives.",
        Read::Custom(|read| {
            let gauges = read.gauges().into_iter();
            gauges.map(|(name, value)| (name, Value::Number(value))).collect()
        }),
    ),
    series(
        "clink_accumulator",
        Kind::Gauge,
        "the author's",
        "Sum over all instances of an operator, under the name that it gives.",
        Read::Accumulator(|read| Value::Number(read.sum)),
    ),
    series(
        "clink_channel_depth_records",
        Kind::Gauge,
        "records",
        "Records that wait in the channels into a subtask; a control element counts as one.",
        Read::Subtask(|read| read.of_input(ChannelMetrics::depth)),
    ),
    series(
        "clink_channel_high_water_records",
        Kind::Gauge,
        "records",
        "The most records that have waited in the channels into a subtask at one time.",
        Read::Subtask(|read| read.of_input(ChannelMetrics::high_water)),
    ),
    series(
        "clink_channel_capacity_records",
        Kind::Gauge,
        "records",
        "Records that the channels into a subtask hold together before senders wait.",
        Read::Subtask(|read| read.of_input(ChannelMetrics::capacity)),
    ),
    series(
        "clink_busy_seconds_total",
        Kind::Counter,
        "seconds",
        "Time that a subtask has spent in steps.",
        Read::Subtask(|read| Some(Value::Seconds(read.times.busy))),
    ),
    series(
        "clink_idle_seconds_total",
        Kind::Counter,
        "seconds",
        "Time that a subtask has waited for input, or for a time to come.",
        Read::Subtask(|read| Some(Value::Seconds(read.times.idle))),
    ),
    series(
        "clink_blocked_seconds_total",
        Kind::Counter,
        "seconds",
        "Time that a subtask has waited for room in a channel out of it.",
        Read::Subtask(|read| Some(Value::Seconds(read.times.blocked))),
    ),
    series(
        "clink_ready_seconds_total",
        Kind::Counter,
        "seconds",
        "Time that a subtask with more to do has waited for its next turn.",
        Read::Subtask(|read| Some(Value::Seconds(read.times.ready))),
    ),
    series(
        "clink_checkpoints_completed_total",
        Kind::Counter,
        "checkpoints",
        "Checkpoints completed.",
        Read::Checkpoints(|read| Some(Value::Count(read.completed))),
    ),
    series(
        "clink_checkpoints_aborted_total",
        Kind::Counter,
        "checkpoints",
        "Checkpoints given up.",
        Read::Checkpoints(|read| Some(Value::Count(read.aborted))),
    ),
    series(
        "clink_checkpoint_last_timestamp_seconds",
        Kind::Gauge,
        "seconds since the epoch",
        "When the last checkpoint completed; its age is time() less this.",
        Read::Checkpoints(|read| read.last.map(|last| Value::Seconds(last.at))),
    ),
    series(
        "clink_checkpoint_last_duration_seconds",
        Kind::Gauge,
        "seconds",
        "Time from the start of the last complete checkpoint until it existed.",
        Read::Checkpoints(|read| read.last.map(|last| Value::Seconds(last.took))),
    ),
    series(
        "clink_checkpoint_last_bytes",
        Kind::Gauge,
        "bytes",
        "Bytes of the state files of the last complete checkpoint.",
        Read::Checkpoints(|read| read.last.map(|last| Value::Count(last.bytes))),
    ),
];
