//! Makes the command line: the verbs, their flags, and examples of their use.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Arg, Command};
use clink::cli::verbs::{with_plan_flags, with_run_flags};

/// Runs a graph.
pub(crate) const RUN: &str = "run";
/// Shows a graph, its plan or its placement.
pub(crate) const PLAN: &str = "plan";
/// Lists the operator types that a graph may name.
pub(crate) const LIST: &str = "list";
/// Nothing on stderr but errors.
pub(crate) const QUIET: &str = "quiet";
/// The file that holds the graph.
pub(crate) const GRAPH: &str = "graph";
/// What becomes of keys that this release does not know.
pub(crate) const UNKNOWN_KEYS: &str = "unknown-keys";
/// They are an error.
pub(crate) const REFUSE: &str = "refuse";
/// They are kept, with a warning.
pub(crate) const KEEP: &str = "keep";

const EXAMPLES: &str = "\
Examples:
  clink plan graph.json                          chains, subtasks and routing, with reasons
  clink plan graph.json --form graph --format svg > graph.svg
  clink plan - --format json < graph.json        the plan for programs
  clink plan graph.json --form placement --workers alpha=4,beta=4
  clink list                                     what a graph may be made of
  clink run graph.json                           until its input ends
  clink run graph.json --checkpoint-dir state    with state that survives
  clink run graph.json --checkpoint-dir state --restore latest

A job package has the same verbs: `cargo run -- plan` in its folder.";

const RUN_EXAMPLE: &str = "\
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
    Command::new("clink")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Plans and runs streaming jobs")
        .after_help(EXAMPLES)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(with_run_flags(with_graph(run)).after_help(RUN_EXAMPLE))
        .subcommand(with_plan_flags(with_graph(plan)))
        .subcommand(Command::new(LIST).about("Lists the operator types a graph may name"))
}

fn with_graph(command: Command) -> Command {
    let graph = Arg::new(GRAPH).value_name("GRAPH.json").required(true);
    let graph = graph.value_parser(clap::value_parser!(PathBuf));
    let unknown = Arg::new(UNKNOWN_KEYS).long(UNKNOWN_KEYS).value_name("WHAT");
    let unknown = unknown.value_parser(PossibleValuesParser::new([REFUSE, KEEP]));
    command
        .arg(graph.help("The job graph; `-` is stdin"))
        .arg(unknown.default_value(REFUSE).help("What to do with keys of a newer release"))
}
