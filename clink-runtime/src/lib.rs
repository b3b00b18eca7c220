//! The engine of clink: operators, channels, state, checkpoints and the scheduler.
//!
//! Read it in the order a record travels: [`operator`] (what authors implement), [`channel`] (how
//! records move), [`subtask`] (one chain instance as a step function), [`scheduler`] (who steps
//! next), [`checkpoint`] (what survives), [`local`] (a whole job in this process).
#![deny(unsafe_code)]

pub mod channel;
pub mod checkpoint;
pub mod config;
pub mod dag;
pub mod data;
pub mod error;
pub mod local;
pub mod metrics;
pub mod operator;
pub mod registry;
pub mod scheduler;
pub mod state;
pub mod subtask;
pub mod sync;
pub mod sys;
pub mod testing;
pub mod time;

pub use clink_plan as plan;
pub use error::{Error, Result};
pub use subtask::RuntimeError;
