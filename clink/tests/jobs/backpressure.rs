//! Lets parts of a job be slow, stuck or broken, and looks at what that does to the others.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use clink::prelude::*;
use clink::run::Ending;
use clink::{Job, RunOptions};
use clink_runtime::local::{JobReport, NoObserver, Signal};
use clink_runtime::scheduler::SchedulerKind;
use crossbeam_channel::{Receiver, Sender};

use crate::support::schedulers;

/// More than enough on the slowest machine, and less than what is waited for in vain.
const SOON: Duration = Duration::from_secs(20);

/// What a blocked source waits for.
static GATES: Mutex<Vec<(u64, Receiver<u64>)>> = Mutex::new(Vec::new());

/// A number for each source.
static SOURCES: AtomicU64 = AtomicU64::new(0);

/// Waits in a call of its own for the next number, on whatever thread it is.
#[clink::operator(uid = "receive")]
#[derive(Default)]
struct Receive {
    gate: u64,
    /// Whether it says that it blocks, and is woken when the job ends.
    fair: bool,
    #[transient]
    interrupt: Option<Receiver<()>>,
}

impl Receive {
    /// It, and what it receives from.
    fn new(fair: bool) -> (Self, Sender<u64>) {
        let gate = SOURCES.fetch_add(1, Ordering::Relaxed);
        let (send, receive) = crossbeam_channel::bounded(100);
        GATES.lock().unwrap().push((gate, receive));
        (Self { gate, fair, interrupt: None }, send)
    }
}

impl Source for Receive {
    type Out = u64;
    type Split = u64;

    fn is_blocking(&self) -> bool {
        self.fair
    }

    fn splits(&self, _: u32) -> Result<Vec<u64>> {
        Ok(vec![0])
    }

    fn open(&mut self, _: Vec<u64>, ctx: &RuntimeContext) -> Result<()> {
        let (wake, woken) = crossbeam_channel::bounded(1);
        self.interrupt = Some(woken);
        if self.fair {
            ctx.on_interrupt(move || drop(wake));
        } else {
            std::mem::forget(wake);
        }
        Ok(())
    }

    fn produce(&mut self, ctx: &mut SourceContext<'_, u64>) -> Result<Produced> {
        let gates = GATES.lock().unwrap();
        let gate = gates.iter().find(|(gate, _)| *gate == self.gate).unwrap().1.clone();
        drop(gates);
        let woken = self.interrupt.as_ref().unwrap();
        crossbeam_channel::select! {
            recv(gate) -> number => ctx.emit(number.unwrap()),
            recv(woken) -> _ => {}
        }
        Ok(Produced::More)
    }

    fn snapshot(&mut self) -> Result<Vec<u64>> {
        Ok(vec![0])
    }
}

/// Threaded schedulers; in a simulation the one thread would be blocked.
fn threaded() -> Vec<SchedulerKind> {
    let one = SchedulerKind::Pool { threads: Some(1) };
    let all = schedulers().into_iter().chain([one]);
    all.filter(|kind| !matches!(kind, SchedulerKind::Simulation { .. })).collect()
}

/// Runs a job whose source gives three numbers and then blocks; asks for its end when the last of
/// them has passed.
fn run(scheduler: SchedulerKind, signal: Signal) -> (JobReport, Vec<u64>, Duration) {
    let (source, numbers) = Receive::new(true);
    let (send, signals) = crossbeam_channel::bounded(1);
    let seen = Arc::new(Mutex::new(Vec::new()));
    let taken = Arc::clone(&seen);
    (0..3).for_each(|n| numbers.send(n).unwrap());
    let job = Job::build("blocked", |pipeline| {
        let numbers = pipeline.source(source).map(move |n| {
            taken.lock().unwrap().push(n);
            if n == 2 {
                send.send(signal).unwrap();
            }
            n
        });
        numbers.sink(blackhole());
        Ok(())
    });
    let options = RunOptions { scheduler, channel_capacity: 1, ..RunOptions::default() };
    let started = Instant::now();
    let report = job.unwrap().run_watched(&options, &signals, &mut NoObserver).unwrap();
    let seen = seen.lock().unwrap().clone();
    (report, seen, started.elapsed())
}

#[test]
fn a_source_that_blocks_is_woken_by_a_stop_and_by_a_cancel_b05() {
    for scheduler in threaded() {
        for (signal, ending) in
            [(Signal::Stop, Ending::Stopped), (Signal::Cancel, Ending::Cancelled)]
        {
            let (report, seen, took) = run(scheduler, signal);
            assert_eq!(report.ending, ending, "{scheduler:?}");
            assert_eq!(seen, [0, 1, 2], "{scheduler:?}");
            assert!(took < SOON, "{scheduler:?}: {took:?}");
            assert!(report.view.warnings.is_empty(), "{:?}", report.view.warnings);
        }
    }
}

/// Tells that it was closed.
#[clink::operator(uid = "closed")]
#[derive(Default)]
struct Closed;

static CLOSED: AtomicU64 = AtomicU64::new(0);

impl Operator for Closed {
    type In = u64;
    type Out = u64;

