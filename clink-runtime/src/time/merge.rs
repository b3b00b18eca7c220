//! Merges the watermarks of several inputs into one (pure).
//!
//! In:     watermarks and ends per input, in arrival order.
//! Out:    watermarks that never go back: the minimum over inputs that are active.
//! Source: Flink's StatusWatermarkValve, for idle inputs.

use super::{EventTime, Watermark};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Input {
    /// Active, at this time (`None`: nothing said yet).
    Active(Option<EventTime>),
    Idle(Option<EventTime>),
    /// Ended: holds nothing back.
    Ended,
    /// Closed before its end (a stop): its last word stands, for more was to come.
    Stopped(Option<EventTime>),
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
        Self { inputs: vec![Input::Active(None); inputs], emitted: None, idle: false }
    }

    /// Input `index` delivered a watermark; the merged one, if it moved.
    pub fn update(&mut self, index: usize, watermark: Watermark) -> Option<Watermark> {
        let input = self.inputs.get_mut(index)?;
        *input = match (*input, watermark) {
            (Input::Active(at) | Input::Idle(at), Watermark::At(time)) => {
                Input::Active(at.max(Some(time)))
            }
            (Input::Active(at) | Input::Idle(at), Watermark::Idle) => Input::Idle(at),
            (ended, _) => ended,
        };
        self.advance()
    }

    /// Input `index` ended (`stopped`: before its data did); the merged watermark, if it moved.
    pub fn close(&mut self, index: usize, stopped: bool) -> Option<Watermark> {
        let input = self.inputs.get_mut(index)?;
        *input = match (*input, stopped) {
            (Input::Active(at) | Input::Idle(at), true) => Input::Stopped(at),
            (Input::Active(_) | Input::Idle(_), false) => Input::Ended,
            (ended, _) => ended,
        };
        self.advance()
    }

    /// True if an input was closed before its data ended.
    pub fn any_stopped(&self) -> bool {
        self.inputs.iter().any(|input| matches!(input, Input::Stopped(_)))
    }

    fn advance(&mut self) -> Option<Watermark> {
        let holding = |input: &Input| matches!(input, Input::Active(_) | Input::Stopped(_));
        if self.inputs.iter().any(holding) {
            return self.advance_to(self.minimum(holding)?);
        }
        // Nobody holds time back. With every input idle or ended the clock stands at the furthest
        // any idle input has come, whatever the order in which they went idle.
        let idle = |input: &Input| matches!(input, Input::Idle(_));
        if self.inputs.iter().any(idle) {
            let furthest = self.inputs.iter().filter_map(|input| match input {
                Input::Idle(at) => *at,
                _ => None,
            });
            let furthest = furthest.max();
            if furthest > self.emitted {
                self.emitted = furthest;
                self.idle = false;
                return furthest.map(Watermark::At);
            }
            return (!std::mem::replace(&mut self.idle, true)).then_some(Watermark::Idle);
        }
        self.advance_to(EventTime::MAX)
    }

    fn minimum(&self, holding: impl Fn(&Input) -> bool) -> Option<EventTime> {
        let mut minimum = EventTime::MAX;
        for input in self.inputs.iter().filter(|input| holding(input)) {
            if let Input::Active(at) | Input::Stopped(at) = input {
                minimum = minimum.min((*at)?);
            }
        }
        Some(minimum)
    }

    fn advance_to(&mut self, time: EventTime) -> Option<Watermark> {
        let furthest = self.emitted.max(Some(time));
        // After an idle marker the next word says "active again", even if time has not moved.
        if furthest == self.emitted && !self.idle {
            return None;
        }
        self.idle = false;
        self.emitted = furthest;
        furthest.map(Watermark::At)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: i64) -> Watermark {
        Watermark::At(EventTime::from_millis(millis))
    }

    #[test]
    fn the_slowest_input_decides() {
        let mut merge = WatermarkMerge::new(2);
        assert_eq!(merge.update(0, at(5)), None);
        assert_eq!(merge.update(1, at(3)), Some(at(3)));
        assert_eq!(merge.update(1, at(9)), Some(at(5)));
        assert_eq!(merge.update(0, at(4)), None, "an input that goes back changes nothing");
    }

    #[test]
    fn an_idle_input_holds_nothing_back_and_its_return_never_turns_time_back() {
        let mut merge = WatermarkMerge::new(2);
        merge.update(0, at(5));
        assert_eq!(merge.update(1, Watermark::Idle), Some(at(5)));
        assert_eq!(merge.update(1, at(2)), None);
        assert_eq!(merge.update(0, at(8)), None, "input 1 is active again, at 2");
        assert_eq!(merge.update(1, at(7)), Some(at(7)));
    }

    #[test]
    fn the_order_of_going_idle_does_not_matter_w04() {
        for order in [[0, 1], [1, 0]] {
            let mut merge = WatermarkMerge::new(2);
            let mut last = None;
            let mut note = |out: Option<Watermark>| {
                if let Some(Watermark::At(time)) = out {
                    last = Some(time.as_millis());
                }
            };
            note(merge.update(0, at(5)));
            note(merge.update(1, at(4)));
            for input in order {
                note(merge.update(input, Watermark::Idle));
            }
            assert_eq!(last, Some(5));
        }
    }

    #[test]
    fn an_ended_input_holds_nothing_back_and_the_last_end_is_the_end_of_time() {
        let mut merge = WatermarkMerge::new(2);
        merge.update(0, at(5));
        assert_eq!(merge.close(1, false), Some(at(5)));
        assert_eq!(merge.close(0, false), Some(Watermark::At(EventTime::MAX)));
    }

    #[test]
    fn a_stopped_input_keeps_its_last_word() {
        let mut merge = WatermarkMerge::new(2);
        merge.update(0, at(5));
        merge.update(1, at(7));
        assert_eq!(merge.close(0, true), None);
        assert_eq!(merge.close(1, false), None);
        assert!(merge.any_stopped());
    }
}
