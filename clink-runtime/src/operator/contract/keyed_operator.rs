//! Is the contract of an operator with one input and a key.

use crate::channel::Barrier;
use crate::data::Data;
use crate::error::Result;
use crate::state::Key;
use crate::time::{EventTime, Watermark};

use super::super::context::{Context, KeyedContext};
use super::super::runtime_context::RuntimeContext;
#[cfg(doc)]
use super::Operator;

/// Turns each record into any number of records and remembers something per key.
///
/// All records of a key reach the same instance, in the order their channel carried them. Between
/// records of different keys no order is promised. A batch may be handled in parts, and its first
/// record may wait for state to be read. No watermark, snapshot or flush comes while a record
/// waits.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a keyed operator",
    label = "not a `KeyedOperator`",
    note = "implement `clink::KeyedOperator` for it; without `key_by`, implement `clink::Operator`"
)]
pub trait KeyedOperator: Sized + Send + 'static {
    /// What records are partitioned by.
    type Key: Key;
    /// What it takes.
    type In: Data;
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

    /// Handles one record; its key is current in `ctx`.
    ///
    /// # Errors
    /// The job fails.
    fn process(&mut self, value: Self::In, ctx: &mut KeyedContext<'_, Self>) -> Result<()>;

    /// Event time has moved; the watermark is forwarded after this call.
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
        ctx: &mut KeyedContext<'_, Self>,
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
        ctx: &mut KeyedContext<'_, Self>,
    ) -> Result<()> {
        let _ = (at_ms, ctx);
        Ok(())
    }

    /// The input has come to its end; emits what is left. No key is current, so no keyed state can
    /// be read. Not called at a stop nor again after a restore, as for [`Operator::flush`].
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
