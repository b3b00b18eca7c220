//! Runs operators of every kind by hand, and looks at all that a harness gives back.

use std::collections::BTreeMap;
use std::time::Duration;

use clink::prelude::*;
use clink::testing::{Element, HarnessSetup, Inputs, OperatorHarness, Snapshot, at_ms};
use clink::{RuntimeError, run::BadRecordPolicy};
use clink_runtime::subtask::contain::contain;

use crate::order_table::{breaks_off, is_whole};
use crate::recording::{
    Deed, Moment, RecordingCo, RecordingKeyed, RecordingKeyedCo, RecordingOperator, RecordingSink,
    RecordingSource, SAID, calls, log, note,
};

/// How a test lets a harness end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    End,
    Stop,
    Cancel,
}

type Driven = Result<(), RuntimeError>;

/// Some records with their times, a barrier, and an end.
fn drive<In: Inputs, Out>(
    setup: HarnessSetup<In, Out>,
    how: How,
    push: impl Fn(&mut OperatorHarness<In, Out>, u64) -> Driven,
) -> Driven {
    let mut harness = setup.open()?;
    for n in 0..20 {
        push(&mut harness, n * 1_000)?;
        harness.watermark(at_ms(n.cast_signed()))?;
        harness.advance_clock(millis(40))?;
        if n == 10 {
            harness.barrier()?;
        }
    }
    match how {
        How::End => _ = harness.end()?,
        How::Stop => _ = harness.stop()?,
        How::Cancel => harness.cancel(),
    }
    assert!(harness.is_over());
    Ok(())
}

fn drive_source(source: RecordingSource, how: How) -> Driven {
    let mut harness = OperatorHarness::source(source).open()?;
    harness.produce()?;
    harness.produce()?;
    harness.barrier()?;
    match how {
        How::End => _ = harness.produce_all()?,
        How::Stop => _ = harness.stop()?,
        How::Cancel => harness.cancel(),
    }
    assert!(harness.is_over());
    Ok(())
}

/// Runs the kind of operator with that uid.
fn live(uid: &str, log: u64, how: How) -> Driven {
    let key = |n: &u64| n % 16;
    let time = |n: u64| at_ms((n / 1_000).cast_signed());
    match uid {
        "src" => drive_source(RecordingSource::new(log, 200), how),
        "op" => {
            let setup = OperatorHarness::operator(RecordingOperator::new(log, 70));
            drive(setup, how, |harness, n| harness.push_at(n, time(n)))
        }
        "keyed" => {
            let setup = OperatorHarness::keyed(RecordingKeyed::new(log, 70), key);
            drive(setup, how, |harness, n| harness.push_at(n, time(n)))
        }
        "co" => {
            let setup = OperatorHarness::co(RecordingCo::new(log, 70));
            drive(setup, how, |harness, n| {
                harness.first().push_at(n, time(n))?;
                harness.second().push_at(n, time(n))
            })
        }
        "keyed-co" => {
            let setup = OperatorHarness::keyed_co(RecordingKeyedCo::new(log, 70), key, key);
            drive(setup, how, |harness, n| {
                harness.first().push_at(n, time(n))?;
                harness.second().push_at(n, time(n))
            })
        }
        _ => {
            let setup = OperatorHarness::sink(RecordingSink::new(log));
            drive(setup, how, |harness, n| harness.push_at(n, time(n)))
        }
    }
}

/// Every kind, its name in the table, and the hook in which it is given a record.
const KINDS: [(&str, &str, &str); 6] = [
    ("src", "source", "produce"),
    ("op", "operator", "process"),
    ("keyed", "operator", "process"),
    ("co", "operator", "process_element2"),
    ("keyed-co", "operator", "process_element1"),
    ("sink", "sink", "on_data"),
];

/// The calls of one life, those before the first `open` apart.
fn hooks_of(uid: &str, moment: Option<Moment>, how: How) -> (Driven, Vec<&'static str>) {
    let log = log(moment);
    let driven = live(uid, log, how);
    let hooks = calls(log).0.into_iter().map(|call| call.hook);
    (driven, hooks.filter(|hook| !matches!(*hook, "check" | "splits")).collect())
}

