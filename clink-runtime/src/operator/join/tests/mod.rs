//! Plays random records and watermarks to joins of every kind, and compares each step with a model
//! that looks at all pairs.

mod model;
mod player;

use proptest::prelude::*;

use self::model::{Model, nested_loops};
use self::player::{Player, Step};
use super::*;
use crate::time::{EventTime, Watermark, after, before};

/// What a joined record shows of its left and its right side.
type Shown = (Option<u64>, Option<u64>);

/// A key and a number.
type Record = (u64, u64);

/// The numbers of the records in an output, and its event time.
type Output = (Option<u64>, Option<u64>, i64);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Left,
    Right,
}

#[derive(Clone, Copy, Debug)]
enum Event {
    Record(Side, u64, i64),
    Watermark(i64),
    Idle,
    /// The join is saved, and another instance goes on.
    Restart,
}

/// Plays the events and the end, and holds every step against the model; all that was emitted, and
/// how many records were dropped.
fn check<J: Joiner<Record, Record>>(
    join: Join<J>,
    show: fn(J::Out) -> Shown,
    events: &[Event],
) -> Result<(Vec<Output>, u64), TestCaseError> {
    let mut model = Model::new(J::KIND, join.interval, join.late);
    let mut player = Player::new(join, show);
    let (mut forwarded, mut all) = (EventTime::MIN.as_millis(), Vec::new());
    for event in events.iter().copied().chain([Event::Watermark(i64::MAX)]) {
        let step = player.play(event).unwrap();
        prop_assert_eq!(&step.output, &model.play(event), "{:?}", event);
        for output in &step.output {
            let is_excused = model.excused.contains(output);
            prop_assert!(
                output.2 >= forwarded || is_excused,
                "{output:?} comes after watermark {forwarded}"
            );
        }
        if matches!(event, Event::Restart) {
            forwarded = EventTime::MIN.as_millis();
        }
        if let Some(Watermark::At(time)) = step.forwarded {
            prop_assert!(time.as_millis() >= forwarded, "{time:?} is before {forwarded}");
            forwarded = time.as_millis();
            prop_assert!(model.watermark.is_some_and(|watermark| forwarded <= watermark));
        }
        all.extend(step.output);
    }
    prop_assert_eq!(forwarded, i64::MAX);
    let dropped = player.runtime.metrics.late_records();
    prop_assert_eq!(dropped, model.dropped);
    all.sort_unstable();
    Ok((all, dropped))
}

fn left_only((_, number): Record) -> (Option<u64>, Option<u64>) {
    (Some(number), None)
}

fn right_only((_, number): Record) -> (Option<u64>, Option<u64>) {
    (None, Some(number))
}

fn check_kind(
    kind: JoinKind,
    interval: Interval,
    late: LatePolicy,
    events: &[Event],
) -> Result<(Vec<Output>, u64), TestCaseError> {
    macro_rules! joined {
        ($joiner:expr, $show:expr) => {
            check(Join { interval, joiner: $joiner, late }, $show, events)
        };
    }
    let same = |out: (Option<u64>, Option<u64>)| out;
    match kind {
        JoinKind::Inner => {
            joined!(inner(|l: &Record, r: &Record| (Some(l.1), Some(r.1))), same)
        }
        JoinKind::LeftOuter => {
            joined!(left_outer(|l: &Record, r: Option<&Record>| (Some(l.1), r.map(|r| r.1))), same)
        }
        JoinKind::RightOuter => {
            joined!(right_outer(|l: Option<&Record>, r: &Record| (l.map(|l| l.1), Some(r.1))), same)
        }
        JoinKind::FullOuter => joined!(
            full_outer(|found: Joined<'_, Record, Record>| {
                (found.left().map(|l| l.1), found.right().map(|r| r.1))
            }),
            same
        ),
        JoinKind::LeftSemi => joined!(left_semi(), left_only),
        JoinKind::RightSemi => joined!(right_semi(), right_only),
        JoinKind::LeftAnti => joined!(left_anti(), left_only),
        JoinKind::RightAnti => joined!(right_anti(), right_only),
    }
}

fn offset(millis: i64) -> crate::time::Offset {
    let span = std::time::Duration::from_millis(millis.unsigned_abs());
    if millis < 0 { before(span) } else { after(span) }
}

/// Ends of intervals: near zero, and at the ends of their range.
fn ends() -> impl Strategy<Value = Interval> {
    let far = prop_oneof![
        8 => -12..12_i64,
        1 => Just(i64::MAX),
        1 => Just(-i64::MAX),
        1 => Just(i64::MAX - 5),
        1 => Just(-i64::MAX + 5),
    ];
    (far.clone(), far)
        .prop_map(|(one, other)| Interval::between(offset(one.min(other)), offset(one.max(other))))
}

/// Event times: around zero, and at the ends of their range.
fn times() -> impl Strategy<Value = i64> {
    prop_oneof![
        10 => -15..40_i64,
        1 => (0..6_i64).prop_map(|n| i64::MAX - n),
        1 => (1..6_i64).prop_map(|n| i64::MIN + n),
    ]
}

fn sides() -> impl Strategy<Value = Side> {
    prop_oneof![Just(Side::Left), Just(Side::Right)]
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let event = prop_oneof![
        12 => (sides(), 0..3_u64, times()).prop_map(|(side, key, at)| Event::Record(side, key, at)),
        4 => times().prop_map(Event::Watermark),
        1 => Just(Event::Idle),
        1 => Just(Event::Restart),
    ];
    // The end of time comes once, and watermarks never go back.
    prop::collection::vec(event, 0..60).prop_map(|mut events| {
        let mut last = i64::MIN + 1;
        for event in &mut events {
            if let Event::Watermark(at) = event {
                last = last.max((*at).min(40));
                *at = last;
            }
        }
        events
    })
}

