//! Makes records from a counter: a source for benchmarks and examples.

use std::marker::PhantomData;
use std::sync::Arc;

use crate::config::BATCH_RECORDS;
use crate::data::Data;
use crate::error::Result;

use super::{Produced, Progress, RuntimeContext, Source, SourceContext};

/// Emits what a closure makes of each number in `0..count`.
///
/// A split is `(first, end, next)`: the instance emits `next..end` of its part `first..end`.
pub struct Generate<F, T> {
    count: u64,
    make: Arc<F>,
    splits: Vec<(u64, u64, u64)>,
    types: PhantomData<fn() -> T>,
}

impl<F, T> Generate<F, T> {
    /// An instance around a closure that all instances share.
    pub fn new(count: u64, make: Arc<F>) -> Self {
        Self { count, make, splits: Vec::new(), types: PhantomData }
    }
}

impl<T: Data, F: Fn(u64) -> T + Send + Sync + 'static> Source for Generate<F, T> {
    type Out = T;
    type Split = (u64, u64, u64);

    fn is_bounded(&self) -> bool {
        true
    }

    fn splits(&self, wanted: u32) -> Result<Vec<Self::Split>> {
        let wanted = u64::from(wanted.max(1));
        let (part, more) = (self.count / wanted, self.count % wanted);
        let mut first = 0;
        let split = |index| {
            let end = first + part + u64::from(index < more);
            let split = (first, end, first);
            first = end;
            split
        };
        Ok((0..wanted).map(split).collect())
    }

    fn open(&mut self, splits: Vec<Self::Split>, _ctx: &RuntimeContext) -> Result<()> {
        self.splits = splits;
        Ok(())
    }

    fn produce(&mut self, ctx: &mut SourceContext<'_, T>) -> Result<Produced> {
        let Some((_, end, next)) = self.splits.iter_mut().find(|(_, end, next)| next < end) else {
            return Ok(Produced::End);
        };
        let until = end.min(&mut next.saturating_add(BATCH_RECORDS as u64)).to_owned();
        for number in *next..until {
            ctx.emit((self.make)(number));
        }
        *next = until;
        Ok(Produced::More)
    }

    fn snapshot(&mut self) -> Result<Vec<Self::Split>> {
        Ok(self.splits.clone())
    }

    fn progress(&self) -> Option<Progress> {
        let done = self.splits.iter().map(|(first, _, next)| next - first).sum();
        let total = self.splits.iter().map(|(first, end, _)| end - first).sum();
        Some(Progress { done, total, bytes: 0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_cover_the_range_without_gap_or_overlap() {
        for (count, wanted) in [(10, 3), (2, 5), (0, 2), (7, 7)] {
            let source = Generate::new(count, Arc::new(|n: u64| n));
            let numbers: Vec<u64> =
                source.splits(wanted).unwrap().iter().flat_map(|s| s.0..s.1).collect();
            assert_eq!(numbers, (0..count).collect::<Vec<_>>());
        }
    }
}
