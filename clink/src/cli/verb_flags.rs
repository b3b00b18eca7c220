//! Are the flags that verbs have besides the engine's.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Arg, ArgAction, value_parser};
use clink_plan::deploy::WorkerSlots;
use clink_plan::explain::{Form, Format};

use super::completions::shell_argument;

/// The file that holds the graph.
pub const GRAPH: &str = "graph";
/// What becomes of keys that this release does not know.
pub const UNKNOWN_KEYS: &str = "unknown-keys";
/// They are kept, with a warning.
pub const KEEP: &str = "keep";
/// They are an error.
const REFUSE: &str = "refuse";

/// Every flag that is not the engine's, and which verbs have it: what the book lists.
pub fn own_flags() -> Vec<(&'static str, Arg)> {
    let at = |verbs: &'static str, flags: Vec<Arg>| flags.into_iter().map(move |own| (verbs, own));
    let graph = at("`clink run`, `clink plan`", graph_flags());
    let job = at("`JOB run`, `JOB plan`, where there are several", vec![job_flag(Vec::new())]);
    let version = at("`JOB`, `clink`", vec![version_flag()]);
    graph
        .chain(job)
        .chain(at("`plan`", plan_flags()))
        .chain(at("`completions`", vec![shell_argument()]))
        .chain(version)
        .chain(at("every verb", vec![help_flag()]))
        .collect()
}

/// What `plan` shows, and how.
pub(super) fn plan_flags() -> Vec<Arg> {
    let form = Arg::new("form").long("form").value_name("FORM").value_parser(form_parser());
    let format = Arg::new("format").long("format").value_name("FORMAT");
    let format = format.value_parser(format_parser()).default_value("text");
    let workers = Arg::new("workers").long("workers").value_name("NAME=SLOTS,…");
    let workers = workers.value_parser(worker).value_delimiter(',').action(ArgAction::Append);
    let here =
        "The workers of a placement and their slots, 1 or more each [without it: this process]";
    vec![
        form.default_value("plan").help("Which form of the job"),
        format.help("How to show it"),
        workers.help(here),
    ]
}

/// Which graph the stand-alone command works on.
pub(super) fn graph_flags() -> Vec<Arg> {
    let graph = Arg::new(GRAPH).value_name("GRAPH.json").required(true);
    let graph = graph.value_parser(value_parser!(PathBuf));
    let unknown = Arg::new(UNKNOWN_KEYS).long(UNKNOWN_KEYS).value_name("WHAT");
    let unknown = unknown.value_parser(PossibleValuesParser::new([REFUSE, KEEP]));
    vec![
        graph.help("The job graph; `-` is stdin"),
        unknown.default_value(REFUSE).help("What to do with keys of a newer release"),
    ]
}

/// Which job of a package that has several.
pub(super) fn job_flag(names: Vec<&'static str>) -> Arg {
    Arg::new("job").long("job").value_name("NAME").help("Which job").value_parser(names)
}

pub(super) fn version_flag() -> Arg {
    let version = Arg::new("version").long("version").short('V').action(ArgAction::Version);
    version.help("Print name and version")
}

pub(super) fn help_flag() -> Arg {
    Arg::new("help").long("help").short('h').action(ArgAction::Help).help("Print help")
}

fn form_parser() -> impl TypedValueParser<Value = Form> {
    let values = Form::ALL.iter().map(|form| possible(form.as_str(), form.help()));
    PossibleValuesParser::new(values).map(|name| {
        let form = Form::ALL.iter().find(|form| form.as_str() == name);
        *form.expect("the parser takes the names of forms only")
    })
}

fn format_parser() -> impl TypedValueParser<Value = Format> {
    let values = Format::ALL.iter().map(|format| possible(format.as_str(), format.help()));
    PossibleValuesParser::new(values).map(|name| {
        let format = Format::ALL.iter().find(|format| format.as_str() == name);
        *format.expect("the parser takes the names of formats only")
    })
}

fn possible(name: &'static str, help: &'static str) -> clap::builder::PossibleValue {
    clap::builder::PossibleValue::new(name).help(help)
}

/// Parses `NAME=SLOTS`.
fn worker(text: &str) -> Result<WorkerSlots, String> {
    let wanted = || format!("expected NAME=SLOTS, as in `alpha=4,beta=4`, found `{text}`");
    let (name, slots) = text.split_once('=').ok_or_else(wanted)?;
    let slots: u32 = slots.parse().map_err(|_| wanted())?;
    if name.trim().is_empty() || slots == 0 {
        return Err(wanted());
    }
    Ok(WorkerSlots::new(name.trim(), slots))
}
