//! Measures and wraps text by counting columns, as in a monospace font.

/// How wide a column is, in parts of the font size: 0.60 in most monospace fonts, and a little
/// room.
const ADVANCE: f64 = 0.61;

/// A size of text, in pixels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Face {
    /// The font size.
    pub(super) size: f64,
    /// From one line to the next.
    pub(super) line: f64,
}

/// The title of the drawing.
pub(super) const TITLE: Face = Face { size: 15.0, line: 22.0 };
/// What a box says.
pub(super) const BODY: Face = Face { size: 12.0, line: 16.0 };
/// Labels of arrows, titles of frames and comments.
pub(super) const SMALL: Face = Face { size: 11.0, line: 14.0 };

impl Face {
    /// How wide a line of text is.
    pub(super) fn width(self, text: &str) -> f64 {
        self.columns_width(columns(text))
    }

    /// How wide this many columns are.
    #[expect(clippy::cast_precision_loss, reason = "a line has fewer than 2^52 columns")]
    pub(super) fn columns_width(self, columns: usize) -> f64 {
        (columns as f64 * self.size * ADVANCE).ceil()
    }

    /// How many columns fit.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "widths are positive and far below 2^52"
    )]
    pub(super) fn columns_in(self, width: f64) -> usize {
        (width / (self.size * ADVANCE)) as usize
    }
}

/// Lines of text, wrapped, and the room they take.
#[derive(Clone, Debug)]
pub(super) struct Block {
    pub(super) lines: Vec<String>,
    pub(super) width: f64,
    pub(super) height: f64,
}

impl Block {
    /// Text of which no line is wider than `columns`.
    #[expect(clippy::cast_precision_loss, reason = "a block has fewer than 2^52 lines")]
    pub(super) fn new<'t>(
        face: Face,
        texts: impl IntoIterator<Item = &'t String>,
        columns: usize,
    ) -> Block {
        let lines: Vec<String> =
            texts.into_iter().flat_map(|text| balanced(text, columns)).collect();
        let width = lines.iter().map(|line| face.width(line)).fold(0.0, f64::max);
        let height = lines.len() as f64 * face.line;
        Block { lines, width, height }
    }
}

/// The text in as few lines as `wrap` needs, of about the same length.
fn balanced(text: &str, columns_max: usize) -> Vec<String> {
    let lines = wrap(text, columns_max);
    if lines.len() == 1 {
        return lines;
    }
    // A line ends half a word before its last column, on average.
    let even = columns(text).div_ceil(lines.len()) + 4;
    let narrower = wrap(text, even.min(columns_max));
    if narrower.len() == lines.len() { narrower } else { lines }
}

/// The text in lines of at most so many columns, broken between words where that is possible.
pub(super) fn wrap(text: &str, columns_max: usize) -> Vec<String> {
    if columns(text) <= columns_max {
        return vec![text.trim().to_owned()];
    }
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut used = 0;
    for word in text.split_whitespace() {
        let wide = columns(word);
        if used > 0 && used + 1 + wide > columns_max {
            lines.push(std::mem::take(&mut line));
            used = 0;
        }
        if used > 0 {
            line.push(' ');
            used += 1;
        }
        if used + wide <= columns_max {
            line.push_str(word);
            used += wide;
            continue;
        }
        for letter in word.chars() {
            if used > 0 && used + letter_columns(letter) > columns_max {
                lines.push(std::mem::take(&mut line));
                used = 0;
            }
            line.push(letter);
            used += letter_columns(letter);
        }
    }
    if used > 0 || lines.is_empty() {
        lines.push(line);
    }
    lines
}

fn columns(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().map(letter_columns).sum() }
}

/// One column for letters that monospace fonts have; two for all others, of which some are wide
/// and the rest comes from a font that nobody knows.
fn letter_columns(letter: char) -> usize {
    let narrow = matches!(letter,
        '\0'..='\u{58f}' | '\u{1e00}'..='\u{22ff}' | '\u{2500}'..='\u{25ff}');
    if narrow { 1 } else { 2 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, columns: usize, expect: &[&str]) {
        assert_eq!(wrap(text, columns), expect);
    }

    #[test]
    fn lines_break_between_words() {
        check("", 5, &[""]);
        check("ab cd ef", 5, &["ab cd", "ef"]);
    }

    #[test]
    fn lines_are_about_as_long_as_each_other() {
        assert_eq!(balanced("aa bb cc dd ee ff gg", 17), ["aa bb cc dd ee", "ff gg"]);
        assert_eq!(balanced("aa bb cc", 8), ["aa bb cc"]);
    }

    #[test]
    fn a_word_that_fits_no_line_is_broken() {
        check("abcdefg", 3, &["abc", "def", "g"]);
        check("x abcd", 3, &["x", "abc", "d"]);
        check("日本語", 4, &["日本", "語"]);
        check("日本", 1, &["日", "本"]);
    }
}
