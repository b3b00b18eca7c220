//! Compiles every case in `ui/` and compares what the compiler says with the `.stderr` beside it.
//!
//! `TRYBUILD=overwrite cargo test -p ui-tests` writes the files anew; review every line of them.

#[test]
fn the_compiler_says_what_helps() {
    let cases = trybuild::TestCases::new();
    cases.pass("ui/*/pass/*.rs");
    cases.compile_fail("ui/*/fail/*.rs");
}
