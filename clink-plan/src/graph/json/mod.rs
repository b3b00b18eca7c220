//! The submission format: a job graph as JSON.
//!
//! Shape:  the reference's document (`ops`, each with `id`, `type`, `out_channel`, …) with a
//!         `format` number in front. Either side reads what the other writes.

mod error;
mod kept;
mod read;
mod write;

pub use error::{GraphJsonError, RULES};
pub use kept::{ColumnLineage, KeptKeys};
pub(super) use read::read;
pub(crate) use read::{params, side_outputs};
pub(super) use write::write;

/// The newest format this release reads, and the one it writes.
pub const FORMAT: u32 = 1;
