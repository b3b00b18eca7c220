//! Is the stage of every kind of operator: with one or two inputs, with or without a key.
//!
//! What differs between the kinds is a [`Logic`]; the order of hooks, timers and control elements
//! is here, once.

use std::collections::VecDeque;

use crate::channel::{Barrier, ErasedBatch, StreamElement};
use crate::config::TIMERS_PER_TURN;
use crate::data::Data;
use crate::error::Result;
use crate::state::snapshot::{RestoredSlots, SnapshotWriter};
use crate::time::timers::TimerQueue;
use crate::time::{EventTime, Watermark};

use super::super::context::Context;
use super::super::runtime_context::RuntimeContext;
use super::super::services::Services;
use super::core::Core;
use super::{Outbox, Stage, Turn};

/// What differs between the kinds of operators.
pub trait Logic: Send {
    /// What it emits.
    type Out: Data;

    /// What an instance has beside its fields, as it opens.
    fn services(&self, ctx: &RuntimeContext) -> Services {
        Services::new(ctx)
    }
    /// Loads restored state and timers.
    fn load(&mut self, restored: &RestoredSlots<'_>, services: &mut Services) -> Result<()>;
    /// Captures state and timers.
    fn save(&mut self, writer: &mut SnapshotWriter<'_>, services: &mut Services) -> Result<()>;
    /// Opens the operator.
    fn open(&mut self, ctx: &RuntimeContext) -> Result<()>;
    /// Takes a batch of that input in.
    fn accept(&mut self, input: usize, batch: ErasedBatch);
    /// Handles accepted records until they are used up (true) or enough was emitted (false).
    fn run(&mut self, core: &mut Core<Self::Out>) -> Result<bool>;
    /// Gives the emptied input batch back.
    fn take_spare(&mut self) -> Option<ErasedBatch>;
    /// Lets an event-time timer of that key fire.
    fn on_event_time_timer(&mut self, at: i64, key: u32, core: &mut Core<Self::Out>) -> Result<()>;
    /// Lets a processing-time timer of that key fire.
    fn on_processing_time_timer(
        &mut self,
        at: i64,
        key: u32,
        core: &mut Core<Self::Out>,
    ) -> Result<()>;
    /// Event time has moved.
    fn on_watermark(&mut self, at: Watermark, ctx: &mut Context<'_, Self::Out>) -> Result<()>;
    /// What the operators after it are told when event time has moved; `None` for nothing new.
    fn forward(&mut self, watermark: Watermark) -> Option<Watermark> {
        Some(watermark)
    }
    /// A barrier passes.
    fn on_barrier(&mut self, barrier: Barrier, ctx: &mut Context<'_, Self::Out>) -> Result<()>;
    /// The input has ended.
    fn flush(&mut self, ctx: &mut Context<'_, Self::Out>) -> Result<()>;
    /// Lets go of everything.
    fn close(&mut self) -> Result<()>;
    /// Gives back memory of keys without state.
    fn compact(&mut self, services: &mut Services) -> Result<()> {
        let _ = services;
        Ok(())
    }
}

/// Which timers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Domain {
    Event,
    Processing,
}

/// An operator with its emitter, its services and the batch at hand.
pub struct LogicStage<L: Logic> {
    logic: L,
    core: Core<L::Out>,
    /// Timers that fire a last time, at the end of time or of the input: those that are registered
    /// meanwhile do not, or a timer that renews itself would never let the job end.
    last: Option<(Domain, VecDeque<(i64, u32)>)>,
}

impl<L: Logic> LogicStage<L> {
    pub(super) fn of(logic: L) -> Self {
        Self { logic, core: Core::default(), last: None }
    }

    fn queue(&mut self, domain: Domain) -> &mut TimerQueue {
        let timers = &mut self.core.services.timers;
        match domain {
            Domain::Event => &mut timers.event_time,
            Domain::Processing => &mut timers.processing_time,
        }
    }

    fn fire(&mut self, domain: Domain, (at, key): (i64, u32)) -> Result<()> {
        match domain {
            Domain::Event => self.logic.on_event_time_timer(at, key, &mut self.core),
            Domain::Processing => self.logic.on_processing_time_timer(at, key, &mut self.core),
        }
    }

    /// Lets timers fire that are due, those first that come first; false if there are more and
    /// enough was emitted.
    fn fire_due(&mut self, domain: Domain, now_ms: i64) -> Result<bool> {
        for _ in 0..TIMERS_PER_TURN {
            let Some(timer) = self.queue(domain).take_due(now_ms) else { return Ok(true) };
            self.fire(domain, timer)?;
            if self.core.is_full() {
                return Ok(false);
            }
        }
        Ok(false)
    }

    /// Lets all timers fire that there were at the first call; false if there are more and enough
    /// was emitted.
    fn fire_last(&mut self, domain: Domain) -> Result<bool> {
        if self.last.as_ref().is_none_or(|(of, _)| *of != domain) {
            let pending = self.queue(domain).pending().into();
            self.last = Some((domain, pending));
        }
        while let Some(timer) = self.last.as_mut().and_then(|(_, timers)| timers.pop_front()) {
            // Unless one that fired before has deleted it.
            if self.queue(domain).delete(timer.0, timer.1) {
                self.fire(domain, timer)?;
            }
            if self.core.is_full() {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

impl<L: Logic> Stage for LogicStage<L> {
    fn open(&mut self, ctx: &RuntimeContext, restored: Option<&RestoredSlots<'_>>) -> Result<()> {
        self.core.services = self.logic.services(ctx);
        if let Some(restored) = restored {
            self.logic.load(restored, &mut self.core.services)?;
        }
        self.core.open(ctx);
        self.logic.open(ctx)
    }

    fn accept(&mut self, input: usize, batch: ErasedBatch) {
        self.logic.accept(input, batch);
    }

    fn run(&mut self, out: &mut Outbox) -> Result<Turn> {
        let done = self.logic.run(&mut self.core)?;
        self.core.take_full(out);
        Ok(if done { Turn::Done } else { Turn::More })
    }

    fn take_spare(&mut self) -> Option<ErasedBatch> {
        self.logic.take_spare()
    }

    fn recycle(&mut self, batch: ErasedBatch) {
        self.core.recycle(batch);
    }

    fn settle(&mut self, out: &mut Outbox) -> Result<()> {
        self.core.take_all(out);
        self.logic.compact(&mut self.core.services)
    }

    fn on_watermark(&mut self, watermark: Watermark, out: &mut Outbox) -> Result<Turn> {
        if let Watermark::At(time) = watermark {
            self.core.services.timers.advance(time);
            let fired = match time {
                EventTime::MAX => self.fire_last(Domain::Event)?,
                _ => self.fire_due(Domain::Event, time.as_millis())?,
            };
            if !fired {
                self.core.take_full(out);
                return Ok(Turn::More);
            }
        }
        self.logic.on_watermark(watermark, &mut self.core.context(None))?;
        self.core.take_all(out);
        out.main.extend(self.logic.forward(watermark).map(StreamElement::Watermark));
        Ok(Turn::Done)
    }

    fn on_barrier(&mut self, barrier: Barrier, out: &mut Outbox) -> Result<()> {
        self.logic.on_barrier(barrier, &mut self.core.context(None))?;
        self.core.take_all(out);
        Ok(())
    }

    fn snapshot(&mut self, writer: &mut SnapshotWriter<'_>) -> Result<()> {
        self.logic.save(writer, &mut self.core.services)
    }

    fn flush(&mut self, out: &mut Outbox) -> Result<Turn> {
        if !self.fire_last(Domain::Processing)? {
            self.core.take_full(out);
            return Ok(Turn::More);
        }
        self.logic.flush(&mut self.core.context(None))?;
        self.core.take_all(out);
        Ok(Turn::Done)
    }

    fn deadline_ms(&self) -> Option<i64> {
        self.core.services.timers.processing_time.next_ms()
    }

    fn tick(&mut self, now_ms: i64, out: &mut Outbox) -> Result<()> {
        // What does not fire now is still due, and asks for the next turn.
        let _ = self.fire_due(Domain::Processing, now_ms)?;
        self.core.take_all(out);
        Ok(())
    }

    fn close(&mut self) -> Result<()> {
        if self.core.is_open() { self.logic.close() } else { Ok(()) }
    }

    fn take_emitted(&mut self) -> (u64, u64) {
        self.core.take_emitted()
    }
}
