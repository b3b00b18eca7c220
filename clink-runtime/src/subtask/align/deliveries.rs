//! Notes how far each input has come in a sequence that rises (pure).

/// How far an input has come.
///
/// In this order: nothing yet, up to some place, closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reach<T> {
    /// Up to here, if it has delivered anything.
    Open(Option<T>),
    /// It has ended, and counts as having delivered everything.
    Closed,
}

/// The reach of each input.
#[derive(Clone, Debug)]
pub(super) struct Deliveries<T> {
    inputs: Vec<Reach<T>>,
}

impl<T: Copy + Ord> Deliveries<T> {
    pub(super) fn new(inputs: usize) -> Self {
        Self { inputs: vec![Reach::Open(None); inputs] }
    }

    /// One more input, which has delivered nothing.
    pub(super) fn add(&mut self) {
        self.inputs.push(Reach::Open(None));
    }

    /// The reach of an input; one that is not there has nothing to say, like a closed one.
    pub(super) fn of(&self, input: usize) -> Reach<T> {
        self.inputs.get(input).copied().unwrap_or(Reach::Closed)
    }

    /// Each input's reach.
    pub(super) fn all(&self) -> impl Iterator<Item = Reach<T>> {
        self.inputs.iter().copied()
    }

    /// An open input delivered this.
    pub(super) fn note(&mut self, input: usize, at: T) {
        if let Some(reach) = self.inputs.get_mut(input) {
            *reach = (*reach).max(Reach::Open(Some(at)));
        }
    }

    /// An input ended.
    pub(super) fn close(&mut self, input: usize) {
        if let Some(reach) = self.inputs.get_mut(input) {
            *reach = Reach::Closed;
        }
    }

    /// How far every input has come.
    pub(super) fn by_all(&self) -> Reach<T> {
        self.all().min().unwrap_or(Reach::Closed)
    }
}
