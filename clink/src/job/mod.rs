//! Is a job as a value: its graph, the author's code behind it, and what is known of its places.

mod entry;

use std::collections::BTreeMap;
use std::fmt;

use clink_plan::descriptor::Locations;
use clink_plan::explain::{explain_graph, explain_plan};
use clink_plan::graph::{GraphJsonError, JobGraphSpec};
use clink_plan::planner::{JobPlan, plan_job};
use clink_plan::validate::{Diagnostic, Severity, ValidateFacts, validate};
use clink_runtime::RuntimeError;
use clink_runtime::dag::{Dag, DagJob};
use clink_runtime::registry::Registry;
use clink_runtime::registry::builtin::Environment;
use clink_runtime::state::KnownSlots;

use crate::run::RunOptions;
use crate::stream::Pipeline;

#[doc(hidden)]
pub use entry::{JobArgs, JobEntry, JobResult, jobs};

/// Why a job did not run to its end.
#[derive(Debug)]
#[non_exhaustive]
pub enum JobError {
    /// The build function returned an error.
    Build(crate::Error),
    /// The graph has problems, all of them listed.
    Refused(Vec<Diagnostic>),
    /// The text is no job graph.
    Graph(GraphJsonError),
    /// The graph is not the one this job builds.
    Differs {
        /// The first operator that differs, or what else does.
        what: String,
    },
    /// An option does not fit another.
    Options(String),
    /// The run failed.
    Run(RuntimeError),
}

