//! Merges the watermarks of several inputs into one (pure).
//!
//! In:     watermarks and ends per input, in arrival order.
//! Out:    watermarks that never go back: the minimum over inputs that are active.
//! Source: Flink's StatusWatermarkValve, for idle inputs; its faults FLINK-7721, 7728 and 38454,
//!         for the order in which inputs go idle and end.
//!
//! An input at the end of time holds nothing back, whether it said so or closed; it moves nothing
//! either. So time comes to its end when every input's has: an input that is idle meanwhile can
//! come back, and its records would all be late.

use std::iter::Chain;
use std::option::IntoIter;

use super::{EventTime, Watermark};

/// Whether time waits for an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    /// It does.
    Active,
    /// Not for now.
    Idle,
    /// Never again.
    Ended,
}

#[derive(Clone, Copy, Debug)]
struct Input {
    /// The furthest it has come, the end of time not counted (`None`: nothing said yet).
    furthest: Option<EventTime>,
    standing: Standing,
    closed: bool,
    /// Closed before its end (a stop): its last word stands, for more was to come.
    stopped: bool,
}

impl Input {
    const fn new(furthest: Option<EventTime>) -> Self {
        Self { furthest, standing: Standing::Active, closed: false, stopped: false }
    }
}

/// What a merge says: a time, or that nothing comes for now, or one after the other, or nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct Merged {
    at: Option<EventTime>,
    idle: bool,
}

impl IntoIterator for Merged {
    type Item = Watermark;
    type IntoIter = Chain<IntoIter<Watermark>, IntoIter<Watermark>>;

    fn into_iter(self) -> Self::IntoIter {
        let idle = self.idle.then_some(Watermark::Idle);
        self.at.map(Watermark::At).into_iter().chain(idle)
    }
}

/// The watermark of a gate.
#[derive(Clone, Debug)]
pub struct WatermarkMerge {
    inputs: Vec<Input>,
    emitted: Option<EventTime>,
    idle: bool,
}

impl WatermarkMerge {
    /// A merge over that many inputs, none of which has said anything.
    pub fn new(inputs: usize) -> Self {
        Self { inputs: vec![Input::new(None); inputs], emitted: None, idle: false }
    }

    /// One more input. It is active and stands where the merged watermark does; what that changes
    /// is said with the next word of any input.
    pub fn add_input(&mut self) {
        let mut input = Input::new(self.emitted);
        if self.emitted == Some(EventTime::MAX) {
            input.standing = Standing::Ended;
        }
        self.inputs.push(input);
    }

    /// Input `index` delivered a watermark; what the merged one has to say.
    pub fn update(&mut self, index: usize, watermark: Watermark) -> Merged {
        let Some(input) = self.inputs.get_mut(index).filter(|input| !input.closed) else {
            return Merged::default();
        };
        match watermark {
            // There is no way back from the end of time.
            _ if input.standing == Standing::Ended => {}
            Watermark::At(EventTime::MAX) => input.standing = Standing::Ended,
            Watermark::At(time) => {
                input.furthest = input.furthest.max(Some(time));
                input.standing = Standing::Active;
            }
            Watermark::Idle => input.standing = Standing::Idle,
        }
        self.advance()
    }

    /// Input `index` closed (`stopped`: before its data ended); what the merged watermark has to
    /// say.
    pub fn close(&mut self, index: usize, stopped: bool) -> Merged {
        let Some(input) = self.inputs.get_mut(index).filter(|input| !input.closed) else {
            return Merged::default();
        };
        input.closed = true;
        input.stopped = stopped;
        if !stopped {
            input.standing = Standing::Ended;
        }
        self.advance()
    }

    /// True if an input was closed before its data ended.
    pub fn any_stopped(&self) -> bool {
        self.inputs.iter().any(|input| input.stopped)
    }

    fn advance(&mut self) -> Merged {
        let (time, idle) = self.standing();
        let mut merged = Merged::default();
        // After an idle marker the next word says "active again", even if time has not moved.
        let back = self.idle && !idle && time.is_some();
        if time > self.emitted || back {
            self.emitted = self.emitted.max(time);
            self.idle = false;
            merged.at = self.emitted;
        }
        if idle && !self.idle {
            self.idle = true;
            merged.idle = true;
        }
        merged
    }

