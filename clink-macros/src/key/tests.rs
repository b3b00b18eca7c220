//! Goes through the rules of `#[derive(Key)]`, one mistake at a time.

use super::key;

#[track_caller]
fn refuse(item: &str, code: &str, part: &str) {
    let output = key(item.parse().unwrap()).to_string();
    assert!(output.contains(code) && output.contains(part), "{output}");
    assert_eq!(output.matches("compile_error").count(), 1, "{output}");
    assert!(output.contains("unreachable"), "a stub follows: {output}");
}

#[test]
fn a_key_is_a_struct_or_an_enum() {
    refuse("union U { a: u8 }", "M0501", "no canonical bytes");
    refuse("enum E { A, #[data(rename = \"A\")] B }", "M0304", "named `A` already");
    refuse("enum E { #[data(rename = \"\\0\")] A }", "M0304", "visible text");
    refuse("#[data(nam = \"x\")] struct S(u8);", "M0001", "`name`?");
}

#[test]
fn names_of_fields_are_no_part_of_a_key_and_names_of_variants_are() {
    let bytes = |item: &str| {
        let output = key(item.parse().unwrap()).to_string();
        assert!(!output.contains("compile_error"), "{output}");
        output[output.find("fn __clink_encode").unwrap()..].to_owned()
    };
    assert_eq!(bytes("struct S { a: u8, b: u8 }"), bytes("struct S { c: u8, d: u8 }"));
    assert!(bytes("enum E { A, #[data(rename = \"b\")] B }").contains("\"b\""));
    assert!(bytes("enum E { r#type }").contains("\"type\""));
}
