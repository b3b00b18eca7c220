//! Are the contracts an author may implement: exactly one per operator struct.

use std::time::Duration;

use crate::data::Data;
use crate::error::Result;
use crate::state::Key;
use crate::time::Watermark;

use super::context::{Context, KeyedContext, RuntimeContext, SourceContext};

/// What a call of [`Source::produce`] came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Produced {
    /// There may be more at once.
    More,
    /// Nothing more for now: what was emitted is sent on, and the source is asked again after this
    /// time.
    Idle(Duration),
    /// The splits of this instance are used up.
    End,
}

/// How far a bounded source has come, for the progress line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Bytes (or whatever the source counts) read so far.
    pub done: u64,
    /// Bytes in all.
    pub total: u64,
    /// Bytes this run has read of the input as it is stored, compressed or not; 0 where a source
    /// does not read bytes.
    pub bytes: u64,
}

/// Produces records on its own.
///
/// What is to be read is divided into **splits**, rows that say what and from where on. The engine
/// asks once per fresh start for [`splits`](Self::splits), deals them out to the parallel
/// instances, and saves [`snapshot`](Self::snapshot), the same rows moved on, in each checkpoint.
/// After a restore, at whatever parallelism, the saved rows are dealt out instead: a source sees no
/// difference between a start and a restart.
///
/// Calls come from one thread at a time: `open`, then any number of `produce` and `snapshot`, then
/// `close`. On a fresh start one instance is asked to `check` before anything opens, and one for
/// `splits` before its `open`; an instance
/// that is not opened, because that failed, is not closed either. A call may block for
/// the time a local disk takes; a source with nothing to say returns [`Produced::Idle`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a source",
    label = "not a `Source`",
    note = "implement `clink::Source` for it, or use one from `clink::files`"
)]
pub trait Source: Sized + Send + 'static {
    /// What it produces.
    type Out: Data;
    /// What is to be read and from where on; one row of checkpointed state.
    type Split: Data;

    /// True if the splits will be used up at some time.
    fn is_bounded(&self) -> bool {
        false
    }

    /// Why there can be only one split, if that is known without looking at the input.
    fn unsplittable(&self) -> Option<String> {
        None
    }

    /// Looks whether the input is there and begins as it should; called once per fresh start, on
    /// one instance, before any operator of the job opens. A sink empties its file when it opens,
    /// so what is wrong should be found here.
    ///
    /// # Errors
    /// What is wrong with the input: the job is refused.
    fn check(&self) -> Result<()> {
        Ok(())
    }

    /// Divides the input, into `wanted` splits if it can be.
    ///
    /// # Errors
    /// If the input cannot be looked at.
    fn splits(&self, wanted: u32) -> Result<Vec<Self::Split>>;

    /// Takes this instance's splits, before anything is produced.
    ///
    /// # Errors
    /// If a split cannot be gone on with.
    fn open(&mut self, splits: Vec<Self::Split>, ctx: &RuntimeContext) -> Result<()>;

    /// Emits about a batch of records.
    ///
    /// # Errors
    /// If the input cannot be read; the job fails.
    fn produce(&mut self, ctx: &mut SourceContext<'_, Self::Out>) -> Result<Produced>;

    /// The splits of this instance, each moved on past all records emitted so far.
    ///
    /// # Errors
    /// If the position is not known.
    fn snapshot(&mut self) -> Result<Vec<Self::Split>>;

    /// How far it has come, if that can be told.
    fn progress(&self) -> Option<Progress> {
        None
    }

    /// Lets go of what it holds; called once, also after a failure.
    ///
    /// # Errors
    /// If something could not be released in order.
    fn close(&mut self) -> Result<()> {
        Ok(())
    }
}

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
