//! Finds out, while the author's crate compiles, which one contract an annotated struct implements.
//!
//! An associated const of an inherent impl wins over a trait's const of the same name, and its
//! `where` clause decides whether it is there: `Probe::<T>::SINK` is `Some` if `T: Sink`, else the
//! `None` of [`ProbeFallback`]. Marker parameters over blanket impls would do the same with a bad
//! message for a struct of two kinds.
//!
//! In:     the six consts of `Probe<T>`, spanned at the struct's name by `#[clink::operator]`.
//! Out:    the [`OperatorEntry`] that goes into the inventory.
//! Errors: a panic during constant evaluation, which the compiler reports once, at that name.

use std::marker::PhantomData;

use clink_plan::descriptor::{OperatorDescriptor, OperatorKind};

use super::Registry;
use crate::operator::{
    CoOperator, KeyedCoOperator, KeyedOperator, Operator, OperatorFields, Sink, Source,
};

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
    /// `T` is no operator with two inputs.
    const CO_OPERATOR: Option<OperatorEntry> = None;
    /// `T` is no keyed operator with two inputs.
    const KEYED_CO_OPERATOR: Option<OperatorEntry> = None;
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

impl<T: CoOperator + OperatorFields> Probe<T> {
    /// `T` as an operator with two inputs and no keys.
    pub const CO_OPERATOR: Option<OperatorEntry> = Some(OperatorEntry {
        descriptor: &T::DESCRIPTOR,
        kind: OperatorKind::CoOperator,
        register: |registry| registry.register_co_operator::<T>(),
    });
}

impl<T: KeyedCoOperator + OperatorFields> Probe<T> {
    /// `T` as a keyed operator with two inputs.
    pub const KEYED_CO_OPERATOR: Option<OperatorEntry> = Some(OperatorEntry {
        descriptor: &T::DESCRIPTOR,
        kind: OperatorKind::KeyedCoOperator,
        register: |registry| registry.register_keyed_co_operator::<T>(),
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
pub const fn single_kind(name: &str, answers: [Option<OperatorEntry>; 6]) -> OperatorEntry {
    let (mut found, mut kinds) = (None, 0);
    let mut message = Message::new().then("operator `").then(name).then("` implements ");
    let mut rest: &[Option<OperatorEntry>] = &answers;
    while let [answer, others @ ..] = rest {
        if let Some(entry) = answer {
            (found, kinds) = (Some(*entry), kinds + 1);
        }
        message = message.then_kind(answer);
        rest = others;
    }
    match found {
        Some(only) if kinds == 1 => only,
        Some(_) => panic!("{}", message.then(": implement exactly one").text()),
        None => {
            let reason = "none of Source, Operator, KeyedOperator, CoOperator, KeyedCoOperator, \
                          Sink: implement exactly one";
            panic!("{}", message.then(reason).text())
        }
    }
}

/// The same entry, whose struct has the state `field`.
///
/// # Panics
/// If the state is keyed and the operator's kind has no key; during constant evaluation, at the
/// caller.
#[must_use]
#[track_caller]
pub const fn keyed_only(entry: OperatorEntry, field: &str) -> OperatorEntry {
    let has_key = matches!(entry.kind, OperatorKind::KeyedOperator | OperatorKind::KeyedCoOperator);
    if has_key || !is_keyed(entry.descriptor, field) {
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

/// Whether the slot of that name holds something per key.
const fn is_keyed(descriptor: &OperatorDescriptor, field: &str) -> bool {
    let mut slots = descriptor.slots;
    while let [slot, rest @ ..] = slots {
        if same(slot.name.as_bytes(), field.as_bytes()) {
            return slot.keyed;
        }
        slots = rest;
    }
    false
}

const fn same(mut left: &[u8], mut right: &[u8]) -> bool {
    while let ([a, left_rest @ ..], [b, right_rest @ ..]) = (left, right) {
        if *a != *b {
            return false;
        }
        (left, right) = (left_rest, right_rest);
    }
    left.is_empty() && right.is_empty()
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
