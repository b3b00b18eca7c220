//! Collects values into Arrow arrays and reads them back, one column at a time.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use arrow_array::builder::{BooleanBuilder, PrimitiveBuilder};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, BooleanArray, PrimitiveArray};
use arrow_schema::DataType;

use super::{Data, DataError};

/// Collects values of `T` into one Arrow array.
///
/// Contract: `finish` gives an array of `T::data_type()` with one row per call of `append` and
/// `append_null`, in call order, and leaves the builder empty and ready for the next array.
pub trait ColumnBuilder<T>: Default + Send {
    /// Adds a value.
    fn append(&mut self, value: &T);

    /// Adds a row that holds no value.
    fn append_null(&mut self);

    /// Gives the array and starts over.
    fn finish(&mut self) -> ArrayRef;
}

/// Reads values of `T` out of one Arrow array.
pub trait ColumnView<T>: Sized {
    /// Looks at an array.
    ///
    /// # Errors
    /// [`DataError`] if the array has another type.
    fn of(array: &ArrayRef) -> Result<Self, DataError>;

    /// The value in `row`.
    ///
    /// # Errors
    /// [`DataError`] if the row is null or does not exist.
    fn get(&self, row: usize) -> Result<T, DataError>;
}

/// The array as the concrete type `A`, whose Arrow type must be `expected`.
pub(super) fn downcast<A: Array + Clone + 'static>(
    array: &ArrayRef,
    expected: &DataType,
) -> Result<A, DataError> {
    match array.as_any().downcast_ref::<A>() {
        Some(found) if array.data_type() == expected => Ok(found.clone()),
        _ => Err(DataError::mismatch(expected, array.data_type())),
    }
}

/// Fails if `row` of `array` holds no value.
#[inline]
pub(super) fn check_row(array: &impl Array, row: usize) -> Result<(), DataError> {
    if row >= array.len() {
        return Err(DataError::past_end(row, array.len()));
    }
    if array.is_null(row) {
        return Err(DataError::null(array.data_type(), row));
    }
    Ok(())
}

/// A value that fits one slot of the Arrow type `A`.
pub trait Native<A: ArrowPrimitiveType>: Data {
    /// The value as Arrow stores it.
    fn to_native(&self) -> A::Native;

    /// The value that Arrow stored.
    fn from_native(native: A::Native) -> Self;
}

/// Collects fixed-width values.
pub struct PrimitiveColumn<A: ArrowPrimitiveType> {
    builder: PrimitiveBuilder<A>,
}

impl<A: ArrowPrimitiveType> fmt::Debug for PrimitiveColumn<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PrimitiveColumn")
    }
}

impl<A: ArrowPrimitiveType> Default for PrimitiveColumn<A> {
    fn default() -> Self {
        Self { builder: PrimitiveBuilder::new() }
    }
}

impl<A: ArrowPrimitiveType, T: Native<A>> ColumnBuilder<T> for PrimitiveColumn<A> {
    #[inline]
    fn append(&mut self, value: &T) {
        self.builder.append_value(value.to_native());
    }

    fn append_null(&mut self) {
        self.builder.append_null();
    }

    fn finish(&mut self) -> ArrayRef {
        let array = self.builder.finish();
        let wanted = T::data_type();
        if *array.data_type() == wanted {
            return Arc::new(array);
        }
        Arc::new(array.with_data_type(wanted))
    }
}

/// Reads fixed-width values.
#[derive(Debug)]
pub struct PrimitiveView<A: ArrowPrimitiveType, T> {
    array: PrimitiveArray<A>,
    values: PhantomData<fn() -> T>,
}

impl<A: ArrowPrimitiveType, T: Native<A>> ColumnView<T> for PrimitiveView<A, T> {
    fn of(array: &ArrayRef) -> Result<Self, DataError> {
        Ok(Self { array: downcast(array, &T::data_type())?, values: PhantomData })
    }

    #[inline]
    fn get(&self, row: usize) -> Result<T, DataError> {
        check_row(&self.array, row)?;
        Ok(T::from_native(self.array.value(row)))
    }
}

/// Collects `bool`s.
#[derive(Debug, Default)]
pub struct BooleanColumn {
    builder: BooleanBuilder,
}

impl ColumnBuilder<bool> for BooleanColumn {
    #[inline]
    fn append(&mut self, value: &bool) {
        self.builder.append_value(*value);
    }

    fn append_null(&mut self) {
        self.builder.append_null();
    }

    fn finish(&mut self) -> ArrayRef {
        Arc::new(self.builder.finish())
    }
}

/// Reads `bool`s.
#[derive(Debug)]
pub struct BooleanView {
    array: BooleanArray,
}

impl ColumnView<bool> for BooleanView {
    fn of(array: &ArrayRef) -> Result<Self, DataError> {
        Ok(Self { array: downcast(array, &DataType::Boolean)? })
    }

    #[inline]
    fn get(&self, row: usize) -> Result<bool, DataError> {
        check_row(&self.array, row)?;
        Ok(self.array.value(row))
    }
}
