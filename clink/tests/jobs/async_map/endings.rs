//! Ends jobs with futures in flight: by a cancel, by a stop, by failures; and goes on from there.

use std::collections::BTreeMap;
use std::future::pending;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Poll, Waker};

use clink::prelude::*;
use clink::run::{Ending, NoObserver, RestorePoint, SchedulerKind, Signal};
use clink::{Job, RunOptions};

use super::futures::{Living, Polls, Service};
use crate::support::{Cut, Seen, folder, saving, schedulers};

#[test]
fn a_cancel_drops_futures_that_never_end() {
    for scheduler in schedulers() {
        for by_themselves in [true, false] {
            let (send, signals) = crossbeam_channel::bounded(1);
            let (tell, told) = crossbeam_channel::bounded::<()>(1);
            let canceller = send.clone();
            std::thread::spawn(move || {
                if told.recv().is_ok() {
                    canceller.send(Signal::Cancel).unwrap();
                }
            });
            let (living, wakers) = (Living::default(), &*Box::leak(Box::<WakerList>::default()));
            let lives = living.clone();
            let job = Job::build("never", |pipeline| {
                let options = AsyncOptions::ordered().capacity(30).retries(1);
                let asked = pipeline.generate(1_000, |n| n).map_async(options, move |n| {
                    let life = lives.begin();
                    if lives.ever() == 30 {
                        // From the operator itself, or from a thread once all stand still.
                        let _ = if by_themselves {
                            send.send(Signal::Cancel).is_ok()
                        } else {
                            tell.send(()).is_ok()
                        };
                    }
                    let never = std::future::poll_fn(|cx| {
                        wakers.0.lock().unwrap().push(cx.waker().clone());
                        Poll::<()>::Pending
                    });
                    async move {
                        never.await;
                        drop(life);
                        Ok(n)
                    }
                });
                asked.sink(blackhole());
                Ok(())
            });
            let options = RunOptions { scheduler, ..RunOptions::default() };
            let report = job.unwrap().run_watched(&options, &signals, &mut NoObserver).unwrap();
            assert_eq!(report.ending, Ending::Cancelled, "{scheduler:?}");
            assert_eq!((living.ever(), living.now()), (30, 0), "{scheduler:?}");
            // Whoever still holds a waker may use it.
            wakers.0.lock().unwrap().drain(..).for_each(Waker::wake);
        }
    }
}

#[derive(Default)]
struct WakerList(Mutex<Vec<Waker>>);

#[test]
fn a_failure_elsewhere_drops_futures_too() {
    for scheduler in schedulers() {
        let living = Living::default();
        let lives = living.clone();
        let job = Job::build("failing", |pipeline| {
            let never = pipeline.generate(10, |n| n).map_async(AsyncOptions::unordered(), {
                move |n| {
                    let life = lives.begin();
                    async move {
                        pending::<()>().await;
                        drop(life);
                        Ok(n)
                    }
                }
            });
            never.sink(blackhole());
            let fails = pipeline.generate(5_000, |n| n).map(|n| {
                assert!(n < 4_000, "the other branch");
                n
            });
            fails.sink(blackhole()).uid("other");
            Ok(())
        });
        let options = RunOptions { scheduler, ..RunOptions::default() };
        let text = job.unwrap().run(&options).unwrap_err().to_string();
        assert!(text.contains("the other branch"), "{text}");
        assert_eq!(living.now(), 0, "{scheduler:?}");
    }
}

#[test]
fn ten_thousand_answers_from_other_threads_all_arrive() {
    const COUNT: u64 = 10_000;
    for scheduler in schedulers() {
        for options in [AsyncOptions::ordered(), AsyncOptions::unordered()] {
            let service = Service::start(2, |asked| {
                for question in asked {
                    let about = question.about;
                    question.answer(about + 1);
                }
            });
            let seen = Seen::default();
            let job = Job::build_with("many", Some(2), |pipeline| {
                let numbers = pipeline.generate(COUNT, |n| n);
                let asked = numbers.map_async(options.capacity(16), move |n| {
                    let first = service.ask(n);
                    let service = service.clone();
                    async move { Ok(service.ask(first.await).await) }
                });
                asked.map(seen.tap()).sink(blackhole());
                Ok(())
            });
            job.unwrap().run(&RunOptions { scheduler, ..RunOptions::default() }).unwrap();
            let mut found = seen.all();
            found.sort_unstable();
            assert_eq!(found, (2..COUNT + 2).collect::<Vec<_>>(), "{scheduler:?}");
        }
    }
}

/// Records of a job that is cut short.
const COUNT: u64 = 600;

/// Adds up the records of a key.
#[clink::operator(uid = "sum")]
#[derive(Default)]
struct Sum {
    #[state]
    total: ValueState<u64>,
    #[state]
    count: ValueState<u64>,
}

impl KeyedOperator for Sum {
    type Key = u64;
    type In = u64;
    type Out = (u64, u64, u64);

