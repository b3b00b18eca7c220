//! Graphs of every shape, with the same records at the end of each.

use clink_runtime::registry::Registry;

use crate::support::{Files, Way, every_way, sorted};

#[test]
fn a_chain() {
    let text = r#"{"ops":[
        {"id":"src","type":"int64_range_source","out_channel":"int64","parallelism":#,
         "params":{"count":10}},
        {"id":"a","type":"identity_int64","out_channel":"int64","parallelism":#,"inputs":["src"]},
        {"id":"b","type":"multiply_int64","out_channel":"int64","parallelism":#,"inputs":["a"],
         "params":{"factor":2}},
        {"id":"snk","type":"file_int64_sink","out_channel":"int64","parallelism":#,"inputs":["b"],
         "params":{"path":"@/out"}}]}"#;
    every_way(text, &sorted((1..=10).map(|n| n * 2)), |_| {});
}

#[test]
fn a_source_and_a_sink() {
    let text = r#"{"ops":[
        {"id":"src","type":"int64_range_source","out_channel":"int64","parallelism":#,
         "params":{"count":"1000","start":"-500","step":"3"}},
        {"id":"snk","type":"file_int64_sink","out_channel":"int64","parallelism":#,
         "inputs":["src"],"params":{"path":"@/out"}}]}"#;
    every_way(text, &sorted((0..1000).map(|n| n * 3 - 500)), |_| {});
}

#[test]
fn a_keyed_operator_and_what_follows_it() {
    let text = r#"{"ops":[
        {"id":"src","type":"int64_range_source","out_channel":"int64","parallelism":#,
         "params":{"count":"600"}},
        {"id":"a","type":"identity_int64","out_channel":"int64","parallelism":#,"inputs":["src"]},
        {"id":"agg","type":"identity_int64","out_channel":"int64","parallelism":#,"inputs":["a"],
         "key_by":"identity","uid":"agg-uid"},
        {"id":"post","type":"int64_to_string","out_channel":"string","parallelism":#,
         "inputs":["agg"]},
        {"id":"text","type":"identity_string","out_channel":"string","parallelism":#,
         "inputs":["post"],"key_by":"identity"},
        {"id":"snk","type":"file_line_sink","out_channel":"string","parallelism":#,
         "inputs":["text"],"params":{"path":"@/out"}}]}"#;
    every_way(text, &sorted(1..=600), |_| {});
}

#[test]
fn each_key_is_with_the_subtask_that_owns_its_group() {
    let text = r#"{"ops":[
        {"id":"src","type":"int64_range_source","out_channel":"int64","params":{"count":"200"}},
        {"id":"src2","type":"int64_range_source","out_channel":"int64","params":{"count":"200"}},
        {"id":"agg","type":"identity_int64","out_channel":"int64","parallelism":4,
         "inputs":["src","src2"],"key_by":"identity"},
        {"id":"snk","type":"file_int64_sink","out_channel":"int64","parallelism":4,
         "inputs":["agg"],"params":{"path":"@/out"}}]}"#;
    let files = Files::new();
    files.run(&Registry::with_builtins(), text, Way::default()).unwrap();
    assert_eq!(files.names("out"), ["out.part-0", "out.part-1", "out.part-2", "out.part-3"]);
    assert_eq!(files.lines("out"), sorted((1..=200).chain(1..=200)));
    for subtask in 0..4 {
        for line in files.text(&format!("out.part-{subtask}")).lines() {
            let group = clink_runtime::plan::key_group::key_group_of(&line.parse::<i64>().unwrap());
            let owner = clink_runtime::plan::key_group::subtask_for_key_group(group, 4);
            assert_eq!(owner, subtask, "{line}");
        }
    }
}

#[test]
fn unequal_parallelism() {
    let text = r#"{"ops":[
        {"id":"src","type":"int64_range_source","out_channel":"int64","parallelism":2,
         "params":{"count":"500"}},
        {"id":"a","type":"identity_int64","out_channel":"int64","parallelism":2,"inputs":["src"]},
        {"id":"b","type":"identity_int64","out_channel":"int64","parallelism":#,"inputs":["a"]},
        {"id":"c","type":"even_filter_int64","out_channel":"int64","parallelism":4,"inputs":["b"]},
        {"id":"snk","type":"file_int64_sink","out_channel":"int64","parallelism":#,"inputs":["c"],
         "params":{"path":"@/out"}}]}"#;
    every_way(text, &sorted((1..=250).map(|n| n * 2)), |_| {});
}

#[test]
fn a_fork_gives_every_reader_all_records() {
    let text = r#"{"ops":[
        {"id":"src","type":"int64_range_source","out_channel":"int64","parallelism":#,
         "params":{"count":"300"}},
        {"id":"a","type":"identity_int64","out_channel":"int64","parallelism":#,"inputs":["src"]},
        {"id":"none","type":"blackhole","out_channel":"int64","parallelism":#,"inputs":["a"]},
        {"id":"s","type":"int64_to_string","out_channel":"string","parallelism":1,"inputs":["a"]},
        {"id":"nor","type":"blackhole","out_channel":"string","parallelism":1,"inputs":["s"]},
        {"id":"s1","type":"file_int64_sink","out_channel":"int64","parallelism":#,"inputs":["a"],
         "params":{"path":"@/out"}}]}"#;
    every_way(text, &sorted(1..=300), |_| {});
}

#[test]
fn a_union_carries_the_records_of_both_and_a_sink_may_be_listed_first() {
    let text = r#"{"ops":[
        {"id":"snk","type":"file_int64_sink","out_channel":"int64","parallelism":#,"inputs":["u"],
         "params":{"path":"@/out"}},
        {"id":"l","type":"int64_range_source","out_channel":"int64","parallelism":#,
         "params":{"count":"100"}},
        {"id":"r","type":"int64_range_source","out_channel":"int64","parallelism":1,
         "params":{"count":"150","start":"1000"}},
        {"id":"u","type":"identity_int64","out_channel":"int64","parallelism":#,
         "inputs":["l","r"]}]}"#;
    every_way(text, &sorted((1..=100).chain(1000..1150)), |_| {});
}

#[test]
fn a_reader_may_read_one_operator_twice() {
    let text = r#"{"ops":[
        {"id":"src","type":"int64_range_source","out_channel":"int64","parallelism":#,
         "params":{"count":"40"}},
        {"id":"u","type":"identity_int64","out_channel":"int64","parallelism":#,
         "inputs":["src","src"]},
        {"id":"snk","type":"file_int64_sink","out_channel":"int64","parallelism":#,"inputs":["u"],
         "params":{"path":"@/out"}}]}"#;
    every_way(text, &sorted((1..=40).chain(1..=40)), |_| {});
}
