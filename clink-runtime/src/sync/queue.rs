//! Is the queue between subtasks: crossbeam's, or under loom one that loom can follow.

#[cfg(not(loom))]
mod imp {
    /// The sending half; any number of them.
    pub(crate) type Sender<T> = crossbeam_channel::Sender<T>;
    /// The receiving half.
    pub(crate) type Receiver<T> = crossbeam_channel::Receiver<T>;

    #[expect(
        clippy::disallowed_methods,
        reason = "bounded by the credit of its edges (channel::bounded); an array of the worst \
                  case per subtask would cost a megabyte each"
    )]
    pub(crate) fn queue<T>() -> (Sender<T>, Receiver<T>) {
        crossbeam_channel::unbounded()
    }
}

#[cfg(loom)]
mod imp {
    use std::collections::VecDeque;

    use loom::sync::{Arc, Mutex};

    pub(crate) struct Sender<T>(Arc<Mutex<VecDeque<T>>>);
    pub(crate) struct Receiver<T>(Arc<Mutex<VecDeque<T>>>);

    impl<T> Clone for Sender<T> {
        fn clone(&self) -> Self {
            Self(self.0.clone())
        }
    }

    impl<T> Sender<T> {
        pub(crate) fn send(&self, item: T) -> Result<(), T> {
            self.0.lock().expect("no holder panics").push_back(item);
            Ok(())
        }
    }

    impl<T> Receiver<T> {
        pub(crate) fn try_recv(&self) -> Result<T, ()> {
            self.0.lock().expect("no holder panics").pop_front().ok_or(())
        }
    }

    pub(crate) fn queue<T>() -> (Sender<T>, Receiver<T>) {
        let items = Arc::new(Mutex::new(VecDeque::new()));
        (Sender(items.clone()), Receiver(items))
    }
}

pub(crate) use imp::{Receiver, Sender, queue};
