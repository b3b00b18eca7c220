//! Closes the pipe before the job has said all, as `head` does.

use crate::program::Running;

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
            assert_eq!(done.stderr.lines().count(), 1, "one error: {}", done.stderr);
        }
    }
}
