//! A struct as `#[derive(Data)]` makes it, as far as a reader needs it.

use arrow_array::ArrayRef;
use arrow_schema::{DataType, Field};
use serde::de::{Error, MapAccess};
use serde::{Deserializer, Serializer};

use crate::data::{
    ColumnBuilder, ColumnView, Data, DataError, Row, RowError, StructParts, TextError,
    deserialize_struct, field_from_row, missing_or_absent, take_field,
};

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Flight {
    pub(super) carrier: String,
    pub(super) dep_delay: Option<i64>,
    pub(super) gate: u32,
}

pub(super) fn flight(carrier: &str, dep_delay: Option<i64>, gate: u32) -> Flight {
    Flight { carrier: carrier.to_owned(), dep_delay, gate }
}

impl Data for Flight {
    type Builder = NoColumn;
    type View = NoColumn;
    const SPREAD: bool = true;

    fn type_name() -> String {
        "tests::Flight".to_owned()
    }
    fn data_type() -> DataType {
        DataType::Struct(Self::fields().into())
    }
    fn field_names() -> &'static [&'static str] {
        &["carrier", "dep_delay", "gate"]
    }
    fn fields() -> Vec<Field> {
        vec![
            Field::new("carrier", DataType::Utf8, false),
            Field::new("dep_delay", DataType::Int64, true),
            Field::new("gate", DataType::UInt32, false),
        ]
    }
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let parts = (self.carrier.clone(), self.dep_delay, self.gate);
        Data::serialize(&parts, serializer)
    }
    fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize_struct::<Parts, D>(deserializer)
    }
    fn from_text(cell: &[u8]) -> Result<Self, TextError> {
        Err(TextError::nested(cell))
    }
    fn from_row<R: Row + ?Sized>(row: &R) -> Result<Self, RowError> {
        Ok(Self {
            carrier: field_from_row(row, 0, "carrier")?,
            dep_delay: field_from_row(row, 1, "dep_delay")?,
            gate: field_from_row(row, 2, "gate")?,
        })
    }
}

#[derive(Default)]
struct Parts {
    carrier: Option<String>,
    dep_delay: Option<Option<i64>>,
    gate: Option<u32>,
}

impl StructParts for Parts {
    type Whole = Flight;
    const NAME: &'static str = "Flight";

    fn index(name: &str) -> Option<usize> {
        Flight::field_names().iter().position(|field| *field == name)
    }
    fn read<'de, A: MapAccess<'de>>(&mut self, index: usize, map: &mut A) -> Result<(), A::Error> {
        match index {
            0 => take_field(&mut self.carrier, "carrier", map),
            1 => take_field(&mut self.dep_delay, "dep_delay", map),
            _ => take_field(&mut self.gate, "gate", map),
        }
    }
    fn finish<E: Error>(self) -> Result<Flight, E> {
        Ok(Flight {
            carrier: missing_or_absent(self.carrier, "carrier")?,
            dep_delay: missing_or_absent(self.dep_delay, "dep_delay")?,
            gate: missing_or_absent(self.gate, "gate")?,
        })
    }
}

/// Readers make no columns.
#[derive(Default)]
pub(super) struct NoColumn;

impl ColumnBuilder<Flight> for NoColumn {
    fn append(&mut self, _value: &Flight) {
        unreachable!("no columns in these tests")
    }
    fn append_null(&mut self) {
        unreachable!("no columns in these tests")
    }
    fn finish(&mut self) -> ArrayRef {
        unreachable!("no columns in these tests")
    }
}

impl ColumnView<Flight> for NoColumn {
    fn of(_array: &ArrayRef) -> Result<Self, DataError> {
        unreachable!("no columns in these tests")
    }
    fn get(&self, _row: usize) -> Result<Flight, DataError> {
        unreachable!("no columns in these tests")
    }
}
