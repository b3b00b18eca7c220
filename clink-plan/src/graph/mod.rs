//! The job as its author meant it: operators and what each reads, before any chaining.
//!
//! A [`JobGraphSpec`] is plain data. Its JSON is the submission format; reading it checks the form
//! only, and [`crate::validate::validate`] says whether the graph makes sense.

mod input_ref;
mod json;
mod line_format;
mod operator_spec;
mod state_version;
mod topology;
mod udf;

pub use input_ref::{InputRef, Port};
pub use json::{ColumnLineage, FORMAT, GraphJsonError, KeptKeys, RULES};
pub(crate) use json::{params, side_outputs};
pub use line_format::{LineFault, LineFormatError, LineProblem};
pub use operator_spec::{
    BLOCKING_EXCHANGE, BROADCAST_INPUT, FEEDBACK_TO, FORCED_SINGLETON, OperatorSpec, SELECTOR_FN,
    SideOutputSpec,
};
pub use state_version::{StateVersion, StateVersionError, pack_versions, unpack_versions};
pub(crate) use topology::{Input, OpIndex, PerOp, Reader, Topology};
pub use udf::UdfSpec;

use crate::strict_json::UnknownKeys;

pub use crate::strict_json::JsonProblem;

/// A whole job as its author meant it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobGraphSpec {
    /// A label for people; empty for none.
    pub name: String,
    /// `sql-planner` if every operator is classified for replay determinism; else empty.
    pub determinism_coverage: String,
    /// The operators. Their order fixes how subtasks are numbered, nothing else.
    pub operators: Vec<OperatorSpec>,
    /// The state schema versions the job expects on restore, packed by [`pack_versions`].
    pub expected_state_versions: String,
    /// User functions that every worker registers before the job runs.
    pub udfs: Vec<UdfSpec>,
    /// A lineage document that travels with the graph and is not looked into.
    pub column_lineage: Option<ColumnLineage>,
    /// What a newer release said about the job.
    pub kept: KeptKeys,
}

impl JobGraphSpec {
    /// The graph as canonical JSON: compact, keys in a fixed order, equal graphs equal bytes.
    pub fn to_json(&self) -> String {
        json::write(self)
    }

    /// Reads a graph from JSON, refusing what it would otherwise lose.
    ///
    /// A document without `format` is accepted. Whether the graph makes sense is not looked at:
    /// [`crate::planner::plan_job`] does that.
    ///
    /// # Errors
    /// [`GraphJsonError`] lists every place where the document is not a graph.
    pub fn from_json(text: &str) -> Result<JobGraphSpec, GraphJsonError> {
        json::read(text, UnknownKeys::Refuse)
    }

    /// Reads a graph that a newer release may have written: a key that is not known is kept, to be
    /// written again by [`JobGraphSpec::to_json`], and validation warns of it.
    ///
    /// # Errors
    /// As for [`JobGraphSpec::from_json`], unknown keys apart. A newer `format` number is refused
    /// here too: it says that what is known has another meaning.
    pub fn from_json_tolerant(text: &str) -> Result<JobGraphSpec, GraphJsonError> {
        json::read(text, UnknownKeys::Keep)
    }

    /// Gives every operator `parallelism`, but for those with a `forced_singleton` parameter.
    ///
    /// Bounds are left as they are, so that validation names an operator that cannot go there.
    /// Parallelism 0 changes nothing.
    pub fn override_parallelism(&mut self, parallelism: u32) {
        if parallelism == 0 {
            return;
        }
        for operator in &mut self.operators {
            if operator.forced_singleton().is_none() {
                operator.parallelism = parallelism;
            }
        }
    }
}
