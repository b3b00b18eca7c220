//! Shows one line of progress on a terminal while a job runs.

use std::io::{self, IsTerminal};

use clink_plan::graph::JobGraphSpec;
use clink_runtime::local::JobView;
use console::Term;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle, TermLike};
use tracing::Level;

use super::counts::Counts;
use super::log;
use super::meter::Meter;

/// Columns left free: a terminal shows a Ctrl-C as `^C` where its cursor is, and in its last column
/// some begin a new line. Either would put the line where nobody takes it away.
const FREE: u16 = 3;

/// The line; absent where nobody would see it or it would be in the way.
pub(super) struct ProgressLine {
    bar: ProgressBar,
    terminal: Narrowed,
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
        let target = ProgressDrawTarget::term_like(Box::new(Narrowed(Term::stderr())));
        let bar = ProgressBar::with_draw_target(None, target);
        // The template is a constant: it parses or the tests fail.
        if let Ok(style) = ProgressStyle::with_template("{wide_msg}") {
            bar.set_style(style);
        }
        log::keep_clear_of(Some(bar.clone()));
        Some(Self { bar, terminal: Narrowed(Term::stderr()), meter: Meter::default() })
    }

    /// Shows where the job is.
    pub(super) fn draw(&mut self, view: &JobView, counts: &Counts) {
        let columns = usize::from(self.terminal.width());
        // A new message draws the line; nothing else does.
        self.bar.set_message(self.meter.line(view, counts, columns));
    }

    /// Takes the line away.
    pub(super) fn clear(&self) {
        self.bar.finish_and_clear();
        log::keep_clear_of(None);
    }
}

/// A terminal whose last columns are not written to.
#[derive(Debug)]
struct Narrowed(Term);

impl TermLike for Narrowed {
    fn width(&self) -> u16 {
        self.0.size().1.saturating_sub(FREE).max(1)
    }

    fn height(&self) -> u16 {
        self.0.size().0
    }

    fn move_cursor_up(&self, n: usize) -> io::Result<()> {
        self.0.move_cursor_up(n)
    }

    fn move_cursor_down(&self, n: usize) -> io::Result<()> {
        self.0.move_cursor_down(n)
    }

    fn move_cursor_right(&self, n: usize) -> io::Result<()> {
        self.0.move_cursor_right(n)
    }

    fn move_cursor_left(&self, n: usize) -> io::Result<()> {
        self.0.move_cursor_left(n)
    }

    fn write_line(&self, text: &str) -> io::Result<()> {
        self.0.write_line(text)
    }

    fn write_str(&self, text: &str) -> io::Result<()> {
        self.0.write_str(text)
    }

    fn clear_line(&self) -> io::Result<()> {
        self.0.clear_line()
    }

    fn flush(&self) -> io::Result<()> {
        self.0.flush()
    }
}