impl fmt::Display for JobError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Build(error) => write!(f, "build the job: {error}"),
            Self::Refused(problems) => {
                let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
                f.write_str(&lines.join("\n"))
            }
            Self::Graph(error) => write!(f, "read the job graph: {error}"),
            Self::Differs { what } => write!(
                f,
                "the graph is not the one this job builds: {what}; build functions must register \
                 the same operators in the same order each time"
            ),
            Self::Options(problem) => f.write_str(problem),
            Self::Run(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for JobError {}

impl JobError {
    /// What is wrong with the job, one by one, where that is what kept it from running.
    pub fn diagnostics(&self) -> Option<Vec<Diagnostic>> {
        match self {
            Self::Refused(problems) => Some(problems.clone()),
            Self::Graph(error) => Some(error.diagnostics()),
            _ => None,
        }
    }

    /// True if the job was refused before anything ran: its graph or its state.
    pub fn is_refusal(&self) -> bool {
        match self {
            Self::Refused(_) | Self::Graph(_) | Self::Differs { .. } => true,
            Self::Run(error) => error.is_refusal(),
            Self::Build(_) | Self::Options(_) => false,
        }
    }
}

/// A job as a value.
pub struct Job {
    pub(crate) name: String,
    pub(crate) graph: JobGraphSpec,
    pub(crate) registry: Registry,
    pub(crate) locations: Locations,
    /// The state slots of each operator, by operator id.
    pub(crate) slots: BTreeMap<String, KnownSlots>,
    /// What was found while the build function ran and the graph does not show.
    pub(crate) problems: Vec<Diagnostic>,
}

impl Job {
    /// Builds a job whose operators run one subtask each, unless the function says otherwise.
    ///
    /// # Errors
    /// [`JobError::Build`] with what the function returned. What is wrong with the job it built is
    /// said, all at once, when it is planned or run.
    pub fn build(
        name: &str,
        build: impl FnOnce(&Pipeline) -> crate::Result<()>,
    ) -> Result<Self, JobError> {
        Self::build_with(name, None, build)
    }

    /// Builds a job with that many subtasks for each operator that is not set otherwise.
    ///
    /// # Errors
    /// As for [`Job::build`].
    pub fn build_with(
        name: &str,
        parallelism: Option<u32>,
        build: impl FnOnce(&Pipeline) -> crate::Result<()>,
    ) -> Result<Self, JobError> {
        let pipeline = Pipeline::new(parallelism);
        build(&pipeline).map_err(JobError::Build)?;
        Ok(Self::of(name, pipeline.build(name)))
    }

    /// The job of a graph that was built stage by stage.
    ///
    /// ```
    /// use clink::dag::Dag;
    /// use clink::{Job, RunOptions, files, sinks};
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let path = folder.path().join("lines.txt");
    /// # std::fs::write(&path, "one\ntwo\n").unwrap();
    /// # let path = path.to_str().unwrap();
    ///
    /// let mut dag = Dag::default();
    /// let lines = dag.add_source(&files::text(path));
    /// dag.add_sink(lines, &sinks::blackhole());
    /// Job::from_dag("lines", dag).run(&RunOptions::default())?;
    /// # Ok::<(), clink::JobError>(())
    /// ```
    pub fn from_dag(name: &str, dag: Dag) -> Self {
        Self::of(name, dag.build(name))
    }

    fn of(name: &str, built: DagJob) -> Self {
        let DagJob { graph, registry, locations, slots, problems } = built;
        Self { name: name.to_owned(), graph, registry, locations, slots, problems }
    }

    /// A job of built-in operators, from a graph that was written by hand. Parameters of the form
    /// `env://NAME` are looked up in the environment of this process.
    pub fn from_graph(name: &str, graph: JobGraphSpec) -> Self {
        let environment = Environment::new(|name| std::env::var(name).ok());
        let registry = Registry::with_builtins_in(environment);
        Self {
            name: name.to_owned(),
            locations: Locations::new(),
            slots: registry.slots(&graph),
            problems: Vec::new(),
            graph,
            registry,
        }
    }

    /// The job's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the author meant, before planning.
    pub fn graph(&self) -> &JobGraphSpec {
        &self.graph
    }

    /// Where the author wrote the operators.
    pub fn locations(&self) -> &Locations {
        &self.locations
    }

    /// The plan with which these options run the job: chains, subtasks, routing.
    ///
    /// # Errors
    /// [`JobError::Refused`] with all problems: those of the graph, and those found while it was
    /// built.
    pub fn plan(&self, options: &RunOptions) -> Result<JobPlan, JobError> {
        let mut plan = self.plan_graph(&self.graph, options)?;
        // A plan is worth seeing though the engine of this release could not run it.
        plan.warnings.extend(
            self.registry
                .check(&self.graph)
                .into_iter()
                .map(|found| Diagnostic { severity: Severity::Warning, ..found }),
        );
        Ok(plan)
    }

    /// The plan of a graph that is to run.
    pub(crate) fn plan_to_run(
        &self,
        graph: &JobGraphSpec,
        options: &RunOptions,
    ) -> Result<JobPlan, JobError> {
        let missing = self.registry.check(graph).into_iter();
        let missing: Vec<_> = missing.map(|found| found.located(&self.locations)).collect();
        match self.plan_graph(graph, options) {
            Ok(plan) if missing.is_empty() => Ok(plan),
            Ok(_) => Err(JobError::Refused(missing)),
            Err(JobError::Refused(problems)) => {
                Err(JobError::Refused(in_graph_order(graph, problems, missing)))
            }
            Err(error) => Err(error),
        }
    }

    pub(crate) fn plan_graph(
        &self,
        graph: &JobGraphSpec,
        options: &RunOptions,
    ) -> Result<JobPlan, JobError> {
        let facts = ValidateFacts {
            locations: self.locations.clone(),
            stateful: (self.slots.iter())
                .filter(|(_, slots)| !slots.names.is_empty())
                .map(|(operator, _)| operator.clone())
                .collect(),
            checkpoints: options.checkpoints.is_some(),
            registry: Some(&self.registry),
        };
        if self.problems.is_empty() {
            return plan_job(graph, &options.plan, &facts).map_err(JobError::Refused);
        }
        let problems = validate(graph, &facts);
        Err(JobError::Refused(in_graph_order(graph, problems, self.problems.clone())))
    }

    /// The graph and the plan as text, with the reason of every choice.
    ///
    /// # Errors
    /// As for [`Job::plan`].
    pub fn explain(&self) -> Result<String, JobError> {
        let plan = self.plan(&RunOptions::default())?;
        Ok(format!(
            "{}\n{}",
            explain_graph(&self.graph, &self.locations),
            explain_plan(&self.graph, &plan)
        ))
    }

    /// Reads a graph that must be the one this job builds: closures are known by their position in
    /// the build function only, and another graph could bind them to the wrong operators.
    ///
    /// # Errors
    /// [`JobError::Graph`] if it is no graph, [`JobError::Differs`] if it is another one.
    pub fn read_graph(&self, json: &str) -> Result<JobGraphSpec, JobError> {
        // With a key that is not known it is another graph, unless the job's own has it too.
        let graph = JobGraphSpec::from_json_tolerant(json).map_err(JobError::Graph)?;
        match difference(&self.graph, &graph) {
            Some(what) => Err(JobError::Differs { what }),
            None => Ok(graph),
        }
    }
}

/// Both lists as one, by operator and code; what concerns the whole graph first.
fn in_graph_order(
    graph: &JobGraphSpec,
    mut problems: Vec<Diagnostic>,
    others: Vec<Diagnostic>,
) -> Vec<Diagnostic> {
    problems.extend(others);
    let places: BTreeMap<&str, usize> =
        graph.operators.iter().enumerate().map(|(at, spec)| (spec.id.as_str(), at)).collect();
    problems.sort_by_key(|problem| {
        let operator = problem.operator.as_deref();
        (operator.and_then(|id| places.get(id)).copied(), problem.code)
    });
    problems
}

/// What differs first between the graph a job builds and a given one.
fn difference(own: &JobGraphSpec, given: &JobGraphSpec) -> Option<String> {
    let pairs = own.operators.iter().zip(&given.operators);
    for (own, given) in pairs {
        if own.id != given.id {
            return Some(format!("expected operator `{}`, found `{}`", own.id, given.id));
        }
        if own != given {
            return Some(format!(
                "operator `{}` of type `{}` is another (type `{}`)",
                own.id, own.type_name, given.type_name
            ));
        }
    }
    let (own_count, given_count) = (own.operators.len(), given.operators.len());
    if own_count != given_count {
        return Some(format!("expected {own_count} operators, found {given_count}"));
    }
    (own != given).then(|| "its name or its declared state differs".to_owned())
}

impl fmt::Debug for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Job").field("name", &self.name).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use crate::RunOptions;
    use crate::prelude::*;

    #[test]
    fn what_building_finds_is_told_with_what_the_graph_shows_in_its_order() {
        let job = super::Job::build("wrong", |pipeline| {
            let one = pipeline.generate(1, |n| n).uid("same");
            let other = pipeline.generate(1, |n| n).uid("same");
            one.union(other).name("both").map(|n| n).uid("").sink(blackhole());
            pipeline.generate(1, |n| n).set_parallelism(0).sink(blackhole());
            Ok(())
        });
        let text = job.unwrap().plan(&RunOptions::default()).unwrap_err().to_string();
        let codes: Vec<&str> = text.lines().filter_map(|line| line.get(6..11)).collect();
        let codes: Vec<_> = codes.into_iter().filter(|code| code.starts_with('P')).collect();
        assert_eq!(codes, ["P0901", "P0007", "P0008", "P0009"], "{text}");
    }
}
