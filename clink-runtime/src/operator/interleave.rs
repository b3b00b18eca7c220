//! Makes records from a counter, whose items the parallel instances take in turns.
//!
//! Out:    of `p` instances, instance `i` emits items `i`, `i + p`, `i + 2p`, …, in this order.
//! Limit:  one batch at a time; one record at a time with a pause between records.

use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use crate::config::BATCH_RECORDS;
use crate::data::Data;
use crate::error::Result;

use super::{Produced, Progress, RuntimeContext, Source, SourceContext};

/// Emits what a closure makes of each number in `0..count`.
///
/// A split is `(first, stride, next)`: of the items `first`, `first + stride`, …, those from `next`
/// on are to come. Restored at another parallelism the splits stay what they are, so each item
/// still comes once; which instance emits it is then another.
pub struct Interleave<F, T> {
    count: u64,
    pause: Duration,
    make: Arc<F>,
    splits: Vec<(u64, u64, u64)>,
    types: PhantomData<fn() -> T>,
}

impl<F, T> Interleave<F, T> {
    /// An instance around a closure that all instances share; it lets so much time pass after each
    /// of its records, on no thread.
    pub fn new(count: u64, pause: Duration, make: Arc<F>) -> Self {
        Self { count, pause, make, splits: Vec::new(), types: PhantomData }
    }
}

impl<T: Data, F: Fn(u64) -> T + Send + Sync + 'static> Source for Interleave<F, T> {
    type Out = T;
    type Split = (u64, u64, u64);

    fn is_bounded(&self) -> bool {
        true
    }

    fn splits(&self, wanted: u32) -> Result<Vec<Self::Split>> {
        let stride = u64::from(wanted.max(1));
        Ok((0..stride).map(|first| (first, stride, first)).collect())
    }

    fn open(&mut self, splits: Vec<Self::Split>, _ctx: &RuntimeContext) -> Result<()> {
        self.splits = splits;
        Ok(())
    }

    fn produce(&mut self, ctx: &mut SourceContext<'_, T>) -> Result<Produced> {
        let Self { count, pause, make, splits, .. } = self;
        let Some((_, stride, next)) = splits.iter_mut().find(|(_, _, next)| next < count) else {
            return Ok(Produced::End);
        };
        let records = if pause.is_zero() { BATCH_RECORDS } else { 1 };
        for _ in 0..records {
            if *next >= *count {
                break;
            }
            ctx.emit(make(*next));
            *next = next.saturating_add(*stride);
        }
        let is_over = splits.iter().all(|(_, _, next)| next >= count);
        Ok(match pause.is_zero() {
            // No pause after the last record: nothing would come of it.
            _ if is_over => Produced::End,
            true => Produced::More,
            false => Produced::Idle(*pause),
        })
    }

    fn snapshot(&mut self) -> Result<Vec<Self::Split>> {
        Ok(self.splits.clone())
    }

    fn progress(&self) -> Option<Progress> {
        let items =
            |first: u64, stride: u64, end: u64| end.saturating_sub(first).div_ceil(stride.max(1));
        let done = self.splits.iter().map(|(first, stride, next)| items(*first, *stride, *next));
        let total = self.splits.iter().map(|(first, stride, _)| items(*first, *stride, self.count));
        Some(Progress { done: done.sum(), total: total.sum(), bytes: 0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instances_take_items_in_turns_and_none_twice() {
        for (count, wanted) in [(10, 3), (2, 5), (0, 2), (7, 7), (5, 1)] {
            let source = Interleave::new(count, Duration::ZERO, Arc::new(|n: u64| n));
            let splits = source.splits(wanted).unwrap();
            let items = |split: &(u64, u64, u64)| {
                (split.0..count).step_by(split.1 as usize).collect::<Vec<u64>>()
            };
            for (instance, split) in splits.iter().enumerate() {
                let own = |item: &u64| *item % u64::from(wanted) == instance as u64;
                assert_eq!(items(split), (0..count).filter(own).collect::<Vec<_>>());
            }
            let mut all: Vec<u64> = splits.iter().flat_map(items).collect();
            all.sort_unstable();
            assert_eq!(all, (0..count).collect::<Vec<_>>());
        }
    }

    #[test]
    fn progress_counts_items() {
        let mut source = Interleave::new(10, Duration::ZERO, Arc::new(|n: u64| n));
        source.splits = vec![(0, 3, 6), (1, 3, 10)];
        assert_eq!(source.progress(), Some(Progress { done: 2 + 3, total: 4 + 3, bytes: 0 }));
    }
}
