//! Changes the parallelism of an operator while its job runs: what is allowed, and who takes over
//! whose state.
//!
//! Shape:  [`RescaleCoordinator`] keeps each operator's state, [`cutover_obstacles`] says whether
//!         its subtasks can be exchanged while the rest of the job runs on, and [`inherit_state`]
//!         whose state each new subtask takes over. Values and functions; sending and starting is
//!         done elsewhere.

mod coordinator;
mod cutover;
mod parents;
mod refusal;

pub use coordinator::{RescaleCoordinator, RescaleState, RescaleStatus};
pub use cutover::{CutoverObstacle, Moment, cutover_obstacles};
pub use parents::{ParentError, inherit_state, parents};
pub use refusal::{RescaleCall, RescaleRefusal};
