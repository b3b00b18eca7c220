//! Stands in for the columns of a type whose derive failed, so that one mistake is one message.

use arrow_array::ArrayRef;

use super::{ColumnBuilder, ColumnView, DataError};

/// A column that never exists: what names it does not compile for another reason.
#[derive(Debug)]
pub enum StubColumn {}

impl Default for StubColumn {
    fn default() -> Self {
        unreachable!("code with a failed derive does not run")
    }
}

impl<T> ColumnBuilder<T> for StubColumn {
    fn append(&mut self, _: &T) {
        match *self {}
    }

    fn append_null(&mut self) {
        match *self {}
    }

    fn finish(&mut self) -> ArrayRef {
        match *self {}
    }
}

impl<T> ColumnView<T> for StubColumn {
    fn of(_: &ArrayRef) -> Result<Self, DataError> {
        unreachable!("code with a failed derive does not run")
    }

    fn get(&self, _: usize) -> Result<T, DataError> {
        match *self {}
    }
}