    /// How far time has come by the last words of the inputs, and whether nobody is active.
    fn standing(&self) -> (Option<EventTime>, bool) {
        let those = |standing| self.inputs.iter().filter(move |input| input.standing == standing);
        // One that has said nothing yet is before all others.
        if let Some(least) = those(Standing::Active).map(|input| input.furthest).min() {
            return (least, false);
        }
        if those(Standing::Idle).next().is_none() {
            return (Some(EventTime::MAX), false);
        }
        // Nobody holds time back. It stands at the furthest that any input has come, whatever the
        // order in which they went idle or ended.
        (self.inputs.iter().filter_map(|input| input.furthest).max(), true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const END: Watermark = Watermark::At(EventTime::MAX);
    const IDLE: Watermark = Watermark::Idle;

    fn at(millis: i64) -> Watermark {
        Watermark::At(EventTime::from_millis(millis))
    }

    fn said(merged: Merged) -> Vec<Watermark> {
        merged.into_iter().collect()
    }

    #[test]
    fn the_slowest_input_decides() {
        let mut merge = WatermarkMerge::new(2);
        assert_eq!(said(merge.update(0, at(5))), []);
        assert_eq!(said(merge.update(1, at(3))), [at(3)]);
        assert_eq!(said(merge.update(1, at(9))), [at(5)]);
        assert_eq!(said(merge.update(0, at(4))), [], "an input that goes back changes nothing");
    }

    #[test]
    fn an_idle_input_holds_nothing_back_and_its_return_never_turns_time_back() {
        let mut merge = WatermarkMerge::new(2);
        assert_eq!(said(merge.update(0, at(5))), []);
        assert_eq!(said(merge.update(1, IDLE)), [at(5)]);
        assert_eq!(said(merge.update(1, at(2))), []);
        assert_eq!(said(merge.update(0, at(8))), [], "input 1 is active again, at 2");
        assert_eq!(said(merge.update(1, at(7))), [at(7)]);
    }

    #[test]
    fn when_the_last_active_input_is_behind_and_goes_idle_time_stands_w03() {
        let mut merge = WatermarkMerge::new(2);
        assert_eq!(said(merge.update(0, IDLE)), []);
        assert_eq!(said(merge.update(1, at(5))), [at(5)]);
        assert_eq!(said(merge.update(0, at(2))), []);
        assert_eq!(said(merge.update(1, IDLE)), []);
        assert_eq!(said(merge.update(0, IDLE)), [IDLE]);
    }

    #[test]
    fn the_order_of_going_idle_does_not_matter_w04() {
        let mut merge = WatermarkMerge::new(2);
        assert_eq!(said(merge.update(0, at(5))), []);
        assert_eq!(said(merge.update(1, at(4))), [at(4)]);
        let mut other = merge.clone();
        assert_eq!(said(merge.update(0, IDLE)), []);
        assert_eq!(said(merge.update(1, IDLE)), [at(5), IDLE]);
        assert_eq!(said(other.update(1, IDLE)), [at(5)]);
        assert_eq!(said(other.update(0, IDLE)), [IDLE]);
    }

    #[test]
    fn times_at_both_ends_are_times_like_others_and_an_idle_input_has_none_w07() {
        let mut merge = WatermarkMerge::new(2);
        let earliest = Watermark::At(EventTime::MIN);
        let latest = at(i64::MAX - 1);
        assert_eq!(said(merge.update(0, earliest)), []);
        assert_eq!(said(merge.update(1, IDLE)), [earliest]);
        assert_eq!(said(merge.update(0, latest)), [latest]);
        assert_eq!(said(merge.update(1, earliest)), []);
        assert_eq!(said(merge.update(1, latest)), []);
        assert_eq!(said(merge.update(1, END)), []);
        assert_eq!(said(merge.update(0, END)), [END]);
    }

    #[test]
    fn an_input_that_never_had_a_record_holds_no_time_once_it_is_idle_w08_w10() {
        let mut merge = WatermarkMerge::new(2);
        assert_eq!(said(merge.update(0, at(-9))), []);
        assert_eq!(said(merge.update(1, IDLE)), [at(-9)]);
        assert_eq!(said(merge.update(0, at(-3))), [at(-3)], "times before 1970 are none the less");
    }

    #[test]
    fn an_ended_input_holds_nothing_back_and_the_last_end_is_the_end_of_time() {
        let mut merge = WatermarkMerge::new(2);
        assert_eq!(said(merge.update(0, at(5))), []);
        assert_eq!(said(merge.close(1, false)), [at(5)]);
        assert_eq!(said(merge.close(0, false)), [END]);
    }

    #[test]
    fn time_does_not_end_while_an_idle_input_can_come_back() {
        let mut merge = WatermarkMerge::new(2);
        assert_eq!(said(merge.update(0, IDLE)), []);
        assert_eq!(said(merge.update(1, at(5))), [at(5)]);
        assert_eq!(said(merge.update(1, END)), [IDLE]);
        assert_eq!(said(merge.close(1, false)), []);
        assert_eq!(said(merge.update(0, at(6))), [at(6)]);
        assert_eq!(said(merge.update(0, END)), [END]);
        assert_eq!(said(merge.close(0, false)), []);
    }

    #[test]
    fn a_stopped_input_keeps_its_last_word() {
        let mut merge = WatermarkMerge::new(2);
        assert_eq!(said(merge.update(0, at(5))), []);
        assert_eq!(said(merge.update(1, at(7))), [at(5)]);
        assert_eq!(said(merge.close(0, true)), []);
        assert_eq!(said(merge.close(1, false)), []);
        assert!(merge.any_stopped());
    }

    #[test]
    fn an_input_that_was_stopped_while_idle_stays_idle() {
        let mut merge = WatermarkMerge::new(2);
        assert_eq!(said(merge.update(0, at(5))), []);
        assert_eq!(said(merge.update(0, IDLE)), []);
        assert_eq!(said(merge.close(0, true)), []);
        assert_eq!(said(merge.update(1, at(7))), [at(7)]);
        assert_eq!(said(merge.close(1, false)), [IDLE], "time has not come to its end");
    }
}
