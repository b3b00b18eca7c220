//! Turns each record into any number of records.

use std::marker::PhantomData;
use std::sync::Arc;

use crate::data::Data;
use crate::error::Result;

use super::{Context, Operator};

/// Emits all values that a closure makes of each value; each has the event time of its origin.
pub struct FlatMap<F, In, I> {
    apply: Arc<F>,
    types: PhantomData<fn(In) -> I>,
}

impl<F, In, I> FlatMap<F, In, I> {
    /// An instance around a closure that all instances share.
    pub fn new(apply: Arc<F>) -> Self {
        Self { apply, types: PhantomData }
    }
}

impl<In, I, F> Operator for FlatMap<F, In, I>
where
    In: Data,
    I: IntoIterator<Item: Data> + 'static,
    F: Fn(In) -> I + Send + Sync + 'static,
{
    type In = In;
    type Out = I::Item;

    #[inline]
    fn process(&mut self, value: In, ctx: &mut Context<'_, I::Item>) -> Result<()> {
        for made in (self.apply)(value) {
            ctx.emit(made);
        }
        Ok(())
    }
}
