//! Decides which subtask steps next.
//!
//! Three drivers over the same subtasks: [`pool`], as many threads as cores; [`threads`], one
//! thread each, kept to measure against; [`simulation`], one thread and a seeded choice.

pub mod pool;
pub mod simulation;
pub mod threads;
mod timers;

use std::str::FromStr;

/// Which driver runs a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchedulerKind {
    /// As many threads as cores (or as said) and a ready queue.
    Pool {
        /// Threads; `None` for one per core.
        threads: Option<usize>,
    },
    /// A thread per subtask.
    Threads,
    /// One thread, a seeded choice, a virtual clock.
    Simulation {
        /// Same seed, same run.
        seed: u64,
    },
}

impl Default for SchedulerKind {
    fn default() -> Self {
        Self::Pool { threads: None }
    }
}

impl FromStr for SchedulerKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "pool" => Ok(Self::Pool { threads: None }),
            "threads" => Ok(Self::Threads),
            "simulation" => Ok(Self::Simulation { seed: 0 }),
            other => Err(format!("expected `pool`, `threads` or `simulation`, found `{other}`")),
        }
    }
}
