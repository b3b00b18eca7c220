//! A data type in which every rule holds: what `expand` may rely on.

use syn::{Generics, Ident, Member, Type, Visibility};

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

/// One type.
pub(super) struct Model {
    pub(super) target: Target,
    /// The stable name of its channels, if the author gave one.
    pub(super) name: Option<String>,
    pub(super) form: Form,
    /// The fields of a struct.
    pub(super) fields: Vec<Field>,
}

/// How its values look.
pub(super) enum Form {
    /// A struct with named fields: columns of these names, JSON objects.
    Named,
    /// A struct with several unnamed fields: columns by number, JSON arrays.
    Tuple,
    /// A struct around its one field: what that field is.
    Newtype,
    /// An enum without fields: text.
    Words(Vec<Word>),
}

/// One variant of an enum.
pub(super) struct Word {
    pub(super) ident: Ident,
    pub(super) text: String,
    pub(super) deprecated: bool,
}

/// One field of a struct, which is a column.
pub(super) struct Field {
    pub(super) member: Member,
    pub(super) column: String,
    pub(super) ty: Type,
    /// Its form in JSON and CSV, if it is not that of its type.
    pub(super) text: Option<TextForm>,
    /// Whether it has its default where the input lacks it.
    pub(super) has_default: bool,
    pub(super) deprecated: bool,
}

/// A form that an attribute gives to a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextForm {
    EpochSeconds,
    EpochMillis,
    EpochMicros,
    Decimal,
}
