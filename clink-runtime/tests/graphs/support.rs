//! Runs the text of a graph in every way, and collects the lines of its files.

use std::collections::BTreeSet;
use std::path::Path;

use clink_runtime::RuntimeError;
use clink_runtime::checkpoint::store::RestorePoint;
use clink_runtime::local::{
    CheckpointOptions, JobReport, LocalExecutor, LocalOptions, NoObserver, Signal,
};
use clink_runtime::plan::descriptor::Locations;
use clink_runtime::plan::graph::JobGraphSpec;
use clink_runtime::plan::planner::{JobPlan, PlanOptions, plan_job};
use clink_runtime::plan::validate::ValidateFacts;
use clink_runtime::registry::Registry;
use clink_runtime::scheduler::SchedulerKind;
use clink_runtime::sys::files;
use crossbeam_channel::Receiver;
use tempfile::TempDir;

/// How a graph is run.
pub(crate) struct Way {
    pub(crate) plan: PlanOptions,
    pub(crate) scheduler: SchedulerKind,
    pub(crate) capacity: u32,
    /// Time between checkpoints; none are taken without.
    pub(crate) interval_ms: Option<u64>,
    pub(crate) restored: bool,
    pub(crate) signals: Receiver<Signal>,
}

impl Default for Way {
    fn default() -> Self {
        Self {
            plan: PlanOptions::default(),
            scheduler: SchedulerKind::Pool { threads: Some(2) },
            capacity: 2_048,
            interval_ms: None,
            restored: false,
            signals: crossbeam_channel::never(),
        }
    }
}

pub(crate) const PLANS: [PlanOptions; 3] = [
    PlanOptions { chaining: true, fuse_par1: false },
    PlanOptions { chaining: true, fuse_par1: true },
    PlanOptions { chaining: false, fuse_par1: false },
];

/// A folder for the files of one graph: in memory where there is such a file system, since waiting
/// for a disk proves nothing here.
pub(crate) struct Files(TempDir);

impl Files {
    pub(crate) fn new() -> Self {
        let memory = tempfile::tempdir_in(Path::new("/dev/shm"));
        Self(memory.or_else(|_| tempfile::tempdir()).unwrap())
    }

    /// Runs a graph in which `@` stands for the folder.
    pub(crate) fn run(&self, registry: &Registry, text: &str, way: Way) -> Outcome {
        let graph = self.graph(text);
        let slots = registry.slots(&graph);
        let plan = plan(registry, &graph, &way);
        let checkpoints = way.interval_ms.map(|interval_ms| CheckpointOptions {
            dir: self.0.path().join("checkpoints"),
            interval_ms,
            timeout_ms: 600_000,
        });
        let options = LocalOptions {
            scheduler: way.scheduler,
            channel_capacity: way.capacity,
            restore: way.restored.then_some(RestorePoint::Latest),
            checkpoints,
            ..LocalOptions::new("graph")
        };
        let locations = Locations::new();
        let executor = LocalExecutor {
            graph: &graph,
            plan: &plan,
            registry,
            slots: &slots,
            locations: &locations,
            options,
        };
        executor.run(&way.signals, &mut NoObserver)
    }

    /// The message with which a run ends that fails, the folder left out.
    pub(crate) fn failure(&self, text: &str) -> String {
        self.shown(&self.run(&Registry::with_builtins(), text, Way::default()).unwrap_err())
    }

    /// A message, the folder left out.
    pub(crate) fn shown(&self, message: &impl ToString) -> String {
        message.to_string().replace(self.0.path().to_str().unwrap(), "@")
    }

    pub(crate) fn graph(&self, text: &str) -> JobGraphSpec {
        let text = text.replace('@', self.0.path().to_str().unwrap());
        JobGraphSpec::from_json(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        files::write_durable(&self.0.path().join(name), text.as_bytes()).unwrap();
    }

    pub(crate) fn text(&self, name: &str) -> String {
        String::from_utf8(files::read(&self.0.path().join(name)).unwrap()).unwrap()
    }

    /// The files of a sink by name: the path itself and its numbered parts.
    pub(crate) fn names(&self, base: &str) -> Vec<String> {
        let entries = files::list_folder(self.0.path()).unwrap();
        let names = entries.into_iter().map(|entry| entry.name.into_string().unwrap());
        let mut names: Vec<String> = names
            .filter(|name| {
                name.strip_prefix(base).is_some_and(|s| s.is_empty() || s.starts_with('.'))
            })
            .collect();
        names.sort();
        names
    }

    /// True if there is a complete checkpoint.
    pub(crate) fn has_checkpoint(&self) -> bool {
        let folder = self.0.path().join("checkpoints/graph");
        let entries = files::list_folder(&folder).unwrap();
        entries.iter().any(|entry| entry.path.join("manifest.json").exists())
    }

    /// The lines of all files of a sink, sorted: which instance wrote which is not looked at.
    pub(crate) fn lines(&self, base: &str) -> Vec<String> {
        let texts: Vec<String> = self.names(base).iter().map(|name| self.text(name)).collect();
        assert!(texts.iter().all(|text| text.is_empty() || text.ends_with('\n')), "{texts:?}");
        let mut lines: Vec<String> =
            texts.iter().flat_map(|text| text.lines().map(str::to_owned)).collect();
        lines.sort();
        lines
    }
}

/// What the planner makes of a graph.
#[track_caller]
pub(crate) fn plan(registry: &Registry, graph: &JobGraphSpec, way: &Way) -> JobPlan {
    let slots = registry.slots(graph);
    let stateful: BTreeSet<String> = slots
        .iter()
        .filter(|(_, slots)| !slots.names.is_empty())
        .map(|(id, _)| id.clone())
        .collect();
    let facts = ValidateFacts {
        stateful,
        checkpoints: way.interval_ms.is_some(),
        registry: Some(registry),
        ..ValidateFacts::default()
    };
    plan_job(graph, &way.plan, &facts).unwrap_or_else(|found| panic!("{found:?}"))
}

pub(crate) type Outcome = Result<JobReport, RuntimeError>;

/// Lines as [`Files::lines`] gives them.
pub(crate) fn sorted<T: ToString>(values: impl IntoIterator<Item = T>) -> Vec<String> {
    let mut lines: Vec<String> = values.into_iter().map(|value| value.to_string()).collect();
    lines.sort();
    lines
}

/// Runs a graph under every plan, with channels of one record and of many, at several parallelisms
/// (`#` stands for it), and compares the lines of the sink `@/out`.
#[track_caller]
pub(crate) fn every_way(text: &str, expected: &[String], prepare: impl Fn(&Files)) {
    let registry = Registry::with_builtins();
    for parallelism in ["1", "3"] {
        for plan in PLANS {
            for capacity in [1, 2_048] {
                let files = Files::new();
                prepare(&files);
                let way = Way { plan, capacity, ..Way::default() };
                let told = format!("parallelism {parallelism}, {plan:?}, capacity {capacity}");
                let outcome = files.run(&registry, &text.replace('#', parallelism), way);
                outcome.unwrap_or_else(|error| panic!("{told}: {error}"));
                assert_eq!(files.lines("out"), expected, "{told}");
            }
        }
    }
}
