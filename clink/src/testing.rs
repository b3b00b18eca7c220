//! Is what the tests of a job need: one operator by hand, a whole job under a seed, many seeds.
//!
//! An operator, with a clock that the test moves:
//!
//! ```
//! use clink::prelude::*;
//! use clink::testing::{OperatorHarness, at_ms};
//!
//! /// Says which keys have not come for ten seconds.
//! #[clink::operator(uid = "silence")]
//! #[derive(Default)]
//! struct Silence {
//!     #[state]
//!     due_ms: ValueState<i64>,
//! }
//!
//! impl KeyedOperator for Silence {
//!     type Key = String;
//!     type In = String;
//!     type Out = String;
//!
//!     fn process(&mut self, _: String, ctx: &mut KeyedContext<'_, Self>) -> Result<()> {
//!         if let Some(before) = self.due_ms.get(ctx)?.copied() {
//!             ctx.timers().delete_processing_time(before);
//!         }
//!         let due_ms = ctx.runtime().processing_time_ms() + 10_000;
//!         self.due_ms.set(ctx, due_ms)?;
//!         ctx.timers().register_processing_time(due_ms);
//!         Ok(())
//!     }
//!
//!     fn on_processing_time_timer(
//!         &mut self,
//!         _: i64,
//!         ctx: &mut KeyedContext<'_, Self>,
//!     ) -> Result<()> {
//!         ctx.emit(ctx.key().clone());
//!         Ok(())
//!     }
//! }
//!
//! # fn main() -> Result<()> {
//! let setup = OperatorHarness::keyed(Silence::default(), |name: &String| name.clone());
//! let mut harness = setup.open()?;
//! harness.push("Ada".to_owned())?;
//! harness.advance_clock(seconds(6))?;
//! harness.push("Bob".to_owned())?;
//! harness.advance_clock(seconds(6))?;
//! assert_eq!(harness.take_output(), ["Ada"]);
//!
//! // Two instances go on from what the one had captured, each with its own keys.
//! let snapshot = harness.barrier()?;
//! let mut silent = Vec::new();
//! for index in 0..2 {
//!     let setup = setup.clone().parallelism(2).subtask(index).start_at_ms(12_000);
//!     let mut instance = setup.restore([&snapshot]).open()?;
//!     instance.advance_clock(seconds(4))?;
//!     silent.extend(instance.take_output());
//! }
//! assert_eq!(silent, ["Bob"]);
//! # Ok(())
//! # }
//! ```
//!
//! A whole job that crashes and goes on at another parallelism, under many seeds:
//!
//! ```
//! use clink::prelude::*;
//! use clink::testing::{World, for_each_seed};
//!
//! for_each_seed(0..20, |seed| {
//!     let mut world = World::new(seed);
//!     let mut largest = [0; 7];
//!     for attempt in 0..2 {
//!         world.vary().save_every(millis(5));
//!         if attempt == 0 {
//!             world.crash_after(millis(30));
//!         }
//!         let mut sums = None;
//!         let job = |parallelism| {
//!             clink::Job::build_with("sums", Some(parallelism), |pipeline| {
//!                 let numbers = pipeline.generate(2_000, |n| (n % 7, n)).uid("numbers");
//!                 let keyed = numbers.key_by(|(key, _)| *key);
//!                 let summed = keyed.reduce(|(key, a), (_, b)| (key, a + b)).uid("sums");
//!                 sums = Some(summed.collect());
//!                 Ok(())
//!             })
//!         };
//!         world.run(job).unwrap();
//!         for (key, sum) in sums.unwrap().take() {
//!             let largest = &mut largest[key as usize];
//!             *largest = sum.max(*largest);
//!         }
//!     }
//!     // A record that was lost, or counted twice, would show in a sum.
//!     for (key, sum) in (0..).zip(largest) {
//!         assert_eq!(sum, (0..2_000).filter(|n| n % 7 == key).sum::<u64>());
//!     }
//! });
//! ```

use std::ops::Range;

use clink_runtime::local::{JobReport, Observer, Signal};
use clink_runtime::testing::seeds::{check_one, first_failure};
use crossbeam_channel::Receiver;

pub use clink_runtime::testing::{
    Attempt, Element, HarnessSetup, Input, Inputs, NoInput, NoOutput, OperatorHarness, Simulate,
    Snapshot, Two, World, at_ms,
};

use crate::job::{Job, JobError};

/// The variable that names the only seed to check.
const ONE_SEED: &str = "CLINK_ONE_SEED";

/// The variable that says how many seeds to check.
const SEEDS: &str = "CLINK_SIM_SEEDS";

impl Simulate for Job {
    type Error = JobError;

    fn name(&self) -> &str {
        self.name()
    }

    fn simulate(
        &self,
        attempt: Attempt,
        signals: &Receiver<Signal>,
        observer: &mut dyn Observer,
    ) -> Result<JobReport, JobError> {
        self.run_attempt(attempt, signals, observer)
    }
}

/// How many seeds a test should try: what the variable `CLINK_SIM_SEEDS` says, else `default`.
///
/// # Panics
/// If the variable is no number.
#[track_caller]
pub fn seed_count(default: u64) -> u64 {
    number(SEEDS).unwrap_or(default)
}

/// Runs a check for each seed, several at a time; with the variable `CLINK_ONE_SEED` for that one.
/// How many seeds were checked.
///
/// # Panics
/// If a check does: with the seed, what the check said, what its [`World`]s had run, and the
/// command that runs this seed alone.
#[track_caller]
pub fn for_each_seed(seeds: Range<u64>, check: impl Fn(u64) + Sync) -> u64 {
    let (failure, count) = match number(ONE_SEED) {
        Some(seed) => (check_one(seed, check), 1),
        None => (first_failure(seeds.clone(), check), seeds.end.saturating_sub(seeds.start)),
    };
    if let Some(failure) = failure {
        panic!("{failure}\nreplay: {}", replay(failure.seed));
    }
    count
}

#[track_caller]
fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    let number = text.parse().ok();
    assert!(number.is_some(), "{variable} is a number, not `{text}`");
    number
}

/// The command that checks one seed, in the test that is running.
fn replay(seed: u64) -> String {
    let package = std::env::var("CARGO_PKG_NAME");
    let package = package.map(|name| format!(" -p {name}")).unwrap_or_default();
    let thread = std::thread::current();
    // The thread of a test has its name; the main thread runs all tests, one after the other.
    let test = thread.name().filter(|name| *name != "main");
    let test = test.map(|name| format!(" {name}")).unwrap_or_default();
    format!("{ONE_SEED}={seed} cargo test{package}{test}")
}
