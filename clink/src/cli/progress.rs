//! Shows one line of progress on a terminal while a job runs.

use std::io::IsTerminal;

use clink_plan::graph::JobGraphSpec;
use clink_runtime::local::JobView;
use indicatif::{ProgressBar, ProgressStyle};

use super::meter::Meter;

/// The line; absent where nobody would see it or it would be in the way.
pub(super) struct ProgressLine {
    bar: ProgressBar,
    meter: Meter,
}

impl ProgressLine {
    /// A line if stderr is a terminal that the job does not print its results to.
    pub(super) fn for_job(graph: &JobGraphSpec, quiet: bool) -> Option<Self> {
        let prints = graph.operators.iter().any(|op| op.type_name == "print");
        let in_the_way = prints && std::io::stdout().is_terminal();
        if quiet || in_the_way || !std::io::stderr().is_terminal() {
            return None;
        }
        let bar = ProgressBar::new_spinner();
        // The template is a constant: it parses or the tests fail.
        if let Ok(style) = ProgressStyle::with_template("{wide_msg}") {
            bar.set_style(style);
        }
        Some(Self { bar, meter: Meter::default() })
    }

    /// Shows where the job is.
    pub(super) fn draw(&mut self, view: &JobView) {
        // A new message draws the line; nothing else does.
        self.bar.set_message(self.meter.line(view));
    }

    /// Does what writes to the terminal, with the line out of its way.
    pub(super) fn aside(&self, write: impl FnOnce()) {
        self.bar.suspend(write);
    }

    /// Takes the line away.
    pub(super) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}
