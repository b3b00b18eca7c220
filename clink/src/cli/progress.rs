//! Shows one line of progress on a terminal while a job runs.

use std::io::IsTerminal;
use std::time::Duration;

use clink_plan::graph::JobGraphSpec;
use clink_runtime::local::{JobView, Observer};
use indicatif::{HumanCount, HumanDuration, ProgressBar, ProgressStyle};

/// How often the line is drawn.
const EVERY: Duration = Duration::from_millis(200);

/// The line; absent where nobody would see it or it would be in the way.
pub(super) struct ProgressLine {
    bar: ProgressBar,
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
        if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
            bar.set_style(style);
        }
        Some(Self { bar })
    }

    pub(super) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

impl Observer for ProgressLine {
    fn every(&self) -> Option<Duration> {
        Some(EVERY)
    }

    fn look(&mut self, view: &JobView) {
        self.bar.set_message(line(view));
        self.bar.tick();
    }
}

/// Records read, per second; how far bounded input has come; the age of the last checkpoint.
fn line(view: &JobView) -> String {
    let sources = view.instances.iter().filter(|i| i.progress.is_some());
    let (mut records, mut done, mut total) = (0, 0, 0);
    for source in sources {
        records += source.metrics.records_out();
        if let Some(progress) = &source.progress {
            let (own_done, own_total) = progress.get();
            done += own_done;
            total += own_total;
        }
    }
    let elapsed_ms = view.now_ms.saturating_sub(view.started_ms).max(1).unsigned_abs();
    let per_second = u128::from(records) * 1_000 / u128::from(elapsed_ms);
    let per_second = HumanCount(u64::try_from(per_second).unwrap_or(u64::MAX));
    let mut line = format!("{} records, {per_second}/s", HumanCount(records));
    if total > 0 {
        let part = u128::from(done) * 100 / u128::from(total);
        line += &format!(", {part} %");
        if done > 0 && done < total {
            let left = u128::from(elapsed_ms) * u128::from(total - done) / u128::from(done);
            let left = Duration::from_millis(u64::try_from(left).unwrap_or(u64::MAX));
            line += &format!(", {} left", HumanDuration(left));
        }
    }
    if let Some((id, at_ms)) = view.last_checkpoint {
        let age = view.now_ms.saturating_sub(at_ms).max(0) / 1_000;
        line += &format!(", checkpoint {} ({age} s ago)", id.0);
    }
    line
}
