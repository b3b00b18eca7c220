//! Decides which records are near enough to match, how long one can find a match, and how far event
//! time behind a join must stay back (pure).

use std::ops::RangeInclusive;

use crate::time::{EventTime, Offset};

use super::kind::{Alone, JoinKind, LatePolicy};

/// Where a right record may lie in time, as seen from a left one, both ends included.
///
/// The longest offset, `i64::MAX` milliseconds, says that there is no such end: with
/// `between(before(Duration::MAX), …)` a right record may be as early as it likes. Sums that leave
/// the range of event times are at its ends.
///
/// ```
/// use clink_runtime::operator::join::Interval;
/// use clink_runtime::time::{after, before, minutes};
///
/// // Up to five minutes before the left record, or ten after it.
/// let near = Interval::between(before(minutes(5)), after(minutes(10)));
/// assert!(!near.is_empty());
/// // Later than the left record, at least one minute and at most two.
/// assert!(!Interval::between(minutes(1), minutes(2)).is_empty());
/// // No moment is later than the one and earlier than the other.
/// assert!(Interval::between(after(minutes(1)), before(minutes(1))).is_empty());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    from: Offset,
    to: Offset,
}

impl Interval {
    /// From the one to the other.
    pub fn between(from: impl Into<Offset>, to: impl Into<Offset>) -> Self {
        Self { from: from.into(), to: to.into() }
    }

    /// True if no two records can match.
    pub fn is_empty(self) -> bool {
        self.from > self.to
    }

    /// Its ends.
    pub fn ends(self) -> (Offset, Offset) {
        (self.from, self.to)
    }

    /// The same as seen from a right record: where a left one may lie.
    pub(in crate::operator) fn mirrored(self) -> Self {
        Self { from: -self.to, to: -self.from }
    }

    /// Its first end in milliseconds, if there is one.
    fn first(self) -> Option<i128> {
        Some(self.from.as_millis()).filter(|from| *from > -i64::MAX).map(i128::from)
    }

    /// Its last end in milliseconds, if there is one.
    fn last(self) -> Option<i128> {
        Some(self.to.as_millis()).filter(|to| *to < i64::MAX).map(i128::from)
    }

    /// The times that records of the other side have which match one of this time; `None` if no
    /// event time is among them.
    pub(in crate::operator) fn partners(self, time: EventTime) -> Option<RangeInclusive<i64>> {
        let time = i128::from(time.as_millis());
        let (least, most) = (EventTime::MIN.as_millis(), EventTime::MAX.as_millis());
        let first = self.first().map_or(least.into(), |from| time + from);
        let last = self.last().map_or(most.into(), |to| time + to);
        let is_none = first > most.into() || last < least.into() || first > last;
        (!is_none).then(|| clamped(first)..=clamped(last))
    }

    /// The first watermark after which a record of this time finds no match on time any more.
    pub(in crate::operator) fn gone_at(self, time: EventTime) -> i64 {
        let last = self.last().map(|to| i128::from(time.as_millis()) + to + 1);
        last.map_or(EventTime::MAX.as_millis(), clamped)
    }

    /// For how long after its time a record waits for matches.
    fn stay(self) -> Option<i128> {
        self.last().map(|to| to.max(0))
    }

    /// How far behind the watermark a pair may lie that a late record makes with one that waits.
    fn late_pair(self) -> Option<i128> {
        Some((self.last()? - self.first().unwrap_or(0).max(0)).max(0))
    }

    /// How far event time behind the join must stay back, so that none of its output is late there
    /// (but for a record that came late itself and leaves alone).
    pub(in crate::operator) fn hold(self, kind: JoinKind, late: LatePolicy) -> Hold {
        let mut hold = Hold(Some(0));
        for (alone, view) in [(kind.left(), self), (kind.right(), self.mirrored())] {
            if alone != Alone::Never {
                hold = hold.longer(view.stay());
            }
            if kind.pairs() && late == LatePolicy::Allow {
                hold = hold.longer(view.late_pair());
            }
        }
        hold
    }
}

/// The event time nearest to a sum.
fn clamped(millis: i128) -> i64 {
    let least = EventTime::MIN.as_millis();
    i64::try_from(millis).map_or(if millis < 0 { least } else { i64::MAX }, |at| at.max(least))
}

/// How far event time stays back behind an operator, in milliseconds; `None` for until the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::operator) struct Hold(Option<i128>);

impl Hold {
    fn longer(self, other: Option<i128>) -> Self {
        Self(self.0.zip(other).map(|(one, other)| one.max(other)))
    }

