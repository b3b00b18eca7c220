//! Lets records go round: an iteration has a head, a body and a tail whose records come back to the
//! head.
//!
//! ```text
//!   input ──▶ head ──▶ body ──▶ tail
//!               ▲                 │ feedback
//!               └─────────────────┘
//! ```
//!
//! The feedback is no channel: a tail never waits, so a body that emits more than it takes cannot
//! block itself. What is fed back goes before new input, so that what waits is bounded by what the
//! body makes of one record at a time; beyond [`EXCHANGE_MEMORY_BYTES`] it waits on the disk.
//!
//! **The end is exact.** When its input has ended the head sends waves through the body
//! ([`quiescence`]), and ends when one meets no feedback: no record in a slow body is lost, and
//! none is waited for in vain. Only then does the end of event time pass, so that what waits for it
//! in the body still goes round.
//!
//! **Checkpoints hold what goes round.** At a barrier the head saves what is queued; what a tail
//! gets between that moment and the arrival of the barrier is saved by the tail. Both are queued
//! again after a restore, at any parallelism.
//!
//! [`EXCHANGE_MEMORY_BYTES`]: crate::config::EXCHANGE_MEMORY_BYTES

mod feedback;
mod head;
pub mod quiescence;
mod tail;

use std::time::Duration;

pub use head::IterateHead;
pub use tail::IterateTail;

/// When an iteration must end, and when it may.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IterationConfig {
    /// The stable name under which what goes round is saved; a job that takes checkpoints needs it.
    pub uid: String,
    /// Most records that may pass its heads, new and fed back ones; the job fails with the next.
    /// `None` for any number.
    pub max_records: Option<u64>,
    /// How long nothing may have been fed back before the iteration ends. Zero is right for a body
    /// that emits only in answer to records and watermarks; one that emits later, at a
    /// processing-time timer, needs as much as that takes.
    pub idle_threshold: Duration,
}

impl IterationConfig {
    /// Any number of records, and the end as soon as all is quiet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Gives the iteration the stable name under which what goes round is saved.
    #[must_use]
    pub fn uid(mut self, uid: impl Into<String>) -> Self {
        self.uid = uid.into();
        self
    }

    /// Fails the job once more records than this have passed the head.
    #[must_use]
    pub fn max_records(mut self, records: u64) -> Self {
        self.max_records = Some(records);
        self
    }

    /// Ends only after all has been quiet for this long.
    #[must_use]
    pub fn idle_threshold(mut self, span: Duration) -> Self {
        self.idle_threshold = span;
        self
    }
}
