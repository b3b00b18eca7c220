//! Is the contract of what produces records on its own.

use std::time::Duration;

use crate::data::Data;
use crate::error::Result;

use super::super::context::SourceContext;
use super::super::runtime_context::RuntimeContext;

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
/// `splits` before its `open`; an instance whose `open` is not called, because its splits could not
/// be made or restored, is not closed either. A call may block for the time a local disk takes; a
/// source with nothing to say returns [`Produced::Idle`], and one that cannot help blocking says so
/// ([`is_blocking`](Self::is_blocking)).
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

    /// True if [`produce`](Self::produce) may block for longer than a local disk takes: each
    /// instance then has a thread of its own, so that it holds up nobody else. It should be woken
    /// when the job ends ([`RuntimeContext::on_interrupt`]); what does not return within three
    /// seconds of a cancel is left behind.
    fn is_blocking(&self) -> bool {
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