    fn process(&mut self, n: u64, ctx: &mut KeyedContext<'_, Self>) -> Result<()> {
        let total = self.total.update(ctx, |total| total + n)?;
        let count = self.count.update(ctx, |count| count + 1)?;
        let key = *ctx.key();
        ctx.emit((key, count, total));
        Ok(())
    }
}

/// The sums of an attempt that is cut after so many results, and how it ended.
fn attempt(
    cut: Cut,
    at: u64,
    how: AsyncOptions,
    parallelism: u32,
    options: &RunOptions,
) -> (Vec<(u64, u64, u64)>, Option<Ending>) {
    let (cut, signals) = cut.after(at);
    let seen = Seen::default();
    let job = Job::build_with("cut", Some(parallelism), |pipeline| {
        let numbers = pipeline.generate(COUNT, |n| n).uid("numbers");
        let asked = numbers.map_async(how, |n| async move {
            // Some of them take longer than the turn in which they began.
            Polls(n.wrapping_mul(7_919) % 90).await;
            Ok(n)
        });
        let sums = asked.map(cut).key_by(|n| n % 5).process(Sum::default());
        sums.map(seen.tap()).sink(blackhole());
        Ok(())
    });
    let report = job.unwrap().run_watched(options, &signals, &mut NoObserver);
    (seen.all(), report.ok().map(|report| report.ending))
}

/// Tells a story that a seed chooses: attempts that are cut, then one that is not.
fn check(seed: u64) {
    let mut random = fastrand::Rng::with_seed(seed);
    let folder = folder();
    let mut last = BTreeMap::new();
    let mut told = Vec::new();
    let count = random.usize(1..=3);
    let cuts: Vec<Cut> =
        std::iter::repeat_with(|| *random.choice(&[Cut::Stop, Cut::Cancel, Cut::Panic]).unwrap())
            .take(count)
            .collect();
    for cut in cuts.into_iter().chain([Cut::Never]) {
        let ordered = random.bool();
        let how = if ordered { AsyncOptions::ordered() } else { AsyncOptions::unordered() };
        let how = how.capacity(random.u32(1..=20));
        let saved = std::fs::read_dir(folder.path().join("cut")).into_iter().flatten();
        let found = saved.flatten().any(|entry| entry.path().join("manifest.json").exists());
        let options = RunOptions {
            scheduler: SchedulerKind::Simulation { seed: random.u64(..) },
            channel_capacity: *random.choice(&[1, 3, 2_048]).unwrap(),
            checkpoints: saving(folder.path(), *random.choice(&[1, 10, 50]).unwrap()),
            restore: found.then_some(RestorePoint::Latest),
            ..RunOptions::default()
        };
        let (at, parallelism) = (random.u64(..COUNT), random.u32(1..=4));
        let (sums, ending) = attempt(cut, at, how, parallelism, &options);
        told.push(format!("{cut:?} after {at}, parallelism {parallelism}, {how:?}: {ending:?}"));
        last.extend(sums.into_iter().map(|(key, count, total)| (key, (count, total))));
        if cut == Cut::Never {
            assert_eq!(ending, Some(Ending::Finished), "seed {seed}: {told:#?}");
        }
    }
    let mut expected: BTreeMap<u64, (u64, u64)> = BTreeMap::new();
    for n in 0..COUNT {
        let (count, total) = expected.entry(n % 5).or_default();
        (*count, *total) = (*count + 1, *total + n);
    }
    assert_eq!(last, expected, "seed {seed}: {told:#?}");
}

#[test]
fn interrupted_maps_count_each_record_once_under_many_seeds() {
    // Each seed is several runs of a job.
    let asked = std::env::var("CLINK_SIM_SEEDS").ok();
    let seeds = asked.map_or(500, |count| count.parse().expect("CLINK_SIM_SEEDS is a number")) / 4;
    let next = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                let seeds = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed))
                    .take_while(|seed| *seed < seeds);
                seeds.for_each(check);
            });
        }
    });
}

#[test]
fn a_stop_waits_for_what_is_in_flight() {
    for scheduler in schedulers() {
        let folder = folder();
        let options = RunOptions {
            scheduler,
            checkpoints: saving(folder.path(), 86_400_000),
            ..RunOptions::default()
        };
        let how = AsyncOptions::unordered().capacity(40);
        let (mut found, ending) = attempt(Cut::Stop, 100, how, 1, &options);
        assert_eq!(ending, Some(Ending::Stopped), "{scheduler:?}");
        let options = RunOptions { restore: Some(RestorePoint::Latest), ..options };
        let (rest, ending) = attempt(Cut::Never, 0, how, 2, &options);
        assert_eq!(ending, Some(Ending::Finished), "{scheduler:?}");
        found.extend(rest);
        assert_eq!(found.len() as u64, COUNT, "{scheduler:?}: each record came once");
    }
}
