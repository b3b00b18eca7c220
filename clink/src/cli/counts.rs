//! Adds up what the instances of a job have counted (pure).

use std::collections::BTreeMap;

use clink_runtime::local::JobView;

/// What the instances of a job have counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    /// Records that sources have read.
    pub(super) read: u64,
    /// Records that have come to a sink.
    pub(super) written: u64,
    /// Records that could not be read, or not be used.
    pub(super) bad: u64,
    /// Records that were dropped because they came late.
    pub(super) late: u64,
    /// Bytes that sources have read.
    pub(super) bytes: u64,
    /// What is done and the total, if every source has an end.
    pub(super) bounded: Option<(u64, u64)>,
    /// How far event time has come at the sinks, in milliseconds since the epoch; `i64::MAX` at
    /// its end.
    pub(super) watermark_ms: Option<i64>,
}

impl Counts {
    /// What stands in a view.
    pub(super) fn of(view: &JobView) -> Self {
        let mut counts = Self::default();
        let mut ends: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
        for instance in &view.instances {
            counts.bad += instance.metrics.bad_records();
            counts.late += instance.metrics.late_records();
            if let Some(progress) = &instance.progress {
                counts.read += instance.metrics.records_out();
                counts.bytes += progress.bytes();
                let (done, total) = progress.get();
                let source = ends.entry(&instance.operator).or_default();
                source.0 += done.min(total);
                source.1 += total;
            }
            if instance.is_sink {
                counts.written += instance.metrics.records_in();
                let so_far = instance.metrics.watermark();
                counts.watermark_ms = counts.watermark_ms.into_iter().chain(so_far).min();
            }
        }
        if !ends.is_empty() && ends.values().all(|(_, total)| *total > 0) {
            let sum = |(a, b): (u64, u64), (done, total): &(u64, u64)| (a + done, b + total);
            counts.bounded = Some(ends.values().fold((0, 0), sum));
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use clink_runtime::local::InstanceMetrics;
    use clink_runtime::metrics::{OperatorMetrics, SourceMetrics};

    use super::*;

    fn instance(operator: &str, is_sink: bool, metrics: OperatorMetrics) -> InstanceMetrics {
        InstanceMetrics {
            operator: operator.to_owned(),
            name: "".into(),
            uid: "".into(),
            subtask_index: 0,
            is_sink,
            has_side_outputs: false,
            metrics: Arc::new(metrics),
            progress: None,
        }
    }

    /// An instance of a source that has read `out` records and stands at `done` of `total`.
    fn source(operator: &str, out: u64, (done, total): (u64, u64)) -> InstanceMetrics {
        let (metrics, progress) = (OperatorMetrics::default(), SourceMetrics::default());
        metrics.add_out(out);
        metrics.add_bad(1);
        progress.set(done, total, 10 * out);
        let progress = Some(Arc::new(progress));
        InstanceMetrics { progress, ..instance(operator, false, metrics) }
    }

    /// An instance of a sink that has written `written` records up to a watermark.
    fn sink(written: u64, watermark_ms: Option<i64>) -> InstanceMetrics {
        let metrics = OperatorMetrics::default();
        metrics.add_in(written);
        watermark_ms.into_iter().for_each(|ms| metrics.set_watermark(ms));
        instance("out", true, metrics)
    }

    fn counts(instances: Vec<InstanceMetrics>) -> Counts {
        Counts::of(&JobView { instances, ..JobView::default() })
    }

    #[test]
    fn sources_read_sinks_write_and_the_slowest_sink_tells_the_time() {
        let between = OperatorMetrics::default();
        between.add_in(99);
        between.set_watermark(1);
        between.add_late(3);
        let found = counts(vec![
            source("in", 5, (50, 100)),
            source("in", 7, (0, 0)),
            instance("map", false, between),
            sink(3, Some(9)),
            sink(4, Some(7)),
            sink(0, None),
        ]);
        let bounded = Some((50, 100));
        let watermark_ms = Some(7);
        let expect =
            Counts { read: 12, written: 7, bad: 2, late: 3, bytes: 120, bounded, watermark_ms };
        assert_eq!(found, expect);
        assert_eq!(counts(vec![]), Counts::default());
    }

    #[test]
    fn a_job_has_an_end_if_each_of_its_sources_has() {
        assert_eq!(counts(vec![source("a", 0, (1, 2)), source("b", 0, (0, 0))]).bounded, None);
        let both = counts(vec![source("a", 0, (9, 2)), source("b", 0, (1, 4))]);
        assert_eq!(both.bounded, Some((3, 6)));
    }
}
