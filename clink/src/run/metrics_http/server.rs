//! Answers requests for the metrics of one job, on threads of their own.
//!
//! Limit: [`CONNECTIONS_MAX`] at a time, [`EXCHANGE_TIME`] and [`HEAD_BYTES_MAX`] each.

use std::io::{self, Read, Write};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use clink_runtime::local::JobView;
use clink_runtime::metrics::prometheus::CONTENT_TYPE;
use clink_runtime::sys::net::{Closer, Connection, HangUp, LoopbackListener};

use super::request::{self, Verdict};

/// Requests that are answered at the same time: more than those that scrape and those that look.
const CONNECTIONS_MAX: usize = 8;

/// Time that one request and its answer may take together.
const EXCHANGE_TIME: Duration = Duration::from_secs(5);

/// Bytes that the head of a request may have.
const HEAD_BYTES_MAX: usize = 8_192;

/// Bytes that are read after an answer, for it to arrive.
const REST_BYTES_MAX: u64 = 65_536;

/// How long to wait when the system has no socket for one more connection.
const PAUSE: Duration = Duration::from_millis(100);

/// What the metrics are told of; nothing before the job starts.
pub(super) type Current = Arc<Mutex<Option<Arc<JobView>>>>;

/// The threads that answer; they end when it is dropped.
pub(super) struct Server {
    address: SocketAddr,
    closer: Closer,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Listens, and answers from now on.
    pub(super) fn start(address: SocketAddr, current: Current) -> io::Result<Self> {
        let listener = LoopbackListener::bind(address)?;
        let (address, closer) = (listener.address(), listener.closer());
        let thread = std::thread::Builder::new().name("clink-metrics".to_owned());
        let thread = thread.spawn(move || serve(&listener, &current))?;
        Ok(Self { address, closer, thread: Some(thread) })
    }

    /// Where it listens.
    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let Some(thread) = self.thread.take() else { return };
        // A thread that cannot be woken ends with the process; the job does not wait for it.
        if self.closer.close().is_ok() {
            let _ = thread.join();
        }
    }
}

/// A request that is being answered.
struct Exchange {
    hang_up: HangUp,
    thread: JoinHandle<()>,
}

fn serve(listener: &LoopbackListener, current: &Current) {
    let mut open: Vec<Exchange> = Vec::new();
    loop {
        let connection = match listener.accept(EXCHANGE_TIME) {
            Ok(Some(connection)) => connection,
            Ok(None) => break,
            Err(_) => {
                let _ = crossbeam_channel::after(PAUSE).recv();
                continue;
            }
        };
        open.retain(|exchange| !exchange.thread.is_finished());
        // The connection closes where there is no room, handle or thread for it: who asked may ask
        // again. An answer would have to wait for its reader.
        if open.len() >= CONNECTIONS_MAX {
            continue;
        }
        let Ok(hang_up) = connection.hang_up() else { continue };
        let current = Arc::clone(current);
        let thread = std::thread::Builder::new().name("clink-metrics-request".to_owned());
        let exchange = move || {
            // A peer that is slow or gone gets no answer, and nobody else is concerned.
            let _ = exchange(connection, &current);
        };
        if let Ok(thread) = thread.spawn(exchange) {
            open.push(Exchange { hang_up, thread });
        }
    }
    for Exchange { hang_up, thread } in open {
        hang_up.now();
        let _ = thread.join();
    }
}

/// Reads one request and answers it.
fn exchange(mut connection: Connection, current: &Current) -> io::Result<()> {
    let mut head = Vec::new();
    let verdict = loop {
        let mut room = [0; 1_024];
        let read = connection.read(&mut room)?;
        if read == 0 {
            break None;
        }
        head.extend(room.iter().take(read));
        match request::judge(&head) {
            None if head.len() > HEAD_BYTES_MAX => break Some(request::TOO_LARGE),
            None => {}
            verdict => break verdict,
        }
    };
    match verdict {
        Some(Verdict::Serve) => answer(connection, &metrics(current)),
        Some(Verdict::Refuse(status, why)) => answer(connection, &refusal(status, why)),
        None => {}
    }
    Ok(())
}

fn metrics(current: &Current) -> String {
    let view = current.lock().unwrap_or_else(PoisonError::into_inner).clone();
    match view {
        Some(view) => response("200 OK", CONTENT_TYPE, &view.to_prometheus()),
        None => refusal("503 Service Unavailable", "the job has not started"),
    }
}

fn refusal(status: &str, why: &str) -> String {
    response(status, "text/plain; charset=utf-8", &format!("{why}\n"))
}

fn response(status: &str, content_type: &str, body: &str) -> String {
    let allow = if status.starts_with("405") { "Allow: GET\r\n" } else { "" };
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\nContent-Length: {}\r\n\
         Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n{allow}\
         Connection: close\r\n\r\n{body}",
        body.len()
    )
}

fn answer(mut connection: Connection, response: &str) {
    if connection.write_all(response.as_bytes()).is_ok() {
        connection.finish(REST_BYTES_MAX);
    }
}

#[cfg(test)]
mod tests;
