//! Builds jobs stage by stage, and says what is wrong with a `Dag` before it runs.

use std::collections::BTreeMap;

use clink::dag::{Broadcast, Dag, key};
use clink::prelude::*;
use clink::{ExchangeOptions, IterationConfig, Job, RunOptions};

use crate::support::schedulers;

/// Counts to a number; instances take turns.
#[clink::operator(uid = "count-up")]
#[derive(Default)]
struct CountUp {
    count: u64,
    #[transient]
    left: Vec<u64>,
}

impl Source for CountUp {
    type Out = u64;
    type Split = u64;

    fn is_bounded(&self) -> bool {
        true
    }

    fn splits(&self, _: u32) -> Result<Vec<u64>> {
        Ok((0..self.count).collect())
    }

    fn open(&mut self, splits: Vec<u64>, _: &RuntimeContext) -> Result<()> {
        self.left = splits;
        self.left.reverse();
        Ok(())
    }

    fn produce(&mut self, ctx: &mut SourceContext<'_, u64>) -> Result<Produced> {
        match self.left.pop() {
            Some(n) => {
                ctx.emit(n);
                Ok(Produced::More)
            }
            None => Ok(Produced::End),
        }
    }

    fn snapshot(&mut self) -> Result<Vec<u64>> {
        Ok(self.left.clone())
    }
}

fn count_up(count: u64) -> CountUp {
    CountUp { count, left: Vec::new() }
}

const SQUARE: OutputTag<u64> = OutputTag::new("square");

/// Adds one; perfect squares go aside as well.
#[clink::operator(uid = "add-one")]
struct AddOne;

impl Operator for AddOne {
    type In = u64;
    type Out = u64;

    fn process(&mut self, n: u64, ctx: &mut Context<'_, u64>) -> Result<()> {
        if n.isqrt().pow(2) == n {
            ctx.emit_side(&SQUARE, n)?;
        }
        ctx.emit(n + 1);
        Ok(())
    }
}

/// Passes on.
#[clink::operator(uid = "pass-on")]
struct PassOn;

impl Operator for PassOn {
    type In = u64;
    type Out = u64;

    fn process(&mut self, n: u64, ctx: &mut Context<'_, u64>) -> Result<()> {
        ctx.emit(n);
        Ok(())
    }
}

/// Emits how many numbers of a key there were, at the end of time.
#[clink::operator(uid = "many")]
#[derive(Default)]
struct Many {
    #[state]
    seen: ValueState<u64>,
}

impl KeyedOperator for Many {
    type Key = u64;
    type In = u64;
    type Out = u64;

    fn process(&mut self, _: u64, ctx: &mut KeyedContext<'_, Self>) -> Result<()> {
        self.seen.update(ctx, |seen| seen + 1)?;
        ctx.timers().register_event_time(EventTime::MAX);
        Ok(())
    }

    fn on_event_time_timer(
        &mut self,
        _: EventTime,
        ctx: &mut KeyedContext<'_, Self>,
    ) -> Result<()> {
        let seen = self.seen.get(ctx)?.copied().unwrap_or_default();
        ctx.emit(*ctx.key() * 1_000 + seen);
        Ok(())
    }
}

/// Tells two inputs apart by sign.
#[clink::operator(uid = "signed")]
struct Signed;

impl CoOperator for Signed {
    type In1 = u64;
    type In2 = u64;
    type Out = u64;

    fn process_element1(&mut self, n: u64, ctx: &mut Context<'_, u64>) -> Result<()> {
        ctx.emit(n);
        Ok(())
    }

    fn process_element2(&mut self, n: u64, ctx: &mut Context<'_, u64>) -> Result<()> {
        ctx.emit(n + 1_000_000);
        Ok(())
    }
}

/// Runs a `Dag` that ends in a text sink under every scheduler; the numbers in its files, sorted.
fn numbers(build: impl Fn(&mut Dag, TextSink)) -> Vec<u64> {
    let mut found: Option<Vec<u64>> = None;
    for scheduler in schedulers() {
        let folder = crate::support::folder();
        let path = folder.path().join("out");
        let mut dag = Dag::default();
        build(&mut dag, TextSink { folder: path.to_str().unwrap().to_owned() });
        let options = RunOptions { scheduler, channel_capacity: 1, ..RunOptions::default() };
        Job::from_dag("dag", dag).run(&options).unwrap_or_else(|error| panic!("{error}"));
        let mut numbers = Vec::new();
        for entry in std::fs::read_dir(folder.path()).unwrap() {
            let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
            numbers.extend(text.lines().map(|line| line.parse::<u64>().unwrap()));
        }
        numbers.sort_unstable();
        assert!(found.as_ref().is_none_or(|found| *found == numbers), "{scheduler:?}: {numbers:?}");
        found = Some(numbers);
    }
    found.unwrap()
}