    fn process(&mut self, n: u64, ctx: &mut Context<'_, u64>) -> Result<()> {
        ctx.emit(n);
        Ok(())
    }

    fn close(&mut self) -> Result<()> {
        CLOSED.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
}

#[test]
fn a_source_that_cannot_be_woken_does_not_hold_up_a_cancel_b05() {
    for scheduler in threaded() {
        let before = CLOSED.load(Ordering::Relaxed);
        let (source, _numbers) = Receive::new(false);
        let (send, signals) = crossbeam_channel::bounded(1);
        let job = Job::build("stuck", |pipeline| {
            pipeline.source(source).sink(blackhole());
            let numbers = pipeline.generate(u64::MAX, |n| n).uid("numbers").process(Closed);
            numbers.sink(blackhole());
            Ok(())
        });
        let options = RunOptions { scheduler, ..RunOptions::default() };
        let started = Instant::now();
        send.send(Signal::Cancel).unwrap();
        let report = job.unwrap().run_watched(&options, &signals, &mut NoObserver).unwrap();
        assert_eq!(report.ending, Ending::Cancelled, "{scheduler:?}");
        assert!(started.elapsed() < SOON, "{scheduler:?}");
        // It may have been cancelled before its first call.
        let warnings = report.view.warnings.join("\n");
        assert!(warnings.is_empty() || warnings.contains("did not return"), "{warnings}");
        // All others were closed if they had been opened, though their thread was taken.
        assert!(CLOSED.load(Ordering::Relaxed) - before <= 1);
    }
}

#[test]
fn a_failure_in_another_branch_ends_a_job_whose_source_is_blocked_b16() {
    for scheduler in threaded() {
        let (source, _numbers) = Receive::new(true);
        let job = Job::build("failing", |pipeline| {
            pipeline.source(source).sink(blackhole());
            let numbers = pipeline.generate(100, |n| n);
            let failing = numbers.map(|n| {
                assert!(n < 50, "fifty");
                n
            });
            failing.sink(blackhole());
            Ok(())
        });
        let options = RunOptions { scheduler, ..RunOptions::default() };
        let started = Instant::now();
        let error = job.unwrap().run(&options).unwrap_err().to_string();
        assert!(error.contains("fifty"), "{error}");
        assert!(started.elapsed() < SOON);
    }
}

/// Counts the records that come to it and fails with one of them.
#[clink::operator(uid = "failing-sink")]
struct FailingSink {
    after: u64,
    #[transient]
    taken: u64,
}

impl Sink for FailingSink {
    type In = u64;

    fn on_data(&mut self, _: u64) -> Result<()> {
        self.taken += 1;
        if self.taken > self.after {
            return Err(clink::Error::new("the sink is broken"));
        }
        Ok(())
    }
}

#[test]
fn a_sink_that_fails_ends_the_job_while_producers_sit_in_full_channels_b14() {
    for scheduler in schedulers() {
        for channel_capacity in [1, 2_048] {
            let job = Job::build_with("broken", Some(3), |pipeline| {
                let numbers = pipeline.generate(u64::MAX, |n| n);
                let double = numbers.clone().map(|n| n.wrapping_mul(2));
                let sink = FailingSink { after: 10, taken: 0 };
                numbers.union(double).sink(sink).set_parallelism(1);
                Ok(())
            });
            let options = RunOptions { scheduler, channel_capacity, ..RunOptions::default() };
            let error = job.unwrap().run(&options).unwrap_err().to_string();
            assert!(error.contains("the sink is broken"), "{error}");
        }
    }
}

#[test]
fn a_slow_branch_slows_its_source_and_nothing_piles_up_b12() {
    // The slow branch takes nothing before the fast one has what its channels let through: were
    // the source not held up, it would come to the end of its numbers first.
    const COUNT: u64 = 1_000_000;
    for channel_capacity in [1, 64] {
        let made = Arc::new(AtomicU64::new(0));
        let most = Arc::new(AtomicU64::new(0));
        let (counts, sees, ahead) = (Arc::clone(&made), Arc::clone(&made), Arc::clone(&most));
        let (send, signals) = crossbeam_channel::bounded(1);
        let job = Job::build("slow", |pipeline| {
            let numbers = pipeline.generate(COUNT, move |n| {
                counts.fetch_max(n, Ordering::Relaxed);
                n
            });
            numbers.clone().sink(blackhole());
            let slow = numbers.map(move |n| {
                ahead.fetch_max(sees.load(Ordering::Relaxed) - n, Ordering::Relaxed);
                if n == 5_000 {
                    send.send(Signal::Cancel).unwrap();
                }
                n
            });
            slow.sink(blackhole());
            Ok(())
        });
        let scheduler = SchedulerKind::Simulation { seed: 7 };
        let options = RunOptions { scheduler, channel_capacity, ..RunOptions::default() };
        job.unwrap().run_watched(&options, &signals, &mut NoObserver).unwrap();
        let most = most.load(Ordering::Relaxed);
        // A batch that is being made, one on its way, and what the channels hold.
        assert!(most <= 4 * 256 + 2 * u64::from(channel_capacity), "{most} ahead");
    }
}
