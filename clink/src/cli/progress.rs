//! Shows one line of progress on a terminal while a job runs.

use std::io::IsTerminal;

use clink_plan::graph::JobGraphSpec;
use clink_runtime::local::JobView;
use console::Term;
use indicatif::{ProgressBar, ProgressStyle};
use tracing::Level;

use super::counts::Counts;
use super::log;
use super::meter::Meter;

/// The line; absent where nobody would see it or it would be in the way.
pub(super) struct ProgressLine {
    bar: ProgressBar,
    terminal: Term,
    meter: Meter,
}

impl ProgressLine {
    /// A line if stderr is a terminal that the job does not print its results to, and lines for
    /// people are written there.
    pub(super) fn for_job(graph: &JobGraphSpec) -> Option<Self> {
        let prints = graph.operators.iter().any(|op| op.type_name == "print");
        let in_the_way = prints && std::io::stdout().is_terminal();
        let told = log::is_for_people() && tracing::enabled!(target: "clink", Level::INFO);
        // One that cannot move its cursor would get a new line for every look.
        let takes_it = std::io::stderr().is_terminal() && !console::is_dumb();
        if !told || in_the_way || !takes_it {
            return None;
        }
        let bar = ProgressBar::new_spinner();
        // The template is a constant: it parses or the tests fail.
        if let Ok(style) = ProgressStyle::with_template("{wide_msg}") {
            bar.set_style(style);
        }
        log::keep_clear_of(Some(bar.clone()));
        Some(Self { bar, terminal: Term::stderr(), meter: Meter::default() })
    }

    /// Shows where the job is.
    pub(super) fn draw(&mut self, view: &JobView, counts: &Counts) {
        // In the last column some terminals begin a new line.
        let columns = usize::from(self.terminal.size().1).saturating_sub(1);
        // A new message draws the line; nothing else does.
        self.bar.set_message(self.meter.line(view, counts, columns));
    }

    /// Takes the line away.
    pub(super) fn clear(&self) {
        self.bar.finish_and_clear();
        log::keep_clear_of(None);
    }
}
