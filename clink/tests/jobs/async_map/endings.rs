//! Ends jobs with futures in flight: by a cancel, by a stop, by failures; and goes on from there.

use std::collections::BTreeMap;
use std::future::pending;
use std::sync::Mutex;
use std::task::{Poll, Waker};

use clink::prelude::*;
use clink::run::{Ending, NoObserver, RestorePoint, Signal};
use clink::testing::{World, for_each_seed, seed_count};
use clink::{Job, JobError, RunOptions};

use super::futures::{Living, Polls, Service};
use crate::support::{Cut, Interruptions, Pass, Seen, folder, saving, schedulers, signal_after};

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

/// The job of one attempt, which notes its sums.
fn summed(
    how: AsyncOptions,
    parallelism: u32,
    cut: Pass<u64>,
    seen: &Seen<(u64, u64, u64)>,
) -> Result<Job, JobError> {
    Job::build_with("cut", Some(parallelism), |pipeline| {
        let numbers = pipeline.generate(COUNT, |n| n).uid("numbers");
        let asked = numbers.map_async(how, |n| async move {
            // Some of them take longer than the turn in which they began.
            Polls(n.wrapping_mul(7_919) % 90).await;
            Ok(n)
        });
        let sums = asked.map(cut).key_by(|n| n % 5).process(Sum::default());
        sums.map(seen.tap()).sink(blackhole());
        Ok(())
    })
}

/// Tells a story that a seed chooses: attempts that are cut, then one that is not.
fn check(seed: u64) {
    let folder = folder();
    let state = folder.path();
    let seen = Seen::default();
    let cuts = &[Cut::Stop, Cut::Crash, Cut::Panic];
    let mut random = fastrand::Rng::with_seed(seed);
    let story = Interruptions { job: "cut", state, attempts: 4, cuts, records: COUNT };
    story.run(&mut World::new(seed), |parallelism, pass, _| {
        let how = if random.bool() { AsyncOptions::ordered() } else { AsyncOptions::unordered() };
        summed(how.capacity(random.u32(1..=20)), parallelism, pass, &seen)
    });
    // The last word of each key.
    let sums = seen.all().into_iter().map(|(key, count, total)| (key, (count, total)));
    let last: BTreeMap<u64, (u64, u64)> = sums.collect();
    let mut expected: BTreeMap<u64, (u64, u64)> = BTreeMap::new();
    for n in 0..COUNT {
        let (count, total) = expected.entry(n % 5).or_default();
        (*count, *total) = (*count + 1, *total + n);
    }
    assert_eq!(last, expected);
}

/// A quarter of the seeds that are asked for, since each runs several jobs.
#[test]
fn interrupted_maps_count_each_record_once_under_many_seeds() {
    for_each_seed(0..seed_count(500) / 4, check);
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
        let seen = Seen::default();
        let (pass, signals) = signal_after(Signal::Stop, 100);
        let job = summed(how, 1, pass, &seen).unwrap();
        let report = job.run_watched(&options, &signals, &mut NoObserver).unwrap();
        assert_eq!(report.ending, Ending::Stopped, "{scheduler:?}");
        let options = RunOptions { restore: Some(RestorePoint::Latest), ..options };
        let rest = Seen::default();
        let report = summed(how, 2, Box::new(|n| n), &rest).unwrap().run(&options).unwrap();
        assert_eq!(report.ending, Ending::Finished, "{scheduler:?}");
        let (mut found, rest) = (seen.all(), rest.all());
        found.extend(rest);
        assert_eq!(found.len() as u64, COUNT, "{scheduler:?}: each record came once");
    }
}
