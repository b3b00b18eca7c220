//! Watches the program at work in a terminal of its own, as a person would: in tmux.

use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use crate::input::{plain, repeated};

/// After this time nothing more is expected to appear.
const PATIENCE: Duration = Duration::from_secs(60);

/// A terminal with a shell in it; gone when dropped.
struct Terminal {
    name: String,
}

impl Terminal {
    /// A terminal of this size, in which the program is a command; `None` without tmux.
    fn open(name: &str, columns: u32, folder: &Path) -> Option<Self> {
        let terminal = Self { name: format!("clink-{name}-{}", std::process::id()) };
        let programs = Path::new(env!("CARGO_BIN_EXE_flight-delays")).parent().unwrap();
        let path = format!("PATH={}:{}", programs.display(), std::env::var("PATH").unwrap());
        let (columns, folder) = (columns.to_string(), folder.to_str().unwrap());
        let size = ["new-session", "-d", "-x", &columns, "-y", "24", "-c", folder];
        // On a machine of a CI, colours would be there whatever the terminal can.
        let asked = ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "CI"].map(|name| ["-u", name]);
        let shell = [&["env"], asked.as_flattened(), &[&path, "PS1=$ ", "sh"]].concat();
        match Command::new("tmux").arg("-V").output() {
            Ok(_) => drop(terminal.tmux(&[&size[..], &shell].concat())),
            Err(_) => {
                println!("skipped: tmux is not installed");
                return None;
            }
        }
        terminal.wait_for("a prompt", |screen| screen.contains('$'));
        Some(terminal)
    }

    fn tmux(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new("tmux");
        command.args(["-u", "-f", "/dev/null", "-L", &self.name]).args(arguments);
        for (name, _) in std::env::vars_os() {
            let name = name.to_string_lossy();
            if name.starts_with("CLINK_") || name.starts_with("TMUX") {
                command.env_remove(&*name);
            }
        }
        let done = command.env("TERM", "xterm-256color").output().unwrap();
        assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
        done
    }

    fn keys(&self, keys: &[&str]) {
        self.tmux(&[&["send-keys"], keys].concat());
    }

    /// What stands on it; with its colours as escape sequences where they are asked for.
    fn screen(&self, flags: &[&str]) -> String {
        let screen = self.tmux(&[&["capture-pane", "-p"], flags].concat());
        String::from_utf8(screen.stdout).unwrap()
    }

    /// Looks until it shows what is waited for.
    #[track_caller]
    fn wait_for(&self, what: &str, shows: impl Fn(&str) -> bool) -> String {
        let started = Instant::now();
        loop {
            let screen = self.screen(&[]);
            if shows(&screen) {
                return screen;
            }
            assert!(started.elapsed() < PATIENCE, "no {what} on:\n{screen}");
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // A server that has gone needs no end.
        let _ = Command::new("tmux").args(["-L", &self.name, "kill-server"]).output();
    }
}

/// The lines that have something on them.
fn lines(screen: &str) -> Vec<&str> {
    screen.lines().filter(|line| !line.trim().is_empty()).collect()
}

#[test]
fn a_terminal_of_80_columns_shows_one_line_of_progress_until_the_end() {
    let folder = tempfile::tempdir().unwrap();
    plain(folder.path(), "many.csv", &repeated(30));
    let Some(terminal) = Terminal::open("wide", 80, folder.path()) else { return };
    let saving = "--checkpoint-dir state --checkpoint-interval 300ms --log-level debug";
    let line = format!("flight-delays --input many.csv {saving} > out.ndjson");
    terminal.keys(&["clear; ", &line, "Enter"]);
    let at_work = terminal.wait_for("line of progress", |screen| {
        let last = lines(screen).pop().unwrap_or_default().to_owned();
        [" %, ", " left", "/s", "checkpoint ", "2013-0"].iter().all(|part| last.contains(part))
    });
    let progress = lines(&at_work).into_iter().filter(|line| line.contains(" %, "));
    assert_eq!(progress.count(), 1, "one line, drawn over itself:\n{at_work}");
    let debug = |line: &&str| line.starts_with("debug: checkpoint ") && line.ends_with(" run");
    assert!(lines(&at_work).iter().any(debug), "{at_work}");
    terminal.keys(&["C-c"]);
    let ended = terminal.wait_for("summary", |screen| screen.contains("\nlast checkpoint: "));
    assert!(!ended.contains(" %, "), "the line of progress has gone:\n{ended}");
    assert!(ended.contains("\nstopped after "), "{ended}");
    assert!(lines(&ended).iter().all(|line| line.chars().count() <= 80), "{ended}");
}

#[test]
fn a_narrow_terminal_shows_what_it_has_room_for_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    plain(folder.path(), "many.csv", &repeated(30));
    let Some(terminal) = Terminal::open("narrow", 30, folder.path()) else { return };
    terminal.keys(&["clear; flight-delays --input many.csv > out.ndjson", "Enter"]);
    let shows = |screen: &str| screen.contains(" %, ") && screen.contains(" left");
    let at_work = terminal.wait_for("line of progress", shows);
    let progress: Vec<&str> =
        lines(&at_work).into_iter().skip_while(|l| !l.contains(" %")).collect();
    assert_eq!(progress.len(), 1, "it is not wrapped:\n{at_work}");
    terminal.keys(&["C-c"]);
    let ended = terminal.wait_for("summary", |screen| screen.contains("stopped after "));
    assert!(!ended.contains(" left"), "the line of progress has gone:\n{ended}");
}

#[test]
fn complaints_have_colours_on_a_terminal_unless_somebody_does_not_want_them() {
    let folder = tempfile::tempdir().unwrap();
    let Some(terminal) = Terminal::open("colours", 100, folder.path()) else { return };
    for (line, error) in [
        ("flight-delays --paralelism 4", "error:"),
        ("flight-delays --restore latest", "error:"),
        ("flight-delays --input nowhere.csv", "error[P0808]"),
    ] {
        for (before, coloured) in [("", true), ("NO_COLOR=1 ", false), ("TERM=dumb ", false)] {
            // What stood there must be gone before it is looked for.
            terminal.keys(&["clear", "Enter"]);
            terminal.wait_for("empty screen", |screen| !screen.contains("ended"));
            terminal.keys(&[before, line, "; echo ended", "Enter"]);
            terminal.wait_for("end", |screen| screen.contains("\nended"));
            let screen = terminal.screen(&["-e"]);
            let found = screen.lines().find(|line| line.contains(error)).unwrap();
            let red = found.contains("\u{1b}[31m") || found.contains("\u{1b}[1;31m");
            assert_eq!(red, coloured, "{before}{line}: {found:?}");
        }
    }
}

#[test]
fn results_on_the_same_terminal_have_it_for_themselves() {
    let folder = tempfile::tempdir().unwrap();
    plain(folder.path(), "some.csv", &repeated(1));
    let Some(terminal) = Terminal::open("results", 80, folder.path()) else { return };
    terminal.keys(&["clear; flight-delays --input some.csv; echo ended", "Enter"]);
    let ended = terminal.wait_for("end", |screen| screen.contains("\nended"));
    let own = |line: &&str| line.starts_with('{') || line.starts_with("finished in ");
    let all = lines(&ended);
    assert_eq!(all.iter().filter(|line| own(line)).count(), all.len() - 2, "{ended}");
}
