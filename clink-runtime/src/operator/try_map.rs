//! Turns each record into one other record, or fails the job.

use std::marker::PhantomData;
use std::sync::Arc;

use crate::data::Data;
use crate::error::Result;

use super::{Context, Operator};

/// Calls a closure on each value; event times stay, and the first error ends the job.
pub struct TryMap<F, In, Out> {
    apply: Arc<F>,
    types: PhantomData<fn(In) -> Out>,
}

impl<F, In, Out> TryMap<F, In, Out> {
    /// An instance around a closure that all instances share.
    pub fn new(apply: Arc<F>) -> Self {
        Self { apply, types: PhantomData }
    }
}

impl<In, Out, F> Operator for TryMap<F, In, Out>
where
    In: Data,
    Out: Data,
    F: Fn(In) -> Result<Out> + Send + Sync + 'static,
{
    type In = In;
    type Out = Out;

    #[inline]
    fn process(&mut self, value: In, ctx: &mut Context<'_, Out>) -> Result<()> {
        ctx.emit((self.apply)(value)?);
        Ok(())
    }
}
