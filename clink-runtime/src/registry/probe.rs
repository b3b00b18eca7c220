//! Finds out, while the author's crate compiles, which one contract an annotated struct implements.
//!
//! An associated const of an inherent impl wins over a trait's const of the same name, and its
//! `where` clause decides whether it is there: `Probe::<T>::SINK` is `Some` if `T: Sink`, else the
//! `None` of [`ProbeFallback`]. Marker parameters over blanket impls would do the same with a bad
//! message for a struct of two kinds.
//!
//! In:     the four consts of `Probe<T>`, spanned at the struct's name by `#[clink::operator]`.
//! Out:    the [`OperatorEntry`] that goes into the inventory.
//! Errors: a panic during constant evaluation, which the compiler reports once, at that name.

use std::marker::PhantomData;

use clink_plan::descriptor::OperatorDescriptor;

use super::{OperatorFields, Param, ParamError, Params, Registry, get_param, set_param};
use crate::operator::{KeyedOperator, Operator, Sink, Source};

/// The contract that an operator implements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OperatorKind {
    /// Makes records out of something outside the job.
    Source,
    /// Turns records into records, one by one.
    Operator,
    /// Turns records into records and remembers something for each key.
    KeyedOperator,
    /// Takes records out of the job.
    Sink,
}

impl OperatorKind {
    /// The name of the trait.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Source => "Source",
            Self::Operator => "Operator",
            Self::KeyedOperator => "KeyedOperator",
            Self::Sink => "Sink",
        }
    }
}

/// One annotated struct of this binary, as the inventory holds it.
#[derive(Debug, Clone, Copy)]
pub struct OperatorEntry {
    /// What the macro recorded of it.
    pub descriptor: &'static OperatorDescriptor,
    /// The contract it implements.
    pub kind: OperatorKind,
    /// Puts its factory into a registry.
    pub register: fn(&mut Registry),
}

inventory::collect!(OperatorEntry);

/// The annotated operators of this binary by name; the order of the inventory is not stable, this
/// one is.
pub fn operators() -> Vec<&'static OperatorEntry> {
    let mut operators: Vec<_> = inventory::iter::<OperatorEntry>.into_iter().collect();
    operators.sort_by_key(|entry| (entry.descriptor.type_name, entry.descriptor.location.line));
    operators
}

/// Asks whether `T` is an operator of some kind.
#[derive(Debug)]
pub struct Probe<T>(PhantomData<T>);

/// Says no to every question that no inherent const of [`Probe`] answers.
pub trait ProbeFallback {
    /// `T` is no source.
    const SOURCE: Option<OperatorEntry> = None;
    /// `T` is no operator without keys.
    const OPERATOR: Option<OperatorEntry> = None;
    /// `T` is no keyed operator.
    const KEYED_OPERATOR: Option<OperatorEntry> = None;
    /// `T` is no sink.
    const SINK: Option<OperatorEntry> = None;
}

impl<T> ProbeFallback for Probe<T> {}

impl<T: Source + OperatorFields> Probe<T> {
    /// `T` as a source.
    pub const SOURCE: Option<OperatorEntry> = Some(OperatorEntry {
        descriptor: &T::DESCRIPTOR,
        kind: OperatorKind::Source,
        register: |registry| registry.register_source::<T>(),
    });
}

impl<T: Operator + OperatorFields> Probe<T> {
    /// `T` as an operator without keys.
    pub const OPERATOR: Option<OperatorEntry> = Some(OperatorEntry {
        descriptor: &T::DESCRIPTOR,
        kind: OperatorKind::Operator,
        register: |registry| registry.register_operator::<T>(),
    });
}

impl<T: KeyedOperator + OperatorFields> Probe<T> {
    /// `T` as a keyed operator.
    pub const KEYED_OPERATOR: Option<OperatorEntry> = Some(OperatorEntry {
        descriptor: &T::DESCRIPTOR,
        kind: OperatorKind::KeyedOperator,
        register: |registry| registry.register_keyed_operator::<T>(),
    });
}

impl<T: Sink + OperatorFields> Probe<T> {
    /// `T` as a sink.
    pub const SINK: Option<OperatorEntry> = Some(OperatorEntry {
        descriptor: &T::DESCRIPTOR,
        kind: OperatorKind::Sink,
        register: |registry| registry.register_sink::<T>(),
    });
}

