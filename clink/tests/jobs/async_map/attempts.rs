//! Fails attempts of an asynchronous map: by errors, by the clock, by panics; and gives it options
//! that cannot be.

use std::future::pending;

use clink::prelude::*;
use clink::run::{BadRecordPolicy, JobReport, SchedulerKind};
use clink::{Job, JobError, RunOptions};

use super::futures::{Attempts, Polls};
use crate::support::{Seen, folder, schedulers};

fn simulated(seed: u64) -> RunOptions {
    RunOptions { scheduler: SchedulerKind::Simulation { seed }, ..RunOptions::default() }
}

/// Runs `count` numbers through a map; what came of them, and the report.
fn run<Fut: Future<Output = Result<u64>> + Send + 'static>(
    count: u64,
    how: AsyncOptions,
    options: &RunOptions,
    apply: impl Fn(u64) -> Fut + Send + Sync + 'static,
) -> (Vec<u64>, Result<JobReport, JobError>) {
    let seen = Seen::default();
    let job = Job::build("attempts", |pipeline| {
        let asked = pipeline.generate(count, |n| n).map_async(how, apply).name("ask");
        asked.map(seen.tap()).sink(blackhole());
        Ok(())
    });
    let report = job.unwrap().run(options);
    (seen.all(), report)
}

/// What the operator has counted itself.
fn counted(report: &JobReport) -> Vec<(String, i64)> {
    let instance = report.view.instances.iter().find(|instance| &*instance.name == "ask").unwrap();
    let custom = instance.metrics.custom();
    let counters = custom.counters().into_iter().map(|(name, n)| (name, n.cast_signed()));
    custom.gauges().into_iter().chain(counters).collect()
}

fn counts(in_flight: i64, retries: i64, timeouts: i64) -> Vec<(String, i64)> {
    let counts =
        [("async_in_flight", in_flight), ("async_retries", retries), ("async_timeouts", timeouts)];
    counts.map(|(name, count)| (name.to_owned(), count)).to_vec()
}

#[test]
fn what_takes_too_long_is_tried_again_after_a_while() {
    for seed in 0..20 {
        for how in [AsyncOptions::ordered(), AsyncOptions::unordered()] {
            let how = how.capacity(4).timeout(minutes(2)).retries(2);
            let how = how.backoff(minutes(10)).backoff_max(hours(1));
            let attempts = Attempts::default();
            // The third attempt has an answer, of one record in ten.
            let (mut found, report) = run(100, how, &simulated(seed), move |n| {
                let attempt = attempts.next(n);
                async move {
                    match attempt {
                        1 | 2 if n % 10 == 0 => pending().await,
                        _ => Polls(n % 3).await,
                    }
                    Ok(n)
                }
            });
            let report = report.unwrap();
            found.sort_unstable();
            assert_eq!(found, (0..100).collect::<Vec<_>>());
            assert_eq!(counted(&report), counts(0, 20, 20));
            // Each of the ten takes 2 + 10 + 2 + 20 minutes, and at most four go on at once.
            let took_ms = report.view.now_ms - report.view.started_ms;
            let minutes = took_ms / 60_000;
            assert!((3 * 34..=10 * 35).contains(&minutes), "seed {seed}: {minutes} minutes");
        }
    }
}

#[test]
fn timeouts_come_on_every_clock() {
    for scheduler in schedulers() {
        let options = RunOptions { scheduler, ..RunOptions::default() };
        let how = AsyncOptions::unordered().timeout(millis(1)).retries(1).backoff(millis(0));
        let attempts = Attempts::default();
        let (found, report) = run(10, how, &options, move |n| {
            let attempt = attempts.next(n);
            async move { if attempt == 1 { pending().await } else { Ok(n) } }
        });
        assert_eq!(found.len(), 10, "{scheduler:?}");
        assert_eq!(counted(&report.unwrap()), counts(0, 10, 10));
    }
}

#[test]
fn an_attempt_that_fails_is_tried_again_at_once_if_there_is_nothing_to_wait_for() {
    let how = AsyncOptions::ordered().capacity(3).retries(5).backoff(millis(0));
    let attempts = Attempts::default();
    let (found, report) = run(50, how, &simulated(3), move |n| {
        let attempt = attempts.next(n);
        async move {
            Polls(n % 2).await;
            if u64::from(attempt) <= n % 6 { Err("not yet".into()) } else { Ok(n) }
        }
    });
    assert_eq!(found, (0..50).collect::<Vec<_>>());
    let retries = (0..50).map(|n| n % 6).sum();
    assert_eq!(counted(&report.unwrap()), counts(0, retries, 0));
}

#[derive(Data, Clone, Debug)]
struct Trip {
    id: u64,
    to: String,
}

/// Asks about trips, of which the seventh has no answer.
fn trips(how: AsyncOptions, options: &RunOptions) -> (Vec<u64>, u32, Result<JobReport, JobError>) {
    let (seen, attempts) = (Seen::default(), Attempts::default());
    let counted = attempts.clone();
    let job = Job::build("trips", |pipeline| {
        let trips = pipeline.generate(20, |id| Trip { id, to: format!("\"{id}\"") });
        let asked = trips.map_async(how, move |trip| {
            let attempt = counted.next(trip.id);
            async move {
                if trip.id == 7 { Err(format!("no seat ({attempt})").into()) } else { Ok(trip.id) }
            }
        });
        asked.name("seats").uid("seats").map(seen.tap()).sink(blackhole());
        Ok(())
    });
    let report = job.unwrap().run(options);
    (seen.all(), attempts.of(7), report)
}

