//! Draws each form of a job as boxes and arrows, in the languages of Mermaid and Graphviz.

use std::collections::BTreeMap;
use std::fmt;

use super::graph_text::title;
use super::links::{chains, kept, links};
use super::plan_text::{chain_operators, subtasks};
use crate::graph::{InputRef, JobGraphSpec, OperatorSpec, Port};
use crate::planner::{ChainOp, JobPlan};

/// A language that diagrams are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiagramLanguage {
    /// [Mermaid](https://mermaid.js.org/syntax/flowchart.html) flowcharts.
    Mermaid,
    /// [DOT](https://graphviz.org/doc/info/lang.html), for Graphviz.
    Dot,
}

/// The graph as a diagram: a box for each operator, an arrow for each input, labelled with the
/// type of its records. An input that names no operator is drawn as a box of its own.
pub fn draw_graph(graph: &JobGraphSpec, language: DiagramLanguage) -> String {
    let mut drawing = Drawing { title: title("graph", graph), ..Drawing::default() };
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for spec in &graph.operators {
        let place = drawing.add(None, operator_lines(spec));
        places.entry(&spec.id).or_insert(place);
    }
    for (to, spec) in graph.operators.iter().enumerate() {
        for reference in &spec.inputs {
            let input = InputRef::parse(reference);
            let from = *places.entry(input.operator).or_insert_with(|| {
                drawing.add(None, vec![input.operator.to_owned(), "not an operator".to_owned()])
            });
            let label = arrow_lines(input.port, graph.operators.get(from));
            drawing.arrows.push(Arrow { from, to, label, chained: false });
        }
    }
    drawing.write(language)
}

/// The plan as a diagram: a frame for each chain, an arrow for each edge with its reasons, thick
/// where two operators are chained. Warnings are comments at the end.
pub fn draw_plan(graph: &JobGraphSpec, plan: &JobPlan, language: DiagramLanguage) -> String {
    let mut drawing = Drawing { title: title("plan", graph), ..Drawing::default() };
    let mut notes: BTreeMap<&str, String> =
        (graph.operators.iter()).filter_map(|spec| Some((spec.id.as_str(), kept(spec)?))).collect();
    let mut places = BTreeMap::new();
    for tasks in chains(plan) {
        drawing.frames.push(subtasks(tasks));
        let frame = Some(drawing.frames.len() - 1);
        for op in tasks.iter().take(1).flat_map(|task| chain_operators(&task.chain)) {
            let note = notes.remove(op.id.as_str());
            places.insert(op.id.as_str(), drawing.add(frame, chain_op_lines(op, note)));
        }
    }
    for link in links(graph, plan) {
        let (Some(&from), Some(&to)) = (places.get(link.upstream), places.get(link.downstream))
        else {
            continue;
        };
        let output = (link.reference != link.upstream).then_some(link.reference);
        let label = output.into_iter().chain(link.reasons).map(str::to_owned).collect();
        drawing.arrows.push(Arrow { from, to, label, chained: link.chained });
    }
    let warnings = plan.warnings.iter().map(ToString::to_string);
    drawing.comments = warnings.flat_map(|text| lines_of(&text)).collect();
    drawing.write(language)
}

/// Boxes, the frames around some of them, and arrows between them.
#[derive(Default)]
struct Drawing {
    title: String,
    frames: Vec<String>,
    /// In the order of their frames; a box without a frame comes first.
    boxes: Vec<(Option<usize>, Vec<String>)>,
    arrows: Vec<Arrow>,
    comments: Vec<String>,
}

struct Arrow {
    from: usize,
    to: usize,
    label: Vec<String>,
    chained: bool,
}

impl Drawing {
    /// Adds a box with its lines of text; its number is how arrows name it.
    fn add(&mut self, frame: Option<usize>, lines: Vec<String>) -> usize {
        self.boxes.push((frame, lines));
        self.boxes.len() - 1
    }

    fn write(&self, language: DiagramLanguage) -> String {
        let text = match language {
            DiagramLanguage::Mermaid => self.mermaid(),
            DiagramLanguage::Dot => self.dot(),
        };
        text.lines().map(|line| format!("{}\n", line.trim_end())).collect()
    }

    /// Every box, those of a frame between `open` and `close`.
    fn boxes(
        &self,
        open: impl Fn(usize, &str) -> String,
        close: &str,
        one: impl Fn(usize, &[String]) -> String,
    ) -> String {
        let mut text = String::new();
        let mut at = None;
        for (number, (frame, lines)) in self.boxes.iter().enumerate() {
            if at != *frame {
                text += at.map_or("", |_| close);
                let label = frame.and_then(|frame| self.frames.get(frame));
                text += &label.map_or_else(String::new, |label| open(frame.unwrap_or(0), label));
                at = *frame;
            }
            text += if frame.is_some() { "    " } else { "  " };
            text += &one(number, lines);
        }
        text + at.map_or("", |_| close)
    }

