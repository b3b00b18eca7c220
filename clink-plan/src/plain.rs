//! Shows text from a graph to people without what would move their cursor or turn their line round,
//! and what no XML can hold.

use std::fmt;

/// A text in one line: letters that are not plain are escaped.
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

/// The text with a blank for every letter that is not plain, where it is drawn and not spelt out.
pub(crate) fn blank(text: &mut String) {
    if !text.chars().all(is_plain) {
        *text = text.replace(|letter| !is_plain(letter), " ");
    }
}

/// Whether a letter does nothing but stand there.
///
/// Sources: the explicit directional formatting characters of Unicode Annex 9; `Char` of XML 1.0.
fn is_plain(letter: char) -> bool {
    let turns = matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let in_xml = !matches!(letter, '\u{fffe}' | '\u{ffff}');
    !letter.is_control() && !turns && in_xml
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
