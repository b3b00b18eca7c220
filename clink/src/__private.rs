//! Lists every path a macro may emit, and nothing else; no part of the public interface.

pub use core;
pub use std;

pub use arrow_array::ArrayRef;
pub use arrow_schema::{DataType, Field};
pub use clap;
pub use clink_plan::descriptor::{OperatorDescriptor, SlotDescriptor, SourceLocation};
pub use clink_plan::key_group::{KeyEncode, KeyLen, KeyWrite, encode_part};
pub use clink_runtime::data::{
    BoxedColumn, ColumnBuilder, ColumnView, Data, DataError, Decimal, EpochMicros, EpochMillis,
    EpochSeconds, InForm, Newtype, NewtypeColumn, NewtypeView, Required, Row, RowError,
    StructParts, StructRows, StructView, StubColumn, TextError, Through, Word, WordColumn,
    WordView, deserialize_struct, deserialize_tuple_struct, deserialize_word, field_from_row,
    field_from_row_in, missing_or_absent, or_default, serialize_element, serialize_element_in,
    serialize_field, serialize_field_in, serialize_word, take_field, take_field_in, word_from_text,
};
pub use clink_runtime::operator::{OperatorFields, Param, ParamError, Params};
pub use clink_runtime::registry::probe::{Probe, ProbeFallback, keyed_only, single_kind};
pub use clink_runtime::state::{Key, StateError, StateSlot, StateVisitor};
pub use inventory;
pub use serde::de::{Error as DeserializeError, MapAccess};
pub use serde::ser::{SerializeStruct, SerializeTuple};
pub use serde::{Deserializer, Serializer};

pub use crate::Error;
pub use crate::job::{JobArgs, JobEntry};
pub use crate::stream::Pipeline;
