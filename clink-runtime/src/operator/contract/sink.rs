//! Is the contract of what takes records out of the job.

use crate::data::Data;
use crate::error::Result;
use crate::time::Watermark;

use super::super::runtime_context::RuntimeContext;

/// Takes records out of the job.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a sink",
    label = "not a `Sink`",
    note = "implement `clink::Sink` for it, or use `print()` or one from `clink::files`"
)]
pub trait Sink: Sized + Send + 'static {
    /// What it takes.
    type In: Data;

    /// Gets ready; called once, before any record, with restored state in place.
    ///
    /// # Errors
    /// The job fails.
    fn open(&mut self, ctx: &RuntimeContext) -> Result<()> {
        let _ = ctx;
        Ok(())
    }

    /// Takes one record; it may wait in a buffer until [`flush`](Self::flush).
    ///
    /// # Errors
    /// The job fails.
    fn on_data(&mut self, value: Self::In) -> Result<()>;

    /// Makes visible what was taken so far: called whenever the input has run dry, or has not for
    /// 50 ms, and at the end.
    ///
    /// # Errors
    /// The job fails.
    fn flush(&mut self) -> Result<()> {
        Ok(())
    }

    /// Completes what [`flush`](Self::flush) leaves open, after its last call: no record comes any
    /// more in this run, because the input has ended or the job was stopped. Never called in a job
    /// that was cancelled or has failed.
    ///
    /// # Errors
    /// The job fails.
    fn finish(&mut self) -> Result<()> {
        Ok(())
    }

    /// Event time has moved: the records before this time have all come, late ones apart.
    ///
    /// # Errors
    /// The job fails.
    fn on_watermark(&mut self, watermark: Watermark) -> Result<()> {
        let _ = watermark;
        Ok(())
    }

    /// Makes durable what was taken so far, before the state of this sink is saved: after a
    /// restore from that checkpoint none of it comes again. Also called after
    /// [`finish`](Self::finish), in a job that saves checkpoints.
    ///
    /// # Errors
    /// The checkpoint and the job fail.
    fn on_barrier(&mut self) -> Result<()> {
        self.flush()
    }

    /// Lets go of what it holds; called once, also after a failure.
    ///
    /// # Errors
    /// If something could not be released in order.
    fn close(&mut self) -> Result<()> {
        Ok(())
    }
}
