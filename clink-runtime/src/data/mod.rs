//! Gives the author's types a name, a schema, a column form, a JSON form and a text form.
//!
//! In:     values of any `T: Data`; Arrow arrays and batches; serde inputs; CSV cells.
//! Out:    the same values, equal bit for bit after every round trip.
//! Errors: decoding returns [`DataError`], [`TextError`] or [`RowError`]; no input panics.
//!
//! One derive, `#[derive(Data)]`, serves channels, files, state and checkpoints.
//! A derived struct and a tuple spread their fields over the columns of a batch; a derived struct
//! around one unnamed value is like that value; every other type is a *single value* and stands in
//! one column called `value`.

use arrow_schema::{DataType, Field};
use serde::{Deserializer, Serializer};

mod batch;
mod column;
mod decimal;
mod epoch;
mod error;
mod form;
mod nested;
mod newtype;
mod option;
mod primitive;
mod serial;
mod strings;
mod stub;
#[cfg(test)]
mod tests;
mod text;
mod timestamp;
mod tuple;
mod word;

pub use batch::{from_record_batch, schema, to_record_batch};
pub use column::{
    BooleanColumn, BooleanView, ColumnBuilder, ColumnView, PrimitiveColumn, PrimitiveView,
};
pub use decimal::Decimal;
pub use epoch::{EpochMicros, EpochMillis, EpochSeconds, EpochUnit};
pub use error::DataError;
pub use form::{
    InForm, field_from_row_in, serialize_element_in, serialize_field_in, take_field_in,
};
pub use nested::{BoxedColumn, StructRows, StructView};
pub use newtype::{Newtype, NewtypeColumn, NewtypeView, Through};
pub use option::{OptionColumn, OptionView, Required};
pub use serial::{
    AsSerialize, FromData, StructParts, deserialize_struct, deserialize_tuple_struct,
    missing_or_absent, serialize_element, serialize_field, take_field,
};
pub use strings::{BytesColumn, BytesView, TextColumn, TextView};
pub use stub::StubColumn;
pub(crate) use text::shown;
pub use text::{Row, RowError, TextError, field_from_row, or_default};
pub use timestamp::{Timestamp, TimestampError};
pub use tuple::TupleColumn;
pub use word::{Word, WordColumn, WordView, deserialize_word, serialize_word, word_from_text};

/// The column that holds a single value in a batch.
pub const VALUE_COLUMN: &str = "value";

/// A type whose values flow through a job.
///
/// Contract: encoding never fails and never blocks, decoding never panics, and a value that goes
/// through any of the four forms comes back equal, but for two things: text has one NaN, and a
/// field that is a decimal is read back only if it holds a number. The schema is a function of the
/// type alone.
/// Deriving is the usual way to get all of it; the derive also works for a struct that derives
/// serde's traits for purposes of its own, since the two never meet.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a type clink can move, store or print",
    label = "`{Self}` does not implement `Data`",
    note = "derive it on your own struct or enum: `#[derive(Data, Clone)]`",
    note = "integers, floats, `bool`, `char`, `String`, `Vec<u8>`, `Timestamp`, `Option<T>` and \
            tuples of two to four are `Data` already",
    note = "`usize` differs between machines: use `u64`; of a `Duration` take the milliseconds; of \
            another list emit the items, with `.flat_map(…)`"
)]
pub trait Data: Clone + Send + Sync + 'static {
    /// What collects values of this type into an Arrow array.
    type Builder: ColumnBuilder<Self>;

    /// What reads values of this type out of an Arrow array.
    type View: ColumnView<Self>;

    /// Whether a batch spreads the fields of this type over its columns.
    ///
    /// True for derived structs and tuples, whose Arrow form is a struct array.
    const SPREAD: bool = false;

    /// The stable name of a channel of this type, such as `int64` or `my_job::Flight`.
    fn type_name() -> String;

    /// The Arrow type of a column of such values.
    fn data_type() -> DataType;

    /// Whether a column of such values may hold nulls.
    fn nullable() -> bool {
        false
    }

    /// The columns of a batch of such values, in order.
    fn field_names() -> &'static [&'static str] {
        &[VALUE_COLUMN]
    }

    /// The columns of a batch of such values, with their types.
    fn fields() -> Vec<Field> {
        vec![Field::new(VALUE_COLUMN, Self::data_type(), Self::nullable())]
    }

    /// Writes the value through serde.
    ///
    /// # Errors
    /// Only what the serializer reports.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error>;

    /// Reads a value through serde: unknown fields are ignored, duplicate fields are an error.
    ///
    /// # Errors
    /// A value of another shape or out of range, a missing field, a duplicate field.
    fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error>;

    /// The value that stands for a missing field; only `Option` has one.
    fn absent() -> Option<Self> {
        None
    }

    /// Whether the input may lack the column of the field at that place in `field_names`; the
    /// value is then the default of the field's type.
    ///
    /// Readers ask once, at the header: a column that is missed by mistake is an error there.
    fn has_default(_field: usize) -> bool {
        false
    }

    /// Reads one CSV cell.
    ///
    /// # Errors
    /// [`TextError`] says what was expected and shows what was found.
    fn from_text(cell: &[u8]) -> Result<Self, TextError>;

    /// Reads one CSV row; a single value is the row's first cell.
    ///
    /// # Errors
    /// [`RowError`] names the column and says what was expected and found there.
    fn from_row<R: Row + ?Sized>(row: &R) -> Result<Self, RowError> {
        field_from_row(row, 0, VALUE_COLUMN)
    }
}
