//! Collects what a person should know though the job goes on.

use std::sync::{Mutex, PoisonError};

/// Notices kept: one that comes with every record must not fill the memory.
const NOTICES_MAX: usize = 1_000;

/// What operators want to be told, in order.
#[derive(Debug, Default)]
pub struct Notices(Mutex<Vec<String>>);

impl Notices {
    /// Adds a notice.
    pub fn add(&self, notice: String) {
        let mut notices = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match notices.len() {
            NOTICES_MAX.. => {}
            count if count + 1 == NOTICES_MAX => {
                notices.push(format!("{notice} (the last of {NOTICES_MAX} notices that are told)"))
            }
            _ => notices.push(notice),
        }
    }

    /// All so far.
    pub fn list(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