#[test]
fn every_kind_lives_in_a_harness_as_the_table_says() {
    for (uid, kind, hook) in KINDS {
        for (how, ending) in [(How::End, "end"), (How::Stop, "stop")] {
            let (driven, hooks) = hooks_of(uid, None, how);
            driven.unwrap();
            assert!(is_whole(kind, ending, &hooks), "{uid}, {how:?}: {hooks:?}");
        }
        let (driven, hooks) = hooks_of(uid, None, How::Cancel);
        driven.unwrap();
        let last_words = if kind == "sink" { "finish" } else { "flush" };
        assert!(breaks_off(kind, &hooks) && !hooks.contains(&last_words), "{uid}: {hooks:?}");
        for (hook, after) in [("open", 0), (hook, 1)] {
            for deed in [Deed::Error, Deed::Panic] {
                let moment = Moment { uid: uid_of(uid), hook, after, deed };
                let what = format!("{moment:?}");
                let (driven, hooks) = hooks_of(uid, Some(moment), How::End);
                let error = driven.expect_err(&what).to_string();
                assert!(error.contains(&format!("uid `{uid}`")) && error.contains(SAID), "{error}");
                assert!(breaks_off(kind, &hooks), "{what}: {hooks:?}");
                assert!(hooks.ends_with(&[hook, "close"]), "{what}: {hooks:?}");
            }
        }
    }
}

fn uid_of(uid: &str) -> &'static str {
    KINDS.iter().find(|(known, ..)| *known == uid).unwrap().0
}

/// Counts the records of a key, and emits the count, aside if it is even; says when nothing has
/// come for a key for ten seconds of either time.
#[clink::operator(uid = "count")]
#[derive(Default)]
struct Count {
    most: u64,
    #[state]
    seen: ValueState<u64>,
}

const EVEN: OutputTag<String> = OutputTag::new("even");
const UNREAD: OutputTag<String> = OutputTag::new("unread");

impl KeyedOperator for Count {
    type Key = u64;
    type In = u64;
    type Out = (u64, u64);

    fn process(&mut self, n: u64, ctx: &mut KeyedContext<'_, Self>) -> Result<()> {
        let seen = self.seen.update(ctx, |seen| seen + 1)?;
        let (key, now_ms) = (*ctx.key(), ctx.runtime().processing_time_ms());
        ctx.runtime().counter("records")?.add(1);
        ctx.runtime().gauge("largest")?.set(n.cast_signed());
        ctx.runtime().accumulator("sum").add(n.cast_signed());
        if let Some(time) = ctx.event_time() {
            ctx.timers().register_event_time(at_ms(time.as_millis() + 10_000));
        }
        ctx.timers().register_processing_time(now_ms + 10_000);
        if seen > self.most && self.most > 0 {
            ctx.runtime().report_bad_record("too many", n)?;
        } else if seen.is_multiple_of(2) {
            ctx.emit_side(&EVEN, format!("{key}: {seen}"))?;
        } else {
            ctx.emit((key, seen));
        }
        Ok(())
    }

    fn on_event_time_timer(
        &mut self,
        _: EventTime,
        ctx: &mut KeyedContext<'_, Self>,
    ) -> Result<()> {
        ctx.emit((*ctx.key(), 1_000));
        Ok(())
    }

    fn on_processing_time_timer(
        &mut self,
        at_ms: i64,
        ctx: &mut KeyedContext<'_, Self>,
    ) -> Result<()> {
        assert_eq!(at_ms, ctx.runtime().processing_time_ms(), "each timer at its time");
        ctx.emit((*ctx.key(), at_ms.cast_unsigned()));
        Ok(())
    }
}

fn counting() -> HarnessSetup<u64, (u64, u64)> {
    OperatorHarness::keyed(Count::default(), |n: &u64| n % 5).side_output(&EVEN)
}

#[test]
fn records_watermarks_and_barriers_leave_in_the_order_they_came_in() {
    let mut harness = counting().open().unwrap();
    harness.push_at(7, at_ms(100)).unwrap();
    harness.watermark(at_ms(200)).unwrap();
    harness.push(8).unwrap();
    harness.barrier().unwrap();
    harness.watermark(at_ms(10_100)).unwrap();
    harness.idle().unwrap();
    let barrier = |id| Element::Barrier(id);
    let watermark = |ms| Element::Watermark(Watermark::At(at_ms(ms)));
    assert_eq!(
        harness.take_elements(),
        [
            Element::Record((2, 1), Some(at_ms(100))),
            watermark(200),
            Element::Record((3, 1), None),
            barrier(1),
            Element::Record((2, 1_000), Some(at_ms(10_100))),
            watermark(10_100),
            Element::Watermark(Watermark::Idle),
        ]
    );
    harness.push(7).unwrap();
    harness.barrier().unwrap();
    assert_eq!(harness.take_side_records(&EVEN), [("2: 2".to_owned(), None)]);
    harness.stop().unwrap();
    assert_eq!(harness.take_elements(), [barrier(2), Element::Stopped]);
}

