//! Is what can be told of subtasks and checkpoints, and tells all of a job as text for Prometheus.

use std::sync::Arc;
use std::time::Duration;

use super::JobView;
use crate::metrics::prometheus::{self, Labels, Reading};
use crate::metrics::series::{CheckpointReading, LastCheckpoint, OperatorReading, SubtaskReading};
use crate::metrics::{ChannelMetrics, SubtaskMetrics, Times};
use crate::sys::clock::Clock;

/// One subtask as a whole: all operators of its chain share its turns and its input.
#[derive(Clone, Debug)]
pub struct SubtaskView {
    /// Id of the first operator of its chain in the graph.
    pub operator: String,
    /// The name of that operator.
    pub name: String,
    /// The author's uid of that operator; empty when none was given.
    pub uid: String,
    /// Index of the subtask among its siblings.
    pub subtask_index: u32,
    /// What it does with its time.
    pub metrics: Arc<SubtaskMetrics>,
    /// The channels into it; `None` for a source.
    pub input: Option<Arc<ChannelMetrics>>,
    /// The time.
    pub(super) clock: Clock,
}

impl SubtaskView {
    /// What it has done with its time until now.
    pub fn times(&self) -> Times {
        self.metrics.times(self.clock.elapsed())
    }
}

/// What a checkpoint took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckpointCost {
    /// Time from its start until it existed, in milliseconds.
    pub took_ms: u64,
    /// Bytes of its state files.
    pub bytes: u64,
}

impl JobView {
    /// Every series of [`crate::metrics::series::SERIES`] that has a value, in the text format
    /// 0.0.4. Counters and times are those of the moment of the call, what is said of checkpoints
    /// and accumulators is as old as the view.
    pub fn to_prometheus(&self) -> String {
        prometheus::text(&Reading {
            job: &self.job,
            operators: self.operators(),
            subtasks: self.subtasks_read(),
            accumulators: &self.accumulators,
            checkpoints: self.takes_checkpoints.then(|| self.checkpoints()),
        })
    }

    fn operators(&self) -> Vec<(Labels<'_>, OperatorReading<'_>)> {
        let read = self.instances.iter().map(|instance| {
            let labels = Labels {
                operator: &instance.operator,
                name: &instance.name,
                uid: &instance.uid,
                subtask_index: instance.subtask_index,
            };
            let reading = OperatorReading {
                counters: &instance.metrics,
                source: instance.progress.as_deref(),
                is_sink: instance.is_sink,
                has_side_outputs: instance.has_side_outputs,
            };
            (labels, reading)
        });
        read.collect()
    }

    fn subtasks_read(&self) -> Vec<(Labels<'_>, SubtaskReading<'_>)> {
        let read = self.subtasks.iter().map(|subtask| {
            let labels = Labels {
                operator: &subtask.operator,
                name: &subtask.name,
                uid: &subtask.uid,
                subtask_index: subtask.subtask_index,
            };
            let input = subtask.input.as_deref();
            (labels, SubtaskReading { times: subtask.times(), input })
        });
        read.collect()
    }

    fn checkpoints(&self) -> CheckpointReading {
        let last = self.last_checkpoint.zip(self.last_checkpoint_cost);
        CheckpointReading {
            completed: self.checkpoints_completed,
            aborted: self.checkpoints_aborted,
            last: last.map(|((_, at_ms), cost)| LastCheckpoint {
                at: Duration::from_millis(u64::try_from(at_ms).unwrap_or(0)),
                took: Duration::from_millis(cost.took_ms),
                bytes: cost.bytes,
            }),
        }
    }
}