    fn mermaid(&self) -> String {
        let title = serde_json::Value::from(self.title.as_str());
        let mut text = format!("---\ntitle: {title}\n---\nflowchart TB\n");
        text += &self.boxes(
            |frame, label| format!("  subgraph c{frame}[{}]\n", Mermaid(&[label])),
            "  end\n",
            |number, lines| format!("n{number}[{}]\n", Mermaid(lines)),
        );
        for Arrow { from, to, label, chained } in &self.arrows {
            let line = if *chained { "==>" } else { "-->" };
            text += &if label.is_empty() {
                format!("  n{from} {line} n{to}\n")
            } else {
                format!("  n{from} {line}|{}| n{to}\n", Mermaid(label))
            };
        }
        text + &self.comments.iter().map(|line| format!("  %% {line}\n")).collect::<String>()
    }

    fn dot(&self) -> String {
        let title = Dot(std::slice::from_ref(&self.title));
        let mut text = format!("digraph {title} {{\n  label={title}\n  labelloc=t\n");
        text += "  node [shape=box]\n";
        text += &self.boxes(
            |frame, label| format!("  subgraph cluster_{frame} {{\n    label={}\n", Dot(&[label])),
            "  }\n",
            |number, lines| format!("n{number} [label={}]\n", Dot(lines)),
        );
        for Arrow { from, to, label, chained } in &self.arrows {
            let style = if *chained { " style=bold" } else { "" };
            text += &format!("  n{from} -> n{to} [label={}{style}]\n", Dot(label));
        }
        text += &self.comments.iter().map(|line| format!("  // {line}\n")).collect::<String>();
        text + "}\n"
    }
}

/// Lines of text as one quoted label of Mermaid, in which `#name;` stands for a character.
struct Mermaid<'t, T>(&'t [T]);

impl<T: AsRef<str>> fmt::Display for Mermaid<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        for (at, line) in self.0.iter().enumerate() {
            f.write_str(if at == 0 { "" } else { "<br>" })?;
            for (at, letter) in line.as_ref().chars().enumerate() {
                match letter {
                    '#' => f.write_str("#35;"),
                    '&' => f.write_str("#amp;"),
                    '"' => f.write_str("#quot;"),
                    '<' => f.write_str("#lt;"),
                    '>' => f.write_str("#gt;"),
                    // At the start it would turn the label into Markdown.
                    '`' if at == 0 => f.write_str("#96;"),
                    letter if letter.is_control() => f.write_str(" "),
                    letter => write!(f, "{letter}"),
                }?;
            }
        }
        f.write_str("\"")
    }
}

/// Lines of text as one quoted label of DOT.
struct Dot<'t, T>(&'t [T]);

impl<T: AsRef<str>> fmt::Display for Dot<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        for (at, line) in self.0.iter().enumerate() {
            f.write_str(if at == 0 { "" } else { "\\n" })?;
            for letter in line.as_ref().chars() {
                match letter {
                    '\\' => f.write_str("\\\\"),
                    '"' => f.write_str("\\\""),
                    // Graphviz reads HTML entities in labels.
                    '&' => f.write_str("&amp;"),
                    letter if letter.is_control() => f.write_str(" "),
                    letter => write!(f, "{letter}"),
                }?;
            }
        }
        f.write_str("\"")
    }
}

fn lines_of(text: &str) -> Vec<String> {
    text.lines().map(|line| line.trim_end().to_owned()).collect()
}

/// What a box of a graph says.
fn operator_lines(spec: &OperatorSpec) -> Vec<String> {
    let mut lines = vec![spec.id.clone(), spec.type_name.clone()];
    lines.extend(labelled("uid", &spec.uid));
    lines.extend(labelled("keyed by", &spec.key_by));
    lines.push(format!("parallelism {}", spec.parallelism));
    lines
}

/// What a box of a plan says.
fn chain_op_lines(op: &ChainOp, note: Option<String>) -> Vec<String> {
    let mut lines = vec![op.id.clone(), format!("{}: {}", op.kind, op.type_name)];
    lines.extend(labelled("uid", &op.uid));
    lines.extend(labelled("keyed by", &op.key_by));
    lines.extend(note);
    lines
}

fn labelled(label: &str, text: &str) -> Option<String> {
    (!text.is_empty()).then(|| format!("{label} {text}"))
}

/// What an arrow of a graph says: the output that is read, and the type of its records.
fn arrow_lines(port: Port<'_>, upstream: Option<&OperatorSpec>) -> Vec<String> {
    let main = upstream.map(|spec| spec.out_channel.clone());
    match port {
        Port::Main => main.into_iter().collect(),
        Port::Branch(branch) => std::iter::once(format!("branch {branch}")).chain(main).collect(),
        Port::Side(tag) => {
            let output =
                upstream.and_then(|spec| spec.side_outputs.iter().find(|output| output.tag == tag));
            let records = output.map(|output| output.channel_type.clone());
            std::iter::once(format!("side output {tag}")).chain(records).collect()
        }
    }
}