#[test]
fn what_is_taken_is_gone_and_what_is_not_stays() {
    let mut harness = counting().open().unwrap();
    harness.push_all(0..1_000).unwrap();
    assert_eq!(harness.take_output().len(), 500);
    assert_eq!(harness.take_side(&EVEN).len(), 500);
    harness.push_at(3, at_ms(5)).unwrap();
    harness.watermark(at_ms(6)).unwrap();
    assert_eq!(harness.take_records(), [((3, 201), Some(at_ms(5)))]);
    assert_eq!((harness.take_output(), harness.take_side(&EVEN)), (vec![], vec![]));
    assert_eq!(harness.watermarks(), [Watermark::At(at_ms(6))]);
    assert_eq!(harness.watermarks(), []);
    assert_eq!(harness.counter("records"), 1_001);
    assert_eq!((harness.gauge("largest"), harness.accumulator("sum")), (3, 999 * 500 + 3));
    assert_eq!((harness.counter("none"), harness.bad_records()), (0, 0));
}

/// The counts of all keys, as all instances at a parallelism restore and add to them.
fn counts(snapshots: &[Snapshot], parallelism: u32) -> (BTreeMap<u64, u64>, Vec<Snapshot>) {
    let (mut counts, mut captured) = (BTreeMap::new(), Vec::new());
    for index in 0..parallelism {
        let setup = counting().parallelism(parallelism).subtask(index);
        let mut harness = setup.restore(snapshots).start_at_ms(5_000).open().unwrap();
        for key in 0..5 {
            let group = clink_runtime::plan::key_group::key_group_of(&key);
            if harness.key_groups().contains(group) {
                harness.push(key).unwrap();
            }
        }
        captured.push(harness.barrier().unwrap());
        counts.extend(harness.take_output());
        let even = harness.take_side(&EVEN).into_iter();
        counts.extend(even.map(|text| {
            let (key, count) = text.split_once(": ").unwrap();
            (key.parse::<u64>().unwrap(), count.parse::<u64>().unwrap())
        }));
        // The timers of the first instance, then those of this one.
        harness.advance_clock(seconds(5)).unwrap();
        assert!(harness.take_output().iter().all(|(_, at_ms)| *at_ms == 10_000));
        harness.advance_clock(seconds(5)).unwrap();
        assert!(harness.take_output().iter().all(|(_, at_ms)| *at_ms == 15_000));
    }
    (counts, captured)
}

#[test]
fn a_snapshot_restores_at_any_parallelism_and_timers_go_along() {
    let mut harness = counting().open().unwrap();
    harness.push_all(0..50).unwrap();
    let first = harness.barrier().unwrap();
    assert_eq!(first.rows().get("seen"), Some(&5));
    assert_eq!(first.rows().values().sum::<usize>(), 10, "a count and a timer for each key");
    let mut snapshots = vec![first];
    for (step, parallelism) in [3, 2, 1, 4].into_iter().enumerate() {
        let (counts, captured) = counts(&snapshots, parallelism);
        let expected = (0..5).map(|key| (key, 11 + step as u64)).collect();
        assert_eq!(counts, expected, "at parallelism {parallelism}");
        snapshots = captured;
    }
}

#[test]
fn a_record_of_another_instances_key_is_an_error() {
    let setup = counting().parallelism(128);
    let failed = (0..200).filter(|n| setup.open().unwrap().push(*n).is_err());
    assert!(failed.count() > 150);
}

