//! Looks at what flows through an asynchronous map: order, event times, watermarks, the number of
//! records in flight, and results of an input that has gone silent.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{LazyLock, Mutex};
use std::time::Duration;

use clink::prelude::*;
use clink::run::{NoObserver, SchedulerKind, Signal};
use clink::{IterationConfig, Job, RunOptions};

use super::futures::{Living, Polls, Question, Service};
use crate::support::{Seen, every_way, schedulers};

/// Records of a job: more than two batches.
const COUNT: u64 = 700;

/// Some number of polls, another one for each record.
fn polls(n: u64) -> Polls {
    Polls(n.wrapping_mul(7_919) % 13)
}

#[test]
fn each_record_gives_one_result_whatever_the_way() {
    let expected: Vec<u64> = (0..COUNT).map(|n| n * 3).collect();
    for options in [AsyncOptions::ordered(), AsyncOptions::unordered()] {
        for capacity in [1, 7, 100] {
            let options = options.capacity(capacity);
            every_way(&expected, |pipeline, seen: &Seen<u64>, _| {
                let numbers = pipeline.generate(COUNT, |n| n);
                let asked = numbers.map_async(options, |n| async move {
                    polls(n).await;
                    Ok(n * 3)
                });
                asked.map(seen.tap()).sink(blackhole());
            });
        }
    }
}

#[test]
fn ordered_results_leave_in_the_order_of_their_records() {
    for scheduler in schedulers() {
        for (capacity, channel_capacity) in [(1, 1), (5, 1), (5, 2_048), (1_000, 2_048)] {
            let seen = Seen::default();
            let job = Job::build("ordered", |pipeline| {
                let options = AsyncOptions::ordered().capacity(capacity);
                let asked = pipeline.generate(COUNT, |n| n).map_async(options, |n| async move {
                    polls(n).await;
                    Ok(n)
                });
                asked.map(seen.tap()).sink(blackhole());
                Ok(())
            });
            let options = RunOptions { scheduler, channel_capacity, ..RunOptions::default() };
            job.unwrap().run(&options).unwrap();
            assert_eq!(seen.all(), (0..COUNT).collect::<Vec<_>>(), "{scheduler:?}, {capacity}");
        }
    }
}

#[test]
fn an_iteration_ends_when_nothing_is_in_flight_in_its_body() {
    let expected: Vec<u64> = (1..200_u64).map(|n| n >> n.trailing_zeros()).collect();
    every_way(&expected, |pipeline, seen: &Seen<u64>, _| {
        let numbers = pipeline.generate(199, |n| n + 1);
        let odd = numbers.iterate(IterationConfig::new(), |numbers| {
            let options = AsyncOptions::unordered().capacity(3);
            let asked = numbers.map_async(options, |n| async move {
                polls(n).await;
                Ok(if n % 2 == 0 { (true, n / 2) } else { (false, n) })
            });
            let [even, odd] = asked.split(["even", "odd"], |(even, _)| u32::from(!even));
            (even.map(|(_, n)| n), odd.map(|(_, n)| n))
        });
        odd.map(seen.tap()).sink(blackhole());
    });
}

/// What passes an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Passed {
    Record(i64, Option<EventTime>),
    Watermark(Watermark),
}

static PASSED: LazyLock<Mutex<BTreeMap<u64, Vec<Passed>>>> = LazyLock::new(Mutex::default);
static NEXT: AtomicU64 = AtomicU64::new(0);

/// Notes what passes it under a number.
#[clink::operator(uid = "note")]
struct Note {
    number: u64,
}

impl Note {
    fn note(&self, passed: Passed) {
        PASSED.lock().unwrap().entry(self.number).or_default().push(passed);
    }
}

impl Operator for Note {
    type In = i64;
    type Out = i64;

    fn process(&mut self, n: i64, ctx: &mut Context<'_, i64>) -> Result<()> {
        self.note(Passed::Record(n, ctx.event_time()));
        ctx.emit(n);
        Ok(())
    }

    fn on_watermark(&mut self, watermark: Watermark, _: &mut Context<'_, i64>) -> Result<()> {
        self.note(Passed::Watermark(watermark));
        Ok(())
    }
}

