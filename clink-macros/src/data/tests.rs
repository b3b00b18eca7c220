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
    refuse("struct S(u8, #[data(rename = \"0\")] u8);", "M0303", "column `0` already");
    refuse("enum E { #[data(rename = \"B\")] A, B }", "M0304", "named `B` already");
    refuse("enum E { #[data(rename = \"\")] A }", "M0304", "visible text");
    refuse("#[data(name = \"a b\")] struct S { b: u8 }", "M0102", "not a name");
}

#[test]
fn a_field_has_one_form_and_only_where_it_is_a_column() {
    refuse("struct S { #[data(epoch = \"ns\")] a: u8 }", "M0305", "`ns` is not a unit");
    refuse("struct S(u8, #[data(epoch = \"seconds\")] u8);", "M0305", "write `s` for seconds");
    refuse("struct S { #[data(epoch)] a: u8 }", "M0003", "`epoch` wants a string literal");
    refuse("struct S { #[data(epoch = \"s\", decimal)] a: u8 }", "M0306", "are two forms");
    refuse("struct S { #[data(decimal = \"2\")] a: u8 }", "M0003", "`decimal` takes no value");
    refuse("struct S { #[data(default, default)] a: u8 }", "M0002", "`default` is given twice");
    refuse("struct S(#[data(rename = \"x\")] u8);", "M0307", "no `rename`");
    refuse("struct S(#[data(epoch = \"s\")] u8);", "M0307", "no `epoch`");
    refuse("struct S(#[data(decimal)] u8);", "M0307", "no `decimal`");
    refuse("struct S(#[data(default)] u8);", "M0307", "cannot be missing");
    refuse("struct S(u8, #[data(default)] u8);", "M0307", "give the field a name");
}

#[test]
fn foreign_attributes_are_not_read_m20() {
    let item = "struct S { #[serde(rename = \"x\")] #[doc = \"d\"] #[deprecated] r#type: u8 }";
    let output = data(item.parse().unwrap()).to_string();
    assert!(!output.contains("compile_error") && output.contains("\"type\""), "{output}");
}