/// Makes every record come on time.
fn on_time(mut events: Vec<Event>) -> Vec<Event> {
    let mut watermark = i64::MIN + 1;
    for event in &mut events {
        match event {
            Event::Record(_, _, at) => *at = (*at).max(watermark),
            Event::Watermark(at) => watermark = *at,
            Event::Idle | Event::Restart => {}
        }
    }
    events
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn a_join_does_at_each_step_what_a_look_at_all_pairs_says_and_emits_nothing_late_w20_w23(
        interval in ends(), events in events()
    ) {
        for kind in JoinKind::ALL {
            for late in [LatePolicy::Allow, LatePolicy::Drop] {
                check_kind(kind, interval, late, &events)?;
            }
        }
    }

    #[test]
    fn records_on_time_give_what_nested_loops_give_in_whatever_order_they_come(
        interval in ends(), events in events().prop_map(on_time)
    ) {
        for kind in JoinKind::ALL {
            for late in [LatePolicy::Allow, LatePolicy::Drop] {
                let (found, dropped) = check_kind(kind, interval, late, &events)?;
                prop_assert_eq!(found, nested_loops(kind, interval, &events), "{:?}", kind);
                prop_assert_eq!(dropped, 0);
            }
        }
    }
}

fn player<J: Joiner<Record, Record, Out = Record>>(
    joiner: J,
    late: LatePolicy,
    show: fn(Record) -> (Option<u64>, Option<u64>),
) -> Player<J> {
    let interval = Interval::between(offset(-5), offset(10));
    Player::new(Join { interval, joiner, late }, show)
}

fn forwarded(at: i64) -> Option<Watermark> {
    Some(Watermark::At(EventTime::from_millis(at)))
}

#[test]
fn a_semi_join_emits_at_the_first_match_and_once() {
    let mut semi = player(left_semi(), LatePolicy::Allow, left_only);
    let mut output = |side, time| semi.play(Event::Record(side, 1, time)).unwrap().output;
    assert_eq!(output(Side::Left, 100), []);
    assert_eq!(output(Side::Right, 106), [(Some(0), None, 100)]);
    assert_eq!(output(Side::Right, 101), []);
    assert_eq!(output(Side::Left, 100), [(Some(3), None, 100)], "it finds what waits");
}

#[test]
fn a_record_at_the_watermark_is_on_time_and_one_before_it_is_not_w23() {
    let mut semi = player(left_semi(), LatePolicy::Drop, left_only);
    semi.play(Event::Record(Side::Right, 1, 100)).unwrap();
    semi.play(Event::Watermark(100)).unwrap();
    for (time, dropped) in [(99, 1), (100, 1), (101, 1), (98, 2)] {
        semi.play(Event::Record(Side::Left, 1, time)).unwrap();
        assert_eq!(semi.runtime.metrics.late_records(), dropped, "{time}");
    }
}

#[test]
fn a_record_waits_until_the_watermark_is_past_its_last_match() {
    let mut anti = player(left_anti(), LatePolicy::Allow, left_only);
    anti.play(Event::Record(Side::Left, 1, 100)).unwrap();
    let at_its_last = anti.play(Event::Watermark(110)).unwrap();
    assert_eq!(at_its_last, Step { output: vec![], forwarded: forwarded(100) });
    let past_it = anti.play(Event::Watermark(111)).unwrap();
    assert_eq!(past_it.output, [(Some(0), None, 100)]);
    assert_eq!(past_it.forwarded, forwarded(101));
}

#[test]
fn a_watermark_is_told_once_and_again_after_an_idle_input() {
    let mut semi = player(left_semi(), LatePolicy::Drop, left_only);
    let least = EventTime::MIN.as_millis();
    for (event, told) in [
        (Event::Watermark(least), forwarded(least)),
        (Event::Watermark(least + 3), None),
        (Event::Watermark(0), forwarded(-10)),
        (Event::Idle, Some(Watermark::Idle)),
        (Event::Watermark(0), forwarded(-10)),
        (Event::Watermark(i64::MAX), forwarded(i64::MAX)),
    ] {
        assert_eq!(semi.play(event).unwrap().forwarded, told, "{event:?}");
    }
}

#[test]
fn a_record_without_an_event_time_is_a_bad_record() {
    let mut semi = player(left_semi(), LatePolicy::Allow, left_only);
    let error = semi.play(Event::Record(Side::Right, 1, i64::MIN)).unwrap_err().to_string();
    assert!(error.contains("a record of the right stream has no event time"), "{error}");
    assert!(error.ends_with("[1,0]"), "{error}");
}

#[test]
fn many_keys_come_and_go_and_none_takes_the_place_of_another() {
    let mut anti = player(left_anti(), LatePolicy::Allow, left_only);
    let (mut left, mut restarted) = (0, false);
    for n in 0..40_000 {
        let event = match n % 200 {
            199 => Event::Watermark(n),
            _ => Event::Record(Side::Left, n.unsigned_abs(), n),
        };
        left += anti.play(event).unwrap().output.len();
        if n == 20_000 {
            anti.play(Event::Restart).unwrap();
            restarted = true;
        }
    }
    left += anti.play(Event::Watermark(i64::MAX)).unwrap().output.len();
    assert!(restarted);
    assert_eq!(left, 40_000 - 200);
}
