//! Words what a run came to, in a line or three (pure).

use std::path::PathBuf;

use clink_plan::id::CheckpointId;
use clink_runtime::local::{Ending, JobView};
use clink_runtime::metrics::Accumulated;

use super::counts::Counts;
use super::numbers::{count, exact, took};

/// What a run came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Summary {
    pub(super) counts: Counts,
    pub(super) took_ms: u64,
    pub(super) last_checkpoint: Option<CheckpointId>,
    /// Where bad records are kept.
    pub(super) bad_file: Option<PathBuf>,
    /// What accumulators have come to, each with the name of its operator.
    pub(super) accumulators: Vec<(String, Accumulated)>,
}

impl Summary {
    pub(super) fn of(view: &JobView, counts: Counts, took_ms: u64) -> Self {
        let (last, bad_file) = (view.last_checkpoint, view.bad_records_file.clone());
        let named = |accumulated: &Accumulated| {
            let mut instances = view.instances.iter();
            let of = instances.find(|instance| instance.operator == accumulated.operator);
            (of.map(|of| of.name.to_string()).unwrap_or_default(), accumulated.clone())
        };
        let accumulators = view.accumulators.iter().map(named).collect();
        let last_checkpoint = last.map(|(id, _)| id);
        Self { counts, took_ms, last_checkpoint, bad_file, accumulators }
    }

    /// How it ended, after how long, and what it did; `None` for a run that failed.
    pub(super) fn ending(&self, ending: Option<Ending>) -> String {
        let how = match ending {
            Some(Ending::Finished) => "finished in",
            Some(Ending::Stopped) => "stopped after",
            Some(Ending::Cancelled) => "cancelled after",
            None => "failed after",
        };
        let Counts { read, written, .. } = self.counts;
        // Of a run that took no time a rate says nothing.
        let rate = match self.took_ms {
            0 => String::new(),
            ms => format!(" ({}/s)", count(read as f64 * 1_000.0 / ms as f64)),
        };
        let (took, read, written) = (took(self.took_ms), exact(read), exact(written));
        format!("{how} {took}: {read} records read{rate}, {written} written")
    }

    /// What became of records that could not be read, or not be used.
    pub(super) fn bad(&self) -> Option<String> {
        let what = match self.counts.bad {
            0 => return None,
            1 => "1 bad record".to_owned(),
            bad => format!("{} bad records", exact(bad)),
        };
        Some(match &self.bad_file {
            Some(file) => format!("{what} kept in {}", file.display()),
            None => format!("{what} skipped"),
        })
    }

    /// What an accumulator of the operator of that name has come to.
    pub(super) fn accumulator(
        of: &str,
        Accumulated { operator, name, sum }: &Accumulated,
    ) -> String {
        let sign = if *sum < 0 { "-" } else { "" };
        format!("accumulator `{name}` of `{of}` ({operator}): {sign}{}", exact(sum.unsigned_abs()))
    }

    /// That records were dropped because they came late.
    pub(super) fn late(&self) -> Option<String> {
        match self.counts.late {
            0 => None,
            1 => Some("1 late record dropped".to_owned()),
            late => Some(format!("{} late records dropped", exact(late))),
        }
    }

    /// Where another run may go on from.
    pub(super) fn checkpoint(&self) -> Option<String> {
        self.last_checkpoint.map(|id| format!("last checkpoint: {}", id.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_tells_how_it_ended_what_it_did_and_where_to_go_on_from() {
        let counts = Counts { read: 27_004, written: 26_483, bad: 3, late: 1, ..Counts::default() };
        let last_checkpoint = Some(CheckpointId(2));
        let mut summary = Summary { counts, took_ms: 1_200, last_checkpoint, ..Summary::default() };
        for (ending, how) in [
            (Some(Ending::Finished), "finished in"),
            (Some(Ending::Stopped), "stopped after"),
            (Some(Ending::Cancelled), "cancelled after"),
            (None, "failed after"),
        ] {
            let did = "1.20 s: 27,004 records read (22,503/s), 26,483 written";
            assert_eq!(summary.ending(ending), format!("{how} {did}"));
        }
        assert_eq!(summary.bad().as_deref(), Some("3 bad records skipped"));
        assert_eq!(summary.late().as_deref(), Some("1 late record dropped"));
        summary.counts.late = 1_234;
        assert_eq!(summary.late().as_deref(), Some("1,234 late records dropped"));
        (summary.counts.bad, summary.bad_file) = (1, Some("bad.ndjson".into()));
        assert_eq!(summary.bad().as_deref(), Some("1 bad record kept in bad.ndjson"));
        assert_eq!(summary.checkpoint().as_deref(), Some("last checkpoint: 2"));
        for (sum, shown) in [(0, "0"), (-1_234, "-1,234"), (i64::MIN, "-9,223,372,036,854,775,808")]
        {
            let accumulated = Accumulated { operator: "op_3".into(), name: "odd".into(), sum };
            let says = format!("accumulator `odd` of `Count` (op_3): {shown}");
            assert_eq!(Summary::accumulator("Count", &accumulated), says);
        }
        let nothing = Summary::default();
        let says = "finished in 0 ms: 0 records read, 0 written";
        assert_eq!(nothing.ending(Some(Ending::Finished)), says);
        assert_eq!((nothing.bad(), nothing.late(), nothing.checkpoint()), (None, None, None));
    }
}
