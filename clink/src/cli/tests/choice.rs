//! Chooses among jobs and verbs, well and badly.

use super::{COUNT, JobEntry, ROWS, check, job, said, typed};
use crate::cli::command::Verb;

const BOTH: &[&JobEntry] = &[&COUNT, &ROWS];

#[test]
fn run_is_the_verb_where_none_is_named() {
    for (line, verb) in [
        ("", Verb::Run),
        ("run", Verb::Run),
        ("--quiet", Verb::Run),
        ("plan --form graph", Verb::Plan),
        ("list", Verb::List),
    ] {
        assert_eq!(typed(&[&COUNT], line).unwrap().verb, verb, "{line}");
    }
    assert_eq!(typed(BOTH, "list").unwrap().verb, Verb::List);
    assert_eq!(typed(BOTH, "--job rows plan.csv").unwrap().verb, Verb::Run);
}

#[test]
fn a_job_must_be_chosen_where_there_are_several() {
    let says = "error: this binary holds `count`, `rows`: add `--job NAME`\n";
    let (meant, none) = (says.replace("NAME", "count"), says.to_owned());
    for line in ["", "plan", "--parallelism 4", "--input list", "--parallelism", "--job"] {
        assert_eq!(said(BOTH, line), (2, none.clone()), "{line}");
    }
    for line in ["count", "run count", "plan count", "--quiet count", "cuont"] {
        assert_eq!(said(BOTH, line), (2, meant.clone()), "{line}");
    }
    let unknown = "no job is named `cuont`; this binary holds `count`, `rows`; did you mean";
    check(BOTH, "--job cuont", 2, &[unknown, "`count`?"]);
    check(
        BOTH,
        "--job=other",
        2,
        &["no job is named `other`; this binary holds `count`, `rows`\n"],
    );
    static TWICE: JobEntry = job("count", 99, |command| command);
    check(&[&COUNT, &TWICE], "", 2, &["two jobs are named `count`", "lib.rs:7:1", "lib.rs:99:1"]);
    check(BOTH, "list --job rows", 2, &["unexpected argument '--job' found"]);
    check(&[], "", 2, &["this binary holds no job", "clink::main!"]);
}

#[test]
fn a_verb_that_is_nearly_one_is_named() {
    let says = ["unexpected argument 'paln' found", "tip: did you mean the verb `plan`?"];
    check(&[&COUNT], "paln", 2, &says);
    check(BOTH, "paln", 2, &says);
    check(BOTH, "--job count paln", 2, &["tip: the verb comes first: `program plan …`"]);
    check(&[&COUNT], "--parallelism 4 plan", 2, &["the verb comes first: `program plan …`"]);
    for line in ["away", "run paln", "plan plan"] {
        let (code, text) = said(&[&COUNT], line);
        assert!(code == 2 && !text.contains("verb"), "{line}: {text}");
    }
    // A job that takes a word gets it.
    assert_eq!(typed(&[&ROWS], "paln").unwrap().verb, Verb::Run);
}

#[test]
fn a_flag_that_is_nearly_one_is_named() {
    let says = ["unexpected argument '--paralelism' found", "'--parallelism'"];
    check(&[&COUNT], "--paralelism 4", 2, &says);
    check(&[&COUNT], "plan --inptu x", 2, &["'--input'"]);
    check(&[&COUNT], "--inptu=x", 2, &["'--input'"]);
    check(&[&COUNT], "--checkpoint_dir x", 2, &["'--checkpoint-dir'"]);
    for (line, flag) in [
        ("-input x", "--input"),
        ("run -inptu=x", "--input"),
        ("plan -parallelism 4", "--parallelism"),
        ("-Parallelism 4", "--parallelism"),
        ("--quiet -job count", "--job"),
    ] {
        let tip = format!("tip: a flag of several letters has two dashes: `{flag}`");
        check(BOTH.get(..1).unwrap(), line, 2, &[&tip]);
    }
    let tip = "tip: --parallelism is a flag of `run` and `plan`";
    check(&[&COUNT], "list --parallelism 4", 2, &[tip]);
    check(&[&COUNT], "completions bash --inptu x", 2, &["tip: --input is a flag of `run` and"]);
    check(&[&COUNT], "list --form x", 2, &["tip: --form is a flag of `plan`\n"]);
    for line in ["-x", "--away", "list --away"] {
        assert!(!said(&[&COUNT], line).1.contains("tip: a"), "{line}");
    }
}

#[test]
fn a_value_that_does_not_fit_is_told_what_would() {
    for (line, says) in [
        ("--parallelism 0", "expected a whole number from 1 to 32768"),
        ("--parallelism many", "expected a whole number from 1 to 32768"),
        ("--channel-capacity 99999999999999999999", "a whole number from 1 to 16777216"),
        ("--seed", "a value is required for '--seed <N>'"),
        ("--seed=-1", "expected a whole number from 0 to 18446744073709551615"),
        ("--scheduler pol", "tip: a similar value exists: 'pool'"),
        ("--log-level warning", "tip: a similar value exists: 'warn'"),
        ("--log-format xml", "[possible values: text, json]"),
        ("--checkpoint-interval 2d", "expected a time from 1ms to 24h, such as"),
        ("plan --form grph", "tip: a similar value exists: 'graph'"),
        ("plan --workers alpha", "expected NAME=SLOTS"),
        ("completions bsh", "tip: a similar value exists: 'bash'"),
    ] {
        check(&[&COUNT], line, 2, &[says]);
    }
}

#[test]
fn each_job_has_a_version() {
    for flag in ["--version", "-V", "run --version"] {
        assert_eq!(said(&[&COUNT], flag), (0, "count 1.2.0\n".to_owned()));
        assert_eq!(said(BOTH, flag), (0, "count 1.2.0\nrows 1.2.0\n".to_owned()));
    }
    assert_eq!(said(BOTH, "--job rows --version"), (0, "rows 1.2.0\n".to_owned()));
}
