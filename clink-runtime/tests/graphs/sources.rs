//! What sources emit, on which subtask, and when.

use clink_runtime::local::{Ending, Signal};
use clink_runtime::registry::Registry;
use clink_runtime::scheduler::SchedulerKind;

use crate::support::{Files, PLANS, Way, every_way, sorted};

#[test]
fn subtask_i_of_p_emits_items_i_and_each_pth_from_there() {
    let text = r#"{"ops":[
        {"id":"src","type":"int64_range_source","out_channel":"int64","parallelism":3,
         "params":{"count":"10"}},
        {"id":"snk","type":"file_int64_sink","out_channel":"int64","parallelism":3,
         "inputs":["src"],"params":{"path":"@/out"}}]}"#;
    let files = Files::new();
    files.run(&Registry::with_builtins(), text, Way::default()).unwrap();
    assert_eq!(files.names("out"), ["out.part-0", "out.part-1", "out.part-2"]);
    assert_eq!(files.text("out.part-0"), "1\n4\n7\n10\n");
    assert_eq!(files.text("out.part-1"), "2\n5\n8\n");
    assert_eq!(files.text("out.part-2"), "3\n6\n9\n");
}

fn range(params: &str) -> String {
    format!(
        r#"{{"ops":[
        {{"id":"src","type":"int64_range_source","out_channel":"int64","parallelism":#,
         "params":{{{params}}}}},
        {{"id":"snk","type":"file_int64_sink","out_channel":"int64","parallelism":#,
         "inputs":["src"],"params":{{"path":"@/out"}}}}]}}"#
    )
}

#[test]
fn a_range_goes_to_the_ends_of_its_type() {
    every_way(&range(r#""count":"0""#), &[], |_| {});
    every_way(&range(r#""count":"4","step":"0""#), &sorted([1; 4]), |_| {});
    let all = "\"count\":\"3\",\"start\":\"-9223372036854775808\",\"step\":\"9223372036854775807\"";
    every_way(&range(all), &sorted([i64::MIN, -1, i64::MAX - 1]), |_| {});
    let down = r#""count":"3","start":"1","step":"-9223372036854775808""#;
    let files = Files::new();
    let error = files.failure(&range(down).replace('#', "1"));
    assert_eq!(
        error,
        "error[P0805] operator `src`: `int64_range_source`: parameter `count`: expected a count at \
         which the last item, here -18446744073709551615, has 64 bits, found `3`"
    );
}

#[test]
fn lines_are_those_of_a_file_of_that_text() {
    let text = r#"{"ops":[
        {"id":"src","type":"string_lines_source","out_channel":"string","parallelism":#,
         "params":{"lines":"one\n\n two \r\nthree\n"}},
        {"id":"snk","type":"file_text_sink","out_channel":"string","parallelism":#,
         "inputs":["src"],"params":{"path":"@/out"}}]}"#;
    every_way(text, &sorted(["one", "", " two ", "three"]), |_| {});
    every_way(&text.replace(r"one\n\n two \r\nthree\n", ""), &[], |_| {});
}

#[test]
fn the_lines_of_a_file_come_once() {
    let text = r#"{"ops":[
        {"id":"src","type":"file_text_source","out_channel":"string","parallelism":#,
         "params":{"path":"@/in"}},
        {"id":"snk","type":"file_text_sink","out_channel":"string","parallelism":#,
         "inputs":["src"],"params":{"path":"@/out"}}]}"#;
    let lines: Vec<String> = (0..900).map(|n| "ä".repeat(n % 11)).collect();
    every_way(text, &sorted(&lines), |files| files.write("in", &(lines.join("\r\n") + "\r\n")));
    every_way(text, &sorted(&lines), |files| files.write("in", &(lines.join("\n") + "\n")));
    let files = Files::new();
    let error = files.failure(&text.replace('#', "3"));
    let says = "error[P0808] operator `src`: open @/in: no such file or directory";
    assert!(error.starts_with(says), "{error}");
    assert!(files.names("out").is_empty(), "no output was begun");
}

#[test]
fn pauses_pass_in_simulated_time() {
    // A source that slept on its thread would take two days, and the clock would not have moved.
    let text = range(r#""count":"50","delay_ms":"3600000""#).replace('#', "1");
    let files = Files::new();
    let scheduler = SchedulerKind::Simulation { seed: 7 };
    let way = Way { scheduler, ..Way::default() };
    let report = files.run(&Registry::with_builtins(), &text, way).unwrap();
    assert_eq!(files.lines("out"), sorted(1..=50));
    let hours = (report.view.now_ms - report.view.started_ms) / 3_600_000;
    assert_eq!(hours, 49, "no pause follows the last record");
}

#[test]
fn a_stop_does_not_wait_for_a_pause() {
    let text = range(r#""count":"50","delay_ms":"3600000""#).replace('#', "1");
    for plan in PLANS {
        let (send, signals) = crossbeam_channel::bounded(1);
        send.send(Signal::Stop).unwrap();
        let way = Way { plan, signals, ..Way::default() };
        let report = Files::new().run(&Registry::with_builtins(), &text, way).unwrap();
        assert_eq!(report.ending, Ending::Stopped);
    }
}

#[test]
fn checkpoints_do_not_wait_for_a_pause() {
    let text = r#"{"ops":[
        {"id":"src","uid":"src","type":"int64_range_source","out_channel":"int64",
         "params":{"count":"3","delay_ms":"3600000"}},
        {"id":"a","type":"identity_int64","out_channel":"int64","inputs":["src"]},
        {"id":"snk","uid":"snk","type":"file_int64_sink","out_channel":"int64","inputs":["a"],
         "params":{"path":"@/out"}}]}"#;
    for plan in PLANS {
        let scheduler = SchedulerKind::Simulation { seed: 1 };
        let way = Way { plan, scheduler, interval_ms: Some(60_000), ..Way::default() };
        let report = Files::new().run(&Registry::with_builtins(), text, way).unwrap();
        assert!(report.view.checkpoints_completed > 100, "{plan:?}: {:?}", report.view);
    }
}
