//! Keeps a panic of author code inside its subtask, with its message and place.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

/// What is known of a caught panic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caught {
    /// The message.
    pub message: String,
    /// `file:line:column`, when the hook saw it.
    pub location: Option<String>,
}

thread_local! {
    static CONTAINED: Cell<bool> = const { Cell::new(false) };
    static LOCATION: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Runs author code; a panic comes back as a value and prints nothing.
///
/// # Errors
/// [`Caught`] if it panicked.
pub fn contain<T>(run: impl FnOnce() -> T) -> Result<T, Caught> {
    install_hook();
    let outer = CONTAINED.replace(true);
    let result = catch_unwind(AssertUnwindSafe(run));
    CONTAINED.set(outer);
    result.map_err(|payload| Caught {
        message: message_of(payload.as_ref()),
        location: LOCATION.take(),
    })
}

/// The place of a panic is known to the hook only. Ours notes it for contained code and leaves
/// every other panic to the hook that was there before.
fn install_hook() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let previous = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if CONTAINED.get() {
                LOCATION.set(info.location().map(ToString::to_string));
            } else {
                previous(info);
            }
        }));
    });
}

fn message_of(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without a message".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_comes_back_with_its_message_and_place() {
        let caught = contain(|| -> u32 { panic!("seven is {}", 7) }).unwrap_err();
        assert_eq!(caught.message, "seven is 7");
        assert!(caught.location.unwrap().contains("contain.rs:"));
        assert_eq!(contain(|| 3), Ok(3));
    }
}
