//! Notes what a source said when it was asked to produce.

use std::sync::{Arc, Mutex, PoisonError};

use crate::channel::ErasedBatch;
use crate::error::Result;
use crate::operator::stage::{Outbox, SourceHead};
use crate::operator::{Produced, Progress, RuntimeContext};
use crate::state::snapshot::{RestoredSlots, SnapshotWriter};

/// A source, and what it said last.
pub(super) struct Asked {
    pub(super) head: Box<dyn SourceHead>,
    pub(super) produced: Arc<Mutex<Option<Produced>>>,
}

impl SourceHead for Asked {
    fn check(&self) -> Result<()> {
        self.head.check()
    }

    fn is_blocking(&self) -> bool {
        self.head.is_blocking()
    }

    fn open(&mut self, ctx: &RuntimeContext, restored: Option<&RestoredSlots<'_>>) -> Result<()> {
        self.head.open(ctx, restored)
    }

    fn has_splits(&self) -> bool {
        self.head.has_splits()
    }

    fn produce(&mut self, out: &mut Outbox) -> Result<Produced> {
        let produced = self.head.produce(out)?;
        *self.produced.lock().unwrap_or_else(PoisonError::into_inner) = Some(produced);
        Ok(produced)
    }

    fn settle(&mut self, out: &mut Outbox) {
        self.head.settle(out);
    }

    fn recycle(&mut self, batch: ErasedBatch) {
        self.head.recycle(batch);
    }

    fn snapshot(&mut self, writer: &mut SnapshotWriter<'_>) -> Result<()> {
        self.head.snapshot(writer)
    }

    fn progress(&self) -> Option<Progress> {
        self.head.progress()
    }

    fn close(&mut self) -> Result<()> {
        self.head.close()
    }

    fn take_emitted(&mut self) -> (u64, u64) {
        self.head.take_emitted()
    }
}
