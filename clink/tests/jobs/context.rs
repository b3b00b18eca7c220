//! Asks contexts for everything that they offer, rightly and wrongly, and reads what an author is
//! told.

use std::sync::Mutex;
use std::time::Duration;

use clink::metrics::{Accumulator, Counter, Gauge};
use clink::plan::OperatorId;
use clink::prelude::*;
use clink::run::{JobView, SchedulerKind};
use clink::{Job, RunOptions};
use clink_runtime::checkpoint::store::RestorePoint;

use crate::exposition::parse;
use crate::support::{folder, saving, schedulers, ways};

/// Who an instance was told to be: uid, name, id, index, parallelism, whether it goes on.
type Identity = (String, String, OperatorId, u32, u32, bool);

/// The identities of each run, as told to `open` and again to the first record or its end.
static TOLD: Mutex<Vec<(u64, Identity)>> = Mutex::new(Vec::new());

/// Notes who it is.
#[clink::operator(uid = "who")]
struct Who {
    run: u64,
}

impl Who {
    fn note(&self, ctx: &RuntimeContext) {
        let (uid, name) = (ctx.uid().to_owned(), ctx.name().to_owned());
        let (id, index, of) = (ctx.operator_id(), ctx.subtask_index(), ctx.parallelism());
        TOLD.lock().unwrap().push((self.run, (uid, name, id, index, of, ctx.is_restored())));
    }
}

impl Operator for Who {
    type In = u64;
    type Out = u64;

    fn open(&mut self, ctx: &RuntimeContext) -> Result<()> {
        self.note(ctx);
        Ok(())
    }

    fn process(&mut self, n: u64, ctx: &mut Context<'_, u64>) -> Result<()> {
        ctx.emit(n);
        Ok(())
    }

    fn flush(&mut self, ctx: &mut Context<'_, u64>) -> Result<()> {
        self.note(ctx.runtime());
        Ok(())
    }
}

#[test]
fn an_instance_is_told_who_it_is_in_a_chain_of_three_subtasks() {
    for (run, scheduler) in (0..).step_by(2).zip(schedulers()) {
        let folder = folder();
        let job = |run| {
            let build = |pipeline: &Pipeline| {
                let numbers = pipeline.generate(90, |n| n).uid("numbers").map(|n| n);
                numbers.process(Who { run }).map(|n| n).sink(blackhole());
                numbers_named(pipeline, run);
                Ok(())
            };
            Job::build_with("who", Some(3), build).unwrap()
        };
        let checkpoints = saving(folder.path(), 86_400_000);
        let mut options = RunOptions { scheduler, checkpoints, ..RunOptions::default() };
        let plan = job(run).plan(&options).unwrap();
        let operators = plan.tasks.iter().map(|task| task.chain.operators().count());
        assert_eq!(operators.filter(|count| *count == 3).count(), 3, "it is in a chain of three");
        job(run).run(&options).unwrap();
        options.restore = Some(RestorePoint::Latest);
        job(run + 1).run(&options).unwrap();
        for (run, restored, hooks) in [(run, false, 2), (run + 1, true, 1)] {
            let mut told: Vec<_> =
                TOLD.lock().unwrap().extract_if(.., |(of, _)| *of == run).collect();
            told.sort();
            // What had come to its end is not flushed again.
            let expected = ["other", "who"].into_iter().flat_map(|uid| {
                let name = if uid == "who" { "Who" } else { "asks" };
                let id = OperatorId::from_uid(uid);
                (0..3).flat_map(move |index| {
                    let told = (run, (uid.to_owned(), name.to_owned(), id, index, 3, restored));
                    std::iter::repeat_n(told, hooks)
                })
            });
            assert_eq!(told, expected.collect::<Vec<_>>(), "{scheduler:?}");
        }
    }
}

/// The same operator a second time, under a uid and a name given in the job.
fn numbers_named(pipeline: &Pipeline, run: u64) {
    let numbers = pipeline.generate(90, |n| n).uid("others");
    numbers.process(Who { run }).uid("other").name("asks").sink(blackhole());
}

