//! Makes the verbs and their flags: the engine's and, where a job is chosen, its own.

use std::collections::BTreeSet;
use std::fmt::Write;

use clap::builder::{StyledStr, Styles};
use clap::{Arg, ArgAction, Command};
use clink_runtime::config;

use crate::job::JobEntry;

use super::answer::Answer;
use super::verbs::{with_plan_flags, with_run_flags};

/// Every verb and what it does.
pub(super) const VERBS: [(&str, &str); 4] = [
    ("run", "Runs the job here, now (the verb where none is named)"),
    ("plan", "Shows the plan, and why each edge is what it is"),
    ("list", "Lists the jobs and operators of this binary"),
    ("help", "Shows the flags of a verb"),
];

/// The whole command line. A flag of both the engine and the job is an error of the job's author.
pub(super) fn command(
    jobs: &[&'static JobEntry],
    job: Option<&'static JobEntry>,
) -> Result<Command, Answer> {
    let [(run, _), (plan, plan_about), (list, list_about), _] = VERBS;
    let (run, plan) = (with_version(Command::new(run)), Command::new(plan));
    let (run, plan) = (with_shared_flags(run, jobs), with_shared_flags(plan, jobs));
    let (run, plan) = (with_run_flags(run), with_plan_flags(plan));
    if let Some(job) = job {
        refuse_clashes(&run, &plan, job)?;
    }
    let run = with_job_flags(run, job).about(about(jobs, job)).after_help(overview(jobs, job));
    let plan = with_job_flags(plan, job).about(plan_about).after_help(variables());
    Ok(Command::new(job.map_or("clink", |job| job.name))
        .subcommand_required(true)
        .subcommand(run.version(job.map_or("", |job| job.version)))
        .subcommand(plan)
        .subcommand(Command::new(list).about(list_about)))
}

fn with_version(command: Command) -> Command {
    let version = Arg::new("version").long("version").short('V').action(ArgAction::Version);
    command.disable_version_flag(true).arg(version.help("Print name and version"))
}

fn with_shared_flags(command: Command, jobs: &[&'static JobEntry]) -> Command {
    let several = jobs.len() > 1;
    let names = jobs.iter().map(|job| job.name).collect::<Vec<_>>();
    let pick = Arg::new("job").long("job").value_name("NAME").help("Which job").value_parser(names);
    let help = Arg::new("help").long("help").short('h').action(ArgAction::Help);
    let command = command.disable_help_flag(true).arg(help.help("Print help"));
    command.arg(pick.required(several).hide(!several))
}

fn with_job_flags(command: Command, job: Option<&JobEntry>) -> Command {
    let Some(job) = job else { return command };
    // The doc comment of a struct of arguments would stand for the verb's own line.
    (job.arguments)(command.next_help_heading("Job")).long_about(None::<&str>)
}

/// Refuses a job that declares what the engine has already, every such flag at once.
fn refuse_clashes(run: &Command, plan: &Command, job: &JobEntry) -> Result<(), Answer> {
    let engine = run.get_arguments().chain(plan.get_arguments());
    let taken: BTreeSet<String> = engine
        .flat_map(|argument| [vec![argument.get_id().to_string()], typed(argument)].concat())
        .collect();
    let mut twice = BTreeSet::new();
    for argument in (job.arguments)(Command::new("job")).get_arguments() {
        let flags: Vec<_> = typed(argument).into_iter().filter(|f| taken.contains(f)).collect();
        // An argument is known by its field too, whatever flag it has.
        let field = argument.get_id().to_string();
        let by_field = flags.is_empty() && taken.contains(&field);
        twice.extend(if by_field { vec![field] } else { flags });
    }
    let listed = twice.iter().map(|flag| format!("`{flag}`")).collect::<Vec<_>>().join(", ");
    let (name, location) = (job.name, job.location);
    match twice.len() {
        0 => Ok(()),
        1 => Err(Answer::Usage(format!(
            "{listed} is a flag of the engine, and job `{name}` ({location}) declares it again: \
             give the job's argument another name"
        ))),
        _ => Err(Answer::Usage(format!(
            "{listed} are flags of the engine, and job `{name}` ({location}) declares them again: \
             give the job's arguments other names"
        ))),
    }
}

/// The flags of an argument as a person may type them.
fn typed(argument: &Arg) -> Vec<String> {
    let longs = argument.get_long().into_iter();
    let longs = longs.chain(argument.get_all_aliases().into_iter().flatten());
    let shorts = argument.get_short().into_iter();
    let shorts = shorts.chain(argument.get_all_short_aliases().into_iter().flatten());
    longs.map(|long| format!("--{long}")).chain(shorts.map(|short| format!("-{short}"))).collect()
}

/// What stands above the flags.
fn about(jobs: &[&JobEntry], job: Option<&JobEntry>) -> String {
    match job {
        Some(job) if job.description.is_empty() => format!("{} {}", job.name, job.version),
        Some(job) => format!("{} {}: {}", job.name, job.version, job.description),
        None => format!("Runs one of {} jobs", jobs.len()),
    }
}

/// What stands below the flags: the jobs to choose from, the verbs, the variables.
fn overview(jobs: &[&JobEntry], job: Option<&JobEntry>) -> StyledStr {
    let mut text = String::new();
    if job.is_none() {
        let jobs: Vec<_> = jobs.iter().map(|job| (job.name, job.description)).collect();
        text += &table("Jobs (`--job NAME --help` shows the flags of one)", &jobs);
    }
    text += &table("Verbs (`VERB --help` shows the flags of one)", &VERBS);
    text += &variables();
    text.into()
}

fn variables() -> String {
    let dir = config::CHECKPOINT_DIR;
    format!("Each flag of the engine has a variable: --{} is {}.", dir.flag, dir.variable)
}

/// A heading and lines of two columns.
fn table(heading: &str, rows: &[(&str, &str)]) -> String {
    let header = Styles::default();
    let header = header.get_header();
    let wide = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let mut text = format!("{header}{heading}:{header:#}\n");
    for (name, what) in rows {
        // A string takes whatever is written to it.
        let _ = writeln!(text, "  {}", format!("{name:wide$}  {what}").trim_end());
    }
    text + "\n"
}
