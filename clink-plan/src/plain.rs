//! Shows text from a graph to people without what would move their cursor or turn their line round.

use std::fmt;

/// A text in one line: control characters and marks of direction are escaped.
pub(crate) struct Plain<'t>(pub(crate) &'t str);

impl fmt::Display for Plain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0;
        while let Some(at) = rest.find(|letter| !is_plain(letter)) {
            let (plain, behind) = rest.split_at(at);
            let mut letters = behind.chars();
            let letter =
                letters.next().map_or_else(String::new, |it| it.escape_default().collect());
            write!(f, "{plain}{letter}")?;
            rest = letters.as_str();
        }
        f.write_str(rest)
    }
}

/// Whether a letter does nothing but stand there.
///
/// Source: the explicit directional formatting characters of Unicode Annex 9.
fn is_plain(letter: char) -> bool {
    let turns = matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    !letter.is_control() && !turns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_stays_a_line() {
        let text = "a\u{1b}[31m\nb\u{202e}\u{9b} ü`\"'";
        assert_eq!(Plain(text).to_string(), "a\\u{1b}[31m\\nb\\u{202e}\\u{9b} ü`\"'");
    }
}