/// The records before each watermark, sorted.
fn before_watermarks(passed: &[Passed]) -> BTreeMap<EventTime, Vec<i64>> {
    let (mut all, mut records) = (BTreeMap::new(), Vec::new());
    for passed in passed {
        match passed {
            Passed::Record(n, time) => {
                assert_eq!(*time, (n % 10 != 0).then(|| EventTime::from_millis(*n)));
                records.push(*n);
            }
            Passed::Watermark(Watermark::At(time)) => {
                records.sort_unstable();
                assert_eq!(all.insert(*time, records.clone()), None, "{time:?} came twice");
            }
            Passed::Watermark(Watermark::Idle) => {}
        }
    }
    all
}

#[test]
fn no_result_crosses_a_watermark_and_event_times_stay() {
    for scheduler in schedulers() {
        for (ordered, capacity) in [(true, 20), (false, 1), (false, 20), (false, 1_000)] {
            let [before, after] = [(); 2].map(|()| NEXT.fetch_add(1, Ordering::Relaxed));
            let options = if ordered { AsyncOptions::ordered() } else { AsyncOptions::unordered() };
            let options = options.capacity(capacity);
            let job = Job::build("time", |pipeline| {
                let numbers = pipeline.generate(COUNT, |n| i64::try_from(n).unwrap());
                // Some records have no event time.
                let of = |n: &i64| (n % 10 != 0).then(|| Timestamp::from_millis(*n));
                let timed = numbers.event_time(of, monotonic()).process(Note { number: before });
                let asked = timed.uid("before").map_async(options, |n| async move {
                    // Longer than from one watermark to the next.
                    Polls(n.unsigned_abs().wrapping_mul(7_919) % 400).await;
                    Ok(n)
                });
                asked.process(Note { number: after }).uid("after").sink(blackhole());
                Ok(())
            });
            let options = RunOptions { scheduler, channel_capacity: 3, ..RunOptions::default() };
            job.unwrap().run(&options).unwrap();
            let mut passed = PASSED.lock().unwrap();
            let [before, after] = [before, after].map(|number| passed.remove(&number).unwrap());
            drop(passed);
            let (before, after) = (before_watermarks(&before), before_watermarks(&after));
            assert!(after.contains_key(&EventTime::MAX));
            // How many there are on the way is chance, but for the simulation.
            if let SchedulerKind::Simulation { seed } = scheduler {
                assert!(after.len() > 100, "seed {seed}, {ordered}, {capacity}: {}", after.len());
            }
            for (time, records) in &after {
                assert_eq!(
                    records, &before[time],
                    "{scheduler:?}, {ordered}, {capacity}: {time:?}"
                );
            }
        }
    }
}

#[test]
fn as_many_are_in_flight_as_there_is_room_for_and_never_more() {
    const ROOM: u64 = 8;
    // Fewer than that many at once are never answered.
    let by_the_dozen = |asked: &crossbeam_channel::Receiver<Question>| {
        let mut waiting: Vec<Question> = Vec::new();
        for question in asked {
            waiting.push(question);
            if waiting.len() as u64 == ROOM {
                for question in waiting.drain(..).rev() {
                    let about = question.about;
                    question.answer(about);
                }
            }
        }
    };
    for scheduler in schedulers() {
        for options in [AsyncOptions::ordered(), AsyncOptions::unordered()] {
            let (service, living) = (Service::start(1, by_the_dozen), Living::default());
            let (seen, lives) = (Seen::default(), living.clone());
            let job = Job::build("room", |pipeline| {
                let numbers = pipeline.generate(50 * ROOM, |n| n);
                let asked = numbers.map_async(options.capacity(ROOM as u32), move |n| {
                    let (answer, life) = (service.ask(n), lives.begin());
                    async move {
                        let answer = answer.await;
                        drop(life);
                        Ok(answer)
                    }
                });
                asked.map(seen.tap()).sink(blackhole());
                Ok(())
            });
            let options = RunOptions { scheduler, ..RunOptions::default() };
            job.unwrap().run(&options).unwrap();
            assert_eq!((seen.all().len() as u64, living.most()), (50 * ROOM, ROOM));
            assert_eq!(living.now(), 0);
        }
    }
}

