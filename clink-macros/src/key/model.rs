//! A key type in which every rule holds: what `expand` may rely on.

use syn::{Generics, Ident, Member, Type};

use crate::hygiene::Private;

/// The type that the impls are for.
#[derive(Clone)]
pub(super) struct Target {
    /// Where generated code finds clink.
    pub(super) private: Private,
    pub(super) ident: Ident,
    pub(super) generics: Generics,
}

/// One type.
pub(super) struct Model {
    pub(super) target: Target,
    /// What a value may look like: one form for a struct, one per variant for an enum.
    pub(super) forms: Vec<Form>,
    /// Whether something in it is declared deprecated.
    pub(super) deprecated: bool,
}

/// A struct, or one variant of an enum.
pub(super) struct Form {
    /// The variant, if it is one.
    pub(super) variant: Option<Variant>,
    pub(super) fields: Vec<Field>,
}

/// The variant of an enum that a form is.
pub(super) struct Variant {
    pub(super) ident: Ident,
    /// Its name as keys have it.
    pub(super) name: String,
}

/// One field.
pub(super) struct Field {
    pub(super) member: Member,
    pub(super) ty: Type,
}
