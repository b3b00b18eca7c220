//! Plays a service that knows the names of airlines and answers later, from a thread of its own.

use std::pin::Pin;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// Every airline that it knows.
const AIRLINES: [(&str, &str); 16] = [
    ("9E", "Endeavor Air"),
    ("AA", "American Airlines"),
    ("AS", "Alaska Airlines"),
    ("B6", "JetBlue Airways"),
    ("DL", "Delta Air Lines"),
    ("EV", "ExpressJet Airlines"),
    ("F9", "Frontier Airlines"),
    ("FL", "AirTran Airways"),
    ("HA", "Hawaiian Airlines"),
    ("MQ", "Envoy Air"),
    ("OO", "SkyWest Airlines"),
    ("UA", "United Air Lines"),
    ("US", "US Airways"),
    ("VX", "Virgin America"),
    ("WN", "Southwest Airlines"),
    ("YV", "Mesa Airlines"),
];

/// The way to the service, which ends when nobody has one any more.
pub(crate) struct Directory(Sender<Question>);

impl Directory {
    /// Starts the service.
    pub(crate) fn open() -> std::io::Result<Self> {
        let (ask, asked) = mpsc::channel();
        std::thread::Builder::new().name("directory".to_owned()).spawn(move || serve(&asked))?;
        Ok(Self(ask))
    }

    /// Asks for the name behind a carrier's code.
    pub(crate) fn look_up(&self, carrier: &str) -> Answer {
        let line = Arc::<Line>::default();
        // A question that does not arrive is dropped, and hangs up.
        let _ = self.0.send(Question { carrier: carrier.to_owned(), line: Arc::clone(&line) });
        Answer(line)
    }
}

/// Takes what has been asked so far, and answers the last one first.
fn serve(asked: &Receiver<Question>) {
    while let Ok(first) = asked.recv() {
        let mut questions = vec![first];
        questions.extend(asked.try_iter());
        questions.into_iter().rev().for_each(Question::answer);
    }
}

/// What lies between the one who asks and the one who answers.
#[derive(Default)]
struct Line(Mutex<Ends>);

#[derive(Default)]
struct Ends {
    said: Option<Result<String, String>>,
    listener: Option<Waker>,
}

impl Line {
    fn lock(&self) -> MutexGuard<'_, Ends> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn say(&self, answer: Result<String, String>) {
        let listener = {
            let mut ends = self.lock();
            ends.said.get_or_insert(answer);
            ends.listener.take()
        };
        listener.into_iter().for_each(Waker::wake);
    }
}

struct Question {
    carrier: String,
    line: Arc<Line>,
}

impl Question {
    fn answer(self) {
        let found = AIRLINES.iter().find(|(code, _)| *code == self.carrier);
        let name = found.map(|(_, name)| (*name).to_owned());
        self.line.say(name.ok_or_else(|| format!("no airline has the code `{}`", self.carrier)));
    }
}

impl Drop for Question {
    fn drop(&mut self) {
        self.line.say(Err("the directory has hung up".to_owned()));
    }
}

/// The name, once it has come.
pub(crate) struct Answer(Arc<Line>);

impl Future for Answer {
    type Output = Result<String, String>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut ends = self.0.lock();
        if let Some(answer) = ends.said.take() {
            return Poll::Ready(answer);
        }
        ends.listener = Some(cx.waker().clone());
        Poll::Pending
    }
}
