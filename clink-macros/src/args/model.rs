//! A struct of job arguments in which every rule holds: what `expand` may rely on.

use syn::{Attribute, Field, Ident};

use crate::hygiene::Private;

/// One struct.
pub(super) struct Model {
    /// Where generated code finds clink.
    pub(super) private: Private,
    pub(super) ident: Ident,
    /// What clap reads of the struct.
    pub(super) attributes: Vec<Attribute>,
    /// The fields, with no other attributes than those that clap reads.
    pub(super) fields: Vec<Field>,
    /// Whether one of them is deprecated.
    pub(super) deprecated: bool,
}
