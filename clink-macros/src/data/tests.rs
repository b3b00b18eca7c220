//! Goes through the rules of `#[derive(Data)]`, one mistake at a time.

use super::data;

#[track_caller]
fn refuse(item: &str, code: &str, part: &str) {
    let output = data(item.parse().unwrap()).to_string();
    assert!(output.contains(code) && output.contains(part), "{output}");
    assert_eq!(output.matches("compile_error").count(), 1, "{output}");
    assert!(output.contains("StubColumn"), "a stub follows: {output}");
}

#[test]
fn data_is_a_struct_with_fields_or_an_enum_without() {
    refuse("enum E { A(u8) }", "M0301", "cannot have fields yet");
    refuse("enum E {}", "M0301", "without variants");
    refuse("union U { a: u8 }", "M0301", "on a union");
    refuse("struct S();", "M0301", "carries no data");
    refuse("struct S;", "M0301", "carries no data");
    refuse("struct S {}", "M0301", "carries no data");
    refuse("struct S<'a> { a: &'a str }", "M0302", "cannot borrow");
}

#[test]
fn columns_have_names_of_their_own() {
    refuse("struct S { #[data(rename = \"\")] a: u8 }", "M0303", "has a name");
    refuse("struct S { a: u8, #[data(rename = \"a\")] b: u8 }", "M0303", "column `a` already");
    refuse("struct S { #[data(renamed = \"x\")] b: u8 }", "M0001", "`rename`?");
    refuse("struct S { #[data] b: u8 }", "M0004", "in parentheses");
    refuse("struct S(#[data(rename = \"x\")] u8);", "M0001", "unknown option `rename`");
    refuse("struct S(u8, #[data(rename = \"0\")] u8);", "M0303", "column `0` already");
    refuse("enum E { #[data(rename = \"B\")] A, B }", "M0304", "named `B` already");
    refuse("enum E { #[data(rename = \"\")] A }", "M0304", "visible text");
    refuse("#[data(name = \"a b\")] struct S { b: u8 }", "M0102", "not a name");
}

#[test]
fn foreign_attributes_are_not_read_m20() {
    let item = "struct S { #[serde(rename = \"x\")] #[doc = \"d\"] #[deprecated] r#type: u8 }";
    let output = data(item.parse().unwrap()).to_string();
    assert!(!output.contains("compile_error") && output.contains("\"type\""), "{output}");
}