#[test]
fn timers_fire_each_at_its_time_while_the_clock_moves() {
    let mut harness = counting().start_at_ms(500).open().unwrap();
    for n in 0..3 {
        harness.push(n).unwrap();
        harness.advance_clock(seconds(1)).unwrap();
    }
    assert_eq!(harness.now_ms(), 3_500);
    harness.take_output();
    harness.advance_clock(seconds(8)).unwrap();
    assert_eq!(harness.take_output(), [(0, 10_500), (1, 11_500)]);
    harness.advance_clock(Duration::MAX).unwrap();
    assert_eq!(harness.take_output(), [(2, 12_500)]);
    assert_eq!(harness.now_ms(), i64::MAX);
}

/// Ticks each second, if it is started.
#[clink::operator(uid = "ticks")]
#[derive(Default)]
struct Ticks {
    /// Renews itself for the time that has come.
    hangs: bool,
    #[state]
    ticks: OperatorListState<u64>,
}

impl Operator for Ticks {
    type In = u64;
    type Out = u64;

    fn process(&mut self, at_ms: u64, ctx: &mut Context<'_, u64>) -> Result<()> {
        ctx.timers().register_processing_time(at_ms.cast_signed());
        Ok(())
    }

    fn on_processing_time_timer(&mut self, at_ms: i64, ctx: &mut Context<'_, u64>) -> Result<()> {
        self.ticks.push(at_ms.cast_unsigned());
        ctx.emit(at_ms.cast_unsigned());
        let next_ms = if self.hangs { at_ms } else { at_ms + 1_000 };
        ctx.timers().register_processing_time(next_ms);
        Ok(())
    }

    fn flush(&mut self, ctx: &mut Context<'_, u64>) -> Result<()> {
        ctx.emit(self.ticks.rows().len() as u64);
        Ok(())
    }
}

#[test]
fn a_timer_that_renews_itself_ticks_on_and_one_that_never_ends_is_told() {
    let mut harness = OperatorHarness::operator(Ticks::default()).open().unwrap();
    harness.push(1_000).unwrap();
    harness.advance_clock(millis(4_500)).unwrap();
    assert_eq!(harness.take_output(), [1_000, 2_000, 3_000, 4_000]);
    // At the end the timer that is left fires once more, whatever its time.
    let last = harness.end().unwrap();
    assert_eq!(harness.take_output(), [5_000, 5]);
    let mut restored = harness.setup().restore([&last]).open().unwrap();
    restored.end().unwrap();
    assert_eq!(restored.take_output(), Vec::<u64>::new(), "what had ended does not flush again");
    let hangs = Ticks { hangs: true, ..Ticks::default() };
    let said = misuse(|| {
        let mut harness = OperatorHarness::operator(hangs).open().unwrap();
        harness.push(0).unwrap();
    });
    assert!(said.contains("is there a timer that registers itself anew"), "{said}");
}

/// What a harness says to a test that makes no sense; it points at the test.
#[track_caller]
fn misuse(of: impl FnOnce()) -> String {
    let caught = contain(of).unwrap_err();
    let place = caught.location.unwrap_or_default();
    assert!(place.starts_with("clink/tests/jobs/harness.rs:"), "{place}: {}", caught.message);
    caught.message
}

#[test]
fn a_test_that_makes_no_sense_is_told_what_to_do() {
    let mut harness = counting().open().unwrap();
    let snapshot = harness.barrier().unwrap();
    let says = |of: &mut dyn FnMut(), parts: &[&str]| {
        let said = misuse(of);
        parts.iter().for_each(|part| assert!(said.contains(part), "`{part}` is not in: {said}"));
    };
    says(&mut || _ = harness.take_side(&UNREAD), &["`unread` is not read", "`.side_output(…)`"]);
    harness.end().unwrap();
    let over = ["has come to its end", "`harness.setup().open()`"];
    says(&mut || harness.push(1).unwrap(), &over);
    says(&mut || harness.watermark(at_ms(1)).unwrap(), &over);
    says(&mut || _ = harness.barrier(), &over);
    says(&mut || _ = harness.end(), &over);
    says(&mut || harness.advance_clock(seconds(1)).unwrap(), &over);
    says(&mut || _ = counting().side_output(&EVEN), &["side output `even` is there already"]);
    says(&mut || _ = counting().subtask(1).open(), &["no subtask 1 of 1"]);
    says(&mut || _ = counting().restore([]), &["the snapshot of every instance there was"]);
    says(&mut || _ = counting().restore([&snapshot, &snapshot]), &["each once"]);
    says(&mut || _ = counting().saves(false).open().unwrap().barrier(), &["`saves(false)`"]);
    let mut two = OperatorHarness::co(RecordingCo::new(log(None), 0)).open().unwrap();
    two.first().end().unwrap();
    says(&mut || two.first().push(1).unwrap(), &["input 1 has ended"]);
    two.second().push(1).unwrap();
}

