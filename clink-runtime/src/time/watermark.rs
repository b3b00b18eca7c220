//! Says how far event time has come, and makes that statement from the records of a source.

use std::time::Duration;

use super::EventTime;

/// A statement about the rest of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watermark {
    /// No later record on this channel has an event time before this one.
    At(EventTime),
    /// This channel has nothing for now: do not hold time back for it.
    Idle,
}

/// How watermarks are made from the event times of records.
///
/// The watermark trails the latest event time seen by the bound, so that a record at most that
/// much out of order is never late.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WatermarkStrategy {
    bound: Duration,
}

/// Records come in order of their event time.
pub const fn monotonic() -> WatermarkStrategy {
    WatermarkStrategy { bound: Duration::ZERO }
}

/// Records come at most `bound` behind the latest event time seen.
pub const fn bounded(bound: Duration) -> WatermarkStrategy {
    WatermarkStrategy { bound }
}

/// Makes the watermarks of one subtask; they never go back.
#[derive(Clone, Debug)]
pub struct WatermarkGenerator {
    strategy: WatermarkStrategy,
    latest: Option<EventTime>,
    emitted: Option<EventTime>,
}

impl WatermarkGenerator {
    /// A generator that has seen nothing.
    pub fn new(strategy: WatermarkStrategy) -> Self {
        Self { strategy, latest: None, emitted: None }
    }

    /// Notes the event time of a record.
    pub fn observe(&mut self, time: EventTime) {
        self.latest = self.latest.max(Some(time));
    }

    /// Time has come to its end: no watermark follows.
    pub fn end(&mut self) {
        self.emitted = Some(EventTime::MAX);
    }

    /// The next watermark, if it is further than the last one.
    pub fn advance(&mut self) -> Option<Watermark> {
        let next = self.latest?.saturating_sub(self.strategy.bound);
        if self.emitted.is_some_and(|last| next <= last) {
            return None;
        }
        self.emitted = Some(next);
        Some(Watermark::At(next))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: i64) -> EventTime {
        EventTime::from_millis(millis)
    }

    #[test]
    fn a_bounded_watermark_trails_the_latest_time_and_never_goes_back() {
        let mut generator = WatermarkGenerator::new(bounded(Duration::from_millis(10)));
        assert_eq!(generator.advance(), None);
        generator.observe(at(100));
        assert_eq!(generator.advance(), Some(Watermark::At(at(90))));
        generator.observe(at(95));
        assert_eq!(generator.advance(), None);
        generator.observe(at(101));
        assert_eq!(generator.advance(), Some(Watermark::At(at(91))));
    }

    #[test]
    fn the_earliest_times_saturate() {
        let mut generator = WatermarkGenerator::new(bounded(Duration::MAX));
        generator.observe(at(i64::MIN));
        assert_eq!(generator.advance(), Some(Watermark::At(EventTime::MIN)));
    }
}
