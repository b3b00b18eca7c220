//! Goes through the rules of `#[clink::operator]`, one mistake at a time.

use proc_macro2::TokenStream;

use super::operator;

#[track_caller]
fn expand(options: &str, item: &str) -> String {
    let parse = |text: &str| -> TokenStream { text.parse().unwrap() };
    operator(parse(options), parse(item)).to_string()
}

/// The mistake has the code, it is the only one, and nothing but a stub follows.
#[track_caller]
fn refuse(options: &str, item: &str, code: &str, part: &str) {
    let output = expand(options, item);
    assert!(output.contains(code) && output.contains(part), "{output}");
    assert_eq!(output.matches("compile_error").count(), 1, "{output}");
    assert!(!output.contains("inventory"), "{output}");
    assert!(!output.contains("# [state"), "helpers are stripped: {output}");
}

const PLAIN: &str = "struct MeanDelay { limit: i64, #[state] seen: ValueState<u64> }";

#[test]
fn a_missing_uid_is_suggested() {
    refuse("", PLAIN, "M0101", "uid = \\\"mean-delay\\\"");
    refuse("name = \"mean\"", PLAIN, "M0101", "operator `MeanDelay` has no uid");
    refuse("", "struct r#match;", "M0101", "uid = \\\"match\\\"");
}

#[test]
fn a_malformed_uid_is_refused() {
    for uid in ["", "a b", ".a", "a/b", "ü"] {
        refuse(&format!("uid = \"{uid}\""), PLAIN, "M0102", "no dot in front");
    }
    refuse("uid = \"a\", name = \"a b\"", PLAIN, "M0102", "not a name");
    assert!(!expand("uid = \"a\", name = \"a::B\"", PLAIN).contains("compile_error"));
}

#[test]
fn only_structs_with_names_are_operators() {
    for item in ["enum E { A }", "union U { a: u8 }", "fn f() {}", "impl S {}", "mod m {}"] {
        refuse("uid = \"a\"", item, "M0103", "goes on a struct");
    }
    refuse("uid = \"a\"", "struct S(i64);", "M0103", "have names");
    refuse("uid = \"a\"", "struct S<'a> { a: &'a str }", "M0104", "cannot borrow");
}

#[test]
fn a_field_has_one_role() {
    refuse("uid = \"a\"", "struct S { #[state] #[transient] a: u8 }", "M0105", "one role");
    refuse("uid = \"a\"", "struct S { #[state] #[state] a: u8 }", "M0105", "one role");
    refuse("uid = \"a\"", "struct S { #[transient(x)] a: u8 }", "M0004", "no options");
    refuse("uid = \"a\"", "struct S { #[state = \"x\"] a: u8 }", "M0004", "assignment");
    refuse("uid = \"a\"", "struct S { #[metric] a: u8 }", "M0108", "not available yet");
    refuse("uid = \"a\"", "struct S { #[side_output] a: u8 }", "M0108", "not available yet");
}

#[test]
fn a_time_to_live_is_read_and_refused() {
    refuse("uid = \"a\"", "struct S { #[state(ttl = \"30d\")] a: u8 }", "M0107", "not available");
    refuse("uid = \"a\"", "struct S { #[state(ttl = \"x\")] a: u8 }", "M0106", "30d");
    refuse("uid = \"a\"", "struct S { #[state(tll = \"1d\")] a: u8 }", "M0001", "`ttl`?");
}

#[test]
fn all_mistakes_come_at_once() {
    let item = "struct S { #[state(ttl = \"x\")] a: u8, #[metric] b: u8 }";
    let output = expand("uuid = \"a\"", item);
    for code in ["M0001", "M0101", "M0106", "M0108"] {
        assert!(output.contains(code), "{code}: {output}");
    }
}

#[test]
fn half_typed_items_come_back_m15() {
    let item = "struct S { #[state] a: , b: u8 }";
    assert_eq!(expand("uid = \"a\"", item), expand("", "struct S { a: , b: u8 }"));
}

#[test]
fn foreign_attributes_and_cfgs_stay_m07_m16_m20() {
    let item = "#[cfg(a)] struct S { #[cfg(b)] #[serde(skip)] #[doc = \"d\"] #[state] x: V<u8> }";
    let output = expand("uid = \"a\"", item);
    assert!(output.contains("# [cfg (b)] # [serde (skip)] # [doc = \"d\"] x : V < u8 >"));
    assert!(output.contains("# [cfg (a)] const _"));
    // The field itself, its slot, its visit, the rebuilt field and the check of the kind.
    assert_eq!(output.matches("# [cfg (b)]").count(), 5, "{output}");
}

#[test]
fn names_are_plain_m09() {
    let output = expand("uid = \"a\"", "struct r#match { r#type: u8 }");
    assert!(output.contains("\"type\"") && output.contains("\"match\""), "{output}");
    assert!(!output.contains("\"r#"), "{output}");
}
