//! Parameters that are missing, unknown, or something else than they should be.

use clink_runtime::registry::Registry;
use clink_runtime::registry::builtin::Environment;

use crate::support::{Files, Way, sorted};

/// A graph of a source, an operator and a sink with these parameters.
fn graph(source: &str, operator: &str, sink: &str) -> String {
    format!(
        r#"{{"ops":[
        {{"id":"src","type":"int64_range_source","out_channel":"int64","params":{{{source}}}}},
        {{"id":"x","type":"multiply_int64","out_channel":"int64","inputs":["src"],
          "params":{{{operator}}}}},
        {{"id":"snk","type":"file_int64_sink","out_channel":"int64","inputs":["x"],
          "params":{{{sink}}}}}]}}"#
    )
}

#[test]
fn everything_that_is_wrong_is_said_at_once_and_nothing_runs() {
    let files = Files::new();
    let text = graph(
        r#""count":"-1","strat":"7","step":"2x","determinism":"deterministic""#,
        "",
        r#""path":"","mode":"a""#,
    );
    let expected = "\
error[P0805] operator `src`: `int64_range_source`: parameter `count`: expected a whole number from \
0, found `-1`
error[P0805] operator `src`: `int64_range_source`: parameter `step`: expected an integer of 64 \
bits, found `2x`
error[P0805] operator `src`: `int64_range_source`: there is no parameter `strat`; there is \
`count`, `start`, `step`, `delay_ms`
error[P0805] operator `x`: `multiply_int64`: parameter `factor` is missing: expected an integer of \
64 bits
error[P0805] operator `snk`: `file_int64_sink`: parameter `path`: expected the path of a file, \
found ``
error[P0805] operator `snk`: `file_int64_sink`: there is no parameter `mode`; there is `path`";
    let graph = files.graph(&text);
    let found = Registry::with_builtins().check(&graph);
    let found: Vec<String> = found.iter().map(ToString::to_string).collect();
    assert_eq!(found.join("\n"), expected);
    assert_eq!(files.failure(&text), expected);
    assert!(files.names("out").is_empty());
}

#[test]
fn a_factory_reads_parameters_as_strictly_by_itself() {
    use clink_runtime::plan::planner::{PlanOptions, plan_job};
    use clink_runtime::plan::validate::ValidateFacts;
    use clink_runtime::registry::BuildError;

    let files = Files::new();
    let text = graph(r#""count":"1","strat":"7""#, r#""factor":"x""#, r#""path":"@/out""#);
    let registry = Registry::with_builtins();
    let graph = files.graph(&text);
    let plan = plan_job(&graph, &PlanOptions::default(), &ValidateFacts::default()).unwrap();
    let source = &plan.tasks[0].chain.ops[0];
    let error = registry.source(source).unwrap()().err().unwrap();
    assert!(matches!(&error, BuildError::Params(problems) if problems.len() == 1), "{error}");
    assert!(error.to_string().starts_with("there is no parameter `strat`"), "{error}");
}

fn with(environment: Environment, text: &str) -> (Files, Result<(), String>) {
    let files = Files::new();
    let registry = Registry::with_builtins_in(environment);
    let outcome = files.run(&registry, text, Way::default());
    let outcome = outcome.map(drop).map_err(|error| error.to_string());
    (files, outcome)
}

#[test]
fn a_variable_has_the_value_that_the_environment_gives_it() {
    let text = graph(r#""count":"env://N""#, r#""factor":"env://F""#, r#""path":"@/out""#);
    let known = |name: &str| match name {
        "N" => Some("3".to_owned()),
        "F" => Some("10".to_owned()),
        _ => None,
    };
    let (files, outcome) = with(Environment::new(known), &text);
    outcome.unwrap();
    assert_eq!(files.lines("out"), sorted([10, 20, 30]));
}

#[test]
fn a_variable_that_cannot_be_had_is_named() {
    let text = graph(r#""count":"env://N""#, r#""factor":"1""#, r#""path":"@/out""#);
    let check = |environment, expected: &str| {
        let (_, outcome) = with(environment, &text);
        let expected = format!(
            "error[P0805] operator `src`: `int64_range_source`: parameter `count`{expected}"
        );
        assert_eq!(outcome.unwrap_err(), expected);
    };
    let help = "\n  help: set it where the job runs, or write the value into the graph";
    check(
        Environment::default(),
        &format!(
            " is to be read from the environment variable `N`: no environment was given to the \
             engine{help}"
        ),
    );
    check(
        Environment::new(|_| None),
        &format!(" is to be read from the environment variable `N`: it is not set{help}"),
    );
    check(
        Environment::new(|_| Some("many".to_owned())),
        ": expected a whole number from 0, found `many` in the environment variable `N`",
    );
}
