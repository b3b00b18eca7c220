//! Measures clink beside a hand-written loop over the same data, in the same run, as a ratio.
//!
//! `cargo bench -p clink-runtime --bench limit -- w1 w2 readers` prints, for each workload and
//! parallelism, the median of alternated rounds; every result is checked against the loop's.
//! Readers run at parallelism 1 only, beside a loop over the bare library.
//! `CLINK_BENCH_ROUNDS` (default 3), `CLINK_BENCH_RECORDS` (default: the workload's own) and
//! `CLINK_BENCH_PARALLELISM` (default `1,2,4,8,64`) make it longer or shorter. With
//! `CLINK_BENCH_LOG=1` there is a log, as in a command: what it costs that operators could write
//! to it.
#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock itself")]

mod workload;

use std::time::{Duration, Instant};

use clink::cli::verbs::{LogOptions, start_log};

use workload::{Workload, readers, w1, w2};

const PARALLELISMS: &str = "1,2,4,8,64";

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let wanted = |name: &str| arguments.is_empty() || arguments.iter().any(|a| a == name);
    let rounds = from_environment("CLINK_BENCH_ROUNDS").unwrap_or(3);
    let records = from_environment("CLINK_BENCH_RECORDS");
    let parallelisms = std::env::var("CLINK_BENCH_PARALLELISM");
    let parallelisms: Vec<u32> = (parallelisms.as_deref().unwrap_or(PARALLELISMS).split(','))
        .map(|number| number.parse().expect("CLINK_BENCH_PARALLELISM is a list such as 1,64"))
        .collect();
    if from_environment("CLINK_BENCH_LOG").is_some_and(|yes| yes > 0) {
        start_log(LogOptions::default());
    }
    if wanted("w1") {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        report(
            &w1::KeyedSum::new(folder.path(), records.unwrap_or(2_000_000)),
            rounds,
            &parallelisms,
        );
    }
    if wanted("w2") {
        report(&w2::RunningSum::new(records.unwrap_or(20_000_000)), rounds, &parallelisms);
    }
    if wanted("readers") {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        readers::each(folder.path(), records, |workload| report(workload, rounds, &[1]));
    }
}

fn from_environment(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

fn report(workload: &dyn Workload, rounds: u64, parallelisms: &[u32]) {
    println!("{}", workload.title());
    for parallelism in parallelisms {
        workload.check(*parallelism);
    }
    let in_batches = workload.limit_in_batches();
    let (mut limits, mut batched) = (Vec::new(), Vec::new());
    let mut ours = vec![Vec::new(); parallelisms.len()];
    for _ in 0..rounds {
        // Alternated, so that a slow moment of the machine meets both.
        for (times, parallelism) in ours.iter_mut().zip(parallelisms) {
            limits.push(timed(|| workload.limit()));
            batched.extend(in_batches.as_ref().map(timed));
            times.push(timed(|| workload.ours(*parallelism)));
        }
    }
    let limit = median(&mut limits);
    let rate = |time: Duration| workload.records() as f64 / time.as_secs_f64() / 1e6;
    println!("  hand-written                {:8.2} M records/s", rate(limit));
    if in_batches.is_some() {
        let time = median(&mut batched);
        let share = limit.as_secs_f64() / time.as_secs_f64();
        let rate = rate(time);
        println!("  the same, in batches        {rate:8.2} M records/s   {share:4.2} of the limit");
    }
    let medians: Vec<Duration> = ours.iter_mut().map(|times| median(times)).collect();
    let best = medians.iter().min().copied().unwrap_or_default();
    for (time, parallelism) in medians.into_iter().zip(parallelisms) {
        println!(
            "  clink, parallelism {parallelism:>3}      {:8.2} M records/s   {:4.2} of the limit   \
             {:4.2} of our best",
            rate(time),
            limit.as_secs_f64() / time.as_secs_f64(),
            best.as_secs_f64() / time.as_secs_f64(),
        );
    }
}

fn timed(run: impl FnOnce()) -> Duration {
    let start = Instant::now();
    run();
    start.elapsed()
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
