//! Are the verbs that a job's own command line and the stand-alone one share.

use clap::parser::ValueSource;
use clap::{ArgMatches, Command};
use clink_plan::deploy::{WorkerSlots, place};
use clink_plan::explain::{Form, Format, Shown, diagnostics_to_json};
use clink_plan::planner::JobPlan;
use clink_plan::validate::{Diagnostic, Severity};
use clink_runtime::checkpoint::CheckpointError;
use clink_runtime::local::Ending;
use clink_runtime::{RuntimeError, config};

use crate::job::{Job, JobError};
use crate::run::{RunOptions, given, origin, with_engine_flags};

use super::verb_flags::{graph_flags, plan_flags};
use super::watcher::Watcher;
use super::{Exit, say, signals};

pub use super::completions::{completions, with_shell};
pub use super::examples::{Example, examples};
pub use super::log::{LogFormat, LogOptions, start as start_log};
pub use super::say::{complain, exit_of, print, refuse};
pub use super::suggest::explain;
pub use super::verb_flags::{GRAPH, KEEP, UNKNOWN_KEYS, own_flags};

/// The worker of a placement for which none was named: this process.
const THIS_PROCESS: &str = "here";

/// Adds the flags of `run` and the engine's.
pub fn with_run_flags(command: Command) -> Command {
    with_engine_flags(command)
}

/// Adds the flags of `plan` and the engine's.
pub fn with_plan_flags(command: Command) -> Command {
    with_engine_flags(command.args(plan_flags()))
}

/// Adds the graph that the stand-alone command's verbs work on.
pub fn with_graph(command: Command) -> Command {
    command.args(graph_flags())
}

/// The parallelism that the command line asks for.
pub fn parallelism(matches: &ArgMatches) -> Option<u32> {
    matches.get_one(config::PARALLELISM.flag).copied()
}

/// Runs a job and says how it went.
pub fn run(job: &Job, options: &RunOptions, matches: &ArgMatches) -> Exit {
    // Of an error as well: whoever reads the log of many jobs asks first of which it is.
    let _job = tracing::error_span!(target: "clink", "job", job = job.name()).entered();
    let signals = match signals::listen() {
        Ok(signals) => signals,
        Err(error) => return say::fail(&format!("listen for Ctrl-C: {error}")),
    };
    let mut watcher = Watcher::for_job(job.graph(), &options.bad_records);
    let result = job.run_watched(options, &signals, &mut watcher);
    watcher.clear();
    match result {
        Ok(report) => {
            watcher.ended(&report);
            match report.ending {
                Ending::Finished => Exit::Done,
                Ending::Stopped | Ending::Cancelled => Exit::Interrupted,
            }
        }
        Err(error) => {
            let exit = say::refuse_with(&error, &about_flag(&error, matches));
            watcher.failed();
            exit
        }
    }
}

/// What to add to an error about checkpoints: which flag it is about where the error names none,
/// and the variable that stood for it.
fn about_flag(error: &JobError, matches: &ArgMatches) -> String {
    let JobError::Run(RuntimeError::Checkpoint(error)) = error else { return String::new() };
    let setting = match **error {
        CheckpointError::File(_) => {
            return format!("; it is below {}", given(matches, &config::CHECKPOINT_DIR));
        }
        CheckpointError::EarlierRun { .. } | CheckpointError::InUse { .. } => {
            config::CHECKPOINT_DIR
        }
        _ => config::RESTORE,
    };
    match origin(matches, &setting) {
        Some(ValueSource::EnvVariable) => format!("; this is {}", given(matches, &setting)),
        _ => String::new(),
    }
}

/// Shows a job in the form and the format that the flags name.
///
/// A refusal goes to stderr, and as JSON to stdout where JSON was asked for.
pub fn plan(job: &Job, options: &RunOptions, matches: &ArgMatches) -> Exit {
    let shown = shown(job, options, matches);
    match shown {
        Ok(text) => print(&text),
        Err(error) => refuse_plan(&error, matches),
    }
}

fn shown(job: &Job, options: &RunOptions, matches: &ArgMatches) -> Result<String, JobError> {
    let form = matches.get_one("form").copied().unwrap_or(Form::Plan);
    let graph = job.graph();
    if form != Form::Placement && matches.value_source("workers") == Some(ValueSource::CommandLine)
    {
        return Err(JobError::Options("--workers needs --form placement".to_owned()));
    }
    Ok(match form {
        Form::Graph => Shown::Graph(graph, job.locations()).write(format(matches)),
        Form::Plan => Shown::Plan(graph, &job.plan(options)?).write(format(matches)),
        Form::Placement => {
            let plan = job.plan(options)?;
            let placement = place(&plan, &workers(matches, &plan))
                .map_err(|all| all.into_iter().map(Diagnostic::from).collect())
                .map_err(JobError::Refused)?;
            Shown::Placement(graph, &plan, &placement).write(format(matches))
        }
    })
}

fn format(matches: &ArgMatches) -> Format {
    matches.get_one("format").copied().unwrap_or(Format::Text)
}

/// The workers that were named; else this process, with a slot for each subtask.
fn workers(matches: &ArgMatches, plan: &JobPlan) -> Vec<WorkerSlots> {
    match matches.get_many::<WorkerSlots>("workers") {
        Some(workers) => workers.cloned().collect(),
        None => {
            let slots = u32::try_from(plan.tasks.len()).unwrap_or(u32::MAX);
            vec![WorkerSlots::new(THIS_PROCESS, slots)]
        }
    }
}

/// Says why there is no plan: as JSON on stdout where JSON was asked for, else on stderr.
pub fn refuse_plan(error: &JobError, matches: &ArgMatches) -> Exit {
    if format(matches) != Format::Json {
        return refuse(error);
    }
    let diagnostics = error.diagnostics().unwrap_or_else(|| vec![no_job(error)]);
    // That nobody could read why changes nothing about the refusal.
    print(&diagnostics_to_json(&diagnostics));
    exit_of(error)
}

/// What no rule of a graph says: there is no graph, or the flags do not fit each other.
fn no_job(error: &JobError) -> Diagnostic {
    Diagnostic {
        code: "P0902",
        severity: Severity::Error,
        operator: None,
        location: None,
        message: error.to_string(),
        help: None,
    }
}