/// The one entry among the answers of a probe.
///
/// # Panics
/// If the struct `name` has no kind or several; during constant evaluation, at the caller.
#[must_use]
#[track_caller]
pub const fn single_kind(name: &str, answers: [Option<OperatorEntry>; 4]) -> OperatorEntry {
    match answers {
        [Some(only), None, None, None]
        | [None, Some(only), None, None]
        | [None, None, Some(only), None]
        | [None, None, None, Some(only)] => only,
        [None, None, None, None] => {
            let reason = "` implements none of Source, Operator, KeyedOperator, Sink: \
                          implement exactly one";
            panic!("{}", Message::new().then("operator `").then(name).then(reason).text())
        }
        [source, operator, keyed, sink] => {
            let message = Message::new()
                .then("operator `")
                .then(name)
                .then("` implements ")
                .then_kind(&source)
                .then_kind(&operator)
                .then_kind(&keyed)
                .then_kind(&sink);
            panic!("{}", message.then(": implement exactly one").text())
        }
    }
}

/// The same entry, whose struct has the keyed state `field`.
///
/// # Panics
/// If its kind has no key; during constant evaluation, at the caller.
#[must_use]
#[track_caller]
pub const fn keyed_only(entry: OperatorEntry, field: &str) -> OperatorEntry {
    if matches!(entry.kind, OperatorKind::KeyedOperator) {
        return entry;
    }
    let message = Message::new()
        .then("`#[state] ")
        .then(field)
        .then("` needs a current key, and there is none in the trait ")
        .then(entry.kind.name())
        .then(": implement KeyedOperator, or make the field `#[transient]`");
    panic!("{}", message.text())
}

/// A field that travels in the job graph, as generated code reads and writes it.
///
/// The same types as [`Param`], with the two functions as methods: what generated code calls by
/// one path, spanned at the field's type, the compiler reports once.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an operator parameter",
    label = "a field without an attribute is a parameter and travels in the job graph",
    note = "derive `serde::Serialize` and `serde::Deserialize` for it; or mark the field \
            `#[state]` (keyed state) or `#[transient]` (rebuilt with `Default` at each start)"
)]
pub trait ParamField: Sized {
    /// Writes the field `name`.
    ///
    /// # Errors
    /// [`ParamError::Write`] if it has no text form.
    fn write(&self, name: &str, params: &mut Params) -> Result<(), ParamError>;

    /// Reads the field `name` back.
    ///
    /// # Errors
    /// [`ParamError`] naming the field.
    fn read(name: &str, params: &Params) -> Result<Self, ParamError>;
}

#[diagnostic::do_not_recommend]
impl<T: Param> ParamField for T {
    fn write(&self, name: &str, params: &mut Params) -> Result<(), ParamError> {
        set_param(params, name, self)
    }

    fn read(name: &str, params: &Params) -> Result<Self, ParamError> {
        get_param(params, name)
    }
}

/// Text put together during constant evaluation, where `format!` is not to be had.
struct Message {
    bytes: [u8; Message::BYTES_MAX],
    length: usize,
    kinds: usize,
}

impl Message {
    /// Room for the longest message with two long identifiers; what is longer is cut.
    const BYTES_MAX: usize = 512;

    const fn new() -> Self {
        Self { bytes: [0; Self::BYTES_MAX], length: 0, kinds: 0 }
    }

    #[expect(clippy::indexing_slicing, reason = "`get_mut` is not const; both are checked above")]
    const fn then(mut self, text: &str) -> Self {
        let text = text.as_bytes();
        let mut from = 0;
        while from < text.len() && self.length < Self::BYTES_MAX {
            self.bytes[self.length] = text[from];
            self.length += 1;
            from += 1;
        }
        self
    }

    /// Adds the kind of an answer, with an `and` between one kind and the next.
    const fn then_kind(mut self, answer: &Option<OperatorEntry>) -> Self {
        let Some(entry) = answer else { return self };
        if self.kinds > 0 {
            self = self.then(" and ");
        }
        self.kinds += 1;
        self.then(entry.kind.name())
    }

    const fn text(&self) -> &str {
        match std::str::from_utf8(self.bytes.split_at(self.length).0) {
            Ok(text) => text,
            Err(_) => "operator of no single kind: implement exactly one",
        }
    }
}
