//! Holds the constant facts that a macro records about one operator.

mod connector;
mod location;

pub use connector::ConnectorDescriptor;
pub use location::{Locations, SourceLocation};

/// Which contract an operator's author implemented.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OperatorKind {
    /// No input, one output.
    Source,
    /// One input, one output.
    Operator,
    /// One input partitioned by key, one output.
    KeyedOperator,
    /// Two inputs, one output.
    CoOperator,
    /// Two inputs partitioned by the same key type, one output.
    KeyedCoOperator,
    /// One input, no output.
    Sink,
}

impl OperatorKind {
    /// The name of the contract.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Source => "Source",
            Self::Operator => "Operator",
            Self::KeyedOperator => "KeyedOperator",
            Self::CoOperator => "CoOperator",
            Self::KeyedCoOperator => "KeyedCoOperator",
            Self::Sink => "Sink",
        }
    }
}

/// One piece of state that an operator declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotDescriptor {
    /// The field's name, unique within the operator.
    pub name: &'static str,
    /// The kind of slot: `value`, `list`, `map`, …
    pub kind: &'static str,
    /// Whether it holds something per key.
    pub keyed: bool,
    /// The version of the slot's schema.
    pub version: u32,
}

/// One operator as its macro saw it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperatorDescriptor {
    /// The name under which the graph asks for it.
    pub type_name: &'static str,
    /// The stable name its state is filed under.
    pub uid: &'static str,
    /// Its state, in field order.
    pub slots: &'static [SlotDescriptor],
    /// The names of the fields that travel in the graph's `params`.
    pub params: &'static [&'static str],
    /// Where the author wrote it.
    pub location: SourceLocation,
}
