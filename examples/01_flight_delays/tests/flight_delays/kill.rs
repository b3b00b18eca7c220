//! Kills the job as a power cut would, at ten random moments, and lets it go on each time.

use std::collections::BTreeMap;
use std::path::Path;

use crate::input::{packed, plain, repeated, totals};
use crate::program::{Running, assert_totals, last_lines, run};

/// How often the flights are repeated: some seconds of work for a debug build.
const TURNS: usize = 12;

/// Ends before the last attempt.
const KILLS: u64 = 10;

/// The last line of each key, over all attempts in their order.
#[derive(Default)]
struct LastLines(BTreeMap<String, String>);

impl LastLines {
    /// Takes one attempt's output; a line that the kill tore off is none.
    fn take(&mut self, output: &[u8], was_killed: bool) {
        let text = std::str::from_utf8(output).expect("the output is text");
        let whole = match text.rfind('\n') {
            _ if !was_killed => text,
            Some(end) => &text[..=end],
            None => "",
        };
        for line in whole.lines() {
            let (key, _) = last_lines(line).pop_first().unwrap();
            self.0.insert(key, line.to_owned());
        }
    }
}

fn has_checkpoint(folder: &Path) -> bool {
    let checkpoints = std::fs::read_dir(folder.join("delays")).into_iter().flatten();
    checkpoints.map(Result::unwrap).any(|entry| entry.path().join("manifest.json").exists())
}

/// One story: ten kills and a last attempt, all chosen by a seed.
struct Story<'a> {
    random: fastrand::Rng,
    input: &'a Path,
    checkpoints: &'a Path,
    told: Vec<String>,
    restored: u64,
}

impl Story<'_> {
    fn attempt(&mut self) -> Running {
        let parallelism = self.random.u32(1..=5).to_string();
        let scheduler = *self.random.choice(&["pool", "threads"]).unwrap();
        let mut arguments = vec![
            "--input",
            self.input.to_str().unwrap(),
            "--checkpoint-dir",
            self.checkpoints.to_str().unwrap(),
            "--checkpoint-interval",
            "20ms",
            "--parallelism",
            &parallelism,
            "--scheduler",
            scheduler,
        ];
        if has_checkpoint(self.checkpoints) {
            arguments.extend(["--restore", "latest"]);
            self.restored += 1;
        }
        self.told.push(arguments[6..].join(" "));
        Running::start(&arguments)
    }

    /// Kills an attempt after a random part of its output; now and then before any.
    fn killed(&mut self, most: u64, lines: &mut LastLines) {
        let mut running = self.attempt();
        let bytes = if self.random.u8(..6) == 0 { 0 } else { self.random.u64(..most) };
        let mut output = running.read(bytes);
        let (rest, had_ended) = running.kill();
        output.extend(rest);
        self.told.push(format!("killed after {} bytes", output.len()));
        assert!(!had_ended, "the job ended before its kill: {:#?}", self.told);
        lines.take(&output, true);
    }
}

fn check(input: &Path, seed: u64) {
    let undisturbed = run(&["--input", input.to_str().unwrap()]);
    assert_eq!(undisturbed.code, Some(0), "{}", undisturbed.stderr);
    let mut expected = LastLines::default();
    expected.take(undisturbed.stdout.as_bytes(), false);

    let checkpoints = tempfile::tempdir().unwrap();
    let random = fastrand::Rng::with_seed(seed);
    let (checkpoints, told) = (checkpoints.path(), Vec::new());
    let mut story = Story { random, input, checkpoints, told, restored: 0 };
    let mut lines = LastLines::default();
    let most = undisturbed.stdout.len() as u64 / KILLS;
    for _ in 0..KILLS {
        story.killed(most, &mut lines);
    }
    let last = story.attempt().finish();
    assert_eq!(last.code, Some(0), "{:#?}\n{}", story.told, last.stderr);
    assert!(last.stderr.contains("restored from checkpoint "), "{}", last.stderr);
    lines.take(last.stdout.as_bytes(), false);
    let wrong: Vec<_> =
        expected.0.iter().filter(|(key, line)| lines.0.get(*key) != Some(*line)).collect();
    let shown: Vec<_> = wrong.iter().map(|(key, line)| (line, lines.0.get(*key))).collect();
    assert!(shown.is_empty(), "seed {seed}: {:#?}\nexpected, found: {shown:#?}", story.told);
    assert_eq!(lines.0.len(), expected.0.len(), "keys that are not in the input");
    // Otherwise the kills came too early to prove anything.
    assert!(story.restored > KILLS / 2, "{:#?}", story.told);
}

#[test]
fn ten_kills_leave_the_same_last_lines_from_a_plain_file() {
    let folder = tempfile::tempdir().unwrap();
    let text = repeated(TURNS);
    check(&plain(folder.path(), "many.csv", &text), 1);
}

#[test]
fn ten_kills_leave_the_same_last_lines_from_a_gzip_file() {
    let folder = tempfile::tempdir().unwrap();
    let text = repeated(TURNS);
    check(&packed(folder.path(), "many.csv.gz", &text), 2);
}

#[test]
fn the_repeated_input_has_the_totals_that_the_job_says_it_has() {
    let folder = tempfile::tempdir().unwrap();
    let text = repeated(2);
    let input = plain(folder.path(), "twice.csv", &text);
    let done = run(&["--input", input.to_str().unwrap()]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert_totals(&last_lines(&done.stdout), &totals(&text), "twice the flights");
}
