//! Reads the command line: a verb, the engine's flags and the job's own.

use std::collections::BTreeSet;
use std::ffi::OsString;

use clap::{Arg, ArgMatches, Command, ValueEnum};

use crate::job::{Job, JobEntry, JobError};
use crate::run::{RunOptions, parallelism, with_engine_flags};

use super::{Exit, complain};

/// What to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verb {
    Run,
    Plan,
    List,
}

/// The forms of a job that `plan` shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Form {
    /// What the author meant
    Graph,
    /// Chains, subtasks and routing
    Plan,
}

/// How `plan` shows them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For people
    Text,
    /// For programs
    Json,
}

/// A command line that has been understood.
pub(super) struct Invocation {
    pub(super) verb: Verb,
    pub(super) jobs: Vec<&'static JobEntry>,
    job: Option<&'static JobEntry>,
    matches: ArgMatches,
}

impl Invocation {
    pub(super) fn parse(
        jobs: Vec<&'static JobEntry>,
        arguments: impl IntoIterator<Item = OsString>,
    ) -> Result<Self, Exit> {
        let arguments = with_verb(arguments.into_iter().collect());
        let job = chosen(&jobs, &arguments)?;
        let command = command(&jobs, job)?;
        let matches = command.try_get_matches_from(arguments).map_err(|error| {
            let exit = if error.use_stderr() { Exit::Usage } else { Exit::Done };
            // Help goes to stdout, complaints to stderr; a closed stream is nobody's concern.
            let _ = error.print();
            exit
        })?;
        let (verb, matches) = match matches.subcommand() {
            Some(("plan", matches)) => (Verb::Plan, matches.clone()),
            Some(("list", matches)) => (Verb::List, matches.clone()),
            Some((_, matches)) => (Verb::Run, matches.clone()),
            None => return Err(Exit::Usage),
        };
        Ok(Self { verb, jobs, job, matches })
    }

    /// The job to work on.
    pub(super) fn job(&self) -> Result<Job, JobError> {
        let entry = self.job.ok_or_else(|| JobError::Options("no job was chosen".to_owned()))?;
        let parallelism = parallelism(&self.matches);
        Job::build_with(entry.name, parallelism, |pipeline| (entry.build)(pipeline, &self.matches))
    }

    /// How to run it.
    pub(super) fn options(&self) -> Result<RunOptions, JobError> {
        RunOptions::from_flags(&self.matches).map_err(JobError::Options)
    }

    pub(super) fn form(&self) -> Option<Form> {
        self.matches.get_one("form").copied()
    }

    pub(super) fn format(&self) -> Option<Format> {
        self.matches.get_one("format").copied()
    }

    pub(super) fn quiet(&self) -> bool {
        self.matches.get_flag("quiet")
    }
}

const VERBS: [&str; 4] = ["run", "plan", "list", "help"];

/// `run` is the verb where none is named.
fn with_verb(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let first = arguments.get(1).and_then(|argument| argument.to_str());
    let stands_alone = |argument: &str| {
        VERBS.contains(&argument) || matches!(argument, "-h" | "--help" | "-V" | "--version")
    };
    if !first.is_some_and(stands_alone) {
        arguments.insert(1.min(arguments.len()), "run".into());
    }
    arguments
}

/// The job that the command line names, or the only one.
fn chosen(
    jobs: &[&'static JobEntry],
    arguments: &[OsString],
) -> Result<Option<&'static JobEntry>, Exit> {
    if let Some((first, second)) =
        jobs.iter().zip(jobs.iter().skip(1)).find(|(a, b)| a.name == b.name)
    {
        complain(&format!(
            "two jobs are named `{}`: at {} and {}; give one of them another name",
            first.name, first.location, second.location
        ));
        return Err(Exit::Usage);
    }
    let listed = || jobs.iter().map(|job| format!("`{}`", job.name)).collect::<Vec<_>>().join(", ");
    let wanted = arguments.iter().position(|a| a == "--job").and_then(|at| arguments.get(at + 1));
    let wanted = wanted
        .and_then(|name| name.to_str())
        .or_else(|| arguments.iter().filter_map(|a| a.to_str()?.strip_prefix("--job=")).next());
    match (wanted, jobs) {
        (_, []) => {
            complain(
                &"this binary holds no job: a library that no path names is not linked; let \
                  src/main.rs be `clink::main!(your_library);`, and put `#[clink::job]` on a \
                  function of that library",
            );
            Err(Exit::Usage)
        }
        (Some(name), _) => match jobs.iter().find(|job| job.name == name) {
            Some(job) => Ok(Some(job)),
            None => {
                complain(&format!("no job is named `{name}`; this binary holds {}", listed()));
                Err(Exit::Usage)
            }
        },
        (None, [only]) => Ok(Some(only)),
        (None, _) => Ok(None),
    }
}

