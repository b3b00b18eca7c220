//! Compares the text of a small job with what it must be.

use std::time::Duration;

use super::*;
use crate::metrics::series::LastCheckpoint;
use crate::metrics::{Accumulated, ChannelMetrics, OperatorMetrics, SourceMetrics, Times};

const SOURCE: Labels<'_> = Labels { operator: "op_0", name: "csv", uid: "", subtask_index: 0 };
const SINK: Labels<'_> =
    Labels { operator: "op_1", name: "C:\\out \"x\"\nü", uid: "u", subtask_index: 1 };

const TEXT: &str = include_str!("tests/job.txt");

#[test]
fn each_value_stands_under_its_name_with_its_labels_escaped() {
    let (source, sink) = (OperatorMetrics::default(), OperatorMetrics::default());
    source.add_out(9);
    source.add_bad(2);
    source.set_watermark(i64::MAX);
    sink.add_in(7);
    sink.add_late(1);
    sink.set_watermark(-5);
    source.add_side(4);
    source.custom().counter("seen \"twice\"").unwrap().add(6);
    source.custom().gauge("open").unwrap().set(-3);
    sink.custom().gauge("open").unwrap().set(2);
    let progress = SourceMetrics::default();
    progress.set(1, 2, u64::MAX);
    let channel = ChannelMetrics::new(64);
    channel.add(3);
    channel.add(5);
    channel.take(7);
    let read = OperatorReading {
        counters: &source,
        source: Some(&progress),
        is_sink: false,
        has_side_outputs: true,
    };
    let times = Times {
        busy: Duration::from_nanos(1),
        idle: Duration::from_millis(2_500),
        blocked: Duration::from_secs(100_000_000),
        ready: Duration::ZERO,
    };
    let waits = SubtaskReading { times: Times::default(), input: Some(&channel) };
    let last = LastCheckpoint {
        at: Duration::from_millis(1_700_000_000_123),
        took: Duration::from_millis(45),
        bytes: 4_096,
    };
    let accumulators = [Accumulated { operator: "op_1".into(), name: "n".into(), sum: -7 }];
    let found = text(&Reading {
        job: "j\"1\"",
        operators: vec![
            (SOURCE, read),
            (
                SINK,
                OperatorReading {
                    counters: &sink,
                    source: None,
                    is_sink: true,
                    has_side_outputs: false,
                },
            ),
        ],
        subtasks: vec![(SOURCE, SubtaskReading { times, input: None }), (SINK, waits)],
        accumulators: &accumulators,
        checkpoints: Some(CheckpointReading { completed: 3, aborted: 0, last: Some(last) }),
    });
    assert_eq!(found, TEXT);
}

#[test]
fn what_has_no_value_is_not_told() {
    let counters = OperatorMetrics::default();
    let read = OperatorReading {
        counters: &counters,
        source: None,
        is_sink: true,
        has_side_outputs: false,
    };
    let found = text(&Reading {
        job: "",
        operators: vec![(SINK, read)],
        subtasks: Vec::new(),
        accumulators: &[],
        checkpoints: Some(CheckpointReading::default()),
    });
    let names = found.lines().filter_map(|line| line.strip_prefix("# TYPE "));
    let expected = [
        "clink_records_in_total counter",
        "clink_bad_records_total counter",
        "clink_late_records_total counter",
        "clink_checkpoints_completed_total counter",
        "clink_checkpoints_aborted_total counter",
    ];
    assert_eq!(names.collect::<Vec<_>>(), expected, "{found}");
}
