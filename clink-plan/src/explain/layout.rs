//! Lays text out in columns of at most 100 characters.

use crate::plain::Plain;

/// The width that text is broken at.
const LINE_CHARS_MAX: usize = 100;

/// The widest a column grows; longer cells push the rest of their row to the right.
const COLUMN_CHARS_MAX: usize = 40;

/// Rows of cells in aligned columns, each row after `indent` spaces.
pub(super) fn table<const N: usize>(indent: usize, rows: &[[String; N]]) -> String {
    let rows: Vec<[String; N]> =
        rows.iter().map(|row| row.each_ref().map(|cell| Plain(cell).to_string())).collect();
    let mut widths = [0; N];
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count().min(COLUMN_CHARS_MAX));
        }
    }
    let mut text = String::new();
    for row in &rows {
        let mut line = " ".repeat(indent);
        // A column that says nothing takes no room.
        for (width, cell) in widths.iter().zip(row).filter(|(width, _)| **width > 0) {
            line += &format!("{cell:<width$}  ");
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}

/// `label`, then `text` broken at spaces, its later lines under its first.
pub(super) fn paragraph(label: &str, text: &str) -> String {
    let (label, text) = (Plain(label).to_string(), Plain(text).to_string());
    let hang = label.chars().count();
    let mut lines = String::new();
    let mut line = label;
    let mut used = hang;
    for word in text.split(' ') {
        let length = word.chars().count();
        if used > hang && used + 1 + length > LINE_CHARS_MAX {
            lines += line.trim_end();
            lines.push('\n');
            line = " ".repeat(hang);
            used = hang;
        }
        if used > hang {
            line.push(' ');
            used += 1;
        }
        line += word;
        used += length;
    }
    lines += line.trim_end();
    lines.push('\n');
    lines
}

/// Terms in a column, the text of each beside it.
pub(super) fn definitions(indent: usize, entries: &[(String, String)]) -> String {
    let widths = entries.iter().map(|(term, _)| term.chars().count().min(COLUMN_CHARS_MAX));
    let width = widths.max().unwrap_or(0);
    let lines = entries.iter().map(|(term, text)| {
        let label = format!("{}{term:<width$}  ", " ".repeat(indent));
        paragraph(&label, text)
    });
    lines.collect()
}

/// `number` of a thing, in the plural where it is one.
pub(super) fn plural(number: usize, thing: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{number} {thing}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_align_and_lines_have_no_trailing_space() {
        let rows = [["a", "bb", ""], ["ccc", "d", "e"]].map(|row| row.map(str::to_owned));
        assert_eq!(table(2, &rows), "  a    bb\n  ccc  d   e\n");
        let rows = [["a", "", "b"], ["c", "", ""]].map(|row| row.map(str::to_owned));
        assert_eq!(table(0, &rows), "a  b\nc\n");
    }

    #[test]
    fn paragraphs_break_before_the_limit_and_hang() {
        let text = paragraph("  note  ", &"word ".repeat(30));
        assert!(text.lines().all(|line| line.chars().count() <= LINE_CHARS_MAX));
        assert!(text.lines().skip(1).all(|line| line.starts_with("        word")));
        assert_eq!(text.matches("word").count(), 30);
    }
}