/// Writes each number on a line of its instance's own file.
#[clink::operator(uid = "numbers")]
#[derive(Default, Clone)]
struct TextSinkOf {
    folder: String,
    #[transient]
    lines: String,
    #[transient]
    index: u32,
}

/// Where such a sink writes.
struct TextSink {
    folder: String,
}

impl TextSink {
    fn sink(&self) -> TextSinkOf {
        TextSinkOf { folder: self.folder.clone(), ..TextSinkOf::default() }
    }
}

impl Sink for TextSinkOf {
    type In = u64;

    fn open(&mut self, ctx: &RuntimeContext) -> Result<()> {
        self.index = ctx.subtask_index();
        Ok(())
    }

    fn on_data(&mut self, n: u64) -> Result<()> {
        self.lines += &format!("{n}\n");
        Ok(())
    }

    fn close(&mut self) -> Result<()> {
        std::fs::write(format!("{}-{}", self.folder, self.index), &self.lines)?;
        Ok(())
    }
}

#[test]
fn stages_with_one_subtask_come_one_after_the_other() {
    let found = numbers(|dag, out| {
        let numbers = dag.add_source(&count_up(10));
        let more = dag.add_operator(numbers, &AddOne);
        let squares = dag.side_output(&more, &SQUARE);
        let [more, again] = dag.fork(more);
        let all = dag.union_streams(vec![more, again, squares]);
        dag.add_sink(all, &out.sink());
    });
    let mut expected: Vec<u64> = (1..=10).flat_map(|n| [n, n]).chain([0, 1, 4, 9]).collect();
    expected.sort_unstable();
    assert_eq!(found, expected);
}

#[test]
fn a_split_a_co_operator_and_a_broadcast() {
    let found = numbers(|dag, out| {
        let numbers = dag.add_source(&count_up(10));
        let [even, odd] = dag.add_split(numbers, ["even", "odd"], |n| u32::from(n % 2 == 1));
        let both = dag.add_co_operator(even, odd, &Signed);
        let control = dag.add_source(&count_up(1));
        dag.uid(&control, "control");
        let on = dag.broadcast_process(
            both,
            control,
            Broadcast {
                state: 0_u64,
                main: |_: &u64, n: u64, ctx: &mut Context<'_, u64>| {
                    ctx.emit(n);
                    Ok(())
                },
                control: |seen: &mut u64, _: u64, _: &mut Context<'_, u64>| {
                    *seen += 1;
                    Ok(())
                },
            },
        );
        dag.add_sink(on, &out.sink());
    });
    assert_eq!(found, [0, 2, 4, 6, 8, 1_000_001, 1_000_003, 1_000_005, 1_000_007, 1_000_009]);
}

#[test]
fn shards_and_parallel_stages_count_each_key_once() {
    let mut counts = BTreeMap::<u64, u64>::new();
    (0..100).for_each(|n| *counts.entry(n % 7).or_default() += 1);
    let expected: Vec<u64> = counts.iter().map(|(key, count)| key * 1_000 + count).collect();
    let sharded = numbers(|dag, out| {
        let numbers = dag.add_source(&count_up(100));
        let counts = dag.add_sharded_keyed(numbers, key(|n: &u64| n % 7), &Many::default(), 3);
        dag.add_sink(counts, &out.sink());
    });
    assert_eq!(sharded, expected);
    let parallel = numbers(|dag, out| {
        let numbers = dag.add_parallel_source(&count_up(100), 2);
        let numbers = dag.add_parallel_operator(numbers, &PassOn, 2);
        let by = key(|n: &u64| n % 7);
        let counts = dag.add_parallel_operator_shuffled(numbers, by, &Many::default(), 5);
        dag.add_parallel_sink(counts, &out.sink(), 5);
    });
    assert_eq!(parallel, expected);
}

