//! Serves the metrics of a job over HTTP, to this machine only, for as long as it runs.

mod request;
mod server;

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use clink_runtime::RuntimeError;
use clink_runtime::local::{JobView, Observer};

use server::{Current, Server};

/// How old what is told of checkpoints may be. Counters are read when they are asked for.
const PUBLISH_EVERY: Duration = Duration::from_secs(1);

/// Looks at a job for its observer and for those who ask for metrics.
pub(super) struct Served<'o> {
    server: Server,
    current: Current,
    observer: &'o mut dyn Observer,
    /// When the observer looked last, in milliseconds.
    looked_ms: i64,
    /// The last view, if the observer has not seen it.
    unseen: Option<Arc<JobView>>,
}

impl<'o> Served<'o> {
    /// Listens from now on; metrics are there once the job starts.
    pub(super) fn start(
        address: SocketAddr,
        observer: &'o mut dyn Observer,
    ) -> Result<Self, RuntimeError> {
        let current = Current::default();
        let server = Server::start(address, Arc::clone(&current)).map_err(|error| {
            let what = format!("{address}: {error} (port 0 picks a free one)");
            let source = io::Error::new(error.kind(), what);
            RuntimeError::System { action: "listen for --metrics-addr", source }
        })?;
        Ok(Self { server, current, observer, looked_ms: i64::MIN, unseen: None })
    }

    /// Shows the observer the last view, and ends the server.
    pub(super) fn finish(self) {
        if let Some(view) = self.unseen {
            self.observer.look(&view);
        }
    }

    fn publish(&self, view: Arc<JobView>) {
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = Some(view);
    }
}

impl Observer for Served<'_> {
    fn started(&mut self, view: &JobView) {
        self.publish(Arc::new(view.clone()));
        self.looked_ms = view.now_ms;
        self.observer.started(view);
        let url = format!("http://{}{}", self.server.address(), request::PATH);
        self.observer.serving(&url);
    }

    fn every(&self) -> Option<Duration> {
        Some(self.observer.every().map_or(PUBLISH_EVERY, |every| every.min(PUBLISH_EVERY)))
    }

    fn look(&mut self, view: &JobView) {
        let shared = Arc::new(view.clone());
        self.publish(Arc::clone(&shared));
        let since_ms = view.now_ms.saturating_sub(self.looked_ms).max(0).unsigned_abs();
        let is_due = |every: Duration| u128::from(since_ms) >= every.as_millis();
        if self.observer.every().is_some_and(is_due) {
            self.observer.look(view);
            (self.looked_ms, self.unseen) = (view.now_ms, None);
        } else {
            self.unseen = Some(shared);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Seldom(Vec<i64>, Option<Duration>);

    impl Observer for Seldom {
        fn every(&self) -> Option<Duration> {
            self.1
        }

        fn look(&mut self, view: &JobView) {
            self.0.push(view.now_ms);
        }
    }

    #[test]
    fn an_observer_looks_no_oftener_than_it_wants_and_at_the_end() {
        let looks = |every: Option<u64>| {
            let mut seldom = Seldom(Vec::new(), every.map(Duration::from_secs));
            let mut served = Served::start("127.0.0.1:0".parse().unwrap(), &mut seldom).unwrap();
            assert!(served.every() <= Some(PUBLISH_EVERY));
            served.started(&JobView::default());
            for now_ms in [1_000, 2_000, 3_000, 4_500, 5_000] {
                served.look(&JobView { now_ms, ..JobView::default() });
            }
            served.finish();
            seldom.0
        };
        assert_eq!(looks(Some(2)), [2_000, 4_500, 5_000]);
        assert_eq!(looks(None), [5_000]);
        assert_eq!(looks(Some(0)), [1_000, 2_000, 3_000, 4_500, 5_000]);
    }
}
