//! Is what `#[clink::operator]` says of a struct: its descriptor, parameters and state.

use clink_plan::descriptor::OperatorDescriptor;

use crate::state::{StateError, StateVisitor};

use super::params::{ParamError, Params};

/// The fields of an operator struct as the engine sees them.
///
/// Implemented by `#[clink::operator]`; by hand only for connectors that are generic over their
/// record type.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not annotated as an operator",
    label = "this struct lacks `#[clink::operator(uid = \"…\")]`",
    note = "the annotation makes its fields parameters and state, and gives it a stable name"
)]
pub trait OperatorFields: Sized {
    /// The constant facts.
    const DESCRIPTOR: OperatorDescriptor;

    /// True if the uid is a connector's own, given only where the job uses it once.
    const UID_IS_DEFAULT: bool = false;

    /// The name in the job graph.
    fn type_name() -> String {
        Self::DESCRIPTOR.type_name.to_owned()
    }

    /// Writes the parameters into the graph.
    ///
    /// # Errors
    /// [`ParamError`] for a field that has no text form.
    fn to_params(&self, params: &mut Params) -> Result<(), ParamError>;

    /// Rebuilds the operator from its parameters, with empty state.
    ///
    /// # Errors
    /// [`ParamError`] for a parameter that is missing or does not parse.
    fn from_params(params: &Params) -> Result<Self, ParamError>;

    /// The path that an operator with these parameters reads, if it is a source, or writes to, if
    /// it is a sink: what the checks before a run compare.
    fn path(params: &Params) -> Option<String> {
        let _ = params;
        None
    }

    /// Shows every state slot in turn.
    ///
    /// # Errors
    /// What the visitor returned.
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) -> Result<(), StateError>;
}
