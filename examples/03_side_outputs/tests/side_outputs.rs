//! Compares what the job prints with a loop over the rows of its input.
#![allow(clippy::panic, missing_docs, reason = "a test that panics says where")]

use lesson_tests::{flights, printed, sorted};

fn by_hand() -> Vec<String> {
    let mut lines = Vec::new();
    for row in flights() {
        let [at, _, carrier, flight, _, _, dest, dep_delay, arr_delay, ..] = &row[..] else {
            panic!()
        };
        let Ok(dep_delay) = dep_delay.parse::<i64>() else { continue };
        let who = format!(r#""carrier":"{carrier}","flight":{flight}"#);
        let why = match arr_delay.parse::<i64>() {
            Err(_) => "NeverArrived",
            Ok(_) if dep_delay > 720 => "UnlikelyDelay",
            Ok(arr_delay) => {
                let minutes = dep_delay - arr_delay;
                if minutes >= 50 {
                    lines.push(format!(r#"{{{who},"scheduled_at":"{at}","minutes":{minutes}}}"#));
                }
                continue;
            }
        };
        lines.push(format!(r#"{{"why":"{why}",{who},"dest":"{dest}","scheduled_at":"{at}"}}"#));
    }
    lines.sort();
    lines
}

#[test]
fn it_prints_what_a_loop_over_the_rows_does() {
    let expected = sorted(include_str!("expected.ndjson"));
    assert_eq!(by_hand(), expected);
    for parallelism in ["1", "4"] {
        assert_eq!(
            printed(env!("CARGO_BIN_EXE_side-outputs"), parallelism),
            expected,
            "parallelism {parallelism}"
        );
    }
}
