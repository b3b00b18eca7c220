//! Reads the command line: a verb, the engine's flags and the job's own.

use std::ffi::OsString;

use clap::ArgMatches;

use crate::job::{Job, JobEntry, JobError};
use crate::run::RunOptions;

use super::Exit;
use super::answer::Answer;
use super::choice::{Line, chosen};
use super::completions::completions;
use super::flags::{command, whole};
use super::verbs::parallelism;

/// What to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verb {
    Run,
    Plan,
    List,
    Completions,
}

/// A command line that has been understood.
#[derive(Debug)]
pub(super) struct Invocation {
    pub(super) verb: Verb,
    pub(super) jobs: Vec<&'static JobEntry>,
    job: Option<&'static JobEntry>,
    matches: ArgMatches,
    /// What it is called by.
    program: String,
}

impl Invocation {
    pub(super) fn parse(
        jobs: Vec<&'static JobEntry>,
        arguments: impl IntoIterator<Item = OsString>,
    ) -> Result<Self, Answer> {
        let line = Line::new(arguments);
        let job = chosen(&jobs, &line)?;
        let program = line.program();
        let mut command = command(&jobs, job, &program)?;
        let matches = command
            .try_get_matches_from_mut(&line.arguments)
            .map_err(|error| line.explained(error, &jobs, job, &command))?;
        let (verb, matches) = match matches.subcommand() {
            Some(("plan", matches)) => (Verb::Plan, matches.clone()),
            Some(("list", matches)) => (Verb::List, matches.clone()),
            Some(("completions", matches)) => (Verb::Completions, matches.clone()),
            _ => (Verb::Run, matches.subcommand_matches("run").unwrap_or(&matches).clone()),
        };
        Ok(Self { verb, jobs, job, matches, program })
    }

    /// The job to work on.
    pub(super) fn job(&self) -> Result<Job, JobError> {
        let entry = self.job.ok_or_else(|| JobError::Options("no job was chosen".to_owned()))?;
        let parallelism = parallelism(&self.matches);
        Job::build_with(entry.name, parallelism, |pipeline| (entry.build)(pipeline, &self.matches))
    }

    /// How to run it.
    pub(super) fn options(&self) -> Result<RunOptions, String> {
        RunOptions::from_flags(&self.matches)
    }

    /// Writes the script of a shell that completes every line of this program.
    pub(super) fn completions(&self) -> Exit {
        completions(whole(&self.jobs), &self.program, &self.matches)
    }

    /// The job as the inventory holds it.
    pub(super) fn entry(&self) -> Option<&'static JobEntry> {
        self.job
    }

    pub(super) fn matches(&self) -> &ArgMatches {
        &self.matches
    }
}
