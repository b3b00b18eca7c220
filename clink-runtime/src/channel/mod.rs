//! Defines what subtasks exchange, and the grammar of a channel.
//!
//! ```text
//! channel = (Data | Watermark | Barrier | Probe)* Drain? close
//! ```
//!
//! All of it travels in band, so that the order of records, time, checkpoints and the end is the
//! order of the channel; `order.rs` checks it wherever debug assertions are on. A channel is
//! bounded in records; a sender that finds it full waits for credit and is woken.

pub mod barrier;
pub mod batch;
pub mod bounded;
pub mod credit;
pub mod gate;
mod order;
pub mod output;
pub mod partition;
pub mod select;
pub mod spill;

pub use barrier::{Barrier, BarrierMode};
pub use batch::{AnyBatch, Batch, ErasedBatch};

use crate::time::Watermark;

/// What a channel carries.
#[derive(Debug)]
pub enum StreamElement {
    /// Records.
    Data(ErasedBatch),
    /// Progress of event time.
    Watermark(Watermark),
    /// The cut line of a checkpoint.
    Barrier(Barrier),
    /// A wave through an iteration, to find out whether anything is left in it.
    Probe(Probe),
    /// The sender stops before its input has ended: nothing follows on this channel, but the
    /// data is not over. An end without it means that the data is.
    Drain,
}

/// A wave that the head of an iteration sends through its body. When it has come to the tail on
/// every way, all that the head sent before it has been handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probe {
    /// Which iteration of the job.
    pub iteration: u32,
    /// The number of the wave, from 1.
    pub round: u64,
}

impl StreamElement {
    /// Records of channel credit this element takes: its records, and one for a control element.
    pub fn cost(&self) -> u32 {
        match self {
            Self::Data(batch) => u32::try_from(batch.len()).unwrap_or(u32::MAX).max(1),
            Self::Watermark(_) | Self::Barrier(_) | Self::Probe(_) | Self::Drain => 1,
        }
    }

    /// A copy of a control element for one more receiver; `None` for data.
    pub fn copy_control(&self) -> Option<Self> {
        match self {
            Self::Data(_) => None,
            Self::Watermark(watermark) => Some(Self::Watermark(*watermark)),
            Self::Barrier(barrier) => Some(Self::Barrier(*barrier)),
            Self::Probe(probe) => Some(Self::Probe(*probe)),
            Self::Drain => Some(Self::Drain),
        }
    }
}
