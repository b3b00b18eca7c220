//! Is the contract of an operator with two inputs and a key.

use crate::channel::Barrier;
use crate::data::Data;
use crate::error::Result;
use crate::state::Key;
use crate::time::{EventTime, Watermark};

use super::super::context::{Context, KeyedCoContext};
use super::super::runtime_context::RuntimeContext;
#[cfg(doc)]
use super::Operator;

/// Turns the records of two inputs, told apart, into any number of records and remembers something
/// per key.
///
/// Records come in the order of arrival: between the two inputs none is promised. The watermark is
/// the earlier one of both, and a barrier comes once both have delivered it.
/// All records of a key, from either input, reach the same instance.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a keyed operator of two inputs",
    label = "not a `KeyedCoOperator`",
    note = "implement `clink::KeyedCoOperator` for it; without `key_by`, implement \
            `clink::CoOperator`"
)]
pub trait KeyedCoOperator: Sized + Send + 'static {
    /// What records are partitioned by.
    type Key: Key;
    /// What it takes from the first input.
    type In1: Data;
    /// What it takes from the second input.
    type In2: Data;
    /// What it emits.
    type Out: Data;

    /// Names under which it asks for state that was a field in an earlier version of it, or that
    /// should stand among the state that the graph expects. Others need not be told: what a
    /// checkpoint holds under a name that was asked for is kept for whoever asks again. But of a
    /// field that is gone only this says that its values are not lost.
    const STATE_BY_NAME: &'static [&'static str] = &[];

    /// Gets ready; called once, before any record.
    ///
    /// # Errors
    /// The job fails.
    fn open(&mut self, ctx: &RuntimeContext) -> Result<()> {
        let _ = ctx;
        Ok(())
    }

    /// Handles one record of the first input; its key is current in `ctx`.
    ///
    /// # Errors
    /// The job fails.
    fn process_element1(
        &mut self,
        value: Self::In1,
        ctx: &mut KeyedCoContext<'_, Self>,
    ) -> Result<()>;

    /// Handles one record of the second input; its key is current in `ctx`.
    ///
    /// # Errors
    /// The job fails.
    fn process_element2(
        &mut self,
        value: Self::In2,
        ctx: &mut KeyedCoContext<'_, Self>,
    ) -> Result<()>;

    /// Event time has moved on both inputs; the watermark is forwarded after this call.
    ///
    /// # Errors
    /// The job fails.
    fn on_watermark(
        &mut self,
        watermark: Watermark,
        ctx: &mut Context<'_, Self::Out>,
    ) -> Result<()> {
        let _ = (watermark, ctx);
        Ok(())
    }

    /// A checkpoint is about to capture the state of this operator: what is changed and emitted
    /// here belongs to it. In a job that saves checkpoints it also comes last of all before
    /// [`close`](Self::close), at the end and at a stop, with [`Barrier::last`].
    ///
    /// # Errors
    /// The job fails.
    fn on_barrier(&mut self, barrier: Barrier, ctx: &mut Context<'_, Self::Out>) -> Result<()> {
        let _ = (barrier, ctx);
        Ok(())
    }

    /// The watermark has come to the time of a timer; its key is current. Timers fire before
    /// [`on_watermark`](Self::on_watermark) is called.
    ///
    /// # Errors
    /// The job fails.
    fn on_event_time_timer(
        &mut self,
        time: EventTime,
        ctx: &mut KeyedCoContext<'_, Self>,
    ) -> Result<()> {
        let _ = (time, ctx);
        Ok(())
    }

    /// The clock has come to the time of a timer, in milliseconds since the epoch; its key is
    /// current. At the end of the input the timers that are left fire before
    /// [`flush`](Self::flush), each once, whatever their time.
    ///
    /// # Errors
    /// The job fails.
    fn on_processing_time_timer(
        &mut self,
        at_ms: i64,
        ctx: &mut KeyedCoContext<'_, Self>,
    ) -> Result<()> {
        let _ = (at_ms, ctx);
        Ok(())
    }

    /// Both inputs have come to their end; emits what is left. Not called at a stop nor again after
    /// a restore, as for [`Operator::flush`].
    ///
    /// # Errors
    /// The job fails.
    fn flush(&mut self, ctx: &mut Context<'_, Self::Out>) -> Result<()> {
        let _ = ctx;
        Ok(())
    }

    /// Lets go of what it holds; called once, also after a failure.
    ///
    /// # Errors
    /// If something could not be released in order.
    fn close(&mut self) -> Result<()> {
        Ok(())
    }
}
