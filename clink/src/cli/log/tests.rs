//! Logs as authors and the command do, and reads the lines.

use std::sync::{Arc, Mutex};

use clink_runtime::operator::place::WorkPlace;
use serde_json::{Value, json};
use tracing::level_filters::LevelFilter;
use tracing::{Level, info, info_span};

use super::*;

/// What `act` logs, of that level and above.
fn lines(level: Level, format: LogFormat, act: impl FnOnce()) -> String {
    let text = Arc::new(Mutex::new(String::new()));
    let put = {
        let text = Arc::clone(&text);
        move |line: &str| text.lock().unwrap().push_str(line)
    };
    let lines = Lines::new(format, false, Box::new(put));
    let level = LevelFilter::from_level(level);
    let subscriber = tracing_subscriber::registry().with(level).with(lines);
    tracing::subscriber::with_default(subscriber, act);
    text.lock().unwrap().clone()
}

/// What a person would read of it.
pub(in crate::cli) fn written(level: Level, act: impl FnOnce()) -> String {
    lines(level, LogFormat::Text, act)
}

/// Each line as an object, its time checked and taken out.
fn objects(act: impl FnOnce()) -> Vec<Value> {
    let text = lines(Level::TRACE, LogFormat::Json, act);
    let object = |line: &str| {
        assert!(line.starts_with(r#"{"time":"20"#), "{line}");
        let mut value: Value = serde_json::from_str(line).unwrap();
        let time = value.as_object_mut().unwrap().remove("time").unwrap();
        let time = time.as_str().unwrap().to_owned();
        assert!(time.parse::<jiff::Timestamp>().is_ok() && time.len() == 24, "{time}");
        value
    };
    text.lines().map(object).collect()
}

#[test]
fn an_authors_values_stand_behind_the_message_and_ours_are_in_it() {
    let says = written(Level::INFO, || {
        info!(target: "clink", checkpoint = 7, "restored from checkpoint 7");
        tracing::warn!(target: "my_job::ops", rows = 3, file = "a b", carrier = "UA", "odd");
        tracing::debug!(target: "my_job::ops", "too much");
        let _span = info_span!(target: "my_job::ops", "step", operator = "count", n = 1).entered();
        info!(target: "clinkers", n = 2, "rare");
        let _run = info_span!(target: "clink", "job", job = "a").entered();
        let place = WorkPlace::new("a", "op_1", 3);
        let _at_work = place.enter();
        info!(target: "clinkers", n = 2, "rarer");
    });
    let expect = "restored from checkpoint 7\n\
                  warning: odd rows=3 file=\"a b\" carrier=UA\n\
                  rare operator=count n=2\n\
                  rarer operator=count n=2 operator=op_1 subtask=3\n";
    assert_eq!(says, expect);
}

#[test]
fn every_level_has_its_opening() {
    let says = written(Level::TRACE, || {
        tracing::error!("e");
        tracing::warn!("w");
        tracing::info!("i");
        tracing::debug!("d");
        tracing::trace!("t");
    });
    assert_eq!(says, "error: e\nwarning: w\ni\ndebug: d\ntrace: t\n");
}

#[test]
fn what_comes_from_the_input_cannot_move_the_cursor() {
    let says = written(Level::INFO, || info!("a\u{1b}[2Jb\rc\nd"));
    assert_eq!(says, "a\\u{1b}[2Jb\\rc\nd\n");
}

#[test]
fn a_line_is_one_object_whatever_it_says() {
    let found = objects(|| {
        info!(target: "clink", checkpoint = 7_u64, "two\nlines \"quoted\"");
        let _run = info_span!(target: "clink", "job", job = "a").entered();
        let _outer = info_span!(target: "my_job", "outer", job = "b", n = 1).entered();
        let late = tracing::field::Empty;
        let span = info_span!(target: "my_job", "inner", operator = "b", late = late);
        span.record("late", true);
        let _span = span.entered();
        tracing::error!(target: "my_job", n = 2, level = "mine", mean = f64::NAN, half = 0.5);
        let place = WorkPlace::new("a", "op_1", 3);
        let _at_work = place.enter();
        info!(target: "my_job", "inside");
    });
    let expect = [
        json!({"level": "info", "message": "two\nlines \"quoted\"", "checkpoint": 7}),
        json!({
            "level": "error", "message": "", "target": "my_job", "spans": ["outer", "inner"],
            "job": "a", "fields.job": "b", "n": 2, "operator": "b", "late": true,
            "fields.level": "mine",
            "mean": "NaN", "half": 0.5,
        }),
        json!({
            "level": "info", "message": "inside", "target": "my_job", "spans": ["outer", "inner"],
            "job": "a", "operator": "op_1", "subtask": 3, "fields.job": "b", "n": 1,
            "fields.operator": "b", "late": true,
        }),
    ];
    assert_eq!(found, expect);
}
