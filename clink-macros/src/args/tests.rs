//! Goes through the rules of `#[derive(clink::Args)]`, one mistake at a time.

use super::args;

#[track_caller]
fn refuse(item: &str, code: &str, part: &str) {
    let output = args(item.parse().unwrap()).to_string();
    assert!(output.contains(code) && output.contains(part), "{output}");
    assert_eq!(output.matches("compile_error").count(), 1, "{output}");
    assert!(output.contains("FromArgMatches"), "a stub follows: {output}");
}

#[test]
fn args_are_a_concrete_struct_with_named_fields() {
    refuse("enum E { A }", "M0401", "on an enum");
    refuse("union U { a: u8 }", "M0401", "on a union");
    refuse("struct S(u8);", "M0401", "no names");
    refuse("struct S<T> { a: T }", "M0402", "not generic");
    refuse("#[args] struct S { a: u8 }", "M0004", "in parentheses");
    refuse("#[args(long = \"a\")] struct S { a: u8 }", "M0001", "the options are `crate`");
}

#[test]
fn only_claps_attributes_are_copied_m20() {
    let item = "#[serde(default)] struct S { #[arg(long)] #[serde(skip)] #[cfg(x)] a: u8 }";
    let output = args(item.parse().unwrap()).to_string();
    assert!(output.contains("# [arg (long)]") && output.contains("# [cfg (x)]"), "{output}");
    assert!(!output.contains("serde") && !output.contains("compile_error"), "{output}");
}
