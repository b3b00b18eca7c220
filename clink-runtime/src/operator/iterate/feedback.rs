//! Is what the heads and tails of one iteration share: the records on their way back.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::channel::Batch;
use crate::channel::spill::SpillQueue;
use crate::config::EXCHANGE_MEMORY_BYTES;
use crate::data::Data;
use crate::error::{Error, Result};
use crate::sync::wake::Waker;
use crate::time::EventTime;

use super::super::RuntimeContext;
use super::super::exchange::spilled;
use super::IterationConfig;
use super::quiescence::Quiescence;

/// A record on its way back, as a row of state: its value, and its event time in milliseconds.
pub(super) type Row<T> = (T, Option<i64>);

/// The feedback of one iteration; subtask `i` of the tail feeds subtask `i` of the head.
pub(super) struct Feedback<T: Data> {
    inner: Mutex<Inner<T>>,
    heads: Vec<HeadWaker>,
    /// Records that have passed the heads.
    records: AtomicU64,
}

#[derive(Default)]
struct HeadWaker {
    waker: Mutex<Option<Waker>>,
    woken: AtomicBool,
}

pub(super) struct Inner<T: Data> {
    queues: Vec<Queue<T>>,
    pub(super) quiescence: Quiescence,
}

struct Queue<T: Data> {
    records: SpillQueue<T>,
    /// What came since the head passed a barrier that has not come to the tail.
    log: Option<Vec<Row<T>>>,
    ended: bool,
}

impl<T: Data> Feedback<T> {
    /// The feedback of the iteration with that number, in this run.
    pub(super) fn of(ctx: &RuntimeContext, iteration: u32, config: &IterationConfig) -> Arc<Self> {
        let make = || {
            let heads = ctx.parallelism() as usize;
            let threshold = i64::try_from(config.idle_threshold.as_millis()).unwrap_or(i64::MAX);
            let share = EXCHANGE_MEMORY_BYTES / heads.max(1);
            let queue =
                |_| Queue { records: SpillQueue::new(share, None), log: None, ended: false };
            Self {
                inner: Mutex::new(Inner {
                    queues: (0..heads).map(queue).collect(),
                    quiescence: Quiescence::new(heads, threshold),
                }),
                heads: (0..heads).map(|_| HeadWaker::default()).collect(),
                records: AtomicU64::new(0),
            }
        };
        ctx.shared.shared.value(&format!("iteration {iteration}"), make)
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Inner<T>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on that head is woken.
    pub(super) fn attend(&self, head: usize, waker: Waker) {
        if let Some(slot) = self.heads.get(head) {
            *slot.waker.lock().unwrap_or_else(PoisonError::into_inner) = Some(waker);
        }
    }

    /// True once something has come for that head since it last looked.
    pub(super) fn is_woken(&self, head: usize) -> bool {
        self.heads.get(head).is_some_and(|head| head.woken.load(Ordering::Acquire))
    }

    /// That head looks.
    pub(super) fn looks(&self, head: usize) {
        if let Some(head) = self.heads.get(head) {
            head.woken.store(false, Ordering::Release);
        }
    }

    pub(super) fn wake(&self, head: usize) {
        let Some(head) = self.heads.get(head) else { return };
        head.woken.store(true, Ordering::Release);
        if let Some(waker) = &*head.waker.lock().unwrap_or_else(PoisonError::into_inner) {
            waker.wake();
        }
    }

    pub(super) fn wake_all(&self) {
        (0..self.heads.len()).for_each(|head| self.wake(head));
    }

    /// Counts records that pass a head; how many have passed all of them.
    pub(super) fn count(&self, records: usize) -> u64 {
        self.records.fetch_add(records as u64, Ordering::Relaxed) + records as u64
    }

    /// Sends records back to a head.
    pub(super) fn push(&self, head: usize, batch: Batch<T>) -> Result<()> {
        let mut inner = self.lock();
        inner.quiescence.pushed();
        let Some(queue) = inner.queues.get_mut(head) else { return Ok(()) };
        if queue.ended {
            return Err(Error::new(
                "a record was fed back after its iteration had ended: an operator in the body \
                 emits when its input ends (`flush`), and there is no round left; emit it to the \
                 output of the iteration instead",
            )
            .terminal());
        }
        if let Some(log) = &mut queue.log {
            log.extend(rows(&batch));
        }
        queue.records.push(batch).map_err(spilled)?;
        drop(inner);
        self.wake(head);
        Ok(())
    }
}

impl<T: Data> Inner<T> {
    /// The next records for a head.
    pub(super) fn pop(&mut self, head: usize) -> Result<Option<Batch<T>>> {
        match self.queues.get_mut(head) {
            Some(queue) => queue.records.pop().map_err(spilled),
            None => Ok(None),
        }
    }

    /// True if nothing waits for that head.
    pub(super) fn is_empty(&self, head: usize) -> bool {
        self.queues.get(head).is_none_or(|queue| queue.records.is_empty())
    }

    /// True if nothing waits for any head.
    pub(super) fn all_empty(&self) -> bool {
        self.queues.iter().all(|queue| queue.records.is_empty())
    }

    /// What waits for a head that passes a barrier; from now on what comes is noted for the tail.
    pub(super) fn cut(&mut self, head: usize) -> Result<Vec<Row<T>>> {
        let Some(queue) = self.queues.get_mut(head) else { return Ok(Vec::new()) };
        queue.log = Some(Vec::new());
        let mut waiting = Vec::new();
        for batch in queue.records.batches() {
            waiting.extend(rows(batch.map_err(spilled)?.as_ref()));
        }
        Ok(waiting)
    }

    /// What came to a tail between the barrier of its head and its own.
    pub(super) fn take_log(&mut self, head: usize) -> Vec<Row<T>> {
        self.queues.get_mut(head).and_then(|queue| queue.log.take()).unwrap_or_default()
    }

    /// That head takes nothing more.
    pub(super) fn end(&mut self, head: usize) {
        if let Some(queue) = self.queues.get_mut(head) {
            queue.ended = true;
        }
        self.quiescence.ends(head);
    }
}

/// The records of a batch as rows of state.
fn rows<T: Data>(batch: &Batch<T>) -> impl Iterator<Item = Row<T>> {
    batch.iter().map(|(value, time)| (value.clone(), time.map(EventTime::as_millis)))
}

/// Rows of state as a batch.
pub(super) fn batch<T: Data>(rows: &[Row<T>]) -> Batch<T> {
    let record = |(value, at): &Row<T>| (value.clone(), at.map(EventTime::from_millis));
    rows.iter().map(record).collect()
}