fn command(jobs: &[&'static JobEntry], job: Option<&JobEntry>) -> Result<Command, Exit> {
    let about = match (job, jobs) {
        (Some(job), _) => format!("{} {}: {}", job.name, job.version, job.description),
        (None, _) => {
            "Jobs: ".to_owned() + &jobs.iter().map(|job| job.name).collect::<Vec<_>>().join(", ")
        }
    };
    let quiet = Arg::new("quiet")
        .long("quiet")
        .short('q')
        .action(clap::ArgAction::SetTrue)
        .help("Nothing on stderr but errors");
    let run = Command::new("run").about("Runs the job here, now (the verb where none is named)");
    let run = with_flags(run.arg(quiet), jobs, job)?;
    let form = Arg::new("form")
        .long("form")
        .value_parser(clap::value_parser!(Form))
        .default_value("plan")
        .help("Which form of the job");
    let format = Arg::new("format")
        .long("format")
        .value_parser(clap::value_parser!(Format))
        .default_value("text")
        .help("How to show it");
    let plan = Command::new("plan").about("Shows the plan, and why each edge is what it is");
    let plan = with_flags(plan.arg(form).arg(format), jobs, job)?;
    let list = Command::new("list").about("Lists the jobs and operators of this binary");
    Ok(Command::new(job.map_or("clink", |job| job.name))
        .about(about)
        .version(job.map_or("", |job| job.version))
        .subcommand_required(true)
        .subcommand(run)
        .subcommand(plan)
        .subcommand(list))
}

/// Adds the engine's flags and the job's own; a flag of both is an error of the job's author.
fn with_flags(
    command: Command,
    jobs: &[&'static JobEntry],
    job: Option<&JobEntry>,
) -> Result<Command, Exit> {
    let mut command = with_engine_flags(command);
    let names = jobs.iter().map(|job| job.name).collect::<Vec<_>>();
    let pick = Arg::new("job").long("job").value_name("NAME").help("Which job").value_parser(names);
    command = command.arg(pick.required(jobs.len() > 1).hide(jobs.len() == 1));
    let Some(job) = job else { return Ok(command) };
    let mut taken = flags(&command);
    taken.extend(["--help".to_owned(), "-h".to_owned()]);
    let own = flags(&(job.arguments)(Command::new("job")));
    if let Some(twice) = own.iter().find(|flag| taken.contains(*flag)) {
        complain(&format!(
            "`{twice}` is a flag of the engine, and job `{}` ({}) declares it again: give the \
             job's argument another name",
            job.name, job.location
        ));
        return Err(Exit::Usage);
    }
    // The doc comment of a struct of arguments would stand for the verb's own line.
    let about = command.get_about().cloned().unwrap_or_default();
    let command = (job.arguments)(command.next_help_heading("Job"));
    Ok(command.about(about).long_about(None::<&str>))
}

/// The flags of a command as a person types them, and clap's ids of them.
fn flags(command: &Command) -> BTreeSet<String> {
    let mut flags = BTreeSet::new();
    for argument in command.get_arguments() {
        flags.insert(argument.get_id().to_string());
        flags.extend(argument.get_long().map(|long| format!("--{long}")));
        flags.extend(argument.get_short().map(|short| format!("-{short}")));
    }
    flags
}