/// Emits a few records and then nothing more, without an end, and says so.
#[clink::operator(uid = "silent")]
#[derive(Default)]
struct Silent {
    records: u64,
    number: u64,
    #[transient]
    next: u64,
}

static SILENCE: LazyLock<Mutex<BTreeMap<u64, crossbeam_channel::Sender<()>>>> =
    LazyLock::new(Mutex::default);

impl Source for Silent {
    type Out = u64;
    type Split = u64;

    fn splits(&self, _wanted: u32) -> Result<Vec<u64>> {
        Ok(vec![0])
    }

    fn open(&mut self, _splits: Vec<u64>, _ctx: &RuntimeContext) -> Result<()> {
        Ok(())
    }

    fn produce(&mut self, ctx: &mut SourceContext<'_, u64>) -> Result<Produced> {
        if self.next < self.records {
            ctx.emit(self.next);
            self.next += 1;
            return Ok(Produced::More);
        }
        // The sender goes with it: whoever listens hears the end.
        SILENCE.lock().unwrap().remove(&self.number);
        Ok(Produced::Idle(Duration::from_secs(3_600)))
    }

    fn snapshot(&mut self) -> Result<Vec<u64>> {
        Ok(vec![self.next])
    }
}

#[test]
fn results_surface_though_the_source_has_gone_silent() {
    for scheduler in schedulers() {
        for options in [AsyncOptions::ordered(), AsyncOptions::unordered()] {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let (speaks, silence) = crossbeam_channel::bounded(0);
            SILENCE.lock().unwrap().insert(number, speaks);
            let (service, asked) = Service::by_hand();
            std::thread::spawn(move || {
                silence.recv().unwrap_err();
                for question in asked {
                    let about = question.about;
                    question.answer(about * 2);
                }
            });
            let (seen, (send, signals)) = (Seen::default(), crossbeam_channel::bounded(1));
            let noted = seen.clone();
            let job = Job::build("silent", |pipeline| {
                let source = Silent { records: 10, number, ..Silent::default() };
                let numbers = pipeline.source(source);
                let asked = numbers.map_async(options, move |n| {
                    let answer = service.ask(n);
                    async move { Ok(answer.await) }
                });
                let counted = asked.map(move |n| {
                    noted.push(n);
                    if noted.all().len() == 10 {
                        send.send(Signal::Stop).unwrap();
                    }
                    n
                });
                counted.sink(blackhole());
                Ok(())
            });
            let options = RunOptions { scheduler, ..RunOptions::default() };
            job.unwrap().run_watched(&options, &signals, &mut NoObserver).unwrap();
            let mut found = seen.all();
            found.sort_unstable();
            assert_eq!(found, (0..10).map(|n| n * 2).collect::<Vec<_>>(), "{scheduler:?}");
        }
    }
}

#[test]
fn results_surface_though_the_chain_has_no_room_for_the_next_record() {
    for scheduler in schedulers() {
        let (send, signals) = crossbeam_channel::bounded(1);
        let job = Job::build("narrow", |pipeline| {
            let options = AsyncOptions::unordered().capacity(2);
            let numbers = pipeline.generate(100, |n| n);
            let asked = numbers.map_async(options, |n| async move {
                match n {
                    1 => Polls(3).await,
                    _ => std::future::pending().await,
                }
                Ok(n)
            });
            // Two operators more: the first keeps what is no full batch.
            let passed = asked.map(|n| n + 1).map(move |n| {
                assert_eq!(n, 2);
                send.send(Signal::Cancel).unwrap();
                n
            });
            passed.sink(blackhole());
            Ok(())
        });
        let options = RunOptions { scheduler, ..RunOptions::default() };
        let report = job.unwrap().run_watched(&options, &signals, &mut NoObserver).unwrap();
        assert_eq!(report.ending, clink::run::Ending::Cancelled, "{scheduler:?}");
    }
}
