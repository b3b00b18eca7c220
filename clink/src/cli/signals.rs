//! Turns Ctrl-C and SIGTERM into a stop, and the second one into an end, whatever the job is at.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clink_runtime::local::Signal;
use crossbeam_channel::Receiver;

use super::{Exit, log};

/// How long a job may take to close after the second signal: author code that blocks, or a pipe
/// that nobody reads, must not keep a person waiting.
const CLOSE_WITHIN: Duration = Duration::from_secs(1);

/// Starts to listen; call once per process.
pub(super) fn listen() -> Result<Receiver<Signal>, ctrlc::Error> {
    let (send, receive) = crossbeam_channel::bounded(2);
    let again = AtomicBool::new(false);
    ctrlc::set_handler(move || {
        let signal = if again.swap(true, Ordering::AcqRel) { Signal::Cancel } else { Signal::Stop };
        // A third one changes nothing.
        let _ = send.try_send(signal);
        if signal == Signal::Cancel {
            let _ = crossbeam_channel::after(CLOSE_WITHIN).recv();
            log::clear_progress();
            tracing::warn!(target: "clink", "cancelled: it did not close within a second");
            std::process::exit(i32::from(Exit::Interrupted.code()));
        }
    })?;
    Ok(receive)
}
