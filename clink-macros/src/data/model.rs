//! A data struct in which every rule holds: what `expand` may rely on.

use syn::{Generics, Ident, Type, Visibility};

use crate::hygiene::Private;

/// The type that the impls are for.
#[derive(Clone)]
pub(super) struct Target {
    /// Where generated code finds clink.
    pub(super) private: Private,
    pub(super) ident: Ident,
    pub(super) generics: Generics,
    pub(super) visibility: Visibility,
}

/// One struct.
pub(super) struct Model {
    pub(super) target: Target,
    /// The stable name of its channels, if the author gave one.
    pub(super) name: Option<String>,
    pub(super) fields: Vec<Field>,
}

/// One field of it, which is a column.
pub(super) struct Field {
    pub(super) ident: Ident,
    pub(super) column: String,
    pub(super) ty: Type,
    pub(super) deprecated: bool,
}
