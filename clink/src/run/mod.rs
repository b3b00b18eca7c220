//! Are the ways to run a job.

#[cfg(feature = "metrics-http")]
mod metrics_http;
mod options;

use std::net::SocketAddr;

use clink_plan::graph::JobGraphSpec;
use clink_plan::planner::JobPlan;
use clink_runtime::RuntimeError;
use clink_runtime::local::{LocalExecutor, LocalOptions};
use clink_runtime::testing::Attempt;
use crossbeam_channel::Receiver;

use crate::job::{Job, JobError};

pub use clink_plan::planner::PlanOptions;
pub use clink_runtime::checkpoint::store::RestorePoint;
pub use clink_runtime::local::{
    CheckpointCost, CheckpointOptions, Ending, InstanceMetrics, JobReport, JobView, NoObserver,
    Observer, Signal, SubtaskView,
};
pub use clink_runtime::operator::bad_records::BadRecordPolicy;
pub use clink_runtime::scheduler::SchedulerKind;
pub use options::RunOptions;
pub(crate) use options::{given, origin, with_engine_flags};

impl Job {
    /// Runs the job in this process until its input ends.
    ///
    /// # Errors
    /// [`JobError`]: the graph was refused, or the job failed.
    pub fn run(&self, options: &RunOptions) -> Result<JobReport, JobError> {
        self.run_watched(options, &crossbeam_channel::never(), &mut NoObserver)
    }

    /// Runs the job in this process; `signals` may end it before its input does, and the observer
    /// sees it at work.
    ///
    /// # Errors
    /// As for [`Job::run`].
    pub fn run_watched(
        &self,
        options: &RunOptions,
        signals: &Receiver<Signal>,
        observer: &mut dyn Observer,
    ) -> Result<JobReport, JobError> {
        self.run_graph(&self.graph.to_json(), options, signals, observer)
    }

    /// Runs the job from the text of its graph: the one way to run, whoever wrote the text.
    ///
    /// # Errors
    /// As for [`Job::run`]; and if the graph is not the one this job builds.
    pub fn run_graph(
        &self,
        json: &str,
        options: &RunOptions,
        signals: &Receiver<Signal>,
        observer: &mut dyn Observer,
    ) -> Result<JobReport, JobError> {
        options.check().map_err(JobError::Options)?;
        let graph = self.read_graph(json)?;
        let plan = self.plan_to_run(&graph, options)?;
        let local = LocalOptions {
            scheduler: options.scheduler,
            channel_capacity: options.channel_capacity,
            checkpoints: options.checkpoints.clone(),
            restore: options.restore.clone(),
            allow_unmatched_state: options.allow_unmatched_state,
            bad_records: options.bad_records.clone(),
            record_bytes_max: options.record_bytes_max,
            ..LocalOptions::new(self.name.clone())
        };
        let executor = self.executor(&graph, &plan, local);
        run_served(executor, options.metrics_addr, signals, observer).map_err(JobError::Run)
    }

    /// Runs one attempt of a simulated world.
    pub(crate) fn run_attempt(
        &self,
        attempt: Attempt,
        signals: &Receiver<Signal>,
        observer: &mut dyn Observer,
    ) -> Result<JobReport, JobError> {
        let Attempt { plan, options: local } = attempt;
        let checkpoints = local.checkpoints.clone();
        let options = RunOptions { plan, checkpoints, ..RunOptions::default() };
        let graph = self.read_graph(&self.graph.to_json())?;
        let plan = self.plan_to_run(&graph, &options)?;
        self.executor(&graph, &plan, local).run(signals, observer).map_err(JobError::Run)
    }

    fn executor<'a>(
        &'a self,
        graph: &'a JobGraphSpec,
        plan: &'a JobPlan,
        options: LocalOptions,
    ) -> LocalExecutor<'a> {
        LocalExecutor {
            graph,
            plan,
            registry: &self.registry,
            slots: &self.slots,
            locations: &self.locations,
            options,
        }
    }
}

/// Runs, and has the metrics served where there is an address for them.
fn run_served(
    executor: LocalExecutor<'_>,
    address: Option<SocketAddr>,
    signals: &Receiver<Signal>,
    observer: &mut dyn Observer,
) -> Result<JobReport, RuntimeError> {
    #[cfg(feature = "metrics-http")]
    if let Some(address) = address {
        let mut served = metrics_http::Served::start(address, observer)?;
        let result = executor.run(signals, &mut served);
        served.finish();
        return result;
    }
    // Without the server, options with an address have been refused.
    let _ = address;
    executor.run(signals, observer)
}
