//! Runs a job as one attempt of a world: planned, and stepped in an order that a seed chooses.

use std::fmt::Display;

use clink_plan::planner::{PlanOptions, plan_job};
use clink_plan::validate::ValidateFacts;
use crossbeam_channel::Receiver;

use crate::dag::DagJob;
use crate::local::{JobReport, LocalExecutor, LocalOptions, Observer, Signal};
use crate::subtask::RuntimeError;

/// How one attempt is run.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// How the planner may choose.
    pub plan: PlanOptions,
    /// All else.
    pub options: LocalOptions,
}

/// A job that a [`World`](super::World) can run.
pub trait Simulate {
    /// Why it did not run to its end.
    type Error: Display;

    /// The job's name: the folder of its checkpoints.
    fn name(&self) -> &str;

    /// Runs it.
    ///
    /// # Errors
    /// It was refused, or it failed.
    fn simulate(
        &self,
        attempt: Attempt,
        signals: &Receiver<Signal>,
        observer: &mut dyn Observer,
    ) -> Result<JobReport, Self::Error>;
}

impl Simulate for DagJob {
    type Error = RuntimeError;

    fn name(&self) -> &str {
        &self.graph.name
    }

    fn simulate(
        &self,
        attempt: Attempt,
        signals: &Receiver<Signal>,
        observer: &mut dyn Observer,
    ) -> Result<JobReport, RuntimeError> {
        let stateful = self.slots.iter().filter(|(_, slots)| !slots.names.is_empty());
        let facts = ValidateFacts {
            locations: self.locations.clone(),
            stateful: stateful.map(|(operator, _)| operator.clone()).collect(),
            checkpoints: attempt.options.checkpoints.is_some(),
            registry: Some(&self.registry),
        };
        let planned = match self.problems.is_empty() {
            true => plan_job(&self.graph, &attempt.plan, &facts),
            false => Err(self.problems.clone()),
        };
        let plan = planned.map_err(|problems| RuntimeError::Refused {
            problems: problems.iter().map(ToString::to_string).collect(),
        })?;
        let executor = LocalExecutor {
            graph: &self.graph,
            plan: &plan,
            registry: &self.registry,
            slots: &self.slots,
            locations: &self.locations,
            options: attempt.options,
        };
        executor.run(signals, observer)
    }
}
