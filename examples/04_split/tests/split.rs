//! Compares the files that the job writes with a loop over the rows of its input.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    missing_docs,
    reason = "a test that panics says where; it reads files of a real disk"
)]

use lesson_tests::{flights, run, sorted};

/// The names of the files, and the airports in the input.
const AIRPORTS: [(&str, &str); 3] = [("newark", "EWR"), ("kennedy", "JFK"), ("la-guardia", "LGA")];

/// What the program writes into the file of each airport, or into one file per subtask.
fn written(parallelism: &str) -> [Vec<String>; 3] {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let _ = run(env!("CARGO_BIN_EXE_split"), &["--parallelism", parallelism, "--out", out]);
    AIRPORTS.map(|(name, _)| {
        let files = std::fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().path());
        let name = format!("late-{name}.ndjson");
        let own = files.filter(|path| path.to_str().unwrap().contains(&name));
        sorted(&own.map(|path| std::fs::read_to_string(path).unwrap()).collect::<String>())
    })
}

fn by_hand() -> [Vec<String>; 3] {
    AIRPORTS.map(|(_, code)| {
        let mut lines = Vec::new();
        for row in flights() {
            let [at, _, carrier, flight, _, origin, dest, dep_delay, ..] = &row[..] else {
                panic!()
            };
            if origin == code && dep_delay.parse().is_ok_and(|minutes: i64| minutes > 180) {
                let who = format!(r#""carrier":"{carrier}","flight":{flight}"#);
                let way = format!(r#""origin":"{origin}","dest":"{dest}""#);
                let line = format!(r#""scheduled_at":"{at}",{who},{way},"dep_delay":{dep_delay}"#);
                lines.push(format!("{{{line}}}"));
            }
        }
        lines.sort();
        lines
    })
}

#[test]
fn each_file_holds_what_a_loop_over_the_rows_finds() {
    let expected = [
        include_str!("expected/late-newark.ndjson"),
        include_str!("expected/late-kennedy.ndjson"),
        include_str!("expected/late-la-guardia.ndjson"),
    ]
    .map(sorted);
    assert_eq!(by_hand(), expected);
    for parallelism in ["1", "4"] {
        assert_eq!(written(parallelism), expected, "parallelism {parallelism}");
    }
}