#[test]
fn a_loop_and_a_blocking_exchange() {
    let found = numbers(|dag, out| {
        let numbers = dag.add_source(&count_up(5));
        let (numbers, iteration) = dag.iterate_stream(numbers, IterationConfig::new());
        let [done, on] = dag.add_split(numbers, ["done", "on"], |n| u32::from(*n < 10));
        let on = dag.add_operator(on, &AddOne);
        let squares = dag.side_output(&on, &SQUARE);
        dag.add_sink(squares, &clink::sinks::blackhole());
        dag.close_with(iteration, on);
        let done = dag.add_blocking_exchange(done, ExchangeOptions::new().memory_bytes(0));
        dag.add_sink(done, &out.sink());
    });
    assert_eq!(found, [10; 5]);
}

/// What is said of a `Dag` that is refused.
fn refused(build: impl FnOnce(&mut Dag)) -> String {
    let mut dag = Dag::default();
    build(&mut dag);
    Job::from_dag("dag", dag).run(&RunOptions::default()).unwrap_err().to_string()
}

#[test]
fn what_does_not_fit_is_said_with_its_place() {
    let twice = refused(|dag| {
        let one = dag.add_source(&count_up(1));
        let two = dag.add_source(&count_up(1));
        let both = dag.union_streams(vec![one, two]);
        dag.add_sink(both, &clink::sinks::blackhole());
    });
    assert!(twice.contains("P0007") && twice.contains("count-up"), "{twice}");
    let parallelism = refused(|dag| {
        let numbers = dag.add_parallel_source(&count_up(1), 2);
        let numbers = dag.add_parallel_operator(numbers, &PassOn, 3);
        dag.add_parallel_sink(numbers, &clink::sinks::blackhole(), 2);
    });
    assert!(
        parallelism.contains("its parallelism is 3 and that of the stage before it 2"),
        "{parallelism}"
    );
    assert!(
        parallelism.contains("its parallelism is 2 and that of the stage before it 3"),
        "{parallelism}"
    );
    assert!(parallelism.contains("dag.rs:"), "{parallelism}");
    let unconnected = refused(|dag| drop(dag.add_source(&count_up(1))));
    assert!(unconnected.contains("P0017"), "{unconnected}");
    let foreign = refused(|dag| {
        let other = Dag::default().add_source(&count_up(1));
        dag.add_sink(other, &clink::sinks::blackhole());
    });
    assert!(foreign.contains("P0905") && foreign.contains("another `Dag`"), "{foreign}");
    let open = refused(|dag| {
        let numbers = dag.add_source(&count_up(1));
        let (numbers, iteration) = dag.iterate_stream(numbers, IterationConfig::new());
        drop(iteration);
        dag.add_sink(numbers, &clink::sinks::blackhole());
    });
    assert!(open.contains("P0907") && open.contains("not closed"), "{open}");
    let unread = refused(|dag| {
        let numbers = dag.add_source(&count_up(1));
        let [even, odd] = dag.add_split(numbers, ["even", "odd"], |n| u32::from(n % 2 == 1));
        dag.add_sink(even, &clink::sinks::blackhole());
        drop(odd);
    });
    assert!(unread.contains("P0903") && unread.contains("`odd`"), "{unread}");
    let two_types = refused(|dag| {
        let numbers = dag.add_source(&count_up(1));
        let numbers = dag.add_operator(numbers, &AddOne);
        let one = dag.side_output(&numbers, &SQUARE);
        let two = dag.side_output(&numbers, &OutputTag::<String>::new("square"));
        dag.add_sink(numbers, &clink::sinks::blackhole());
        dag.name(&one, "squares");
        dag.add_sink(one, &clink::sinks::blackhole());
        dag.add_sink(two, &clink::sinks::blackhole());
    });
    assert!(two_types.contains("P0904") && two_types.contains("`square`"), "{two_types}");
    assert!(
        two_types.contains("P0901") && two_types.contains("a side output has none"),
        "{two_types}"
    );
}

#[test]
fn a_blocking_exchange_and_checkpoints_exclude_each_other_before_anything_runs() {
    let folder = crate::support::folder();
    let job = Job::build("batch", |pipeline| {
        let numbers = pipeline.generate(3, |n| n).uid("numbers");
        numbers.blocking_exchange(ExchangeOptions::new()).sink(blackhole());
        Ok(())
    });
    let checkpoints = crate::support::saving(folder.path(), 10);
    let options = RunOptions { checkpoints, ..RunOptions::default() };
    let error = job.unwrap().run(&options).unwrap_err();
    assert!(error.is_refusal(), "{error}");
    assert!(error.to_string().contains("no checkpoint can pass it"), "{error}");
}
