//! A build function in which every rule holds: what `expand` may rely on.

use syn::{Attribute, Ident, Type};

use crate::hygiene::Private;

/// One annotated function.
pub(super) struct Model {
    /// Where generated code finds clink.
    pub(super) private: Private,
    /// The function's name.
    pub(super) ident: Ident,
    /// What decides whether it exists.
    pub(super) cfgs: Vec<Attribute>,
    pub(super) name: String,
    pub(super) version: String,
    pub(super) description: String,
    /// The type that the function returns.
    pub(super) result: Type,
    /// The type of the job's arguments, if it takes any.
    pub(super) arguments: Option<Type>,
}