#[test]
fn an_error_names_its_operator_and_closes_the_harness() {
    let mut harness = OperatorHarness::keyed(Count::default(), |n| n % 5).open().unwrap();
    harness.push(7).unwrap();
    let error = harness.push(7).unwrap_err().to_string();
    let origin = "operator `Count` (op_0, uid `count`), subtask 0: `Count` emits to side output";
    assert!(error.starts_with(origin), "{error}");
    assert!(harness.is_over());
    let said = misuse(|| harness.push(7).unwrap());
    assert!(said.starts_with("the harness has failed"), "{said}");
}

#[test]
fn bad_records_fail_or_are_counted_as_the_setup_says() {
    let setup = OperatorHarness::keyed(Count { most: 1, ..Count::default() }, |n| n % 5);
    let mut harness = setup.open().unwrap();
    harness.push(7).unwrap();
    let error = harness.push(7).unwrap_err().to_string();
    assert!(error.contains("too many"), "{error}");
    let mut harness = setup.bad_records(BadRecordPolicy::Skip).open().unwrap();
    harness.push_all([7, 7, 7]).unwrap();
    assert_eq!((harness.bad_records(), harness.take_output()), (2, vec![(2, 1)]));
}

#[test]
fn state_that_no_operator_takes_is_refused() {
    let mut harness = counting().open().unwrap();
    harness.push(1).unwrap();
    let snapshot = harness.barrier().unwrap();
    let other = OperatorHarness::operator(Ticks::default()).restore([&snapshot]);
    let error = other.open().err().unwrap();
    assert!(error.is_refusal(), "{error}");
    assert!(error.to_string().contains("operator `count`"), "{error}");
}

#[test]
fn timers_without_a_key_are_dealt_out_among_the_instances() {
    let setup = OperatorHarness::operator(Ticks::default());
    let mut harness = setup.open().unwrap();
    (1..6).for_each(|second| harness.push(second * 100).unwrap());
    let snapshot = harness.barrier().unwrap();
    let mut fired = Vec::new();
    for index in 0..3 {
        let part = setup.clone().parallelism(3).subtask(index).restore([&snapshot]);
        let mut part = part.open().unwrap();
        part.advance_clock(millis(999)).unwrap();
        let own = part.take_output();
        assert!((1..=2).contains(&own.len()), "{own:?}");
        fired.extend(own);
    }
    fired.sort_unstable();
    assert_eq!(fired, [100, 200, 300, 400, 500]);
}

/// Has the uid of [`RecordingKeyed`], and keeps something else under the name of its slot.
#[clink::operator(uid = "keyed")]
#[derive(Default)]
struct Other {
    log: u64,
    #[state]
    last: ValueState<String>,
}

impl KeyedOperator for Other {
    type Key = u64;
    type In = u64;
    type Out = u64;

    fn open(&mut self, _: &RuntimeContext) -> Result<()> {
        note(self.log, "keyed", "open", 0, 0)
    }

    fn process(&mut self, n: u64, ctx: &mut KeyedContext<'_, Self>) -> Result<()> {
        Ok(self.last.set(ctx, n.to_string())?)
    }

    fn close(&mut self) -> Result<()> {
        note(self.log, "keyed", "close", 0, 0)
    }
}

#[test]
fn an_operator_whose_state_cannot_be_restored_is_neither_opened_nor_closed() {
    let recording = RecordingKeyed::new(log(None), 0);
    let mut harness = OperatorHarness::keyed(recording, |n| *n).open().unwrap();
    harness.push(1).unwrap();
    let snapshot = harness.barrier().unwrap();
    let log = log(None);
    let other = Other { log, ..Other::default() };
    let error = OperatorHarness::keyed(other, |n| *n).restore([&snapshot]).open().err().unwrap();
    assert!(error.is_refusal() && error.to_string().contains("`last`"), "{error}");
    assert_eq!(calls(log).0, []);
}

