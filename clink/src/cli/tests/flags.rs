//! Reads help, and lets jobs declare what the engine has already.

use clap::{Arg, ArgAction};
use clink_runtime::config;

use super::{COUNT, JobEntry, ROWS, check, job, said, typed};
use crate::cli::message;
use crate::job::JobError;

#[test]
fn help_alone_shows_every_flag_and_every_verb() {
    let (code, text) = said(&[&COUNT], "--help");
    assert_eq!(code, 0);
    assert!(text.starts_with("count 1.2.0: Counts.\n"), "{text}");
    for setting in config::SETTINGS {
        assert!(text.contains(&format!("--{} ", setting.flag)), "{}: {text}", setting.flag);
    }
    let verbs = "Verbs (`VERB --help` shows the flags of one):\n  run          Runs the job here";
    let variable = "Each flag of the engine has a variable: --checkpoint-dir is \
                    CLINK_CHECKPOINT_DIR.";
    for part in [
        "--input <",
        "--quiet",
        "Engine:\n",
        "Job:\n",
        verbs,
        "\n  plan  ",
        "\n  completions  ",
        variable,
    ] {
        assert!(text.contains(part), "no `{part}` in:\n{text}");
    }
    assert!(!text.contains("none: "), "{text}");
    assert!(text.contains("[without it: nothing is kept]"), "{text}");
    for line in ["-h", "help", "run --help", "help run", "--help plan", "--quiet --help"] {
        assert_eq!(said(&[&COUNT], line), (0, text.clone()), "{line}");
    }
    check(&[&COUNT], "plan --help", 0, &["Shows the plan", "--form", "--input", variable]);
    assert_eq!(said(&[&COUNT], "help plan"), said(&[&COUNT], "plan --help"));
}

#[test]
fn help_of_several_jobs_lists_them() {
    let (code, text) = said(&[&COUNT, &ROWS], "--help");
    assert_eq!(code, 0);
    for part in ["Runs one of 2 jobs\n", "--job <NAME>", "\n  count  Counts.\n  rows   Counts.\n"] {
        assert!(text.contains(part), "no `{part}` in:\n{text}");
    }
    assert!(!text.contains("--input <"), "{text}");
    check(&[&COUNT, &ROWS], "--job count --help", 0, &["count 1.2.0: Counts.\n", "--input <"]);
    check(&[&COUNT, &ROWS], "--help --job count", 0, &["--input <"]);
}

#[test]
fn help_gives_examples_with_the_programs_name_and_the_jobs_flags() {
    let run = [
        "Examples:\n  # Runs until its input ends\n  program\n",
        "\n  program --parallelism 4 --input INPUT\n",
        "\n  program --checkpoint-dir state --restore latest\n",
    ];
    check(&[&COUNT], "--help", 0, &run);
    let plan = ["\n  program plan\n", "\n  program plan --form graph --format svg > graph.svg\n"];
    check(&[&COUNT], "plan --help", 0, &plan);
    // What a job cannot do without stands in every line, and which job it is where there are more.
    static NEEDS: JobEntry = job("needs", 13, |command| {
        command.args([
            Arg::new("file").required(true).value_name("FILE"),
            Arg::new("kind").long("kind").required(true).value_parser(["small", "large"]),
            Arg::new("all").long("all").action(ArgAction::SetTrue),
            Arg::new("secret").long("secret").hide(true).required(true),
        ])
    });
    let needed = "--kind small --secret SECRET FILE";
    let line = format!("\n  program plan {needed} --parallelism 4 --format json\n");
    check(&[&NEEDS], "plan --help", 0, &[&line]);
    let all = format!("\n  program {needed} --parallelism 4 --all\n");
    check(&[&NEEDS], "--help", 0, &[&format!("\n  program {needed}\n"), &all]);
    let named = format!("\n  program --job needs {needed}\n");
    check(&[&COUNT, &NEEDS], "--job needs --help", 0, &[&named]);
    check(&[&COUNT, &NEEDS], "--help", 0, &["\n  program --job count\n"]);
}

#[test]
fn every_flag_that_the_engine_has_already_is_told_at_once() {
    static SEVERAL: JobEntry = job("several", 11, |command| {
        let own = Arg::new("depth").long("depth");
        let short = Arg::new("queue").long("queue").short('q');
        let field = Arg::new("format").long("shape");
        let alias = Arg::new("dir").long("dir").alias("checkpoint-dir");
        let version = Arg::new("release").long("version").action(ArgAction::SetTrue);
        command.args([own, short, field, alias, version, Arg::new("seed").long("seed")])
    });
    let says = "error: `--checkpoint-dir`, `--seed`, `--version`, `-q`, `format` are flags of the \
                engine, and job `several` (src/lib.rs:11:1) declares them again: give the job's \
                arguments other names\n";
    for line in ["", "plan", "list", "--help"] {
        assert_eq!(said(&[&SEVERAL], line), (2, says.to_owned()), "{line}");
    }
    static ONE: JobEntry = job("one", 12, |command| command.arg(Arg::new("form").long("form")));
    let says = "`--form` is a flag of the engine, and job `one` (src/lib.rs:12:1) declares it \
                again: give the job's argument another name";
    check(&[&ONE], "", 2, &[says]);
}

#[test]
fn a_job_that_cannot_be_built_is_named_with_its_place() {
    let invocation = typed(&[&COUNT], "").unwrap();
    let error = invocation.job().unwrap_err();
    assert!(matches!(error, JobError::Build(_)));
    let says = "build job `count` (src/lib.rs:7:1): no such file";
    assert_eq!(message(&invocation, &error), says);
}
