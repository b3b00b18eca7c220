//! What operators and sinks do with values, at the edges too.

use clink_runtime::registry::Registry;

use crate::support::{Files, Way, every_way, sorted};

/// Lines through an operator from string to int64.
fn numbers(lines: &str, parallelism: &str) -> String {
    let text = r#"{"ops":[
        {"id":"src","type":"string_lines_source","out_channel":"string","parallelism":#,
         "params":{"lines":"LINES"}},
        {"id":"n","type":"string_to_int64","out_channel":"int64","parallelism":#,"inputs":["src"]},
        {"id":"x","type":"multiply_int64","out_channel":"int64","parallelism":#,"inputs":["n"],
         "params":{"factor":"-3"}},
        {"id":"snk","type":"file_int64_sink","out_channel":"int64","parallelism":#,
         "inputs":["x"],"params":{"path":"@/out"}}]}"#;
    text.replace("LINES", lines).replace('#', parallelism)
}

#[test]
fn numbers_are_read_and_multiplied() {
    let most = i64::MAX / 3;
    let lines = format!(r"0\n-7\n+7\n007\n{most}\n-{most}");
    every_way(&numbers(&lines, "#"), &sorted([0, 21, -21, -21, -most * 3, most * 3]), |_| {});
}

fn check_failure(lines: &str, operator: &str, expected: &str) {
    for parallelism in ["1", "3"] {
        let error = Files::new().failure(&numbers(lines, parallelism));
        assert!(error.starts_with(operator), "{error}");
        assert!(error.ends_with(expected), "{error}");
    }
}

#[test]
fn a_text_that_is_no_integer_is_named() {
    let operator = "operator `string_to_int64` (n), subtask ";
    let check = |lines: &str, found: &str| {
        check_failure(lines, operator, &format!(": expected an integer of 64 bits, found {found}"));
    };
    check(r"1\nabc", "`abc`");
    check(r"1\n\n2", "``");
    check(r" 1", "` 1`");
    check(r"1.0", "`1.0`");
    check(r"9223372036854775808", "`9223372036854775808`");
    check(r"a\u0007\\b", r"`a\u{7}\\b`");
    check(&"1".repeat(50), &format!("`{}…`", "1".repeat(40)));
}

#[test]
fn a_product_that_does_not_fit_is_named() {
    let operator = "operator `multiply_int64` (x), subtask ";
    let check = |line: &str| {
        check_failure(line, operator, &format!(": {line} × -3 is no integer of 64 bits"));
    };
    check("3074457345618258604");
    check("-9223372036854775808");
}

#[test]
fn only_even_numbers_pass() {
    let text = r#"{"ops":[
        {"id":"src","type":"int64_range_source","out_channel":"int64","parallelism":#,
         "params":{"count":"9","start":"-4"}},
        {"id":"f","type":"even_filter_int64","out_channel":"int64","parallelism":#,
         "inputs":["src"]},
        {"id":"s","type":"int64_to_string","out_channel":"string","parallelism":#,"inputs":["f"]},
        {"id":"snk","type":"file_text_sink","out_channel":"string","parallelism":#,
         "inputs":["s"],"params":{"path":"@/out"}}]}"#;
    every_way(text, &sorted([-4, -2, 0, 2, 4]), |_| {});
}

#[test]
fn a_fresh_start_leaves_no_line_of_the_run_before() {
    let text = r#"{"ops":[
        {"id":"src","type":"int64_range_source","out_channel":"int64","parallelism":#,
         "params":{"count":"20"}},
        {"id":"snk","type":"file_int64_sink","out_channel":"int64","parallelism":#,
         "inputs":["src"],"params":{"path":"@/out"}}]}"#;
    let (files, registry) = (Files::new(), Registry::with_builtins());
    files.write("out.log", "mine\n");
    // As a log rotation or another job would name its own.
    files.write("out.7", "mine too\n");
    for (parallelism, names) in [
        ("3", vec!["out.7", "out.log", "out.part-0", "out.part-1", "out.part-2"]),
        ("1", vec!["out", "out.7", "out.log"]),
        ("2", vec!["out.7", "out.log", "out.part-0", "out.part-1"]),
    ] {
        files.run(&registry, &text.replace('#', parallelism), Way::default()).unwrap();
        assert_eq!(files.names("out"), names);
    }
    assert_eq!(files.text("out.log"), "mine\n");
    assert_eq!(files.text("out.7"), "mine too\n");
}
