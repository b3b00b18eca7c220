//! The line format: what survives it, and what it refuses instead of losing.

use clink_plan::graph::{JobGraphSpec, LineFault, OperatorSpec};
use proptest::prelude::*;

use crate::support::{OperatorExt, graph, op};

fn read(text: &str) -> JobGraphSpec {
    JobGraphSpec::parse(text).unwrap()
}

fn refused(text: &str, expect: &[&str]) {
    let problems = JobGraphSpec::parse(text).unwrap_err().problems;
    let shown: Vec<String> =
        problems.iter().map(|problem| format!("{}: {}", problem.line, problem.fault)).collect();
    assert_eq!(shown, expect, "{text:?}");
}

#[test]
fn types_and_parameters_are_written_and_nothing_else() {
    let job = graph([
        op("in", &[]).param("step", "2").param("count", "10").uid("numbers").parallelism(4),
        op("out", &["in"]).param("path", "a=b").param("empty", ""),
    ]);
    let text = "int64_range_source count=10 step=2\nfile_int64_sink empty= path=a=b\n";
    assert_eq!(job.serialize().unwrap(), text);
    let again = read(text);
    assert_eq!(again.serialize().unwrap(), text);
    assert_eq!(again.operators[1].params, job.operators[1].params);
    assert_eq!((again.operators[0].id.as_str(), again.operators[0].parallelism), ("", 1));
    assert_eq!(JobGraphSpec::default().serialize().unwrap(), "");
}

#[test]
fn spaces_and_empty_lines_are_read_as_the_reference_reads_them() {
    let plain = read("a x=1 y=2\nb\n");
    assert_eq!(read("\n\na  x=1   y=2 \n\nb"), plain);
    assert_eq!(read(""), JobGraphSpec::default());
}

#[test]
fn what_the_reference_drops_in_silence_is_refused_line_by_line() {
    refused(
        "a x\n ok=1\n\nb k=1 k=2 z",
        &[
            "1: expected `key=value`, found \"x\"",
            "2: expected an operator type first, found none",
            "4: expected one value of `k`, found several",
            "4: expected `key=value`, found \"z\"",
        ],
    );
}

#[test]
fn what_would_read_back_differently_is_not_written() {
    let torn = op("b", &[]).param("a b", "1").param("c", "1\n2").param("d=e", "f");
    let problems = graph([op("a", &[]).of_type(""), torn]).serialize().unwrap_err().problems;
    let texts: Vec<_> = problems
        .into_iter()
        .map(|problem| match problem.fault {
            LineFault::Torn { text } => (problem.line, text),
            fault => (problem.line, format!("{fault:?}")),
        })
        .collect();
    let expect = [(1, "NoType"), (2, "a b"), (2, "1\n2"), (2, "d=e")];
    assert_eq!(texts, expect.map(|(line, text)| (line, text.to_owned())));
}

#[test]
fn a_graph_that_was_read_cannot_be_planned_and_says_why() {
    use clink_plan::validate::{ValidateFacts, validate};
    let found = validate(&read("int64_range_source count=3"), &ValidateFacts::default());
    assert_eq!(found[0].code, "P0002");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_reads_back(
        operators in prop::collection::vec(
            ("[^\n]{0,3}", prop::collection::btree_map("[ab=\\PC]{0,2}", any::<String>(), 0..3)),
            0..4,
        ),
    ) {
        let operators = operators.into_iter().map(|(type_name, params)| OperatorSpec {
            params,
            ..OperatorSpec::new("", type_name, "int64")
        });
        let job = graph(operators);
        if let Ok(text) = job.serialize() {
            prop_assert_eq!(JobGraphSpec::parse(&text), Ok(job));
        }
    }

    #[test]
    fn every_text_is_read_without_loss_or_refused(text in "[a= \n]{0,24}") {
        if let Ok(job) = JobGraphSpec::parse(&text) {
            let words =
                |text: &str| text.split([' ', '\n']).filter(|word| !word.is_empty()).count();
            let written = job.serialize().unwrap();
            prop_assert_eq!(words(&written), words(&text));
            prop_assert_eq!(JobGraphSpec::parse(&written), Ok(job));
        }
    }
}