/// What a run of this job fails with.
#[track_caller]
fn failure(build: impl Fn(DataStream<'_, u64>)) -> String {
    let mut told: Vec<String> = Vec::new();
    for scheduler in schedulers() {
        let job = Job::build("misuse", |pipeline| {
            build(pipeline.generate(10, |n| n));
            Ok(())
        });
        let options = RunOptions { scheduler, ..RunOptions::default() };
        told.push(job.unwrap().run(&options).unwrap_err().to_string());
    }
    assert!(told.windows(2).all(|pair| pair[0] == pair[1]), "{told:#?}");
    told.swap_remove(0)
}

const ODD: OutputTag<u64> = OutputTag::new("odd");
const ODD_TEXT: OutputTag<String> = OutputTag::new("odd");

/// Emits odd numbers to a side output, as text if it is told to.
#[clink::operator(uid = "emits")]
struct Emits {
    text: bool,
}

impl Operator for Emits {
    type In = u64;
    type Out = u64;

    fn process(&mut self, n: u64, ctx: &mut Context<'_, u64>) -> Result<()> {
        match n % 2 {
            0 => ctx.emit(n),
            _ if self.text => ctx.emit_side(&ODD_TEXT, n.to_string())?,
            _ => ctx.emit_side(&ODD, n)?,
        }
        Ok(())
    }
}

#[test]
fn a_side_output_that_the_job_does_not_read_is_an_error_that_says_how_to_read_it() {
    let told = failure(|numbers| drop(numbers.process(Emits { text: false }).sink(blackhole())));
    assert_eq!(
        told,
        "operator `Emits` (op_1, uid `emits`), subtask 0: `Emits` emits to side output `odd`, \
         which the job does not read (it reads none): add `.side_output(…)` with this tag to the \
         stream behind it"
    );
    let told = failure(|numbers| {
        let even = numbers.process(Emits { text: false });
        even.side_output(&OutputTag::<u64>::new("od")).sink(blackhole());
        even.sink(blackhole());
    });
    assert!(told.contains("which the job does not read (it reads `od`)"), "{told}");
}

#[test]
fn a_side_output_of_another_type_is_an_error_that_names_both() {
    let told = failure(|numbers| {
        let even = numbers.process(Emits { text: true });
        even.side_output(&ODD).sink(blackhole());
        even.sink(blackhole());
    });
    assert_eq!(
        told,
        "operator `Emits` (op_1, uid `emits`), subtask 0: side output `odd` carries `uint64`, and \
         a `string` was emitted to it: use one `OutputTag` for both ends"
    );
}

/// Gives one name to a counter and to a gauge, in this order or the other.
#[clink::operator(uid = "clash")]
struct Clash {
    gauge_first: bool,
}

impl Operator for Clash {
    type In = u64;
    type Out = u64;

    fn open(&mut self, ctx: &RuntimeContext) -> Result<()> {
        if self.gauge_first {
            ctx.gauge("open")?.set(1);
        }
        ctx.counter("open")?.add(1);
        ctx.gauge("open")?.set(1);
        Ok(())
    }

    fn process(&mut self, _: u64, _: &mut Context<'_, u64>) -> Result<()> {
        Ok(())
    }
}

#[test]
fn a_name_is_a_counters_or_a_gauges() {
    let told = |gauge_first| {
        failure(move |numbers| drop(numbers.process(Clash { gauge_first }).sink(blackhole())))
    };
    let origin = "operator `Clash` (op_1, uid `clash`), subtask 0";
    let says = "metric `open` is a counter: give the gauge another name";
    assert_eq!(told(false), format!("{origin}: {says}"));
    let says = "metric `open` is a gauge: give the counter another name";
    assert_eq!(told(true), format!("{origin}: {says}"));
}

/// Asks for state under a name, with a type that depends on what it is told.
#[clink::operator(uid = "asks")]
#[derive(Default)]
struct Asks {
    name: String,
    /// With another type from this record on.
    changes_at: Option<u64>,
    /// With another type in each subtask.
    by_subtask: bool,
    #[state]
    field: ValueState<u64>,
}

impl KeyedOperator for Asks {
    type Key = u64;
    type In = u64;
    type Out = u64;

    fn process(&mut self, n: u64, ctx: &mut KeyedContext<'_, Self>) -> Result<()> {
        self.field.set(ctx, n)?;
        let changed = self.changes_at.is_some_and(|at| n >= at);
        if changed || (self.by_subtask && ctx.runtime().subtask_index() == 1) {
            ctx.keyed_state::<Option<String>>(&self.name)?.set(None)?;
        } else {
            ctx.keyed_state::<u64>(&self.name)?.set(n)?;
        }
        Ok(())
    }
}

fn asks(name: &str) -> Asks {
    Asks { name: name.to_owned(), ..Asks::default() }
}

#[test]
fn a_name_that_state_cannot_have_is_an_error_that_says_why() {
    for (name, says) in [
        ("", "`` cannot name state: it is empty"),
        (
            "__clink_event_time_timers",
            "`__clink_event_time_timers` cannot name state: names that begin with `__clink_` are \
             the engine's",
        ),
        (
            "a|b",
            "`a|b` cannot name state: it holds `|` or a newline, which separate names where they \
             are listed",
        ),
        (
            "a\n",
            "`a\\n` cannot name state: it holds `|` or a newline, which separate names where they \
             are listed",
        ),
        (
            "field",
            "state `field` is a `#[state]` field of the operator: use the field, or ask for \
             another name",
        ),
    ] {
        let told = failure(|numbers| {
            numbers.key_by(|n| n % 3).process(asks(name)).sink(blackhole());
        });
        assert_eq!(told, format!("operator `Asks` (op_1, uid `asks`), subtask 0: {says}"));
    }
}

#[test]
fn a_name_has_one_type_in_all_of_an_operator() {
    let told = failure(|numbers| {
        let asks = Asks { changes_at: Some(5), ..asks("seen") };
        numbers.key_by(|n| n % 3).process(asks).sink(blackhole());
    });
    assert_eq!(
        told,
        "operator `Asks` (op_1, uid `asks`), subtask 0: state `seen` holds `uint64`, and \
         `option<string>` was asked for: a name stands for one type in all of an operator"
    );
    for scheduler in schedulers() {
        let job = Job::build("types", |pipeline| {
            let asks = Asks { by_subtask: true, ..asks("seen") };
            let numbers = pipeline.generate(100, |n| n).key_by(|n| *n);
            numbers.process(asks).set_parallelism(2).sink(blackhole());
            Ok(())
        });
        let options = RunOptions { scheduler, ..RunOptions::default() };
        let told = job.unwrap().run(&options).unwrap_err().to_string();
        assert!(told.contains("a name stands for one type in all of an operator"), "{told}");
    }
}

#[test]
fn state_by_name_of_another_type_in_a_checkpoint_is_refused() {
    let folder = folder();
    let run = |numbers: &str, changes_at, restore| {
        let job = Job::build("types", |pipeline| {
            let asks = Asks { changes_at, ..asks("seen") };
            let numbers = pipeline.generate(10, |n| n).uid(numbers);
            numbers.key_by(|n| n % 3).process(asks).sink(blackhole());
            Ok(())
        });
        let checkpoints = saving(folder.path(), 86_400_000);
        let allow_unmatched_state = true;
        let options =
            RunOptions { checkpoints, restore, allow_unmatched_state, ..RunOptions::default() };
        job.unwrap().run(&options)
    };
    run("first", None, None).unwrap();
    let error = run("second", Some(0), Some(RestorePoint::Latest)).unwrap_err();
    assert!(error.is_refusal());
    assert_eq!(
        error.to_string(),
        "operator `Asks` (op_1, uid `asks`), subtask 0: state `seen` in the checkpoint: column \
         `value`: expected Utf8, found UInt64; ask for the type it was written with, or for \
         another name"
    );
}

/// Gives thirty numbers, each on its own: watermarks and the clock move in between.
#[clink::operator(uid = "slow")]
#[derive(Default)]
struct Slow {
    #[transient]
    next: u64,
}

impl Source for Slow {
    type Out = u64;
    type Split = u64;

    fn splits(&self, _: u32) -> Result<Vec<u64>> {
        Ok(vec![0])
    }

    fn open(&mut self, _: Vec<u64>, _: &RuntimeContext) -> Result<()> {
        Ok(())
    }

    fn produce(&mut self, ctx: &mut SourceContext<'_, u64>) -> Result<Produced> {
        if self.next == 30 {
            return Ok(Produced::End);
        }
        ctx.emit(self.next);
        self.next += 1;
        Ok(Produced::Idle(Duration::from_millis(1)))
    }

    fn snapshot(&mut self) -> Result<Vec<u64>> {
        Ok(vec![self.next])
    }
}

/// Registers timers in the past, and looks when they fire.
#[clink::operator(uid = "past")]
#[derive(Default)]
struct Past {
    #[transient]
    last: u64,
}

impl Operator for Past {
    type In = u64;
    type Out = String;

    fn process(&mut self, n: u64, ctx: &mut Context<'_, String>) -> Result<()> {
        if n == 0 {
            assert_eq!(ctx.watermark(), None);
        }
        if n == 10 {
            assert!(ctx.watermark() >= Some(EventTime::from_millis(5)), "{:?}", ctx.watermark());
            ctx.timers().register_event_time(EventTime::from_millis(-7));
            ctx.timers().register_event_time(EventTime::from_millis(-7));
            ctx.timers().register_processing_time(i64::MIN);
            ctx.timers().register_event_time(EventTime::from_millis(-9));
            assert!(ctx.timers().delete_event_time(EventTime::from_millis(-9)));
            assert!(!ctx.timers().delete_event_time(EventTime::from_millis(-9)));
        }
        self.last = n;
        Ok(())
    }

    fn on_event_time_timer(
        &mut self,
        time: EventTime,
        ctx: &mut Context<'_, String>,
    ) -> Result<()> {
        assert!((10..29).contains(&self.last), "after record {}", self.last);
        ctx.emit(format!("event {}", time.as_millis()));
        Ok(())
    }

    fn on_processing_time_timer(
        &mut self,
        at_ms: i64,
        ctx: &mut Context<'_, String>,
    ) -> Result<()> {
        assert!((10..29).contains(&self.last), "after record {}", self.last);
        ctx.emit(format!("processing {at_ms}"));
        Ok(())
    }
}

#[test]
fn a_timer_in_the_past_fires_once_at_the_next_chance_and_not_at_the_end() {
    for scheduler in schedulers() {
        let mut fired = None;
        let job = Job::build("past", |pipeline| {
            let numbers = pipeline.source(Slow::default());
            let timed = numbers.event_time(|n| Timestamp::from_millis(*n as i64), monotonic());
            fired = Some(timed.process(Past::default()).collect());
            Ok(())
        });
        let options = RunOptions { scheduler, ..RunOptions::default() };
        job.unwrap().run(&options).unwrap();
        let mut fired = fired.unwrap().take();
        fired.sort();
        assert_eq!(fired, ["event -7", &format!("processing {}", i64::MIN)], "{scheduler:?}");
    }
}

/// Keeps numbers of its own, and emits odd records aside.
#[clink::operator(uid = "keeps")]
#[derive(Default)]
struct Keeps {
    #[transient]
    seen: Counter,
    #[transient]
    last: Gauge,
    #[transient]
    balance: Accumulator,
}

impl Operator for Keeps {
    type In = u64;
    type Out = u64;

    fn open(&mut self, ctx: &RuntimeContext) -> Result<()> {
        self.seen = ctx.counter("seen")?;
        self.last = ctx.gauge("last")?;
        self.balance = ctx.accumulator("balance");
        ctx.accumulator("untouched");
        Ok(())
    }

    fn process(&mut self, n: u64, ctx: &mut Context<'_, u64>) -> Result<()> {
        self.seen.add(1);
        self.last.set(-i64::try_from(n)?);
        self.balance.add(if n.is_multiple_of(2) { 1 } else { -2 });
        match n % 2 {
            0 => ctx.emit(n),
            _ => ctx.emit_side(&ODD, n)?,
        }
        Ok(())
    }
}

/// What the last view of a job over a hundred numbers tells.
fn keeping(parallelism: u32, options: &RunOptions) -> JobView {
    let job = Job::build_with("keeping", Some(parallelism), |pipeline| {
        let even = pipeline.generate(100, |n| n).process(Keeps::default());
        even.side_output(&ODD).sink(blackhole());
        even.sink(blackhole());
        Ok(())
    });
    job.unwrap().run(options).unwrap().view
}

#[test]
fn accumulators_are_summed_over_subtasks_and_counters_are_told_of_each() {
    for (parallelism, options) in ways() {
        let view = keeping(parallelism, &options);
        let sums: Vec<_> = (view.accumulators.iter())
            .map(|of| (of.operator.as_str(), of.name.as_str(), of.sum))
            .collect();
        assert_eq!(sums, [("op_1", "balance", -50), ("op_1", "untouched", 0)]);
        let samples = parse(&view.to_prometheus());
        let told = |name: &'static str| samples.iter().filter(move |sample| sample.name == name);
        let total = |name| told(name).map(|sample| sample.value).sum::<f64>();
        assert_eq!(total("clink_custom_total"), 100.0);
        assert_eq!(total("clink_side_output_records_total"), 50.0);
        assert_eq!(told("clink_side_output_records_total").count(), parallelism as usize);
        let sums: Vec<_> = told("clink_accumulator").map(|sample| sample.value).collect();
        assert_eq!(sums, [-50.0, 0.0]);
        for name in ["clink_custom_total", "clink_custom"] {
            let subtasks: Vec<_> = told(name).map(|sample| &*sample.labels["subtask"]).collect();
            let all: Vec<_> = (0..parallelism).map(|index| index.to_string()).collect();
            assert_eq!(subtasks, all, "{name}");
        }
        let last = told("clink_custom").map(|sample| sample.value as i64).min();
        assert_eq!(last, Some(-99));
    }
}

#[test]
fn a_job_without_them_tells_of_no_side_outputs_counters_or_accumulators() {
    let job = Job::build("plain", |pipeline| {
        pipeline.generate(10, |n| n).sink(blackhole());
        Ok(())
    });
    let scheduler = SchedulerKind::Simulation { seed: 1 };
    let view = job.unwrap().run(&RunOptions { scheduler, ..RunOptions::default() }).unwrap().view;
    let text = view.to_prometheus();
    for absent in ["side_output", "custom", "accumulator"] {
        assert!(!text.contains(absent), "{text}");
    }
}
