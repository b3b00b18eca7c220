//! Writes a diagram in DOT, the language of Graphviz.

use std::fmt;

use super::{Arrow, Drawing};

/// The diagram as text.
pub(super) fn write(drawing: &Drawing) -> String {
    let title = Dot(std::slice::from_ref(&drawing.title));
    let mut text = format!("digraph {title} {{\n  label={title}\n  labelloc=t\n");
    text += "  node [shape=box]\n";
    text += &drawing.boxes(
        |frame, label| format!("  subgraph cluster_{frame} {{\n    label={}\n", Dot(&[label])),
        "  }\n",
        |number, lines| format!("n{number} [label={}]\n", Dot(lines)),
    );
    for Arrow { from, to, label, chained } in &drawing.arrows {
        let style = if *chained { " style=bold" } else { "" };
        text += &format!("  n{from} -> n{to} [label={}{style}]\n", Dot(label));
    }
    text += &drawing.comments.iter().map(|line| format!("  // {line}\n")).collect::<String>();
    text + "}\n"
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
                    letter => write!(f, "{letter}"),
                }?;
            }
        }
        f.write_str("\"")
    }
}