#[test]
fn a_record_whose_attempts_have_all_failed_is_a_bad_record() {
    let others: Vec<u64> = (0..20).filter(|n| *n != 7).collect();
    for scheduler in schedulers() {
        for (retries, times) in [(0, "1 attempt"), (2, "3 attempts")] {
            let how = AsyncOptions::ordered().retries(retries).backoff(millis(1));
            let options = RunOptions { scheduler, ..RunOptions::default() };
            let (_, attempts, failed) = trips(how, &options);
            assert_eq!(attempts, retries + 1);
            let reason = format!("no result after {times}: no seat ({})", retries + 1);
            let expected = format!(
                "operator `seats` (op_1, uid `seats`), subtask 0: bad record: {reason}: \
                 {{\"id\":7,\"to\":\"\\\"7\\\"\"}}"
            );
            assert_eq!(failed.unwrap_err().to_string(), expected);

            let skipping = RunOptions { bad_records: BadRecordPolicy::Skip, ..options.clone() };
            let (found, attempts, report) = trips(how, &skipping);
            assert_eq!((found, attempts), (others.clone(), retries + 1));
            let instances = report.unwrap().view.instances;
            let bad: u64 = instances.iter().map(|it| it.metrics.bad_records()).sum();
            assert_eq!(bad, 1);

            let folder = folder();
            let path = folder.path().join("bad.ndjson");
            let keeping =
                RunOptions { bad_records: BadRecordPolicy::File(path.clone()), ..options };
            let (found, _, report) = trips(how, &keeping);
            report.unwrap();
            assert_eq!(found, others);
            let letters = std::fs::read_to_string(&path).unwrap();
            let letter: serde_json::Value = serde_json::from_str(letters.trim_end()).unwrap();
            assert_eq!(letter["reason"], reason);
            assert_eq!(letter["payload"], "{\"id\":7,\"to\":\"\\\"7\\\"\"}");
            assert!(letter["file"].is_null());
            assert_eq!(letter["operator"], "op_1");
        }
    }
}

#[test]
fn an_attempt_that_took_too_long_says_so_and_a_terminal_error_is_not_tried_again() {
    let how = AsyncOptions::unordered().timeout(millis(1_500)).retries(1);
    let (_, failed) = run(1, how, &simulated(1), |_| pending());
    let text = failed.unwrap_err().to_string();
    assert!(text.ends_with("no result after 2 attempts: no answer within 1.5s: 0"), "{text}");
    let (_, failed) =
        run(1, how, &simulated(1), |_| async { Err(clink::Error::new("gone").terminal()) });
    let text = failed.unwrap_err().to_string();
    assert!(text.ends_with("no result after 1 attempt: gone: 0"), "{text}");
}

#[test]
fn records_that_all_fail_take_no_more_room_than_the_others() {
    // The first one has no end while those behind it fail: they wait for their turn to leave.
    let how = AsyncOptions::ordered().capacity(10).timeout(minutes(1));
    let options = RunOptions { bad_records: BadRecordPolicy::Skip, ..simulated(1) };
    let begun = Seen::default();
    let noted = begun.clone();
    let (found, report) = run(100, how, &options, move |n| {
        noted.push(n);
        async move { if n == 0 { pending().await } else { Err("no".into()) } }
    });
    assert_eq!((found, counted(&report.unwrap())), (vec![], counts(0, 0, 1)));
    assert_eq!(begun.all().len(), 100);
}

#[test]
fn a_panic_in_a_future_or_before_it_fails_the_task_with_its_name() {
    let how = AsyncOptions::unordered().capacity(50);
    for scheduler in schedulers() {
        let options = RunOptions { scheduler, ..RunOptions::default() };
        for at_once in [true, false] {
            let (_, failed) = run(1_000, how, &options, move |n| {
                assert!(!(at_once && n == 500), "no {n}");
                async move {
                    Polls(2).await;
                    assert!(n != 500, "no {n}");
                    Ok(n)
                }
            });
            let text = failed.unwrap_err().to_string();
            let origin = "operator `ask` (op_1), subtask 0: panicked: no 500 (at clink/tests/jobs/";
            assert!(text.starts_with(origin), "{text}");
        }
    }
}

#[test]
fn options_that_cannot_be_are_refused_at_their_line() {
    let line = line!() + 3;
    let job = Job::build("zero", |pipeline| {
        let options = AsyncOptions::ordered().capacity(0);
        let asked = pipeline.generate(1, |n| n).map_async(options, |n| async move { Ok(n) });
        asked.sink(blackhole());
        Ok(())
    });
    let error = job.unwrap().run(&RunOptions::default()).unwrap_err();
    assert!(error.is_refusal());
    let found = error.diagnostics().unwrap();
    let found = found.iter().find(|problem| problem.code == "P0908").unwrap();
    assert_eq!(found.message, "its capacity is 0: give it 1 to 65536 records in flight");
    assert_eq!(found.location.unwrap().line, line);
}
