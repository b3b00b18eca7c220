//! Runs the program of this package, with a graph in a file or on stdin.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

/// What a run came to.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Done {
    /// What a run that succeeded without a complaint printed.
    #[track_caller]
    pub(crate) fn text(self) -> String {
        assert_eq!((self.code, self.stderr.as_str()), (Some(0), ""), "{}", self.stdout);
        self.stdout
    }

    /// What a job that ran to its end printed, with nothing to tell but what it came to.
    #[track_caller]
    pub(crate) fn results(self) -> String {
        assert_eq!(self.code, Some(0), "{self:?}");
        let stderr: Vec<&str> = self.stderr.lines().collect();
        assert!(stderr.len() == 1 && stderr[0].starts_with("finished in "), "{stderr:?}");
        self.stdout
    }

    /// The same as JSON.
    #[track_caller]
    pub(crate) fn json(self) -> Value {
        serde_json::from_str(&self.text()).unwrap()
    }
}

/// The folder that holds the workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_owned()
}

/// The program in `folder`, with these arguments and variables and nothing on stdin.
pub(crate) fn clink_in(folder: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Done {
    clink_fed(folder, arguments, variables, "")
}

/// The program in the root of the workspace.
pub(crate) fn clink(arguments: &[&str]) -> Done {
    clink_in(&root(), arguments, &[])
}

/// The program, untouched by our own environment.
pub(crate) fn command(folder: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_clink"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("CLINK_") {
            command.env_remove(name);
        }
    }
    command.args(arguments).current_dir(folder).envs(variables.iter().copied());
    command
}

/// The program with text on stdin.
pub(crate) fn clink_fed(
    folder: &Path,
    arguments: &[&str],
    variables: &[(&str, &str)],
    stdin: &str,
) -> Done {
    let mut command = command(folder, arguments, variables);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A program that was refused its arguments reads nothing.
    let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
    let output = child.wait_with_output().unwrap();
    Done {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}
