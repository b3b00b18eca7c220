//! Says which part of a file a reader has, and how far it has come.

use arrow_array::ArrayRef;
use arrow_schema::{DataType, Field};
use serde::{Deserializer, Serializer};

use crate::data::{
    ColumnBuilder, ColumnView, Data, DataError, Required, StructRows, StructView, TextError,
};

/// The end of a split whose length is known only once it has been read: a compressed file, a pipe.
pub(super) const UNKNOWN_END: u64 = u64::MAX;

/// A range of a file: of bytes, in the unpacked stream if the file is compressed; of rows, in a
/// Parquet file.
///
/// The row of state a file source keeps: columns `path`, `start`, `end`, `position`, `file`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileSplit {
    /// The file, as the job named it or as a folder or a pattern led to it.
    pub path: String,
    /// Offset of the first byte.
    pub start: u64,
    /// Offset behind the last byte; `u64::MAX` while it is not known. Of a followed file: its
    /// length when it was last looked at.
    pub end: u64,
    /// Offset of the next record that has not been emitted.
    pub position: u64,
    /// The number by which the file system knows a followed file, whatever its name; else 0.
    pub file: u64,
}

impl FileSplit {
    /// A split that nothing has been read of.
    pub(super) fn new(path: &str, start: u64, end: u64) -> Self {
        Self { path: path.to_owned(), start, end, position: start, file: 0 }
    }

    /// A file that cannot be divided.
    pub(super) fn whole(path: &str) -> Self {
        Self::new(path, 0, UNKNOWN_END)
    }

    /// True if nothing is left to read.
    pub fn is_finished(&self) -> bool {
        self.position >= self.end
    }
}

/// The plain form of a split, which serde reads and writes: the path and the four numbers.
type Parts = (String, (u64, u64, u64, u64));

impl From<Parts> for FileSplit {
    fn from((path, (start, end, position, file)): Parts) -> Self {
        Self { path, start, end, position, file }
    }
}

/// Splits under construction as columns.
#[derive(Debug, Default)]
pub struct FileSplitColumn {
    rows: StructRows,
    path: <String as Data>::Builder,
    numbers: [<u64 as Data>::Builder; 4],
}

impl ColumnBuilder<FileSplit> for FileSplitColumn {
    fn append(&mut self, split: &FileSplit) {
        self.path.append(&split.path);
        let numbers = [split.start, split.end, split.position, split.file];
        self.numbers.iter_mut().zip(numbers).for_each(|(column, number)| column.append(&number));
        self.rows.append();
    }

    fn append_null(&mut self) {
        self.path.append_null();
        self.numbers.iter_mut().for_each(ColumnBuilder::<u64>::append_null);
        self.rows.append_null();
    }

    fn finish(&mut self) -> ArrayRef {
        let mut columns = vec![self.path.finish()];
        columns.extend(self.numbers.iter_mut().map(ColumnBuilder::<u64>::finish));
        self.rows.finish::<FileSplit>(columns)
    }
}

/// Splits being read from columns.
#[derive(Debug)]
pub struct FileSplitView {
    rows: StructView,
    path: <String as Data>::View,
    start: <u64 as Data>::View,
    end: <u64 as Data>::View,
    position: <u64 as Data>::View,
    file: <u64 as Data>::View,
}

impl ColumnView<FileSplit> for FileSplitView {
    fn of(array: &ArrayRef) -> Result<Self, DataError> {
        let (rows, array) = StructView::of::<FileSplit>(array)?;
        Ok(Self {
            rows,
            path: StructView::field::<String>(array, "path")?,
            start: StructView::field::<u64>(array, "start")?,
            end: StructView::field::<u64>(array, "end")?,
            position: StructView::field::<u64>(array, "position")?,
            file: StructView::field::<u64>(array, "file")?,
        })
    }

    fn get(&self, row: usize) -> Result<FileSplit, DataError> {
        self.rows.check::<FileSplit>(row)?;
        Ok(FileSplit {
            path: StructView::get(&self.path, "path", row)?,
            start: StructView::get(&self.start, "start", row)?,
            end: StructView::get(&self.end, "end", row)?,
            position: StructView::get(&self.position, "position", row)?,
            file: StructView::get(&self.file, "file", row)?,
        })
    }
}

impl Required for FileSplit {}

impl Data for FileSplit {
    type Builder = FileSplitColumn;
    type View = FileSplitView;

    const SPREAD: bool = true;

    fn type_name() -> String {
        "file_split".to_owned()
    }

    fn data_type() -> DataType {
        DataType::Struct(Self::fields().into())
    }

    fn field_names() -> &'static [&'static str] {
        &["path", "start", "end", "position", "file"]
    }

    fn fields() -> Vec<Field> {
        vec![
            Field::new("path", String::data_type(), false),
            Field::new("start", u64::data_type(), false),
            Field::new("end", u64::data_type(), false),
            Field::new("position", u64::data_type(), false),
            Field::new("file", u64::data_type(), false),
        ]
    }

    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let numbers = (self.start, self.end, self.position, self.file);
        let parts: Parts = (self.path.clone(), numbers);
        Data::serialize(&parts, serializer)
    }

    fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        <Parts as Data>::deserialize(deserializer).map(Self::from)
    }

    fn from_text(cell: &[u8]) -> Result<Self, TextError> {
        Err(TextError::nested(cell))
    }
}
