//! Writes a diagram as a Mermaid flowchart.

use std::fmt;

use super::{Arrow, Drawing};

/// The diagram as text.
pub(super) fn write(drawing: &Drawing) -> String {
    let title = serde_json::Value::from(drawing.title.as_str());
    let mut text = format!("---\ntitle: {title}\n---\nflowchart TB\n");
    text += &drawing.boxes(
        |frame, label| format!("  subgraph c{frame}[{}]\n", Mermaid(&[label])),
        "  end\n",
        |number, lines| format!("n{number}[{}]\n", Mermaid(lines)),
    );
    for Arrow { from, to, label, chained } in &drawing.arrows {
        let line = if *chained { "==>" } else { "-->" };
        text += &if label.is_empty() {
            format!("  n{from} {line} n{to}\n")
        } else {
            format!("  n{from} {line}|{}| n{to}\n", Mermaid(label))
        };
    }
    text + &drawing.comments.iter().map(|line| format!("  %% {line}\n")).collect::<String>()
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
                    letter => write!(f, "{letter}"),
                }?;
            }
        }
        f.write_str("\"")
    }
}
