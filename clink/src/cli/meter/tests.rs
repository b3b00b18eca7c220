//! Looks at jobs that stand where a test puts them.

use std::sync::Arc;

use clink_plan::id::CheckpointId;
use clink_runtime::local::InstanceMetrics;
use clink_runtime::metrics::{OperatorMetrics, SourceMetrics};

use super::*;

/// A job with these source instances: operator, records out, done, total.
fn view(now_ms: i64, sources: &[(&str, u64, u64, u64)]) -> JobView {
    let instance = |&(operator, records, done, total): &(&str, u64, u64, u64)| {
        let (metrics, progress) = (OperatorMetrics::default(), SourceMetrics::default());
        metrics.add_out(records);
        progress.set(done, total, 0);
        InstanceMetrics {
            operator: operator.to_owned(),
            name: "".into(),
            uid: "".into(),
            subtask_index: 0,
            is_sink: false,
            metrics: Arc::new(metrics),
            progress: Some(Arc::new(progress)),
        }
    };
    JobView {
        instances: sources.iter().map(instance).collect(),
        now_ms,
        started_ms: 1_000,
        ..JobView::default()
    }
}

#[test]
fn the_first_look_may_come_at_once() {
    let mut meter = Meter::default();
    assert_eq!(meter.line(&view(1_000, &[("a", 0, 0, 0)])), "0 records");
    assert_eq!(meter.line(&view(900, &[("a", 5, 0, 0)])), "5 records");
    assert_eq!(meter.line(&JobView::default()), "0 records");
    assert_eq!(meter.line(&view(2_000, &[("a", 500, 0, 0)])), "500 records, 500/s");
}

#[test]
fn the_rate_is_that_of_late() {
    let mut meter = Meter::default();
    meter.line(&view(2_000, &[("a", 1_000, 0, 0)]));
    let mut line = String::new();
    for second in 3..30 {
        line = meter.line(&view(second * 1_000, &[("a", 1_000, 0, 0)]));
    }
    assert_eq!(line, "1,000 records, 0/s");
    assert_eq!(meter.line(&view(30_000, &[("a", 1_100, 0, 0)])), "1,100 records, 30/s");
}

#[test]
fn per_cent_and_time_left_need_the_end_of_every_source() {
    let mut meter = Meter::default();
    let mut at = |now_ms, a, b| meter.line(&view(now_ms, &[("a", 0, a, 100), ("b", 0, 0, b)]));
    assert_eq!(at(2_000, 50, 0), "0 records, 0/s");
    assert_eq!(at(3_000, 50, 100), "0 records, 0/s, 25 %");
    // A quarter was done at the first look: it tells nothing of the pace.
    assert_eq!(at(13_000, 70, 100), "0 records, 0/s, 35 %, 65 s left");
    let mut meter = Meter::default();
    // One instance of a source may have nothing to read.
    let both = [("a", 0, 100, 100), ("a", 0, 0, 0)];
    meter.line(&view(2_000, &both));
    assert_eq!(meter.line(&view(3_000, &both)), "0 records, 0/s, 100 %");
}

#[test]
fn the_line_fits_whatever_it_says() {
    let mut meter = Meter::default();
    let huge = u64::MAX / 2;
    meter.line(&view(2_000, &[("a", 0, 0, huge)]));
    let mut far = view(i64::MAX, &[("a", huge, 1, huge), ("b", huge, huge, huge)]);
    far.last_checkpoint = Some((CheckpointId(u64::MAX), 0));
    let line = meter.line(&far);
    assert!(line.len() <= COLUMNS, "{line}");
    let mut busy = view(i64::MAX, &[("a", 999_999, 1, 100)]);
    busy.last_checkpoint = Some((CheckpointId(999_999), 0));
    let line = Meter { rate: Some(999_999.0), last: Some((i64::MAX, 0)), begin: Some((0, 0)) };
    let line = { line }.line(&busy);
    let says = "999,999 records, 999,999/s, 1 %, > 999 d left, checkpoint 999999 (> 999 d ago)";
    assert_eq!(line, says);
}

#[test]
fn numbers_and_spans_are_short() {
    for (n, text) in [
        (0.0, "0"),
        (999.4, "999"),
        (999.5, "1,000"),
        (12_045.0, "12,045"),
        (999_999.0, "999,999"),
        (999_999.9, "1.00 M"),
        (9_994_000.0, "9.99 M"),
        (9_996_000.0, "10.0 M"),
        (99_960_000.0, "100 M"),
        (999_600_000.0, "1.00 G"),
        (1e30, "> 999 P"),
    ] {
        assert_eq!(count(n), text, "{n}");
    }
    for (seconds, text) in [
        (0, "0 s"),
        (119, "119 s"),
        (120, "2 min"),
        (7_199, "119 min"),
        (7_200, "2 h"),
        (172_800, "2 d"),
        (u64::MAX, "> 999 d"),
    ] {
        assert_eq!(span(seconds), text);
    }
}