    /// The watermark to forward where this one has come.
    pub(in crate::operator) fn behind(self, watermark: EventTime) -> EventTime {
        match self.0 {
            // At the end nothing is left to come.
            _ if watermark == EventTime::MAX => watermark,
            Some(span) => EventTime::from_millis(clamped(i128::from(watermark.as_millis()) - span)),
            None => EventTime::MIN,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use super::*;
    use crate::time::{after, before, millis};

    fn at(millis: i64) -> EventTime {
        EventTime::from_millis(millis)
    }

    fn interval(from: i64, to: i64) -> Interval {
        let offset = |millis: i64| match Duration::from_millis(millis.unsigned_abs()) {
            span if millis < 0 => before(span),
            span => after(span),
        };
        Interval::between(offset(from), offset(to))
    }

    #[test]
    fn both_ends_match_and_nothing_beyond_them() {
        let near = Interval::between(before(millis(5)), after(millis(10)));
        assert_eq!(near.partners(at(100)), Some(95..=110));
        assert_eq!(near.mirrored().partners(at(100)), Some(90..=105));
        assert_eq!((near.gone_at(at(100)), near.mirrored().gone_at(at(100))), (111, 106));
    }

    #[test]
    fn the_ends_of_time_and_of_offsets_saturate_w07() {
        let (least, most) = (EventTime::MIN, EventTime::MAX);
        let any = Interval::between(before(Duration::MAX), Duration::MAX);
        assert_eq!(any.partners(at(0)), Some(least.as_millis()..=most.as_millis()));
        assert_eq!(any.gone_at(least), i64::MAX);
        let later = Interval::between(millis(1), millis(2));
        assert_eq!(later.partners(most), None);
        assert_eq!(later.mirrored().partners(least), None);
        assert_eq!(later.partners(at(i64::MAX - 1)), Some(i64::MAX..=i64::MAX));
        assert_eq!(later.gone_at(most), i64::MAX);
        assert_eq!(later.mirrored().gone_at(least), least.as_millis());
    }

    #[test]
    fn event_time_stays_back_by_what_may_still_come() {
        use JoinKind::*;
        use LatePolicy::*;
        let hold = |from, to, kind, late| interval(from, to).hold(kind, late).0;
        assert_eq!(hold(-5, 10, Inner, Drop), Some(0));
        assert_eq!(hold(-5, 10, Inner, Allow), Some(10));
        assert_eq!(hold(-15, 10, Inner, Allow), Some(15));
        assert_eq!(hold(55, 65, Inner, Allow), Some(10), "both lie within the interval's length");
        assert_eq!(hold(-65, -55, Inner, Allow), Some(10));
        for late in [Allow, Drop] {
            for kind in [LeftSemi, LeftAnti] {
                assert_eq!(hold(-5, 10, kind, late), Some(10));
                assert_eq!(hold(-5, -2, kind, late), Some(0));
            }
            for kind in [RightSemi, RightAnti] {
                assert_eq!(hold(-5, 10, kind, late), Some(5));
            }
        }
        assert_eq!(hold(-5, 10, LeftOuter, Drop), Some(10));
        assert_eq!(hold(-5, 10, RightOuter, Drop), Some(5));
        assert_eq!(hold(-15, 10, FullOuter, Drop), Some(15));
        assert_eq!(hold(-5, i64::MAX, LeftOuter, Drop), None);
        assert_eq!(hold(-5, i64::MAX, RightOuter, Drop), Some(5));
        assert_eq!(hold(-i64::MAX, 5, Inner, Allow), None);
        assert_eq!(Hold(None).behind(at(7)), EventTime::MIN);
        assert_eq!(Hold(None).behind(EventTime::MAX), EventTime::MAX);
        assert_eq!(Hold(Some(9)).behind(EventTime::MIN), EventTime::MIN);
    }

    /// Numbers at the ends of their range, around zero, and anywhere.
    fn any_millis() -> impl Strategy<Value = i64> {
        prop_oneof![
            -20..20_i64,
            (0..20_i64).prop_map(|n| i64::MAX - n),
            (0..20_i64).prop_map(|n| -i64::MAX + n),
            -i64::MAX..=i64::MAX
        ]
    }

    proptest! {
        #[test]
        fn both_sides_agree_on_what_matches_and_wait_until_nothing_can(
            from in any_millis(), to in any_millis(), left in any_millis(), right in any_millis()
        ) {
            let near = interval(from, to);
            let between = i128::from(right) - i128::from(left);
            let expect = (from == -i64::MAX || between >= from.into())
                && (to == i64::MAX || between <= to.into());
            let holds = |range: Option<RangeInclusive<i64>>, time: i64| {
                range.is_some_and(|range| range.contains(&time))
            };
            prop_assert_eq!(holds(near.partners(at(left)), right), expect && !near.is_empty());
            let mirrored = near.mirrored().partners(at(right));
            prop_assert_eq!(holds(mirrored, left), expect && !near.is_empty());
            if expect && !near.is_empty() {
                // At the end nothing more comes, so being gone by then loses nothing.
                prop_assert!(near.gone_at(at(left)) > right || right == i64::MAX);
                prop_assert!(near.mirrored().gone_at(at(right)) > left || left == i64::MAX);
            }
        }
    }
}
