//! Goes through the rules of `#[clink::job]`, one mistake at a time.

use proc_macro2::TokenStream;

use super::job;

const GOOD: &str = "name = \"a\", version = \"1.0.0\"";
const PLAIN: &str = "fn my_job(pipeline: &Pipeline) -> Result<()> { Ok(()) }";

#[track_caller]
fn expand(options: &str, item: &str) -> String {
    let parse = |text: &str| -> TokenStream { text.parse().unwrap() };
    let output = job(parse(options), parse(item)).to_string();
    assert!(output.starts_with(&parse(item).to_string()), "the item comes back: {output}");
    output
}

#[track_caller]
fn refuse(options: &str, item: &str, code: &str, part: &str) {
    let output = expand(options, item);
    assert!(output.contains(code) && output.contains(part), "{output}");
    assert_eq!(output.matches("compile_error").count(), 1, "{output}");
    assert!(!output.contains("inventory"), "{output}");
}

#[test]
fn what_is_missing_is_suggested() {
    refuse("version = \"1.0.0\"", PLAIN, "M0201", "name = \\\"my-job\\\"");
    refuse("name = \"a\"", PLAIN, "M0202", "name = \\\"a\\\", version = \\\"0.1.0\\\"");
    refuse("name = \".a\", version = \"1.0.0\"", PLAIN, "M0102", "not a name for a job");
    refuse("name = \"a\", version = \"1.0\"", PLAIN, "M0203", "`1.0` is not a version");
    refuse("name = \"a\", version = \"1.0.0\", nmae = \"b\"", PLAIN, "M0001", "`name`?");
}

#[test]
fn only_plain_functions_are_jobs() {
    refuse(GOOD, "struct S;", "M0204", "goes on a function");
    refuse(GOOD, "impl S {}", "M0204", "goes on a function");
    refuse(GOOD, "async fn f(p: &Pipeline) -> Result<()> {}", "M0204", "`async`");
    refuse(GOOD, "unsafe fn f(p: &Pipeline) -> Result<()> {}", "M0204", "`unsafe`");
    refuse(GOOD, "extern \"C\" fn f(p: &Pipeline) -> Result<()> {}", "M0204", "`extern`");
    refuse(GOOD, "fn f<T>(p: &Pipeline) -> Result<()> {}", "M0204", "not generic");
}

#[test]
fn a_job_takes_the_pipeline_and_its_arguments() {
    refuse(GOOD, "fn f() -> Result<()> {}", "M0205", "takes the pipeline");
    refuse(GOOD, "fn f(&self) -> Result<()> {}", "M0205", "not a method");
    refuse(GOOD, "fn f(p: &P, a: A, b: B) -> Result<()> {}", "M0205", "one struct");
    refuse(GOOD, "fn f(p: Pipeline) -> Result<()> {}", "M0205", "`pipeline: &Pipeline`");
    refuse(GOOD, "fn f(p: &mut Pipeline) -> Result<()> {}", "M0205", "borrows the pipeline");
    refuse(GOOD, "fn f(p: &Pipeline) {}", "M0206", "returns a result");
}

#[test]
fn the_body_is_not_looked_at_m13_m15() {
    let output = expand(
        GOOD,
        "fn f(p: &Pipeline) -> Result<()> { p. ; let = ] }"
            .split(']')
            .next()
            .map(|half| format!("{half}}}"))
            .unwrap()
            .as_str(),
    );
    assert!(output.contains("JobEntry"), "{output}");
}

#[test]
fn cfgs_below_the_attribute_count_m07() {
    let item = format!("#[cfg(a)] #[doc = \"d\"] {PLAIN}");
    let output = expand(GOOD, &item);
    assert!(output.contains("# [cfg (a)] const _") && output.contains("description : \"d\""));
}
