//! Finds what a command line names, its verb and its job, and what it means where it errs.

use std::ffi::OsString;
use std::path::Path;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, Error};

use crate::job::JobEntry;

use super::answer::Answer;
use super::flags::VERBS;
use super::suggest::{explain, hint, nearest};

/// What was typed, with the verb that it means.
pub(super) struct Line {
    pub(super) arguments: Vec<OsString>,
    /// `run` is the verb where none is named.
    verb_named: bool,
}

impl Line {
    pub(super) fn new(arguments: impl IntoIterator<Item = OsString>) -> Self {
        let mut arguments: Vec<OsString> = arguments.into_iter().collect();
        if arguments.is_empty() {
            arguments.push("clink".into());
        }
        // `help` alone is `--help`: what can be typed without a verb.
        if arguments.get(1).is_some_and(|first| first == "help") && arguments.len() == 2 {
            arguments.truncate(1);
            arguments.push("--help".into());
        }
        let first = arguments.get(1);
        let verb_named = first.is_some_and(|first| VERBS.iter().any(|(verb, _)| first == verb));
        if !verb_named {
            arguments.insert(1, "run".into());
        }
        Self { arguments, verb_named }
    }

    /// What the program is called by.
    pub(super) fn program(&self) -> String {
        let program = self.arguments.first().map(Path::new).and_then(Path::file_name);
        program.unwrap_or_default().to_string_lossy().into_owned()
    }

    /// The name after `--job`.
    fn job(&self) -> Option<&str> {
        let at = self.arguments.iter().position(|argument| argument == "--job");
        at.and_then(|at| self.arguments.get(at + 1)?.to_str()).or_else(|| {
            self.arguments.iter().find_map(|argument| argument.to_str()?.strip_prefix("--job="))
        })
    }

    fn verb_needs_job(&self) -> bool {
        self.arguments.get(1).is_some_and(|verb| verb == "run" || verb == "plan")
    }

    /// What clap has to say, in the words of somebody who knows the jobs and the verbs.
    pub(super) fn explained(
        &self,
        mut error: Error,
        jobs: &[&'static JobEntry],
        job: Option<&'static JobEntry>,
        command: &Command,
    ) -> Answer {
        match error.kind() {
            ErrorKind::DisplayHelp => return Answer::Clap(error),
            ErrorKind::DisplayVersion => return Answer::Text(versions(jobs, job)),
            _ => {}
        }
        explain(&mut error, command, &self.arguments);
        let stray = stray(&error);
        if let Some(tip) = stray.as_ref().and_then(|word| self.verb_meant(word, jobs)) {
            hint(&mut error, tip);
        } else if job.is_none() && self.verb_needs_job() {
            let names = jobs.iter().map(|job| job.name.to_owned());
            let meant = stray.and_then(|word| nearest(&word, names));
            return Answer::Usage(format!(
                "this binary holds {}: add `--job {}`",
                listed(jobs),
                meant.unwrap_or_else(|| "NAME".to_owned())
            ));
        }
        Answer::Clap(error)
    }

    /// A hint where a word that no flag takes is a verb, or nearly one.
    fn verb_meant(&self, word: &str, jobs: &[&'static JobEntry]) -> Option<String> {
        let is_job = jobs.iter().any(|job| job.name == word);
        if self.verb_named || is_job {
            return None;
        }
        let verb = nearest(word, VERBS.iter().map(|(verb, _)| (*verb).to_owned()))?;
        if self.arguments.get(2).is_some_and(|first| first == word) {
            return Some(format!("did you mean the verb `{verb}`?"));
        }
        Some(format!("the verb comes first: `{} {verb} …`", self.program()))
    }
}

/// A word that is no flag and that no flag takes.
fn stray(error: &Error) -> Option<String> {
    match (error.kind(), error.get(ContextKind::InvalidArg)) {
        (ErrorKind::UnknownArgument, Some(ContextValue::String(word))) => {
            (!word.starts_with('-')).then(|| word.clone())
        }
        _ => None,
    }
}

/// The job that the command line names, or the only one.
pub(super) fn chosen(
    jobs: &[&'static JobEntry],
    line: &Line,
) -> Result<Option<&'static JobEntry>, Answer> {
    let pairs = jobs.iter().zip(jobs.iter().skip(1));
    if let Some((first, second)) = pairs.into_iter().find(|(a, b)| a.name == b.name) {
        return Err(Answer::Usage(format!(
            "two jobs are named `{}`: at {} and {}; give one of them another name",
            first.name, first.location, second.location
        )));
    }
    match (line.job(), jobs) {
        (_, []) => Err(Answer::Usage(
            "this binary holds no job: a library that no path names is not linked; let \
             src/main.rs be `clink::main!(your_library);`, and put `#[clink::job]` on a function \
             of that library"
                .to_owned(),
        )),
        (Some(name), _) => match jobs.iter().find(|job| job.name == name) {
            Some(job) => Ok(Some(job)),
            None => {
                let meant = nearest(name, jobs.iter().map(|job| job.name.to_owned()));
                let meant = meant.map(|name| format!("; did you mean `{name}`?"));
                Err(Answer::Usage(format!(
                    "no job is named `{name}`; this binary holds {}{}",
                    listed(jobs),
                    meant.unwrap_or_default()
                )))
            }
        },
        (None, [only]) => Ok(Some(only)),
        (None, _) => Ok(None),
    }
}

fn listed(jobs: &[&JobEntry]) -> String {
    jobs.iter().map(|job| format!("`{}`", job.name)).collect::<Vec<_>>().join(", ")
}

/// Name and version of the chosen job, or of each.
fn versions(jobs: &[&JobEntry], job: Option<&JobEntry>) -> String {
    let line = |job: &JobEntry| format!("{} {}\n", job.name, job.version);
    match job {
        Some(job) => line(job),
        None => jobs.iter().map(|job| line(job)).collect(),
    }
}
