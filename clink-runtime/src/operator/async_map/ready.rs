//! Notes which futures have been woken, and wakes the subtask that polls them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Wake;

use crossbeam_channel::{Receiver, Sender};

use crate::sync::wake::Waker;

/// The places of futures that have been woken, those first that were woken first.
pub(super) struct Ready {
    places: Receiver<usize>,
    woken: Sender<usize>,
    subtask: Waker,
}

impl Ready {
    /// For futures in places below `capacity`, which that subtask polls.
    pub(super) fn new(capacity: u32, subtask: Waker) -> Self {
        // A place is in the queue once at most.
        let (woken, places) = crossbeam_channel::bounded(capacity as usize);
        Self { places, woken, subtask }
    }

    /// What wakes the future in that place; it outlives the future, and may wake its successor for
    /// nothing.
    pub(super) fn place(&self, place: usize) -> Arc<Place> {
        Arc::new(Place {
            place,
            is_queued: AtomicBool::new(false),
            woken: self.woken.clone(),
            subtask: self.subtask.clone(),
        })
    }

    /// How many have been woken.
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// The next one; its place is to be told before it is polled.
    pub(super) fn next(&self) -> Option<usize> {
        self.places.try_recv().ok()
    }
}

/// Where a future is, and whether that place is in the queue.
pub(super) struct Place {
    place: usize,
    is_queued: AtomicBool,
    woken: Sender<usize>,
    subtask: Waker,
}

impl Place {
    /// It has been taken out of the queue and is about to be polled: who wakes it from now on, even
    /// while it is polled, puts it into the queue again.
    pub(super) fn has_left_queue(&self) {
        // A swap and not a store: what was done before the wake-up must be seen by the poll.
        self.is_queued.swap(false, Ordering::AcqRel);
    }
}

impl Wake for Place {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if !self.is_queued.swap(true, Ordering::AcqRel) {
            // Nobody polls any more once the subtask has closed.
            let _ = self.woken.try_send(self.place);
            self.subtask.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::task::Waker as TaskWaker;

    #[test]
    fn a_place_is_queued_once_however_often_it_is_woken_and_again_after_its_poll() {
        let ready = Ready::new(2, Waker::nobody());
        let places: Vec<_> = (0..2).map(|place| ready.place(place)).collect();
        let wakers: Vec<TaskWaker> = places.iter().cloned().map(TaskWaker::from).collect();
        for waker in [&wakers[1], &wakers[0], &wakers[1], &wakers[0]] {
            waker.wake_by_ref();
        }
        assert_eq!((ready.len(), ready.next()), (2, Some(1)));
        wakers[1].wake_by_ref();
        assert_eq!(ready.next(), Some(0), "it has not been polled yet");
        assert_eq!(ready.next(), None);
        places[1].has_left_queue();
        wakers[1].wake_by_ref();
        assert_eq!(ready.next(), Some(1));
    }

    #[test]
    fn a_waker_outlives_what_it_wakes() {
        let ready = Ready::new(1, Waker::nobody());
        let waker = TaskWaker::from(ready.place(0));
        drop(ready);
        waker.wake();
    }
}
