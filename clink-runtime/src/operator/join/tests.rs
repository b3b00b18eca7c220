//! Plays random records and watermarks to joins of every kind, and compares each step with a model
//! that looks at all pairs.

use std::sync::Arc;

use clink_plan::id::OperatorId;
use clink_plan::key_group::KeyGroupRange;
use proptest::prelude::*;

use super::super::RuntimeContext;
use super::super::stage::{JoinStage, Outbox, Stage, Turn};
use super::*;
use crate::channel::{Batch, ErasedBatch, StreamElement};
use crate::state::key_index::OwnedLookup;
use crate::state::snapshot::{
    Instance, OperatorIdentity, RestoredSlots, RestoredState, SlotSnapshot, SnapshotWriter,
};
use crate::sync::wake::Waker;
use crate::sys::clock::Clock;
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

/// What a join did at an event.
#[derive(Clone, Debug, Default, PartialEq)]
struct Step {
    output: Vec<Output>,
    forwarded: Option<Watermark>,
}

fn context() -> RuntimeContext {
    RuntimeContext {
        operator: "op_1".to_owned(),
        uid: String::new(),
        name: String::new(),
        type_name: String::new(),
        operator_id: OperatorId(1),
        subtask_index: 0,
        parallelism: 1,
        restored: false,
        clock: Clock::simulated(0),
        side_outputs: Arc::default(),
        waker: Waker::nobody(),
        metrics: Arc::default(),
        shared: Arc::default(),
    }
}

fn instance() -> Instance {
    let operator = OperatorIdentity { id: OperatorId(1), uid: String::new() };
    Instance { operator, subtask_index: 0, parallelism: 1, key_groups: KeyGroupRange::ALL }
}

/// The slots of one instance, as they were saved.
struct Saved(Vec<SlotSnapshot>);

impl RestoredState for Saved {
    fn slots_by_name(&self, _operator: OperatorId) -> Vec<String> {
        Vec::new()
    }

    fn keyed_rows(
        &self,
        _: OperatorId,
        slot: &str,
        _: KeyGroupRange,
    ) -> crate::Result<Option<Vec<arrow_array::RecordBatch>>> {
        let of_slot = self.0.iter().filter(|saved| saved.slot == slot);
        Ok(Some(of_slot.map(|saved| saved.rows.clone()).collect()))
    }

    fn has_finished(&self, _: &Instance) -> bool {
        false
    }

    fn operator_rows(
        &self,
        _: OperatorId,
        _: &str,
    ) -> crate::Result<Option<Vec<arrow_array::RecordBatch>>> {
        Ok(None)
    }
}

/// A join at work.
struct Player<J: Joiner<Record, Record>> {
    join: Join<Arc<J>>,
    stage: JoinStage<Record, Record, u64, J>,
    runtime: RuntimeContext,
    show: fn(J::Out) -> Shown,
    count: u64,
}

impl<J: Joiner<Record, Record>> Player<J> {
    fn new(join: Join<J>, show: fn(J::Out) -> Shown) -> Self {
        let Join { interval, joiner, late } = join;
        let join = Join { interval, joiner: Arc::new(joiner), late };
        let (stage, runtime) = (Self::stage(&join), context());
        let mut player = Self { join, stage, runtime, show, count: 0 };
        player.stage.open(&player.runtime, None).unwrap();
        player
    }

    fn stage(join: &Join<Arc<J>>) -> JoinStage<Record, Record, u64, J> {
        let lookup = || Box::new(OwnedLookup(Arc::new(|(key, _): &Record| *key)));
        let Join { interval, late, .. } = *join;
        let join = Join { interval, joiner: Arc::clone(&join.joiner), late };
        JoinStage::new(join, lookup(), lookup(), KeyGroupRange::ALL)
    }