#[test]
fn two_inputs_share_event_time_and_end_together() {
    let log = log(None);
    let setup = OperatorHarness::keyed_co(RecordingKeyedCo::new(log, 0), |n| *n, |n| *n);
    let mut harness = setup.open().unwrap();
    let at = |ms| Watermark::At(at_ms(ms));
    harness.first().watermark(at_ms(10)).unwrap();
    assert_eq!(harness.watermarks(), []);
    harness.second().watermark(at_ms(5)).unwrap();
    assert_eq!(harness.watermarks(), [at(5)]);
    harness.second().idle().unwrap();
    assert_eq!(harness.watermarks(), [at(10)]);
    harness.second().push_all([1, 2]).unwrap();
    harness.first().push_at(1, at_ms(20)).unwrap();
    harness.second().end().unwrap();
    harness.first().watermark(at_ms(30)).unwrap();
    assert_eq!(harness.watermarks(), [at(30)], "an input that has ended holds nothing back");
    assert!(!harness.is_over());
    let snapshot = harness.end().unwrap();
    assert_eq!(harness.watermarks(), [at(i64::MAX)]);
    assert_eq!(harness.take_output(), [1, 2, 1]);
    assert!(snapshot.is_finished());
    assert_eq!(snapshot.rows().get("last"), Some(&2), "both inputs have the same keys");
    let hooks: Vec<&str> = calls(log).0.iter().map(|call| call.hook).collect();
    assert!(is_whole("operator", "end", &hooks), "{hooks:?}");
}

#[test]
fn a_source_rests_is_captured_and_goes_on() {
    let log = log(None);
    let source = RecordingSource::resting(log, 5, 500);
    let setup = OperatorHarness::source(source);
    let mut harness = setup.open().unwrap();
    assert_eq!(harness.produce().unwrap(), Produced::Idle(millis(500)));
    harness.advance_clock(millis(200)).unwrap();
    assert_eq!(harness.produce().unwrap(), Produced::Idle(millis(300)), "it is left alone");
    harness.advance_clock(millis(300)).unwrap();
    harness.produce().unwrap();
    assert_eq!(harness.take_output(), [0, 1_000]);
    let snapshot = harness.barrier().unwrap();
    assert_eq!(harness.take_elements(), [Element::Barrier(1)]);
    harness.cancel();
    let restored = setup.restore([&snapshot]);
    let mut harness = restored.open().unwrap();
    while harness.produce_all().unwrap() != Produced::End {
        harness.advance_clock(seconds(1)).unwrap();
    }
    assert_eq!(harness.take_output(), [2_000, 3_000, 4_000]);
    assert_eq!(harness.watermarks(), [Watermark::At(EventTime::MAX)]);
    assert!(harness.is_over() && harness.last_snapshot().is_finished());
    // At another parallelism the split is dealt out whole.
    let mut output = Vec::new();
    for index in 0..3 {
        let mut part = restored.clone().parallelism(3).subtask(index).open().unwrap();
        while part.produce_all().unwrap() != Produced::End {
            part.advance_clock(seconds(1)).unwrap();
        }
        output.extend(part.take_output());
    }
    assert_eq!(output, [2_000, 3_000, 4_000]);
}

#[test]
fn a_source_without_its_input_is_refused_before_it_opens() {
    let moment = Moment { uid: "src", hook: "check", after: 0, deed: Deed::Error };
    let log = log(Some(moment));
    let source = RecordingSource::new(log, 5);
    let error = OperatorHarness::source(source).open().err().unwrap();
    assert!(error.is_refusal() && error.to_string() == SAID, "{error}");
    assert_eq!(calls(log).0.len(), 1);
}

#[test]
fn connectors_run_in_a_harness_and_a_file_sink_cuts_what_came_after_the_snapshot() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("words.txt");
    let path = path.to_str().unwrap();
    let setup = OperatorHarness::sink(files::text_sink(path));
    let mut sink = setup.open().unwrap();
    sink.push_all(["to", "be"].map(String::from)).unwrap();
    let snapshot = sink.barrier().unwrap();
    sink.push("lost".to_owned()).unwrap();
    sink.cancel();
    let mut sink = setup.restore([&snapshot]).open().unwrap();
    sink.push("or".to_owned()).unwrap();
    sink.end().unwrap();
    let mut source = OperatorHarness::source(files::text(path)).open().unwrap();
    source.produce_all().unwrap();
    assert_eq!(source.take_output(), ["to", "be", "or"]);
}
