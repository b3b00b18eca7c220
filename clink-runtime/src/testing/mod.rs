//! Tests operators and whole jobs, with a clock and faults that the test controls.
//!
//! [`OperatorHarness`] runs one operator, or a chain, by hand. [`World`] runs a whole job under a
//! seed: it stops or crashes it, and lets the next attempt go on from the latest checkpoint.
//! [`seeds`] tries many seeds and says how to replay the one that failed.
//!
//! Nothing in the engine uses this; authors get it as `clink::testing`.

mod asked;
mod bench;
mod harness;
pub mod seeds;
mod setup;
mod simulate;
mod snapshot;
mod story;
pub(crate) mod surroundings;
mod wiring;
mod world;

pub use harness::{Element, Input, Inputs, NoInput, NoOutput, OperatorHarness, Two, at_ms};
pub use setup::HarnessSetup;
pub use simulate::{Attempt, Simulate};
pub use snapshot::Snapshot;
pub use world::World;
