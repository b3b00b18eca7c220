//! Lists every path a macro may emit, and nothing else; no part of the public interface.

pub use core;
pub use std;

pub use arrow_array::ArrayRef;
pub use arrow_schema::{DataType, Field};
pub use clap;
pub use clink_plan::descriptor::{OperatorDescriptor, SlotDescriptor, SourceLocation};
pub use clink_runtime::data::{
    BoxedColumn, ColumnBuilder, ColumnView, Data, DataError, Required, Row, RowError, StructParts,
    StructRows, StructView, StubColumn, TextError, deserialize_struct, field_from_row,
    missing_or_absent, serialize_field, take_field,
};
pub use clink_runtime::operator::{OperatorFields, Param, ParamError, Params};
pub use clink_runtime::registry::probe::{Probe, ProbeFallback, keyed_only, single_kind};
pub use clink_runtime::state::{StateError, StateSlot, StateVisitor};
pub use inventory;
pub use serde::de::{Error as DeserializeError, MapAccess};
pub use serde::ser::SerializeStruct;
pub use serde::{Deserializer, Serializer};

pub use crate::Error;
pub use crate::job::{JobArgs, JobEntry};
pub use crate::stream::Pipeline;
