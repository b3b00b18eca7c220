//! Counts what happens in a job, and names what can be read of it.
//!
//! Whoever does the work writes the counters ([`operator`], [`subtask`], [`channel`]): once a batch
//! or once a turn, never once a record. [`series`] is the table of everything that is told outside
//! and how it is read; [`prometheus`] writes it as text.

pub mod channel;
pub mod custom;
pub mod operator;
pub mod prometheus;
pub mod series;
pub mod subtask;

pub use channel::ChannelMetrics;
pub use custom::{
    Accumulated, Accumulator, Accumulators, Counter, CustomMetrics, Gauge, MetricError,
};
pub use operator::{OperatorMetrics, SourceMetrics};
pub use subtask::{Phase, SubtaskMetrics, Times};
