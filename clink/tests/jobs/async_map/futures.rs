//! Are futures that a test controls: answered by a thread, after so many polls, or never.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use crossbeam_channel::{Receiver, Sender};

/// Asks to be polled again that many times.
pub(crate) struct Polls(pub(crate) u64);

impl Future for Polls {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if self.0 == 0 {
            return Poll::Ready(());
        }
        self.0 -= 1;
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}

/// Asks to be polled again until something is so.
pub(crate) struct Until<F>(pub(crate) F);

impl<F: Fn() -> bool + Unpin> Future for Until<F> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if (self.0)() {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}

#[derive(Default)]
struct Shared {
    answer: Option<u64>,
    waker: Option<Waker>,
}

/// What a service will have answered.
pub(crate) struct Answer(Arc<Mutex<Shared>>);

impl Future for Answer {
    type Output = u64;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<u64> {
        let mut shared = self.0.lock().unwrap();
        match shared.answer {
            Some(answer) => Poll::Ready(answer),
            None => {
                shared.waker = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }
}

/// A question that a service has been asked.
pub(crate) struct Question {
    pub(crate) about: u64,
    shared: Arc<Mutex<Shared>>,
}

impl Question {
    pub(crate) fn answer(self, answer: u64) {
        let mut shared = self.shared.lock().unwrap();
        shared.answer = Some(answer);
        let waker = shared.waker.take();
        drop(shared);
        waker.into_iter().for_each(Waker::wake);
    }
}

/// Takes questions for the threads that answer them.
#[derive(Clone)]
pub(crate) struct Service(Sender<Question>);

impl Service {
    /// Answers on so many threads, which end when nobody can ask any more.
    pub(crate) fn start(threads: usize, answer: fn(&Receiver<Question>)) -> Self {
        let (ask, asked) = crossbeam_channel::unbounded();
        for _ in 0..threads {
            let asked = asked.clone();
            std::thread::spawn(move || answer(&asked));
        }
        Self(ask)
    }

    /// One that is asked, and whose questions the test answers itself.
    pub(crate) fn by_hand() -> (Self, Receiver<Question>) {
        let (ask, asked) = crossbeam_channel::unbounded();
        (Self(ask), asked)
    }

    pub(crate) fn ask(&self, about: u64) -> Answer {
        let shared = Arc::<Mutex<Shared>>::default();
        // Nobody hears it once the test has seen enough.
        let _ = self.0.send(Question { about, shared: Arc::clone(&shared) });
        Answer(shared)
    }
}

/// Counts the futures there are at once.
#[derive(Clone, Default)]
pub(crate) struct Living(Arc<(AtomicU64, AtomicU64, AtomicU64)>);

/// Counts as one as long as it lives.
pub(crate) struct Life(Living);

impl Living {
    pub(crate) fn begin(&self) -> Life {
        let (now, most, ever) = &*self.0;
        most.fetch_max(now.fetch_add(1, Ordering::Relaxed) + 1, Ordering::Relaxed);
        ever.fetch_add(1, Ordering::Relaxed);
        Life(self.clone())
    }

    pub(crate) fn now(&self) -> u64 {
        self.0.0.load(Ordering::Relaxed)
    }

    pub(crate) fn most(&self) -> u64 {
        self.0.1.load(Ordering::Relaxed)
    }

    pub(crate) fn ever(&self) -> u64 {
        self.0.2.load(Ordering::Relaxed)
    }
}

impl Drop for Life {
    fn drop(&mut self) {
        self.0.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Counts the attempts of each record.
#[derive(Clone, Default)]
pub(crate) struct Attempts(Arc<Mutex<HashMap<u64, u32>>>);

impl Attempts {
    /// One more of that record; how many there are with it.
    pub(crate) fn next(&self, record: u64) -> u32 {
        let mut attempts = self.0.lock().unwrap();
        let count = attempts.entry(record).or_default();
        *count += 1;
        *count
    }

    pub(crate) fn of(&self, record: u64) -> u32 {
        self.0.lock().unwrap().get(&record).copied().unwrap_or_default()
    }
}
