//! The form in which a chain travels to the worker that runs it: a chain spec as JSON.
//!
//! Shape:  the reference's document. Ours adds `key_by` to an operator, `branch` to a group of a
//!         split, `upstream_op_id` to a group of a side output, and `input_index` to an output edge
//!         that does not feed the reader's first input.

mod error;
mod read;
mod write;

pub use error::ChainJsonError;
pub(crate) use write::ChainView;

use super::OperatorChainSpec;
use crate::canonical_json;

impl OperatorChainSpec {
    /// The chain as canonical JSON.
    pub fn to_json(&self) -> String {
        canonical_json::to_string(&ChainView::of(self))
    }

    /// Reads what [`OperatorChainSpec::to_json`] wrote, or the reference.
    ///
    /// The reference reads leniently, and so runs a chain that it misunderstood; here an unknown
    /// key, kind, mode or routing is refused.
    ///
    /// # Errors
    /// [`ChainJsonError`] lists every place where the document is not a chain spec.
    pub fn from_json(text: &str) -> Result<OperatorChainSpec, ChainJsonError> {
        read::read(text)
    }
}
