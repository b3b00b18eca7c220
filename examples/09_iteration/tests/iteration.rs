//! Compares what the job prints with a loop over days for each route.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    missing_docs,
    reason = "a test that panics says where"
)]

use std::collections::BTreeMap;

use lesson_tests::{flights, printed, sorted};

/// Day by day, what does not fit goes to the next one.
fn by_hand() -> Vec<String> {
    let mut asked = BTreeMap::<(String, String), BTreeMap<i32, u32>>::new();
    for row in flights() {
        let [at, departed_at, _, _, _, origin, dest, ..] = &row[..] else { panic!() };
        if departed_at.is_empty() {
            let (month, day) =
                (at[5..7].parse::<i32>().unwrap(), at[8..10].parse::<i32>().unwrap());
            let route = asked.entry((origin.clone(), dest.clone())).or_default();
            *route.entry((month - 1) * 31 + day).or_default() += 50;
        }
    }
    let mut lines = Vec::new();
    for ((origin, dest), days) in asked {
        let mut waiting = 0;
        // January and some of February.
        for day in 1..=31 + 28 {
            waiting += days.get(&day).unwrap_or(&0);
            if waiting >= 60 {
                let day = format!("2013-{:02}-{:02}", (day - 1) / 31 + 1, (day - 1) % 31 + 1);
                let route = format!(r#""origin":"{origin}","dest":"{dest}""#);
                lines.push(format!(r#"{{{route},"day":"{day}T00:00:00Z"}}"#));
            }
            waiting = waiting.saturating_sub(60);
        }
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
            printed(env!("CARGO_BIN_EXE_iteration"), parallelism),
            expected,
            "parallelism {parallelism}"
        );
    }
}
