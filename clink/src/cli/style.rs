//! Colours what the command says, on a terminal that takes colours and nowhere else.

use anstream::{AutoStream, ColorChoice};
use clap::builder::styling::{AnsiColor, Style};

/// True if stderr takes colours: a terminal, without `NO_COLOR` and `TERM=dumb`.
pub(super) fn on_stderr() -> bool {
    AutoStream::choice(&std::io::stderr()) != ColorChoice::Never
}

/// The words that a line may open with, each in its colour.
const OPENINGS: [(&str, Style); 4] = [
    ("error", AnsiColor::Red.on_default().bold()),
    ("warning", AnsiColor::Yellow.on_default().bold()),
    ("debug", AnsiColor::BrightBlack.on_default()),
    ("trace", AnsiColor::BrightBlack.on_default()),
];

/// A line with its opening coloured: `error:`, or `error[P0001]`.
pub(super) fn opening(line: &str) -> String {
    let coloured = OPENINGS.iter().find_map(|(word, style)| {
        let rest = line.strip_prefix(word)?;
        let end = if rest.starts_with('[') { rest.find(']')? + 1 } else { rest.find(':')? + 1 };
        // Nothing but the opening: a message may begin with the word as well.
        let (own, rest) = (rest.starts_with(['[', ':'])).then(|| rest.split_at(end))?;
        Some(format!("{style}{word}{own}{style:#}{rest}"))
    });
    coloured.unwrap_or_else(|| line.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_opening_is_coloured_and_nothing_else() {
        let red = "\u{1b}[1m\u{1b}[31m";
        for (line, coloured) in [
            ("error: no job", format!("{red}error:\u{1b}[0m no job")),
            ("error[P0001] a: b", format!("{red}error[P0001]\u{1b}[0m a: b")),
            ("errors: 3", "errors: 3".to_owned()),
            ("restored: error: x", "restored: error: x".to_owned()),
            ("error", "error".to_owned()),
        ] {
            assert_eq!(opening(line), coloured);
        }
    }
}
