//! Matches the fields of a type with the columns of a CSV header.

use std::collections::BTreeSet;

use arrow_schema::{DataType, Field};

use crate::data::{Data, Row};
use crate::error::{Error, Result};

use super::error::FileSourceError;
use super::records::Records;

/// Where each field of a type stands in a row.
#[derive(Debug)]
pub(super) struct Columns {
    /// By field; none where the file has no such column and the field has a default.
    places: Vec<Option<usize>>,
    /// By field: whether its cells may be empty.
    optional: Vec<bool>,
    /// Names of all columns of the file; without a header those of the fields.
    header: Vec<String>,
    /// Whether the names come from the file.
    named: bool,
    /// The text of a cell that is to be read as an empty one.
    null: Option<Vec<u8>>,
}

impl Columns {
    /// Finds the fields of `T` among the cells of the header.
    pub(super) fn find<T: Data>(path: &str, header: &Records, null: Option<&str>) -> Result<Self> {
        let cells = (0..header.count()).filter_map(|index| header.cell(index));
        let header = cells.map(|cell| String::from_utf8_lossy(cell).into_owned()).collect();
        let mut columns = Self { header, ..Self::none::<T>(null) };
        columns.named = true;
        columns.check_names(path).map_err(terminal)?;
        let by_position = !T::SPREAD || is_tuple(T::field_names());
        for (index, field) in T::fields().iter().enumerate() {
            let place = match by_position {
                true => Some(index).filter(|index| *index < columns.header.len()),
                false => columns.header.iter().position(|name| name == field.name()),
            };
            let may_lack = T::has_default(index);
            columns.check_field(path, field, place, may_lack).map_err(terminal)?;
            columns.places.push(place);
        }
        Ok(columns)
    }

    /// Takes the columns of a file without a header in the order of the fields.
    pub(super) fn in_order<T: Data>(path: &str, null: Option<&str>) -> Result<Self> {
        let header = T::field_names().iter().map(|name| (*name).to_owned()).collect();
        let mut columns = Self { header, ..Self::none::<T>(null) };
        for (index, field) in T::fields().iter().enumerate() {
            columns.check_field(path, field, Some(index), false).map_err(terminal)?;
            columns.places.push(Some(index));
        }
        Ok(columns)
    }

    fn none<T: Data>(null: Option<&str>) -> Self {
        Self {
            places: Vec::new(),
            optional: T::fields().iter().map(Field::is_nullable).collect(),
            header: Vec::new(),
            named: false,
            null: null.map(|null| null.as_bytes().to_vec()),
        }
    }

    fn check_names(&self, path: &str) -> Result<(), FileSourceError> {
        let mut seen = BTreeSet::new();
        // Columns without a name come from commas at the line's end: no field can mean them.
        for name in self.header.iter().filter(|name| !name.is_empty()) {
            if !seen.insert(name) {
                return Err(FileSourceError::DuplicateColumn {
                    path: path.to_owned(),
                    column: name.clone(),
                    header: self.list(),
                });
            }
        }
        Ok(())
    }

    /// An optional field has a column too, though its cells may be empty: else a misspelt header
    /// would read as a file in which every value is missing.
    fn check_field(
        &self,
        path: &str,
        field: &Field,
        place: Option<usize>,
        may_lack: bool,
    ) -> Result<(), FileSourceError> {
        if place.is_none() && may_lack {
            return Ok(());
        }
        let (path, column) = (path.to_owned(), field.name().clone());
        if matches!(field.data_type(), DataType::Struct(_)) {
            return Err(FileSourceError::Nested { path, column });
        }
        match place {
            Some(_) => Ok(()),
            None => Err(FileSourceError::MissingColumn { path, column, header: self.list() }),
        }
    }

    /// How many cells a row must have: as many as the header; without one, a cell for each field at
    /// least. (The first row could say more, but a reader may begin at any.)
    pub(super) fn width(&self) -> usize {
        if self.named { self.header.len() } else { self.places.len() }
    }

    /// True if a row may have that many cells.
    #[inline]
    pub(super) fn fits(&self, count: usize) -> bool {
        if self.named { count == self.header.len() } else { count >= self.places.len() }
    }

    /// True if the columns have their names from the file.
    pub(super) fn has_header(&self) -> bool {
        self.named
    }

    /// The name of a column of the file.
    pub(super) fn name(&self, place: usize) -> Option<&str> {
        self.header.get(place).map(String::as_str)
    }

    fn list(&self) -> String {
        let names: Vec<String> = self.header.iter().map(|name| format!("`{name}`")).collect();
        names.join(", ")
    }
}

/// The same header would be met again in a new attempt.
fn terminal(error: FileSourceError) -> Error {
    Error::from(error).terminal()
}

/// True for the names `0`, `1`, …: no header has those, so a tuple takes columns by position.
pub(super) fn is_tuple(names: &[&str]) -> bool {
    names.iter().enumerate().all(|(index, name)| *name == index.to_string())
}

/// A record of a file seen through the fields of a type.
pub(super) struct FileRow<'a> {
    /// The record.
    pub(super) record: &'a Records,
    /// Where the fields are in it.
    pub(super) columns: &'a Columns,
}

impl Row for FileRow<'_> {
    #[inline]
    fn cell(&self, field: usize) -> Option<&[u8]> {
        let cell = self.record.cell((*self.columns.places.get(field)?)?)?;
        let null = self.columns.null.as_deref();
        let is_null = null == Some(cell) && self.columns.optional.get(field) == Some(&true);
        Some(if is_null { &[] } else { cell })
    }
}
