//! Is what the stages of all operators have: an emitter, services, and who they are.

use crate::channel::ErasedBatch;
use crate::config::OUTBOX_BATCHES;
use crate::data::Data;
use crate::time::EventTime;

use super::super::context::Context;
use super::super::emitter::Emitter;
use super::super::runtime_context::RuntimeContext;
use super::super::services::Services;
use super::Outbox;

/// What an operator emits with, and who it is.
pub struct Core<Out> {
    pub(super) emitter: Emitter<Out>,
    pub(super) services: Services,
    /// There once the operator's `open` is called.
    runtime: Option<RuntimeContext>,
}

impl<Out: Data> Default for Core<Out> {
    fn default() -> Self {
        Self { emitter: Emitter::default(), services: Services::default(), runtime: None }
    }
}

impl<Out: Data> Core<Out> {
    /// Before state is restored: what comes then fails an operator that is not open yet.
    pub(super) fn prepare(&mut self, ctx: &RuntimeContext) {
        self.services = Services::new(ctx);
    }

    /// The operator's `open` is about to be called.
    pub(super) fn open(&mut self, ctx: &RuntimeContext) {
        self.runtime = Some(ctx.clone());
    }

    /// True if the operator's `open` has been called, and `close` is due.
    pub(super) fn is_open(&self) -> bool {
        self.runtime.is_some()
    }

    pub(super) fn runtime(&self) -> &RuntimeContext {
        opened(&self.runtime)
    }

    /// The context of a hook, or of a record with that time.
    #[inline]
    pub(super) fn context(&mut self, time: Option<EventTime>) -> Context<'_, Out> {
        let Self { emitter, services, runtime } = self;
        Context { emitter, services, runtime: opened(runtime), time }
    }

    /// True if enough waits to be sent on.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.emitter.full_batches() >= OUTBOX_BATCHES
            || self.services.side.full_batches() >= OUTBOX_BATCHES
    }

    pub(super) fn take_full(&mut self, out: &mut Outbox) {
        self.emitter.take_full(&mut out.main);
        self.services.side.take_full(&mut out.side);
    }

    pub(super) fn take_all(&mut self, out: &mut Outbox) {
        self.emitter.take_all(&mut out.main);
        self.services.side.take_all(&mut out.side);
    }

    pub(super) fn recycle(&mut self, batch: ErasedBatch) {
        self.emitter.recycle(batch);
    }

    pub(super) fn take_emitted(&mut self) -> (u64, u64) {
        (self.emitter.take_count(), self.services.side.take_count())
    }
}

#[inline]
fn opened(runtime: &Option<RuntimeContext>) -> &RuntimeContext {
    runtime.as_ref().expect("a stage is opened before anything else is asked of it")
}
