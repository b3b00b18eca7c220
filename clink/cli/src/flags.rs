//! Makes the command line: the verbs, their flags, and examples of their use.

use clap::error::{ContextKind, ContextValue};
use clap::{Command, Error};
use clink::cli::verbs::{
    Example, examples, with_graph, with_plan_flags, with_run_flags, with_shell,
};

/// What the program is called by.
pub(crate) const PROGRAM: &str = "clink";
/// Runs a graph.
pub(crate) const RUN: &str = "run";
/// Shows a graph, its plan or its placement.
pub(crate) const PLAN: &str = "plan";
/// Lists the operator types that a graph may name.
pub(crate) const LIST: &str = "list";
/// Writes what makes a shell complete the command line.
pub(crate) const COMPLETIONS: &str = "completions";

const PACKAGES: &str = "A job package has the same verbs: `cargo run -- plan` in its folder.";

const GRAPH_OF: &str = "\
A graph of built-in operators:
  {\"ops\":[
    {\"id\":\"numbers\",\"type\":\"int64_range_source\",\"uid\":\"numbers\",
     \"out_channel\":\"int64\",\"params\":{\"count\":\"10\"}},
    {\"id\":\"even\",\"type\":\"even_filter_int64\",\"out_channel\":\"int64\",
     \"inputs\":[\"numbers\"]},
    {\"id\":\"print\",\"type\":\"print\",\"out_channel\":\"int64\",\"inputs\":[\"even\"]}]}";

/// The whole command line.
pub(crate) fn command() -> Command {
    let run = Command::new(RUN).about("Runs a job graph of built-in operators here, now");
    let plan = Command::new(PLAN).about("Shows a job graph, its plan or its placement");
    let complete = Command::new(COMPLETIONS);
    let complete = complete.about("Writes what makes a shell complete this command line");
    Command::new(PROGRAM)
        .version(env!("CARGO_PKG_VERSION"))
        .about("Plans and runs streaming jobs")
        .after_help(examples(&examples_of_all()) + PACKAGES)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(
            with_run_flags(with_graph(run)).after_help(examples(&run_examples()) + GRAPH_OF),
        )
        .subcommand(with_plan_flags(with_graph(plan)).after_help(examples(&plan_examples())))
        .subcommand(Command::new(LIST).about("Lists the operator types a graph may name"))
        .subcommand(with_shell(complete, PROGRAM))
}

fn examples_of_all() -> Vec<Example> {
    vec![
        Example::new("What a graph may be made of", "clink list"),
        Example::new("Chains, subtasks and routing, with reasons", "clink plan graph.json"),
        Example::new("Runs until its input ends", "clink run graph.json"),
    ]
}

fn run_examples() -> Vec<Example> {
    let again = "clink run graph.json --checkpoint-dir state --restore latest";
    let saving = "clink run graph.json --checkpoint-dir state";
    let logged = "clink run - --log-format json < graph.json 2> log.ndjson";
    vec![
        Example::new("Runs until its input ends", "clink run graph.json --parallelism 4"),
        Example::new("Saves its state every 10 s", saving),
        Example::new("Goes on from the last checkpoint", again),
        Example::new("Results to stdout, a log for programs", logged),
    ]
}

fn plan_examples() -> Vec<Example> {
    let placed = "clink plan graph.json --form placement --workers alpha=8,beta=8";
    let drawn = "clink plan graph.json --form graph --format svg > graph.svg";
    vec![
        Example::new("Chains, subtasks and routing, with reasons", "clink plan graph.json"),
        Example::new("The same for programs", "clink plan - --format json < graph.json"),
        Example::new("The graph as a picture", drawn),
        Example::new("Which subtask on which worker", placed),
    ]
}

/// Says to who names a graph only, or its file's name, that a verb comes before it.
pub(crate) fn explain_graph(error: &mut Error) {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else {
        return;
    };
    if word == "-" || word.contains(['.', '/']) {
        let tip = format!("to run it: `{PROGRAM} {RUN} {word}`; to look at it: `{PLAN}`");
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
}
