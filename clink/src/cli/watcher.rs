//! Tells a person what they should know of a job, as soon as it is known.

use std::io::{self, Write};
use std::time::Duration;

use clink_plan::graph::JobGraphSpec;
use clink_runtime::local::{Ending, JobReport, JobView, Observer};

use super::progress::ProgressLine;

/// How often the line of progress is drawn.
const DRAW_EVERY: Duration = Duration::from_millis(200);

/// How often a job is looked at for what may have happened, where there is no line.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Writes what it learns; draws the line of progress, if there is one.
pub(super) struct Watcher<W = io::Stderr> {
    /// `None` to say nothing.
    out: Option<W>,
    line: Option<ProgressLine>,
    /// Warnings that have been told.
    told: usize,
}

impl Watcher {
    pub(super) fn for_job(graph: &JobGraphSpec, quiet: bool) -> Self {
        let line = ProgressLine::for_job(graph, quiet);
        Self { out: (!quiet).then(io::stderr), line, told: 0 }
    }
}

impl<W: Write> Watcher<W> {
    /// Takes the line of progress away.
    pub(super) fn clear(&self) {
        if let Some(line) = &self.line {
            line.clear();
        }
    }

    /// Says how a run ended that did not fail.
    pub(super) fn ended(&mut self, report: &JobReport) {
        let mut news = self.warnings(&report.view);
        let last = report.view.last_checkpoint;
        news.extend(last.map(|(id, _)| format!("last checkpoint: {}", id.0)));
        match report.ending {
            Ending::Finished => {}
            Ending::Stopped => {
                news.push("stopped: what was in flight has been processed".to_owned());
            }
            Ending::Cancelled => news.push("cancelled".to_owned()),
        }
        self.tell(&news);
    }

    /// The warnings that have not been told.
    fn warnings(&mut self, view: &JobView) -> Vec<String> {
        let news = view.warnings.get(self.told..).unwrap_or_default().to_vec();
        self.told = view.warnings.len();
        news
    }

    fn tell(&mut self, news: &[String]) {
        let Some(out) = &mut self.out else { return };
        if news.is_empty() {
            return;
        }
        // Nobody is left to be told if the stream is gone.
        let mut write = || news.iter().for_each(|news| drop(writeln!(out, "{news}")));
        match &self.line {
            Some(line) => line.aside(write),
            None => write(),
        }
    }
}

impl<W: Write> Observer for Watcher<W> {
    fn every(&self) -> Option<Duration> {
        self.out.as_ref()?;
        Some(if self.line.is_some() { DRAW_EVERY } else { LOOK_EVERY })
    }

    fn started(&mut self, view: &JobView) {
        let mut news = self.warnings(view);
        news.extend(view.restored_from.map(|id| format!("restored from checkpoint {}", id.0)));
        self.tell(&news);
    }

    fn serving(&mut self, url: &str) {
        self.tell(&[format!("metrics: {url}")]);
    }

    fn look(&mut self, view: &JobView) {
        let news = self.warnings(view);
        self.tell(&news);
        if let Some(line) = &mut self.line {
            line.draw(view);
        }
    }
}

#[cfg(test)]
mod tests {
    use clink_plan::id::CheckpointId;

    use super::*;

    #[test]
    fn each_thing_is_told_once_and_as_soon_as_it_is_known() {
        let mut watcher = Watcher { out: Some(Vec::new()), line: None, told: 0 };
        let mut view = JobView {
            warnings: vec!["dropped".to_owned()],
            restored_from: Some(CheckpointId(3)),
            ..JobView::default()
        };
        watcher.started(&view);
        watcher.serving("http://[::1]:9/metrics");
        let started = "dropped\nrestored from checkpoint 3\nmetrics: http://[::1]:9/metrics\n";
        assert_eq!(told(&watcher), started);
        watcher.look(&view);
        assert_eq!(told(&watcher), started);
        view.warnings.push("given up".to_owned());
        watcher.look(&view);
        assert_eq!(told(&watcher), format!("{started}given up\n"));
        view.warnings.push("again".to_owned());
        view.last_checkpoint = Some((CheckpointId(5), 0));
        watcher.ended(&JobReport { ending: Ending::Cancelled, view });
        let ended = "given up\nagain\nlast checkpoint: 5\ncancelled\n";
        assert_eq!(told(&watcher), format!("{started}{ended}"));
    }

    #[test]
    fn who_is_quiet_neither_looks_nor_tells() {
        let mut watcher: Watcher<Vec<u8>> = Watcher { out: None, line: None, told: 0 };
        let view = JobView { warnings: vec!["dropped".to_owned()], ..JobView::default() };
        assert_eq!(watcher.every(), None);
        watcher.started(&view);
        watcher.ended(&JobReport { ending: Ending::Stopped, view });
        assert_eq!(watcher.out, None);
    }

    fn told(watcher: &Watcher<Vec<u8>>) -> String {
        watcher.out.iter().map(|out| String::from_utf8_lossy(out).into_owned()).collect()
    }
}
