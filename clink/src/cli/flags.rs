//! Makes the verbs and their flags: the engine's and, where a job is chosen, its own.

use std::collections::BTreeSet;
use std::fmt::Write;

use clap::builder::StyledStr;
use clap::{Arg, Command};
use clink_runtime::config;

use crate::job::JobEntry;

use super::answer::Answer;
use super::completions::with_shell;
use super::examples::{Shown, examples, heading};
use super::verb_flags::{help_flag, job_flag, version_flag};
use super::verbs::{with_plan_flags, with_run_flags};

/// Every verb and what it does.
pub(super) const VERBS: [(&str, &str); 5] = [
    ("run", "Runs the job here, now (the verb where none is named)"),
    ("plan", "Shows the plan, and why each edge is what it is"),
    ("list", "Lists the jobs and operators of this binary"),
    ("completions", "Writes what makes a shell complete this command line"),
    ("help", "Shows the flags of a verb"),
];

/// The whole command line. A flag of both the engine and the job is an error of the job's author.
pub(super) fn command(
    jobs: &[&'static JobEntry],
    job: Option<&'static JobEntry>,
    program: &str,
) -> Result<Command, Answer> {
    let [(run, _), (plan, plan_about), (list, list_about), (complete, complete_about), _] = VERBS;
    let (run, plan) = (with_version(Command::new(run)), Command::new(plan));
    let (run, plan) = (with_shared_flags(run, jobs), with_shared_flags(plan, jobs));
    let (run, plan) = (with_run_flags(run), with_plan_flags(plan));
    if let Some(job) = job {
        refuse_clashes(&run, &plan, job)?;
    }
    let shown = Shown::new(program, jobs, job);
    let run = with_job_flags(run, job).about(about(jobs, job));
    let run = run.after_help(overview(jobs, job, &shown));
    let plan = with_job_flags(plan, job).about(plan_about);
    let plan = plan.after_help(examples(&shown.plan()) + &variables());
    Ok(Command::new(job.map_or("clink", |job| job.name))
        .subcommand_required(true)
        .subcommand(run.version(job.map_or("", |job| job.version)))
        .subcommand(plan)
        .subcommand(Command::new(list).about(list_about))
        .subcommand(with_shell(Command::new(complete).about(complete_about), program)))
}

/// The whole command line as a shell is to complete it: the flags of every job, and those of `run`
/// without the verb as well.
pub(super) fn whole(jobs: &[&'static JobEntry]) -> Command {
    let [run, plan, list, complete, _] = VERBS;
    let verb = |(name, about): (&'static str, &'static str)| Command::new(name).about(about);
    let shared = |command| with_shared_flags(command, jobs);
    let run = with_run_flags(shared(verb(run)));
    let plan = with_plan_flags(shared(verb(plan)));
    let (run, plan) = jobs
        .iter()
        .fold((run, plan), |(run, plan), job| (with_flags_of(run, job), with_flags_of(plan, job)));
    // A version that is printed is asked of a program, not of a script.
    let run = with_version(run).version("");
    let root = run.get_arguments().fold(Command::new("clink"), Command::arg);
    let root = root.version("").disable_help_flag(true).disable_version_flag(true);
    let root = root.subcommand(run).subcommand(plan).subcommand(verb(list));
    root.subcommand(with_shell(verb(complete), ""))
}

/// Adds the flags of a job that no other has brought along.
fn with_flags_of(command: Command, job: &JobEntry) -> Command {
    let own = (job.arguments)(Command::new("job"));
    let taken: BTreeSet<String> = command.get_arguments().flat_map(names_of).collect();
    let new = |argument: &&Arg| names_of(argument).iter().all(|name| !taken.contains(name));
    let new: Vec<Arg> = own.get_arguments().filter(new).cloned().collect();
    new.into_iter().fold(command, |command, argument| {
        // Whoever completes a word has typed no other yet; nor does a place in a line mean a thing
        // where several jobs have one.
        command.arg(argument.required(false))
    })
}

/// The field and the flags of an argument.
fn names_of(argument: &Arg) -> Vec<String> {
    [vec![argument.get_id().to_string()], typed(argument)].concat()
}

fn with_version(command: Command) -> Command {
    command.disable_version_flag(true).arg(version_flag())
}

fn with_shared_flags(command: Command, jobs: &[&'static JobEntry]) -> Command {
    let several = jobs.len() > 1;
    let pick = job_flag(jobs.iter().map(|job| job.name).collect());
    let command = command.disable_help_flag(true).arg(help_flag());
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
    let taken: BTreeSet<String> = engine.flat_map(names_of).collect();
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

/// What stands below the flags: examples, the jobs to choose from, the verbs, the variables.
fn overview(jobs: &[&JobEntry], job: Option<&JobEntry>, shown: &Shown) -> StyledStr {
    let mut text = examples(&shown.run());
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
fn table(title: &str, rows: &[(&str, &str)]) -> String {
    let wide = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let mut text = heading(title);
    for (name, what) in rows {
        // A string takes whatever is written to it.
        let _ = writeln!(text, "  {}", format!("{name:wide$}  {what}").trim_end());
    }
    text + "\n"
}
