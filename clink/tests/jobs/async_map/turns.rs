//! Looks at whose turn it is where futures want many: they keep nobody from the input, nor each
//! other, and a full output does not keep them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use clink::dag::Dag;
use clink::prelude::*;
use clink::run::PlanOptions;
use clink::{Job, RunOptions};

use super::futures::{Polls, Until};
use crate::support::{Seen, folder, schedulers};

#[test]
fn a_future_that_asks_for_every_turn_keeps_nobody_from_the_input() {
    for scheduler in schedulers() {
        let begun = Arc::new(AtomicU64::new(0));
        let job = Job::build("greedy", |pipeline| {
            let options = AsyncOptions::unordered().capacity(2_000);
            let asked = pipeline.generate(1_000, |n| n).map_async(options, move |n| {
                begun.fetch_add(1, Ordering::Relaxed);
                let begun = Arc::clone(&begun);
                async move {
                    if n == 0 {
                        Until(|| begun.load(Ordering::Relaxed) == 1_000).await;
                    }
                    Ok(n)
                }
            });
            asked.sink(blackhole());
            Ok(())
        });
        let options = RunOptions { scheduler, channel_capacity: 1, ..RunOptions::default() };
        job.unwrap().run(&options).unwrap();
    }
}

#[test]
fn a_future_that_asks_for_every_turn_keeps_no_map_before_it_in_the_chain_from_its_own() {
    for scheduler in schedulers() {
        let job = Job::build("two", |pipeline| {
            let arrived = Arc::new(AtomicU64::new(0));
            let options = AsyncOptions::unordered();
            let first = pipeline.generate(100, |n| n).map_async(options, |n| async move {
                Polls(n).await;
                Ok(n)
            });
            let second = first.map_async(options, move |n| {
                arrived.fetch_add(1, Ordering::Relaxed);
                let arrived = Arc::clone(&arrived);
                async move {
                    if n == 0 {
                        Until(|| arrived.load(Ordering::Relaxed) == 100).await;
                    }
                    Ok(n)
                }
            });
            second.sink(blackhole());
            Ok(())
        });
        job.unwrap().run(&RunOptions { scheduler, ..RunOptions::default() }).unwrap();
    }
}

#[test]
fn a_full_output_keeps_no_future_from_its_turns() {
    for scheduler in schedulers() {
        let job = Job::build("full", |pipeline| {
            let over = Arc::new(AtomicBool::new(false));
            let seen = Arc::clone(&over);
            let options = AsyncOptions::unordered();
            let first = pipeline.generate(100, |n| n).map_async(options, move |n| {
                let over = Arc::clone(&over);
                async move {
                    if n == 0 {
                        // Long enough for the output to be full of the others.
                        Polls(2_000).await;
                        over.store(true, Ordering::Relaxed);
                    }
                    Ok(n)
                }
            });
            // Takes nothing more in until that future has come to its end.
            let second = first.map_async(options.capacity(1), move |n| {
                let seen = Arc::clone(&seen);
                async move {
                    Until(|| seen.load(Ordering::Relaxed)).await;
                    Ok(n)
                }
            });
            second.sink(blackhole());
            Ok(())
        });
        let plan = PlanOptions { chaining: false, ..PlanOptions::default() };
        let options = RunOptions { scheduler, plan, channel_capacity: 1, ..RunOptions::default() };
        job.unwrap().run(&options).unwrap();
    }
}

#[test]
fn stages_of_a_dag_ask_too() {
    let folder = folder();
    let path = folder.path().join("words.txt");
    std::fs::write(&path, "one\nthree\nthree\n").unwrap();
    let path = path.to_str().unwrap();
    for scheduler in schedulers() {
        let (single, parallel) = (Seen::default(), Seen::default());
        let mut dag = Dag::default();
        let note = |seen: &Seen<u64>| {
            let seen = seen.clone();
            move |word: String| {
                let seen = seen.clone();
                async move {
                    Polls(3).await;
                    seen.push(word.len() as u64);
                    Ok(word.len() as u64)
                }
            }
        };
        let words = dag.add_source(&files::text(path));
        let lengths = dag.add_map_async(words, AsyncOptions::ordered(), note(&single));
        dag.name(&lengths, "lengths");
        dag.add_sink(lengths, &blackhole());
        let words = dag.add_parallel_source(&files::text(path), 2);
        let lengths = dag.add_parallel_map_async(words, AsyncOptions::unordered(), note(&parallel));
        assert_eq!(lengths.parallelism(), 2);
        dag.add_parallel_sink(lengths, &blackhole(), 2);
        let job = Job::from_dag("dag", dag);
        job.run(&RunOptions { scheduler, ..RunOptions::default() }).unwrap();
        let mut found = parallel.all();
        found.sort_unstable();
        assert_eq!((single.all(), found), (vec![3, 5, 5], vec![3, 5, 5]));
    }
}
