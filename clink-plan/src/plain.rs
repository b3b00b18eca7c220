//! Shows text from a graph to people without what would move their cursor or turn their line round.

use std::fmt;

/// A text in one line: control characters and marks of direction are escaped.
pub(crate) struct Plain<'t>(pub(crate) &'t str);

impl fmt::Display for Plain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for letter in self.0.chars() {
            if is_plain(letter) {
                write!(f, "{letter}")?;
            } else {
                write!(f, "{}", letter.escape_default())?;
            }
        }
        Ok(())
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
