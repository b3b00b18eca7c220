//! Carries what a world has seen from where a check fails to where that is told.

use std::cell::RefCell;

thread_local! {
    static STORIES: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// Notes the story of a world of this thread.
pub(super) fn tell(story: String) {
    // While the thread goes down there may be nobody left to tell.
    let _ = STORIES.try_with(|stories| stories.borrow_mut().push(story));
}

/// All stories of this thread since the last call.
pub(super) fn take() -> Vec<String> {
    STORIES.take()
}
