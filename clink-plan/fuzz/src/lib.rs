//! Says what must hold for every input of the readers: of fuzz targets, and of the replayed corpus.
use clink_plan::deploy::{WorkerSlots, place};
use clink_plan::descriptor::Locations;
use clink_plan::explain::{Format, Shown, diagnostics_to_json};
use clink_plan::graph::{InputRef, JobGraphSpec, Port};
use clink_plan::planner::{OperatorChainSpec, PlanOptions, plan_job};
use clink_plan::validate::{ValidateFacts, validate};

/// Larger plans are right or wrong like smaller ones, and slower.
const CHANNELS_MAX: u64 = 2_000;

/// A graph reads back as it was written; it is planned or refused, and can be shown.
pub fn graph_json(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let strict = JobGraphSpec::from_json(text);
    let tolerant = JobGraphSpec::from_json_tolerant(text);
    match (&strict, &tolerant) {
        // A tolerant reader takes what a strict one takes, and makes the same of it.
        (Ok(strict), Ok(tolerant)) => assert_eq!(strict, tolerant),
        (Ok(_), Err(error)) => panic!("a tolerant reader refuses more: {error}"),
        (Err(error), _) => {
            assert!(!error.problems.is_empty() && !error.to_string().is_empty());
            assert_eq!(error.diagnostics().len(), error.problems.len());
        }
    }
    let Ok(graph) = tolerant else { return };
    let written = graph.to_json();
    let again = JobGraphSpec::from_json_tolerant(&written).expect("what is written can be read");
    assert_eq!(again, graph);
    assert_eq!(again.to_json(), written);
    if let Ok(lines) = graph.serialize() {
        assert_eq!(JobGraphSpec::parse(&lines).map(|read| read.operators.len()), {
            Ok(graph.operators.len())
        });
    }
    planned(&graph);
}

fn planned(graph: &JobGraphSpec) {
    for format in Format::ALL {
        assert!(!Shown::Graph(graph, &Locations::new()).write(*format).is_empty());
    }
    let facts = ValidateFacts::default();
    let found = validate(graph, &facts);
    let width: u64 = graph.operators.iter().map(|spec| u64::from(spec.parallelism)).sum();
    let inputs: u64 = graph.operators.iter().map(|spec| spec.inputs.len() as u64).sum();
    if width.saturating_mul(inputs.max(1)) > CHANNELS_MAX {
        return;
    }
    for (chaining, fuse_par1) in [(true, false), (false, false), (true, true)] {
        match plan_job(graph, &PlanOptions { chaining, fuse_par1 }, &facts) {
            Err(problems) => {
                assert_eq!(problems, found);
                assert!(diagnostics_to_json(&problems).starts_with("{\"ok\":false"));
            }
            Ok(plan) => {
                assert_eq!(plan.warnings, found);
                for task in &plan.tasks {
                    chain_json(task.chain.to_json().as_bytes());
                }
                let slots = u32::try_from(plan.tasks.len()).expect("the plan is small");
                let placement = place(&plan, &[WorkerSlots::new("w", slots)]);
                let placement = placement.expect("there is a slot for each subtask");
                for format in Format::ALL {
                    assert!(!Shown::Plan(graph, &plan).write(*format).is_empty());
                    let placed = Shown::Placement(graph, &plan, &placement).write(*format);
                    assert!(!placed.is_empty());
                }
            }
        }
    }
}

/// Lines read back as they were written, and nothing of a text that is read is lost.
pub fn line_format(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match JobGraphSpec::parse(text) {
        Err(error) => assert!(!error.problems.is_empty() && !error.to_string().is_empty()),
        Ok(graph) => {
            let written = graph.serialize().expect("what was read can be written");
            assert_eq!(JobGraphSpec::parse(&written), Ok(graph));
            let letters = |text: &str| {
                let mut letters: Vec<char> =
                    text.chars().filter(|letter| !matches!(letter, ' ' | '\n')).collect();
                letters.sort_unstable();
                letters
            };
            assert_eq!(letters(&written), letters(text));
        }
    }
}

/// A reference reads back as it is shown, and its parts are parts of its text.
pub fn input_ref(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let read = InputRef::parse(text);
    assert!(text.starts_with(read.operator));
    let rest = &text[read.operator.len()..];
    match read.port {
        Port::Main => assert!(rest.is_empty() || rest == "::"),
        Port::Branch(branch) => {
            let digits = rest.strip_prefix('.').expect("a dot is before a branch");
            assert_eq!(digits.parse(), Ok(branch));
            assert!(!text.contains("::"));
        }
        Port::Side(tag) => {
            assert_eq!(rest.strip_prefix("::"), Some(tag));
            assert!(!read.operator.contains("::"));
        }
    }
    // `a.00` is shown as `a.0`: what is shown has one spelling.
    assert_eq!(InputRef::parse(&read.to_string()), read);
}

/// A chain reads back as it was written.
pub fn chain_json(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match OperatorChainSpec::from_json(text) {
        Err(error) => assert!(!error.problems.is_empty() && !error.to_string().is_empty()),
        Ok(chain) => {
            let written = chain.to_json();
            let again = OperatorChainSpec::from_json(&written).expect("what is written is read");
            assert_eq!(again, chain);
            assert_eq!(again.to_json(), written);
        }
    }
}
