//! Turns Ctrl-C and SIGTERM into a stop, and the second one into an end.

use std::sync::atomic::{AtomicBool, Ordering};

use clink_runtime::local::Signal;
use crossbeam_channel::Receiver;

/// Starts to listen; call once per process.
pub(super) fn listen() -> Result<Receiver<Signal>, ctrlc::Error> {
    let (send, receive) = crossbeam_channel::bounded(2);
    let again = AtomicBool::new(false);
    ctrlc::set_handler(move || {
        let signal = if again.swap(true, Ordering::AcqRel) { Signal::Cancel } else { Signal::Stop };
        // A third one changes nothing.
        let _ = send.try_send(signal);
    })?;
    Ok(receive)
}
