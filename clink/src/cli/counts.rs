//! Adds up what the instances of a job have counted (pure).

use std::collections::{BTreeMap, BTreeSet};

use clink_plan::graph::{InputRef, JobGraphSpec};
use clink_runtime::local::JobView;

/// What the instances of a job have counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    /// Records that sources have read.
    pub(super) read: u64,
    /// Records that have come to a sink.
    pub(super) written: u64,
    /// Records of the input that could not be read.
    pub(super) bad: u64,
    /// Bytes that sources have read.
    pub(super) bytes: u64,
    /// What is done and the total, if every source has an end.
    pub(super) bounded: Option<(u64, u64)>,
    /// How far event time has come at the sinks, in milliseconds since the epoch; `i64::MAX` at
    /// its end.
    pub(super) watermark_ms: Option<i64>,
}

/// The operators whose output nobody reads.
pub(super) fn sinks(graph: &JobGraphSpec) -> BTreeSet<String> {
    let inputs = graph.operators.iter().flat_map(|operator| &operator.inputs);
    let read: BTreeSet<&str> = inputs.map(|input| InputRef::parse(input).operator).collect();
    let ids = graph.operators.iter().map(|operator| operator.id.as_str());
    ids.filter(|id| !read.contains(id)).map(str::to_owned).collect()
}

impl Counts {
    /// What stands in a view of a job with these sinks.
    pub(super) fn of(view: &JobView, sinks: &BTreeSet<String>) -> Self {
        let mut counts = Self::default();
        let mut ends: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
        for instance in &view.instances {
            counts.bad += instance.metrics.bad_records();
            if let Some(progress) = &instance.progress {
                counts.read += instance.metrics.records_out();
                counts.bytes += progress.bytes();
                let (done, total) = progress.get();
                let source = ends.entry(&instance.operator).or_default();
                source.0 += done.min(total);
                source.1 += total;
            }
            if sinks.contains(&instance.operator) {
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
    use clink_plan::graph::JobGraphSpec;

    use super::sinks;

    #[test]
    fn a_sink_is_what_nobody_reads() {
        let graph = r#"{"ops":[
            {"id":"in","type":"a","out_channel":"int64"},
            {"id":"b.1","type":"b","out_channel":"int64","inputs":["in.0"]},
            {"id":"late","type":"c","out_channel":"int64","inputs":["in::late"]},
            {"id":"out","type":"d","out_channel":"int64","inputs":["b.1::"]}]}"#;
        let found = sinks(&JobGraphSpec::from_json(graph).unwrap());
        assert_eq!(found.into_iter().collect::<Vec<_>>(), ["late", "out"]);
    }
}