    fn play(&mut self, event: Event) -> crate::Result<Step> {
        let mut out = Outbox::default();
        match event {
            Event::Record(side, key, time) => {
                let time = (time != i64::MIN).then(|| EventTime::from_millis(time));
                let batch: Batch<Record> = std::iter::once(((key, self.count), time)).collect();
                self.count += 1;
                self.stage.accept(usize::from(side == Side::Right), ErasedBatch::new(batch));
                while self.stage.run(&mut out)? != Turn::Done {}
                self.stage.take_spare();
            }
            Event::Watermark(time) => {
                let watermark = Watermark::At(EventTime::from_millis(time));
                while self.stage.on_watermark(watermark, &mut out)? != Turn::Done {}
            }
            Event::Idle => {
                assert_eq!(self.stage.on_watermark(Watermark::Idle, &mut out)?, Turn::Done);
            }
            Event::Restart => self.restart(),
        }
        self.stage.settle(&mut out)?;
        Ok(self.step(out))
    }

    fn restart(&mut self) {
        let (instance, mut slots) = (instance(), Vec::new());
        self.stage.snapshot(&mut SnapshotWriter::new(&instance, &mut slots)).unwrap();
        assert_eq!(slots.len(), SLOTS.len(), "timers follow from the rows");
        let saved = Saved(slots);
        self.stage = Self::stage(&self.join);
        let restored = RestoredSlots::new(&instance, &saved);
        self.stage.open(&self.runtime, Some(&restored)).unwrap();
    }

    fn step(&self, out: Outbox) -> Step {
        let mut step = Step::default();
        for element in out.main {
            match element {
                StreamElement::Data(batch) => {
                    assert_eq!(step.forwarded, None, "records come before the watermark");
                    for (value, time) in batch.downcast::<J::Out>().unwrap().drain() {
                        let (left, right) = (self.show)(value);
                        step.output.push((left, right, time.unwrap().as_millis()));
                    }
                }
                StreamElement::Watermark(watermark) => step.forwarded = Some(watermark),
                other => panic!("{other:?}"),
            }
        }
        step.output.sort_unstable();
        step
    }
}

/// A record as the model keeps it.
#[derive(Clone, Debug)]
struct Held {
    side: Side,
    key: u64,
    time: i64,
    number: u64,
    matched: bool,
    came_late: bool,
}

/// A join that compares every record with every other one.
struct Model {
    kind: JoinKind,
    interval: Interval,
    late: LatePolicy,
    watermark: Option<i64>,
    held: Vec<Held>,
    count: u64,
    dropped: u64,
    /// Outputs that may be late: records that came late and have left alone.
    excused: Vec<Output>,
}

/// True if a right record of this time matches a left one of that.
fn matches(interval: Interval, left: i64, right: i64) -> bool {
    let (from, to) = interval.ends();
    let (from, to) = (from.as_millis(), to.as_millis());
    let between = i128::from(right) - i128::from(left);
    (from == -i64::MAX || between >= from.into()) && (to == i64::MAX || between <= to.into())
}

impl Model {
    fn alone(&self, side: Side) -> kind::Alone {
        match side {
            Side::Left => self.kind.left(),
            Side::Right => self.kind.right(),
        }
    }

    fn leave(&mut self, held: &Held) -> Output {
        let number = Some(held.number);
        let output = match held.side {
            Side::Left => (number, None, held.time),
            Side::Right => (None, number, held.time),
        };
        if held.came_late {
            self.excused.push(output);
        }
        output
    }

    fn play(&mut self, event: Event) -> Vec<Output> {
        let mut output = Vec::new();
        match event {
            Event::Record(side, key, time) => self.arrive(side, key, time, &mut output),
            Event::Watermark(time) => self.watermark = self.watermark.max(Some(time)),
            Event::Idle => {}
            Event::Restart => self.watermark = None,
        }
        self.release(&mut output);
        output.sort_unstable();
        output
    }

