//! Keeps the records for which a closure says so.

use std::marker::PhantomData;
use std::sync::Arc;

use crate::data::Data;
use crate::error::Result;

use super::{Context, Operator};

/// Passes on each value for which a closure returns true; event times stay.
pub struct Filter<F, T> {
    keep: Arc<F>,
    types: PhantomData<fn(T)>,
}

impl<F, T> Filter<F, T> {
    /// An instance around a closure that all instances share.
    pub fn new(keep: Arc<F>) -> Self {
        Self { keep, types: PhantomData }
    }
}

impl<T: Data, F: Fn(&T) -> bool + Send + Sync + 'static> Operator for Filter<F, T> {
    type In = T;
    type Out = T;

    #[inline]
    fn process(&mut self, value: T, ctx: &mut Context<'_, T>) -> Result<()> {
        if (self.keep)(&value) {
            ctx.emit(value);
        }
        Ok(())
    }
}
