//! Makes the examples of help: lines that can be typed as they stand.

use std::fmt::Write;

use clap::builder::Styles;
use clap::{Arg, ArgAction, Command};

use crate::job::JobEntry;

/// A line to type, and what it is for.
pub struct Example {
    /// What it is for.
    pub what: String,
    /// The line.
    pub line: String,
}

impl Example {
    /// An example.
    pub fn new(what: &str, line: impl Into<String>) -> Self {
        Self { what: what.to_owned(), line: line.into() }
    }
}

/// Examples as help shows them: each below a comment of the shell that says what it is for.
pub fn examples(examples: &[Example]) -> String {
    let mut text = heading("Examples");
    for Example { what, line } in examples {
        // A string takes whatever is written to it.
        let _ = writeln!(text, "  # {what}\n  {line}");
    }
    text + "\n"
}

/// A heading as help shows it.
pub(super) fn heading(title: &str) -> String {
    let styles = Styles::default();
    let header = styles.get_header();
    format!("{header}{title}:{header:#}\n")
}

/// What the examples of a job package are made of.
pub(super) struct Shown {
    program: String,
    /// What every line needs: which job, where there are several, and what that job requires.
    needed: String,
    /// A flag of the job that need not be given.
    own: Option<String>,
}

impl Shown {
    /// For this program; the job that was chosen, else the first one, lends its flags.
    pub(super) fn new(program: &str, jobs: &[&JobEntry], job: Option<&JobEntry>) -> Self {
        let mut shown = Self { program: program.to_owned(), needed: String::new(), own: None };
        let Some(job) = job.or(jobs.first().copied()) else { return shown };
        if jobs.len() > 1 {
            shown.needed += &format!(" --job {}", job.name);
        }
        let own = (job.arguments)(Command::new("job"));
        let mut own: Vec<&Arg> = own.get_arguments().collect();
        own.retain(|own| own.is_required_set() || !own.is_hide_set());
        own.sort_by_key(|own| own.get_long().is_none());
        let (required, optional): (Vec<&Arg>, Vec<&Arg>) =
            own.into_iter().partition(|own| own.is_required_set());
        required.iter().for_each(|own| shown.needed += &typed(own));
        shown.own = optional.iter().find(|own| own.get_long().is_some()).map(|own| typed(own));
        shown
    }

    fn line(&self, verb: &str, flags: &str) -> String {
        let Self { program, needed, .. } = self;
        let verb = if verb.is_empty() { String::new() } else { format!(" {verb}") };
        let flags = if flags.is_empty() { String::new() } else { format!(" {flags}") };
        format!("{program}{verb}{needed}{flags}")
    }

    /// How to run the job.
    pub(super) fn run(&self) -> Vec<Example> {
        let mut all = vec![Example::new("Runs until its input ends", self.line("", ""))];
        if let Some(own) = &self.own {
            let line = self.line("", "--parallelism 4") + own;
            all.push(Example::new("A flag of the engine and one of the job", line));
        }
        let saving = "--checkpoint-dir state";
        all.push(Example::new("Saves its state every 10 s", self.line("", saving)));
        let again = format!("{saving} --restore latest");
        all.push(Example::new("Goes on from the last checkpoint", self.line("", &again)));
        let logged = self.line("", "--log-format json") + " 2> log.ndjson";
        all.push(Example::new("Results to stdout, a log for programs", logged));
        all
    }

    /// How to look at it before.
    pub(super) fn plan(&self) -> Vec<Example> {
        let plan = |what, flags| Example::new(what, self.line("plan", flags));
        let drawn = self.line("plan", "--form graph --format svg") + " > graph.svg";
        vec![
            plan("Chains, subtasks and routing, with reasons", ""),
            plan("The same for programs", "--parallelism 4 --format json"),
            Example::new("The graph as a picture", drawn),
            plan("Which subtask on which worker", "--form placement --workers alpha=8,beta=8"),
        ]
    }
}

/// An argument as somebody would type it: with its default, one of its values, or what stands for
/// one.
fn typed(argument: &Arg) -> String {
    let flag = match (argument.get_long(), argument.get_short()) {
        (Some(long), _) => format!(" --{long}"),
        (None, Some(short)) => format!(" -{short}"),
        (None, None) => String::new(),
    };
    if !argument.get_action().takes_values() || matches!(argument.get_action(), ArgAction::SetTrue)
    {
        return flag;
    }
    let default = argument.get_default_values().first().map(|value| value.to_string_lossy());
    let possible = argument.get_possible_values();
    let possible = possible.first().map(|value| value.get_name());
    let named = argument.get_value_names().and_then(|names| names.first());
    let value = default.as_deref().or(possible).or(named.map(clap::builder::Str::as_str));
    let value = value.map_or_else(|| argument.get_id().as_str().to_uppercase(), str::to_owned);
    format!("{flag} {}", quoted(&value))
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:,=@%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_argument_is_typed_with_a_value_that_a_shell_takes() {
        for (argument, says) in [
            (Arg::new("input").long("input").default_value("a/b.csv.gz"), " --input a/b.csv.gz"),
            (Arg::new("title").long("title").default_value("it's"), r" --title 'it'\''s'"),
            (Arg::new("kind").short('k').value_parser(["a", "b"]), " -k a"),
            (Arg::new("top").long("top").value_name("N"), " --top N"),
            (Arg::new("file"), " FILE"),
            (Arg::new("all").long("all").action(ArgAction::SetTrue), " --all"),
        ] {
            let command = Command::new("job").arg(argument);
            let mut command = command;
            command.build();
            let argument = command.get_arguments().next().unwrap();
            assert_eq!(typed(argument), says);
        }
    }
}
