//! Holds the records in flight: the future of each attempt, and until when it may take.

use std::collections::BTreeSet;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use crate::sync::wake::Waker as SubtaskWaker;
use crate::time::EventTime;

use super::order::Group;
use super::ready::{Place, Ready};

/// A record in flight.
pub(super) struct Flight<In> {
    /// For further attempts, and for what is said of it if all fail; `None` if neither needs it.
    pub(super) record: Option<In>,
    /// Its event time.
    pub(super) time: Option<EventTime>,
    /// Its place among the others.
    pub(super) group: Group,
    /// Attempts that have started.
    pub(super) attempts: u32,
}

/// A place for a record in flight; kept, with the memory of its future, for the next one.
struct Slot<In, Fut> {
    place: Arc<Place>,
    waker: Waker,
    flight: Option<Flight<In>>,
    /// `None` between two attempts.
    future: Pin<Box<Option<Fut>>>,
    /// When the attempt has taken too long or, between two, when the next one starts.
    deadline_ms: Option<i64>,
}

/// The records in flight, each in a place of its own.
pub(super) struct InFlight<In, Fut> {
    slots: Vec<Slot<In, Fut>>,
    free: Vec<usize>,
    deadlines: BTreeSet<(i64, usize)>,
    ready: Ready,
}

impl<In, Fut: Future> InFlight<In, Fut> {
    /// Room for so many, polled by that subtask.
    pub(super) fn new(capacity: u32, subtask: SubtaskWaker) -> Self {
        let ready = Ready::new(capacity, subtask);
        Self { slots: Vec::new(), free: Vec::new(), deadlines: BTreeSet::new(), ready }
    }

    /// Gives a record its place, before its first attempt.
    pub(super) fn begin(&mut self, flight: Flight<In>) -> usize {
        let place = self.free.pop().unwrap_or_else(|| self.grow());
        self.slot(place).flight = Some(flight);
        place
    }

    #[cold]
    fn grow(&mut self) -> usize {
        let place = self.ready.place(self.slots.len());
        let waker = Waker::from(Arc::clone(&place));
        let future = Box::pin(None);
        self.slots.push(Slot { place, waker, flight: None, future, deadline_ms: None });
        self.slots.len() - 1
    }

    fn slot(&mut self, place: usize) -> &mut Slot<In, Fut> {
        self.slots.get_mut(place).expect("places come from the list of slots, which only grows")
    }

    /// The record in that place.
    pub(super) fn flight(&mut self, place: usize) -> Option<&mut Flight<In>> {
        self.slot(place).flight.as_mut()
    }

    /// Starts an attempt, which may take until then.
    pub(super) fn attempt(&mut self, place: usize, future: Fut, until_ms: Option<i64>) {
        let slot = self.slot(place);
        slot.future.set(Some(future));
        if let Some(flight) = &mut slot.flight {
            flight.attempts = flight.attempts.saturating_add(1);
        }
        self.set_deadline(place, until_ms);
    }

    /// Drops the attempt; the next one starts then.
    pub(super) fn wait(&mut self, place: usize, until_ms: i64) {
        self.slot(place).future.set(None);
        self.set_deadline(place, Some(until_ms));
    }

    fn set_deadline(&mut self, place: usize, deadline_ms: Option<i64>) {
        if let Some(before_ms) = std::mem::replace(&mut self.slot(place).deadline_ms, deadline_ms) {
            self.deadlines.remove(&(before_ms, place));
        }
        self.deadlines.extend(deadline_ms.map(|deadline_ms| (deadline_ms, place)));
    }

    /// Polls the attempt in that place; pending if there is none.
    pub(super) fn poll(&mut self, place: usize) -> Poll<Fut::Output> {
        let slot = self.slot(place);
        match slot.future.as_mut().as_pin_mut() {
            Some(future) => future.poll(&mut Context::from_waker(&slot.waker)),
            None => Poll::Pending,
        }
    }

    /// Takes a record out; what is left of its attempt is dropped.
    pub(super) fn end(&mut self, place: usize) -> Option<Flight<In>> {
        self.set_deadline(place, None);
        let slot = self.slot(place);
        slot.future.set(None);
        let flight = slot.flight.take();
        self.free.push(place);
        flight
    }

    /// How many futures have been woken.
    pub(super) fn woken(&self) -> usize {
        self.ready.len()
    }

    /// The place of the next future that has been woken, to be polled.
    pub(super) fn next_woken(&mut self) -> Option<usize> {
        let place = self.ready.next()?;
        self.slot(place).place.has_left_queue();
        Some(place)
    }

    /// The next deadline.
    pub(super) fn next_ms(&self) -> Option<i64> {
        self.deadlines.first().map(|(deadline_ms, _)| *deadline_ms)
    }

    /// The places whose deadline has come; true with those whose attempt has taken too long.
    pub(super) fn take_due(&mut self, now_ms: i64) -> Vec<(usize, bool)> {
        let mut due = Vec::new();
        while let Some((_, place)) = self.deadlines.first().filter(|(at, _)| *at <= now_ms).copied()
        {
            self.set_deadline(place, None);
            due.push((place, self.slot(place).future.is_some()));
        }
        due
    }

    /// True if something outside the job is to wake a future.
    pub(super) fn awaits(&self) -> bool {
        self.slots.iter().any(|slot| slot.future.is_some())
    }

    /// Drops all of them.
    pub(super) fn clear(&mut self) {
        self.deadlines.clear();
        self.free.clear();
        self.slots.clear();
    }
}
