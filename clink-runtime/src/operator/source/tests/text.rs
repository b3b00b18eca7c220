//! Lines, encodings and restarts of text files.

use super::super::TextSource;
use super::{Input, Limits, read_all, read_with_restarts};

fn check(text: &str, expected: &[&str]) {
    let input = Input::new("x.txt", text);
    assert_eq!(input.read::<TextSource>().unwrap(), expected, "{text:?}");
    for step in [1, 2] {
        let found = read_with_restarts::<TextSource>(&input.path, Limits::default(), step);
        assert_eq!(found, expected, "{text:?} with a restart each {step}");
    }
}

#[test]
fn a_line_is_a_record_blank_ones_too() {
    check("", &[]);
    check("\n", &[""]);
    check("a\n\nb\n", &["a", "", "b"]);
    check("a\nb", &["a", "b"]);
    check("a\r\n\r\n b \r\n", &["a", "", " b "]);
    check("a\rb\nc\r", &["a\rb", "c\r"]);
    check("\u{feff}ä\nö\n", &["ä", "ö"]);
}

#[test]
fn a_line_that_is_not_utf_8_is_located() {
    let input = Input::new("x.txt", b"ok\nab\xffc\n");
    let expected = "x.txt:2: expected UTF-8, found something else at byte 3 (byte 3): ab\u{fffd}c";
    assert_eq!(input.error::<TextSource>(), expected);
}

#[test]
fn every_line_of_a_divided_file_comes_once() {
    let lines: Vec<String> = (0..200).map(|n| "x".repeat(n % 7)).collect();
    let input = Input::new("x.txt", lines.join("\n") + "\n");
    for wanted in [1, 2, 3, 8, 500] {
        let found = read_all::<TextSource>(&input.path, Limits::default(), wanted);
        assert_eq!(found.unwrap(), lines, "in {wanted} parts");
    }
}
