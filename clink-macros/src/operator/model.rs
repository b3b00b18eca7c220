//! An operator struct in which every rule holds: what `expand` may rely on.

use syn::{Attribute, Generics, Ident, Type};

use crate::hygiene::Private;

/// The type that the impls are for.
#[derive(Clone)]
pub(super) struct Target {
    /// Where generated code finds clink.
    pub(super) private: Private,
    /// The struct's name.
    pub(super) ident: Ident,
    /// Its parameters.
    pub(super) generics: Generics,
    /// What decides whether it exists.
    pub(super) cfgs: Vec<Attribute>,
}

/// One annotated struct.
pub(super) struct Model {
    pub(super) target: Target,
    /// The stable name its state is filed under.
    pub(super) uid: String,
    /// The name in the graph, if the author gave one.
    pub(super) name: Option<String>,
    pub(super) fields: Vec<Field>,
}

/// One field of it.
pub(super) struct Field {
    pub(super) ident: Ident,
    /// The name without `r#`.
    pub(super) name: String,
    pub(super) ty: Type,
    pub(super) cfgs: Vec<Attribute>,
    pub(super) role: Role,
    pub(super) deprecated: bool,
}

/// What becomes of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Travels in the job graph.
    Param,
    /// Holds keyed state.
    State,
    /// Is made anew with `Default` at each start.
    Transient,
}