    fn arrive(&mut self, side: Side, key: u64, time: i64, output: &mut Vec<Output>) {
        let number = self.count;
        self.count += 1;
        let came_late = self.watermark.is_some_and(|watermark| time < watermark);
        if came_late && self.late == LatePolicy::Drop {
            self.dropped += 1;
            return;
        }
        let mut come = Held { side, key, time, number, matched: false, came_late };
        let mut held = std::mem::take(&mut self.held);
        for other in held.iter_mut().filter(|other| other.side != side && other.key == key) {
            let (left, right) =
                if side == Side::Left { (&come, &*other) } else { (&*other, &come) };
            if !matches(self.interval, left.time, right.time) {
                continue;
            }
            if self.kind.pairs() {
                let later = left.time.max(right.time);
                output.push((Some(left.number), Some(right.number), later));
            }
            for matched in [&mut come, other] {
                let is_first = !std::mem::replace(&mut matched.matched, true);
                if is_first && self.alone(matched.side) == kind::Alone::Matched {
                    output.push(self.leave(matched));
                }
            }
        }
        held.push(come);
        self.held = held;
    }

    /// Lets go of what can have no match any more.
    fn release(&mut self, output: &mut Vec<Output>) {
        let Some(watermark) = self.watermark else { return };
        let (from, to) = self.interval.ends();
        let gone = |held: &Held| {
            let last = match held.side {
                Side::Left => to.as_millis(),
                Side::Right => -from.as_millis(),
            };
            let is_past = i128::from(held.time) + i128::from(last) < i128::from(watermark);
            watermark == i64::MAX || last != i64::MAX && is_past
        };
        let (left, kept) = std::mem::take(&mut self.held).into_iter().partition(gone);
        self.held = kept;
        let left: Vec<Held> = left;
        for held in left.iter().filter(|held| !held.matched) {
            if self.alone(held.side) == kind::Alone::Unmatched {
                output.push(self.leave(held));
            }
        }
    }
}

/// Plays the events and the end, and holds every step against the model; all that was emitted, and
/// how many records were dropped.
fn check<J: Joiner<Record, Record>>(
    join: Join<J>,
    show: fn(J::Out) -> Shown,
    events: &[Event],
) -> Result<(Vec<Output>, u64), TestCaseError> {
    let (kind, interval, late) = (J::KIND, join.interval, join.late);
    let (watermark, held, excused) = (None, Vec::new(), Vec::new());
    let mut model = Model { kind, interval, late, watermark, held, count: 0, dropped: 0, excused };
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

/// What nested loops over all records give.
fn nested_loops(kind: JoinKind, interval: Interval, events: &[Event]) -> Vec<Output> {
    let records = events.iter().filter_map(|event| match event {
        Event::Record(side, key, at) => Some((*side, *key, *at)),
        _ => None,
    });
    let records: Vec<(u64, (Side, u64, i64))> = (0..).zip(records).collect();
    let of = |side: Side| records.iter().filter(move |(_, record)| record.0 == side);
    let pair = |left: &(u64, (Side, u64, i64)), right: &(u64, (Side, u64, i64))| {
        left.1.1 == right.1.1 && matches(interval, left.1.2, right.1.2)
    };
    let mut output = Vec::new();
    for left in of(Side::Left) {
        let found: Vec<_> = of(Side::Right).filter(|right| pair(left, right)).collect();
        if kind.pairs() {
            let later = |right: i64| left.1.2.max(right);
            output.extend(found.iter().map(|r| (Some(left.0), Some(r.0), later(r.1.2))));
        }
        if leaves_alone(kind.left(), !found.is_empty()) {
            output.push((Some(left.0), None, left.1.2));
        }
    }
    for right in of(Side::Right) {
        let matched = of(Side::Left).any(|left| pair(left, right));
        if leaves_alone(kind.right(), matched) {
            output.push((None, Some(right.0), right.1.2));
        }
    }
    output.sort_unstable();
    output
}

fn leaves_alone(alone: kind::Alone, matched: bool) -> bool {
    match alone {
        kind::Alone::Never => false,
        kind::Alone::Matched => matched,
        kind::Alone::Unmatched => !matched,
    }
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
