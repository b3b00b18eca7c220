//! Says why an array or a batch does not hold the values it was asked for.

use arrow_schema::DataType;

/// A column that cannot be read as the type asked for.
///
/// `column` is the path of the column, parts joined by a dot; it is empty for an array that was
/// read on its own.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DataError {
    /// The batch or struct has no column of that name, and the type has no value for its absence.
    #[error("column `{column}` is missing; there are: {found}")]
    MissingColumn {
        /// The path of the column.
        column: String,
        /// The columns that are there.
        found: String,
    },
    /// The column has another Arrow type.
    #[error("column `{column}`: expected {expected}, found {found}")]
    TypeMismatch {
        /// The path of the column.
        column: String,
        /// The Arrow type the values need.
        expected: String,
        /// The Arrow type of the column.
        found: String,
    },
    /// The column holds a null where the type has no value for it.
    #[error("column `{column}`: expected {expected}, found null in row {row}")]
    UnexpectedNull {
        /// The path of the column.
        column: String,
        /// The Arrow type of the values.
        expected: String,
        /// The row, counted from zero.
        row: usize,
    },
    /// The column holds a word that the type does not have, such as the name of a variant.
    #[error(
        "column `{column}`: expected {expected}, found `{}` in row {row}",
        .found.escape_debug()
    )]
    UnknownWord {
        /// The path of the column.
        column: String,
        /// What the words of the type are.
        expected: &'static str,
        /// The word in the column.
        found: String,
        /// The row, counted from zero.
        row: usize,
    },
    /// The rows of a state slot hold two values for one key.
    #[error("column `{column}`: expected one value for each key, found a second one in row {row}")]
    RepeatedKey {
        /// The path of the column.
        column: String,
        /// The row, counted from zero.
        row: usize,
    },
    /// A row was asked for that the column does not have.
    #[error("column `{column}`: expected row {row}, found only {rows} rows")]
    RowOutOfRange {
        /// The path of the column.
        column: String,
        /// The row asked for, counted from zero.
        row: usize,
        /// How many rows the column has.
        rows: usize,
    },
}

impl DataError {
    /// A column of another type than `expected`.
    #[must_use]
    pub fn mismatch(expected: &DataType, found: &DataType) -> Self {
        Self::TypeMismatch {
            column: String::new(),
            expected: expected.to_string(),
            found: found.to_string(),
        }
    }

    /// A null in `row` of a column of `expected`.
    #[must_use]
    pub fn null(expected: &DataType, row: usize) -> Self {
        Self::UnexpectedNull { column: String::new(), expected: expected.to_string(), row }
    }

    /// A word in `row` that is none of those of the type.
    #[must_use]
    pub fn unknown_word(expected: &'static str, found: &str, row: usize) -> Self {
        Self::UnknownWord { column: String::new(), expected, found: found.to_owned(), row }
    }

    /// A second value for the key of `row`.
    #[must_use]
    pub fn repeated_key(row: usize) -> Self {
        Self::RepeatedKey { column: String::new(), row }
    }

    /// A row that a column of `rows` rows does not have.
    #[must_use]
    pub fn past_end(row: usize, rows: usize) -> Self {
        Self::RowOutOfRange { column: String::new(), row, rows }
    }

    /// The path of the column, and what is wrong there, whatever row it is in.
    #[must_use]
    pub fn into_parts(self) -> (String, String) {
        match self {
            Self::UnexpectedNull { column, expected, .. } => {
                (column, format!("expected {expected}, found null"))
            }
            Self::UnknownWord { column, expected, found, .. } => {
                (column, format!("expected {expected}, found `{}`", found.escape_debug()))
            }
            Self::MissingColumn { ref column, .. }
            | Self::TypeMismatch { ref column, .. }
            | Self::RepeatedKey { ref column, .. }
            | Self::RowOutOfRange { ref column, .. } => (column.clone(), self.to_string()),
        }
    }

    /// The same error, seen from the struct or batch in which the column is called `name`.
    #[must_use]
    pub fn in_column(mut self, name: &str) -> Self {
        let (Self::MissingColumn { column, .. }
        | Self::TypeMismatch { column, .. }
        | Self::UnexpectedNull { column, .. }
        | Self::UnknownWord { column, .. }
        | Self::RepeatedKey { column, .. }
        | Self::RowOutOfRange { column, .. }) = &mut self;
        *column = if column.is_empty() { name.to_owned() } else { format!("{name}.{column}") };
        self
    }
}
