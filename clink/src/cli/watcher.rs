//! Tells a person what they should know of a job, as soon as it is known.

use std::time::Duration;

use clink_plan::graph::JobGraphSpec;
use clink_plan::id::CheckpointId;
use clink_runtime::local::{Ending, JobReport, JobView, Observer};
use clink_runtime::metrics::Accumulated;
use clink_runtime::operator::bad_records::BadRecordPolicy;
use clink_runtime::sys::clock::Clock;
use tracing::Level;

use super::counts::Counts;
use super::progress::ProgressLine;
use super::say;
use super::summary::Summary;

/// How often the line of progress is drawn.
const DRAW_EVERY: Duration = Duration::from_millis(200);

/// How often a job is looked at for what may have happened, where there is no line.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Logs what it learns; draws the line of progress, if there is one.
pub(super) struct Watcher {
    line: Option<ProgressLine>,
    /// The machine's: a simulated job moves its own, and a person waits by another.
    clock: Clock,
    started_ms: i64,
    /// The first bad record ends the job, and is the error.
    fails_at_bad: bool,
    /// What was known at the last look.
    seen: Option<Summary>,
    /// Warnings that the last look showed.
    told: Vec<String>,
    /// How many notices of operators have been told.
    noticed: usize,
    /// The last checkpoint that has been told of.
    saved: Option<CheckpointId>,
}

impl Watcher {
    pub(super) fn for_job(graph: &JobGraphSpec, bad_records: &BadRecordPolicy) -> Self {
        let fails_at_bad = *bad_records == BadRecordPolicy::Fail;
        Self { fails_at_bad, ..Self::new(ProgressLine::for_job(graph), Clock::system()) }
    }

    fn new(line: Option<ProgressLine>, clock: Clock) -> Self {
        let fails_at_bad = false;
        let (seen, told, saved) = (None, Vec::new(), None);
        let started_ms = clock.now_ms();
        Self { line, started_ms, clock, fails_at_bad, seen, told, noticed: 0, saved }
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
        let summary = self.summary(view, Counts::of(view));
        self.tell(&summary, Some(report.ending));
    }

    /// Says how far a run came that failed, if it had come anywhere.
    pub(super) fn failed(&self) {
        if let Some(seen) = self.seen.as_ref().filter(|seen| seen.counts.read > 0) {
            self.tell(seen, None);
        }
    }

    fn summary(&self, view: &JobView, counts: Counts) -> Summary {
        let took_ms = self.clock.now_ms().saturating_sub(self.started_ms).max(0).unsigned_abs();
        Summary::of(view, counts, took_ms)
    }

    fn tell(&self, summary: &Summary, ending: Option<Ending>) {
        let Counts { read, written, bad, late, .. } = summary.counts;
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
        if let Some(text) = summary.bad().filter(|_| !self.fails_at_bad) {
            let file = summary.bad_file.as_ref().map(|file| file.display().to_string());
            tracing::info!(target: "clink", bad_records = bad, file, "{text}");
        }
        for (of, accumulated) in &summary.accumulators {
            let Accumulated { operator, name, sum } = accumulated;
            let text = Summary::accumulator(of, accumulated);
            tracing::info!(target: "clink", operator, accumulator = name, sum, "{text}");
        }
        if let Some(text) = summary.late() {
            tracing::info!(target: "clink", late_records = late, "{text}");
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
        let known = self.noticed.saturating_sub(view.notices_before);
        view.notices.iter().skip(known).for_each(|notice| say::warn(notice));
        self.noticed = view.notices_before + view.notices.len();
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
        self.started_ms = self.clock.now_ms();
    }

    fn serving(&mut self, url: &str) {
        tracing::info!(target: "clink", url, "metrics: {url}");
    }

    fn look(&mut self, view: &JobView) {
        self.tell_news(view);
        let counts = Counts::of(view);
        self.seen = Some(self.summary(view, counts));
        if let Some(line) = &mut self.line {
            line.draw(view, &counts);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use clink_runtime::local::InstanceMetrics;
    use clink_runtime::metrics::OperatorMetrics;

    use super::super::log::written;
    use super::*;

    fn watcher() -> Watcher {
        Watcher::new(None, Clock::simulated(0))
    }

    #[test]
    fn each_thing_is_told_once_and_as_soon_as_it_is_known() {
        let mut watcher = watcher();
        let mut view = JobView {
            warnings: vec!["dropped".to_owned(), "warning[P0903] graph: odd".to_owned()],
            restored_from: Some(CheckpointId(3)),
            ..JobView::default()
        };
        let started = "warning: dropped\nwarning[P0903] graph: odd\nrestored from checkpoint 3\n";
        assert_eq!(written(Level::DEBUG, || watcher.started(&view)), started);
        assert_eq!(written(Level::DEBUG, || watcher.look(&view)), "");
        let served = written(Level::DEBUG, || watcher.serving("http://[::1]:9/metrics"));
        assert_eq!(served, "metrics: http://[::1]:9/metrics\n");
        view.warnings.push("given up: 1".to_owned());
        assert_eq!(written(Level::DEBUG, || watcher.look(&view)), "warning: given up: 1\n");
        for _ in 0..2 {
            view.notices.push("a.log was emptied".to_owned());
            let says = "warning: a.log was emptied\n";
            assert_eq!(written(Level::DEBUG, || watcher.look(&view)), says, "each time it is");
        }
        view.warnings = vec!["dropped".to_owned(), "given up: 2".to_owned()];
        (view.last_checkpoint, view.checkpoints_completed) = (Some((CheckpointId(5), 0)), 2);
        view.accumulators =
            vec![Accumulated { operator: "op_2".into(), name: "odd".into(), sum: 1_000 }];
        let report = JobReport { ending: Ending::Cancelled, view };
        let ended = "warning: given up: 2\n\
                     debug: checkpoint 5 is complete, 2 in this run\n\
                     cancelled after 0 ms: 0 records read, 0 written\n\
                     accumulator `odd` of `` (op_2): 1,000\n\
                     last checkpoint: 5\n";
        assert_eq!(written(Level::DEBUG, || watcher.ended(&report)), ended);
    }

    #[test]
    fn a_run_that_came_nowhere_has_nothing_to_tell_when_it_fails() {
        let mut watcher = watcher();
        let metrics = Arc::new(OperatorMetrics::default());
        let source = InstanceMetrics {
            operator: "in".to_owned(),
            name: "".into(),
            uid: "".into(),
            subtask_index: 0,
            is_sink: false,
            has_side_outputs: false,
            metrics: Arc::clone(&metrics),
            progress: Some(Arc::default()),
        };
        let view = JobView { instances: vec![source], ..JobView::default() };
        watcher.started(&view);
        watcher.look(&view);
        assert_eq!(written(Level::INFO, || watcher.failed()), "");
        metrics.add_out(7);
        watcher.look(&view);
        let says = "failed after 0 ms: 7 records read, 0 written\n";
        assert_eq!(written(Level::INFO, || watcher.failed()), says);
    }

    #[test]
    fn who_is_quiet_neither_looks_nor_is_told() {
        let mut watcher = watcher();
        let view = JobView { warnings: vec!["dropped".to_owned()], ..JobView::default() };
        let says = written(Level::ERROR, || {
            assert_eq!(watcher.every(), None);
            watcher.started(&view);
            watcher.ended(&JobReport { ending: Ending::Stopped, view });
        });
        assert_eq!(says, "");
    }
}
