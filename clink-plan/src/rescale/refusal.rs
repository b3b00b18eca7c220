//! Says why a call about a rescale was refused.

use std::fmt;

use super::RescaleState;

/// A call that moves the rescale of an operator on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RescaleCall {
    /// Asks for another parallelism.
    Request,
    /// Tells that the checkpoint to cut at is complete.
    CheckpointReady,
    /// Tells that an old subtask has drained.
    OldDrained,
    /// Tells that a new subtask is ready.
    NewReady,
    /// Tells that the whole job was planned anew instead.
    ReplanComplete,
    /// Gives the rescale up.
    Abort,
}

impl RescaleCall {
    /// Every call.
    pub const ALL: &[RescaleCall] = &[
        RescaleCall::Request,
        RescaleCall::CheckpointReady,
        RescaleCall::OldDrained,
        RescaleCall::NewReady,
        RescaleCall::ReplanComplete,
        RescaleCall::Abort,
    ];

    /// The states it is allowed in.
    pub const fn allowed_in(self) -> &'static [RescaleState] {
        match self {
            RescaleCall::Request => {
                &[RescaleState::Idle, RescaleState::Complete, RescaleState::Aborted]
            }
            RescaleCall::CheckpointReady | RescaleCall::ReplanComplete => {
                &[RescaleState::Preparing]
            }
            RescaleCall::OldDrained => &[RescaleState::Draining],
            RescaleCall::NewReady => &[RescaleState::CuttingOver],
            RescaleCall::Abort => &[
                RescaleState::Preparing,
                RescaleState::Draining,
                RescaleState::CuttingOver,
                RescaleState::Aborted,
            ],
        }
    }
}

impl fmt::Display for RescaleCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RescaleCall::Request => "request a rescale",
            RescaleCall::CheckpointReady => "mark its checkpoint ready",
            RescaleCall::OldDrained => "mark an old subtask drained",
            RescaleCall::NewReady => "mark a new subtask ready",
            RescaleCall::ReplanComplete => "mark its job planned anew",
            RescaleCall::Abort => "give the rescale up",
        })
    }
}

/// Why a call was refused; it changed nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RescaleRefusal {
    /// The job has no such operator.
    Unknown {
        /// The operator that was named.
        operator: String,
        /// The operators there are.
        known: Vec<String>,
    },
    /// The operator has no bounds.
    NoBounds {
        /// The operator.
        operator: String,
    },
    /// The parallelism lies outside the operator's bounds.
    OutOfBounds {
        /// The operator.
        operator: String,
        /// The parallelism that was asked for.
        target: u32,
        /// The least it may have.
        min: u32,
        /// The most it may have.
        max: u32,
    },
    /// The operator has that parallelism already.
    Unchanged {
        /// The operator.
        operator: String,
        /// Its parallelism.
        parallelism: u32,
    },
    /// The call does not fit the state that the rescale is in.
    WrongState {
        /// The operator.
        operator: String,
        /// The call.
        call: RescaleCall,
        /// The state.
        state: RescaleState,
    },
    /// There is no such subtask.
    NoSubtask {
        /// The operator.
        operator: String,
        /// The subtask that was named.
        index: u32,
        /// How many there are.
        count: u32,
    },
}

impl fmt::Display for RescaleRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RescaleRefusal::Unknown { operator, known } => {
                let known: Vec<String> = known.iter().map(|id| format!("`{id}`")).collect();
                let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                write!(f, "the job has no operator `{operator}`; it has: {known}")
            }
            RescaleRefusal::NoBounds { operator } => write!(
                f,
                "operator `{operator}` is not scalable: give it `min_parallelism` and \
                 `max_parallelism`"
            ),
            RescaleRefusal::OutOfBounds { operator, target, min, max } => write!(
                f,
                "operator `{operator}` cannot have parallelism {target}: its bounds are {min} to \
                 {max}"
            ),
            RescaleRefusal::Unchanged { operator, parallelism } => {
                write!(f, "operator `{operator}` has parallelism {parallelism} already")
            }
            RescaleRefusal::WrongState { operator, call, state } => {
                let allowed: Vec<&str> =
                    call.allowed_in().iter().map(|state| state.as_str()).collect();
                write!(
                    f,
                    "cannot {call} of operator `{operator}`: it is {state}, expected {}",
                    allowed.join(" or ")
                )
            }
            RescaleRefusal::NoSubtask { operator, index, count } => write!(
                f,
                "operator `{operator}` has no subtask {index}: it has {count}, counted from 0"
            ),
        }
    }
}

impl std::error::Error for RescaleRefusal {}
