//! Is the contract of an operator with one input and no key.

use crate::channel::Barrier;
use crate::data::Data;
use crate::error::Result;
use crate::time::{EventTime, Watermark};

use super::super::context::Context;
use super::super::runtime_context::RuntimeContext;

/// Turns each record into any number of records.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an operator",
    label = "not an `Operator`",
    note = "implement `clink::Operator` for it; after `key_by`, implement `clink::KeyedOperator`"
)]
pub trait Operator: Sized + Send + 'static {
    /// What it takes.
    type In: Data;
    /// What it emits.
    type Out: Data;

    /// Gets ready; called once, before any record.
    ///
    /// # Errors
    /// The job fails.
    fn open(&mut self, ctx: &RuntimeContext) -> Result<()> {
        let _ = ctx;
        Ok(())
    }

    /// Handles one record.
    ///
    /// # Errors
    /// The job fails.
    fn process(&mut self, value: Self::In, ctx: &mut Context<'_, Self::Out>) -> Result<()>;

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

    /// The watermark has come to the time of a timer. Timers fire before
    /// [`on_watermark`](Self::on_watermark) is called.
    ///
    /// # Errors
    /// The job fails.
    fn on_event_time_timer(
        &mut self,
        time: EventTime,
        ctx: &mut Context<'_, Self::Out>,
    ) -> Result<()> {
        let _ = (time, ctx);
        Ok(())
    }

    /// The clock has come to the time of a timer, in milliseconds since the epoch. At the end of
    /// the input the timers that are left fire before [`flush`](Self::flush), each once, whatever
    /// their time.
    ///
    /// # Errors
    /// The job fails.
    fn on_processing_time_timer(
        &mut self,
        at_ms: i64,
        ctx: &mut Context<'_, Self::Out>,
    ) -> Result<()> {
        let _ = (at_ms, ctx);
        Ok(())
    }

    /// The input has come to its end; emits what is left.
    ///
    /// Not called at a stop, after which a restored job goes on, nor again in a job restored from
    /// a checkpoint at which this instance had ended. (Restored at another parallelism it is called
    /// again unless all instances had ended.)
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
