//! Reads values out of the cells of a CSV row, and says which cell was wrong and why.

use std::str::FromStr;

use super::Data;

/// Longest part of a faulty cell that a message shows, in characters: enough to recognise it.
const PREVIEW_CHARS_MAX: usize = 40;

/// A cell that is not the text of the type asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected}, found {found}")]
pub struct TextError {
    /// What the cell should have held.
    pub expected: &'static str,
    /// What it held, quoted and cut.
    pub found: String,
}

impl TextError {
    /// A cell that does not hold what was `expected`.
    #[cold]
    #[must_use]
    pub fn new(expected: &'static str, cell: &[u8]) -> Self {
        Self { expected, found: preview(cell) }
    }

    /// The answer of a type that is more than one cell wide.
    #[cold]
    #[must_use]
    pub fn nested(cell: &[u8]) -> Self {
        Self::new("a single value (a nested struct has no CSV form)", cell)
    }
}

/// A column of a row that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("column `{name}`: expected {expected}, found {found}")]
pub struct RowError {
    /// The field's place in `Data::field_names`, counted from zero.
    pub field: usize,
    /// The field's name.
    pub name: &'static str,
    /// What the cell should have held.
    pub expected: &'static str,
    /// What it held, quoted and cut, or that the column is not there.
    pub found: String,
}

/// The cells of one row, by the field they belong to.
pub trait Row {
    /// The cell of the field with that place in `Data::field_names`; `None` if the input has no
    /// such column.
    fn cell(&self, field: usize) -> Option<&[u8]>;
}

/// Reads the field at `field`, called `name`, of a row.
///
/// # Errors
/// [`RowError`] if the cell does not hold a `T`, or there is no such column.
#[inline]
pub fn field_from_row<T: Data, R: Row + ?Sized>(
    row: &R,
    field: usize,
    name: &'static str,
) -> Result<T, RowError> {
    let cell = row.cell(field).ok_or_else(|| missing_column(field, name))?;
    T::from_text(cell).map_err(|error| row_error(field, name, error))
}

/// Reads a field as `read` does, or gives the default if the input has no such column.
///
/// # Errors
/// What `read` reports.
#[inline]
pub fn or_default<T: Default, R: Row + ?Sized>(
    row: &R,
    field: usize,
    name: &'static str,
    read: impl FnOnce(&R, usize, &'static str) -> Result<T, RowError>,
) -> Result<T, RowError> {
    if row.cell(field).is_none() {
        return Ok(T::default());
    }
    read(row, field, name)
}

/// A cell that is no value of its field.
#[cold]
pub(super) fn row_error(field: usize, name: &'static str, error: TextError) -> RowError {
    RowError { field, name, expected: error.expected, found: error.found }
}

/// A field whose column the input does not have.
#[cold]
pub(super) fn missing_column(field: usize, name: &'static str) -> RowError {
    RowError { field, name, expected: "a column of that name", found: "none".to_owned() }
}

/// Parses a cell through `FromStr`, spaces around it ignored.
///
/// Spaces carry no meaning in a number, a flag or an instant, and hand-made files have them.
#[inline]
pub(super) fn parse_trimmed<T: FromStr>(
    cell: &[u8],
    expected: &'static str,
) -> Result<T, TextError> {
    let parsed = std::str::from_utf8(cell.trim_ascii()).ok().and_then(|text| text.parse().ok());
    parsed.ok_or_else(|| TextError::new(expected, cell))
}

/// The start of a cell, in backquotes; bytes that are not UTF-8 show as replacement characters.
fn preview(cell: &[u8]) -> String {
    if cell.is_empty() { "an empty cell".to_owned() } else { shown(cell) }
}

/// The start of a text for a message, in backquotes, on one line.
pub(crate) fn shown(text: &[u8]) -> String {
    // A character has at most four bytes, so no more of a huge text needs to be looked at.
    let head = text.get(..4 * PREVIEW_CHARS_MAX).unwrap_or(text);
    let decoded = String::from_utf8_lossy(head);
    let mut shown: String = decoded.chars().take(PREVIEW_CHARS_MAX).collect();
    if decoded.chars().nth(PREVIEW_CHARS_MAX).is_some() || head.len() < text.len() {
        shown.push('…');
    }
    format!("`{}`", shown.escape_debug())
}
