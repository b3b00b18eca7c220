//! Tells a person what they should know of a job, as soon as it is known.

use std::collections::BTreeSet;
use std::time::Duration;

use clink_plan::graph::JobGraphSpec;
use clink_plan::id::CheckpointId;
use clink_runtime::local::{Ending, JobReport, JobView, Observer};
use tracing::Level;

use super::counts::{Counts, sinks};
use super::progress::ProgressLine;
use super::say;
use super::summary::Summary;

/// How often the line of progress is drawn.
const DRAW_EVERY: Duration = Duration::from_millis(200);

/// How often a job is looked at for what may have happened, where there is no line.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Logs what it learns; draws the line of progress, if there is one.
#[derive(Default)]
pub(super) struct Watcher {
    line: Option<ProgressLine>,
    sinks: BTreeSet<String>,
    /// What was known at the last look; `None` before the start.
    seen: Option<Summary>,
    /// Warnings that the last look showed.
    told: Vec<String>,
    /// The last checkpoint that has been told of.
    saved: Option<CheckpointId>,
}

impl Watcher {
    pub(super) fn for_job(graph: &JobGraphSpec) -> Self {
        let line = ProgressLine::for_job(graph);
        Self { line, sinks: sinks(graph), ..Self::default() }
    }

    /// Takes the line of progress away.
    pub(super) fn clear(&self) {
        if let Some(line) = &self.line {
            line.clear();
        }
    }

    /// Says how a run ended that did not fail.
    pub(super) fn ended(&mut self, report: &JobReport) {
        let view = &report.view;
        self.tell_news(view);
        let summary = Summary::of(view, Counts::of(view, &self.sinks));
        self.tell(summary, Some(report.ending));
    }

    /// Says how far a run came that failed, if it had begun.
    pub(super) fn failed(&self) {
        if let Some(seen) = self.seen {
            self.tell(seen, None);
        }
    }

    fn tell(&self, summary: Summary, ending: Option<Ending>) {
        let Counts { read, written, bad, .. } = summary.counts;
        let seconds = summary.took_ms as f64 / 1_000.0;
        let how = ending.map_or("failed", |ending| match ending {
            Ending::Finished => "finished",
            Ending::Stopped => "stopped",
            Ending::Cancelled => "cancelled",
        });
        tracing::info!(
            target: "clink",
            ending = how,
            records_read = read,
            records_written = written,
            seconds,
            "{}",
            summary.ending(ending)
        );
        if let Some(text) = summary.bad() {
            tracing::info!(target: "clink", bad_records = bad, "{text}");
        }
        if let Some((id, text)) = summary.last_checkpoint.zip(summary.checkpoint()) {
            tracing::info!(target: "clink", checkpoint = id.0, "{text}");
        }
    }

    /// Tells of what has happened since the last look.
    fn tell_news(&mut self, view: &JobView) {
        // Some of them grow a count: they are told again when they have changed.
        let news = view.warnings.iter().filter(|warning| !self.told.contains(warning));
        news.for_each(|warning| say::warn(warning));
        self.told.clone_from(&view.warnings);
        let last = view.last_checkpoint.map(|(id, _)| id);
        if let Some(id) = last.filter(|_| last != self.saved) {
            let completed = view.checkpoints_completed;
            tracing::debug!(
                target: "clink",
                checkpoint = id.0,
                completed,
                "checkpoint {} is complete, {completed} in this run",
                id.0
            );
            self.saved = last;
        }
    }
}

impl Observer for Watcher {
    fn every(&self) -> Option<Duration> {
        if self.line.is_some() {
            return Some(DRAW_EVERY);
        }
        tracing::enabled!(target: "clink", Level::WARN).then_some(LOOK_EVERY)
    }

    fn started(&mut self, view: &JobView) {
        self.tell_news(view);
        if let Some(id) = view.restored_from {
            tracing::info!(target: "clink", checkpoint = id.0, "restored from checkpoint {}", id.0);
        }
        self.seen = Some(Summary::default());
    }

    fn look(&mut self, view: &JobView) {
        self.tell_news(view);
        let counts = Counts::of(view, &self.sinks);
        self.seen = Some(Summary::of(view, counts));
        if let Some(line) = &mut self.line {
            line.draw(view, &counts);
        }
    }
}

#[cfg(test)]
mod tests {
    use clink_plan::id::CheckpointId;

    use super::super::log::written;
    use super::*;

    #[test]
    fn each_thing_is_told_once_and_as_soon_as_it_is_known() {
        let mut watcher = Watcher::default();
        let mut view = JobView {
            warnings: vec!["dropped".to_owned(), "warning[P0903] graph: odd".to_owned()],
            restored_from: Some(CheckpointId(3)),
            ..JobView::default()
        };
        let started = "warning: dropped\nwarning[P0903] graph: odd\nrestored from checkpoint 3\n";
        assert_eq!(written(Level::DEBUG, || watcher.started(&view)), started);
        assert_eq!(written(Level::DEBUG, || watcher.look(&view)), "");
        view.warnings.push("given up: 1".to_owned());
        assert_eq!(written(Level::DEBUG, || watcher.look(&view)), "warning: given up: 1\n");
        view.warnings = vec!["dropped".to_owned(), "given up: 2".to_owned()];
        (view.last_checkpoint, view.checkpoints_completed) = (Some((CheckpointId(5), 0)), 2);
        let report = JobReport { ending: Ending::Cancelled, view };
        let ended = "warning: given up: 2\n\
                     debug: checkpoint 5 is complete, 2 in this run\n\
                     cancelled after 0.00 s: 0 records read, 0 written\n\
                     last checkpoint: 5\n";
        assert_eq!(written(Level::DEBUG, || watcher.ended(&report)), ended);
    }

    #[test]
    fn a_run_that_never_began_has_nothing_to_tell_when_it_fails() {
        let mut watcher = Watcher::default();
        assert_eq!(written(Level::INFO, || watcher.failed()), "");
        watcher.started(&JobView::default());
        let says = "failed after 0.00 s: 0 records read, 0 written\n";
        assert_eq!(written(Level::INFO, || watcher.failed()), says);
    }

    #[test]
    fn who_is_quiet_neither_looks_nor_is_told() {
        let mut watcher = Watcher::default();
        let view = JobView { warnings: vec!["dropped".to_owned()], ..JobView::default() };
        let says = written(Level::ERROR, || {
            assert_eq!(watcher.every(), None);
            watcher.started(&view);
            watcher.ended(&JobReport { ending: Ending::Stopped, view });
        });
        assert_eq!(says, "");
    }
}
