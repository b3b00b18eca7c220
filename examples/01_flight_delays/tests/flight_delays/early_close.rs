//! Closes the pipe before the job has said all, as `head` does.

use crate::program::{Running, finish, program};

#[cfg(target_os = "linux")]
#[test]
fn an_output_that_is_full_ends_the_job_with_an_error() {
    let mut full = program::<&str>(&[]);
    full.stdout(std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap());
    let done = finish(full.spawn().unwrap());
    assert_eq!(done.code, Some(1), "{}", done.stderr);
    let says = "subtask 0: write to standard output: no space left on device";
    assert!(done.stderr.contains(says), "{}", done.stderr);
}

#[test]
fn a_closed_pipe_ends_the_job_with_an_error_that_says_so() {
    for scheduler in ["pool", "threads", "simulation"] {
        for parallelism in ["1", "4"] {
            let arguments = ["--scheduler", scheduler, "--parallelism", parallelism];
            let mut running = Running::start(&arguments);
            let line = running.line();
            assert!(line.starts_with("{\"carrier\":"), "{line}");
            let done = running.finish_closed();
            assert_eq!(done.code, Some(1), "{arguments:?}: {}", done.stderr);
            let wanted = "write to standard output: its reader has closed it";
            assert!(done.stderr.contains(wanted), "{arguments:?}: {}", done.stderr);
            assert!(done.stderr.contains("operator `print` (op_3)"), "{}", done.stderr);
            let (news, lines) = (done.news(), done.stderr.lines().count());
            assert!(lines == 2 && news.ends_with("\nfailed\n"), "one error: {}", done.stderr);
        }
    }
}
