//! Runs the program of this package and waits for what it does, never for a span of time.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdout, Command, Output, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::input::Totals;

/// After this time a run that still goes on is one that hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// The folder that holds the workspace: where the program's default input is found from.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_owned()
}

/// The program with arguments, in the root of the workspace, untouched by our own environment.
pub(crate) fn program<A: AsRef<std::ffi::OsStr>>(arguments: &[A]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_flight-delays"));
    command.args(arguments).current_dir(root());
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("CLINK_") {
            command.env_remove(name);
        }
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// What a run came to.
#[derive(Debug)]
pub(crate) struct Done {
    /// The exit code; `None` if a signal ended it.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Done {
    fn of(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("stdout is text"),
            stderr: String::from_utf8(output.stderr).expect("stderr is text"),
        }
    }
}

impl Done {
    /// What it said, without the figures of what it came to: those differ from run to run.
    pub(crate) fn news(&self) -> String {
        let mut news = String::new();
        for line in self.stderr.lines() {
            let how = line.split(' ').next().filter(|_| line.contains(" records read"));
            news += how.unwrap_or(line);
            news += "\n";
        }
        news
    }
}

/// Runs the program to its end.
pub(crate) fn run<A: AsRef<std::ffi::OsStr>>(arguments: &[A]) -> Done {
    finish(program(arguments).spawn().unwrap())
}

/// Waits for the end of a program and everything it still has to say.
pub(crate) fn finish(child: Child) -> Done {
    let pid = child.id();
    within_patience(pid, move || Done::of(child.wait_with_output().unwrap()))
}

/// Does what ends when the process `pid` does; a process that goes on for too long is killed.
fn within_patience<T: Send + 'static>(pid: u32, act: impl FnOnce() -> T + Send + 'static) -> T {
    let (done, result) = mpsc::channel();
    std::thread::spawn(move || {
        let _ = done.send(act());
    });
    result.recv_timeout(PATIENCE).unwrap_or_else(|_| {
        signal(pid, "KILL");
        panic!("the program still runs after {PATIENCE:?}: it hangs");
    })
}

/// Sends a signal by name.
pub(crate) fn signal(pid: u32, name: &str) {
    // One that has just ended gets none.
    let kill = format!("kill -{name} {pid} 2>/dev/null || true");
    assert!(Command::new("sh").arg("-c").arg(kill).status().unwrap().success());
}

/// A program at work, whose output is read only as far as a test wants.
pub(crate) struct Running {
    child: Child,
    stdout: BufReader<ChildStdout>,
    stderr: ChildStderr,
}

impl Running {
    /// Starts the program.
    pub(crate) fn start<A: AsRef<std::ffi::OsStr>>(arguments: &[A]) -> Self {
        let mut child = program(arguments).spawn().unwrap();
        let stdout = BufReader::with_capacity(1, child.stdout.take().unwrap());
        let stderr = child.stderr.take().unwrap();
        Self { child, stdout, stderr }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Waits until none of its threads runs: nobody reads, so its output is in the way.
    ///
    /// A moment at which all of them only look asleep would make a test weaker, not fail.
    pub(crate) fn wait_until_blocked(&self) {
        let tasks = format!("/proc/{}/task", self.pid());
        let is_asleep = || {
            let threads = std::fs::read_dir(&tasks).unwrap().map(Result::unwrap);
            let stats = threads.map(|task| std::fs::read_to_string(task.path().join("stat")));
            let states = stats.flatten().map(|stat| stat[stat.rfind(')').unwrap()..].to_owned());
            states.into_iter().all(|state: String| state.starts_with(") S"))
        };
        let (mut looks, started) = (0, Instant::now());
        while looks < 300 {
            assert!(started.elapsed() < PATIENCE, "its threads still run: nothing blocks them");
            looks = if is_asleep() { looks + 1 } else { 0 };
            std::thread::yield_now();
        }
    }

    /// Reads one line.
    pub(crate) fn line(&mut self) -> String {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        line
    }

    /// Reads that many bytes, or fewer if the program ends before.
    pub(crate) fn read(&mut self, bytes: u64) -> Vec<u8> {
        let mut text = Vec::new();
        self.stdout.get_mut().take(bytes).read_to_end(&mut text).unwrap();
        text
    }

    /// Ends it as a power cut would, and reads what it had written; true if it had ended before.
    pub(crate) fn kill(mut self) -> (Vec<u8>, bool) {
        self.child.kill().unwrap();
        let mut rest = Vec::new();
        self.stdout.get_mut().read_to_end(&mut rest).unwrap();
        let status = self.child.wait().unwrap();
        (rest, status.code().is_some())
    }

    /// Reads all it has to say until it ends.
    pub(crate) fn finish(self) -> Done {
        let Self { mut child, stdout, stderr } = self;
        child.stdout = Some(stdout.into_inner());
        child.stderr = Some(stderr);
        finish(child)
    }

    /// Presses Ctrl-C until it ends, and reads no byte of its results meanwhile.
    ///
    /// Two signals that come before a busy machine has delivered the first are one: so the second
    /// follows after a moment, and more after it.
    pub(crate) fn interrupt(self) -> Done {
        let Self { mut child, stdout, mut stderr } = self;
        let (pid, (send, ended)) = (child.id(), mpsc::channel());
        std::thread::spawn(move || {
            let mut text = String::new();
            stderr.read_to_string(&mut text).unwrap();
            let code = child.wait().unwrap().code();
            let _ = send.send(Done { code, stdout: String::new(), stderr: text });
        });
        signal(pid, "INT");
        let mut patience = Duration::from_millis(300);
        for _ in 0..20 {
            if let Ok(done) = ended.recv_timeout(patience) {
                drop(stdout);
                return done;
            }
            signal(pid, "INT");
            patience = Duration::from_secs(3);
        }
        signal(pid, "KILL");
        panic!("the program still runs after many a Ctrl-C: it hangs");
    }

    /// Closes the pipe its results go into, then waits for its end.
    pub(crate) fn finish_closed(self) -> Done {
        let Self { mut child, stdout, stderr } = self;
        drop(stdout);
        child.stderr = Some(stderr);
        finish(child)
    }
}

/// The last line of each carrier, as a program reads it.
pub(crate) fn last_lines(stdout: &str) -> Totals {
    let mut totals = Totals::new();
    for line in stdout.lines() {
        let value: Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: `{line}`"));
        let text = |name: &str| value[name].as_str().map(str::to_owned);
        let (carrier, flights) = (text("carrier").unwrap(), value["flights"].as_u64().unwrap());
        totals.insert(carrier, (flights, value["mean_minutes"].as_f64().unwrap()));
        assert_eq!(value.as_object().unwrap().len(), 3, "{line}");
    }
    totals
}

/// Compares totals: flights exactly, means within a billionth.
#[track_caller]
pub(crate) fn assert_totals(found: &Totals, expected: &Totals, what: &str) {
    let names = |totals: &Totals| totals.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(found), names(expected), "{what}: other carriers");
    for (carrier, (flights, mean)) in expected {
        let (found_flights, found_mean) = found[carrier];
        assert_eq!(found_flights, *flights, "{what}: flights of {carrier}");
        let apart = (found_mean - mean).abs();
        assert!(apart < 1e-9, "{what}: mean of {carrier}: {found_mean} and not {mean}");
    }
}
