//! Pictures of graphs and plans show everything, and nothing lies over anything else.

use clink_plan::descriptor::Locations;
use clink_plan::explain::{DiagramLanguage, draw_graph, draw_plan};
use clink_plan::graph::JobGraphSpec;
use clink_plan::planner::{PlanOptions, plan_job};
use clink_plan::validate::ValidateFacts;

use crate::reference_plans::{names, text};
use crate::support::{OperatorExt, Picture, graph, op};

/// Reads a picture of a graph or of its plan; its boxes, arrows and places must be right.
fn check(name: &str, graph: &JobGraphSpec, svg: &str) -> Picture {
    let picture = Picture::read(svg);
    let faults = picture.faults();
    assert!(faults.is_empty(), "{name}: {faults:#?}\n{svg}");
    let inputs: usize = graph.operators.iter().map(|spec| spec.inputs.len()).sum();
    assert_eq!(picture.arrows.len(), inputs, "{name}");
    assert!(picture.boxes.len() >= graph.operators.len(), "{name}");
    for spec in &graph.operators {
        let id = spec.id.replace(char::is_control, " ");
        assert!(picture.text.lines().any(|line| line == id), "{name}: {id}");
    }
    picture
}

/// Checks the pictures of a graph and of its plans, of which there may be none.
fn check_all(name: &str, graph: &JobGraphSpec) -> usize {
    check(name, graph, &draw_graph(graph, &Locations::new(), DiagramLanguage::Svg));
    let mut plans = 0;
    for (fuse_par1, chaining) in [(false, true), (true, true), (false, false)] {
        let options = PlanOptions { chaining, fuse_par1 };
        let Ok(plan) = plan_job(graph, &options, &ValidateFacts::default()) else { continue };
        let svg = draw_plan(graph, &plan, DiagramLanguage::Svg);
        let picture = check(name, graph, &svg);
        assert_eq!(picture.boxes.len(), graph.operators.len(), "{name}");
        plans += 1;
    }
    plans
}

#[test]
fn pictures_of_the_references_graphs_are_tidy() {
    let mut plans = 0;
    for name in names() {
        if let Ok(graph) = JobGraphSpec::from_json(&text(&name).unwrap()) {
            plans += check_all(&name, &graph);
            let [one, same] =
                [(); 2].map(|()| draw_graph(&graph, &Locations::new(), DiagramLanguage::Svg));
            assert!(one == same, "{name}");
        }
    }
    assert!(plans >= 240, "only {plans} plans were drawn");
}

/// Numbers that look random and are the same each time (Steele et al. 2014, SplitMix).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end
    }
}

/// A graph of operators that read earlier ones; if `cyclic`, also themselves, later ones and
/// operators that are not there.
fn random(seed: u64, cyclic: bool) -> JobGraphSpec {
    let mut numbers = Numbers(seed);
    let count = 1 + numbers.below(20);
    let operator = |at: u64| {
        let known = if cyclic { count } else { at };
        let inputs = match at {
            _ if cyclic => numbers.below(3),
            0..3 => u64::from(at == 2),
            _ => 1 + numbers.below(if at.is_multiple_of(3) { 3 } else { 1 }),
        };
        let references: Vec<String> = (0..inputs)
            .map(|_| match (numbers.below(known), numbers.below(8)) {
                (from, 0) => format!("o{from}::late"),
                (from, 1) if cyclic => format!("o{from}.1"),
                (_, 2) if cyclic => "nobody".to_owned(),
                (from, _) => format!("o{from}"),
            })
            .collect();
        let references: Vec<&str> = references.iter().map(String::as_str).collect();
        let parallelism = u32::try_from(1 + numbers.below(8) / 7).unwrap();
        let uid = "u".repeat(usize::try_from(numbers.below(60)).unwrap());
        op(&format!("o{at}"), &references)
            .parallelism(parallelism)
            .side("late", "int64")
            .uid(&format!("{at}{uid}"))
    };
    let mut graph = graph((0..count).map(operator));
    let read = |id: &String| graph.operators.iter().any(|spec| spec.inputs.contains(id));
    let unread = graph.operators.iter().map(|spec| &spec.id).filter(|id| !cyclic && !read(id));
    let sinks: Vec<_> = unread.map(|id| op(&format!("out_{id}"), &[id])).collect();
    graph.operators.extend(sinks);
    graph
}

#[test]
fn pictures_of_random_graphs_are_tidy() {
    let plans: usize = (0..100).map(|seed| check_all("acyclic", &random(seed, false))).sum();
    assert!(plans > 250, "only {plans} plans were drawn");
    for seed in 0..100 {
        check_all("cyclic", &random(seed, true));
    }
}

#[test]
fn letters_that_mean_something_to_xml_stay_letters() {
    let odd = "a<b>&\"'`]]>\u{1}日本🎉";
    let mut job = graph([op(odd, &[]), op("b", &[odd])]);
    job.name = odd.to_owned();
    let picture = check("odd", &job, &draw_graph(&job, &Locations::new(), DiagramLanguage::Svg));
    assert!(picture.text.contains("graph of `a<b>&\"'`]]>\\u{1}日本🎉`"), "{}", picture.text);
}

/// What must not reach a diagram: it would break or turn a line, or no XML can hold it.
const NOT_DRAWN: [char; 8] =
    ['\n', '\r', '\u{0}', '\u{1b}', '\u{9b}', '\u{202e}', '\u{2066}', '\u{ffff}'];

#[test]
fn letters_that_are_not_plain_leave_a_blank_in_every_language() {
    for letter in NOT_DRAWN {
        let odd = |text: &str| text.replace('-', &letter.to_string());
        let id = odd("read-it");
        let mut source = op(&id, &[]).uid(&odd("uid-1"));
        source.out_channel = odd("int-64");
        let job = graph([source, op("b", &[&id, &odd("no-body")])]);
        for language in [DiagramLanguage::Mermaid, DiagramLanguage::Dot, DiagramLanguage::Svg] {
            let drawn = draw_graph(&job, &Locations::new(), language);
            let lines: Vec<&str> = drawn.split('\n').collect();
            let broken = lines.iter().any(|line| line.contains(NOT_DRAWN));
            assert!(!broken, "{letter:?} in {language:?}: {drawn}");
            for text in ["read it", "uid 1", "int 64", "no body"] {
                assert!(drawn.contains(text), "{letter:?} in {language:?}: no `{text}`: {drawn}");
            }
        }
    }
}

#[test]
fn an_empty_graph_is_a_picture() {
    let empty = JobGraphSpec::default();
    check("empty", &empty, &draw_graph(&empty, &Locations::new(), DiagramLanguage::Svg));
}

#[test]
fn a_loop_is_drawn_beside_its_operator() {
    let job = graph([op("a", &["a", "a.1", "a"]), op("b", &["a", "b"])]);
    check("loops", &job, &draw_graph(&job, &Locations::new(), DiagramLanguage::Svg));
}
