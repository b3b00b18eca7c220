//! Words numbers, sizes, spans and moments in few columns (pure).

use jiff::Timestamp;

/// A number in at most seven columns: `999,999`, then `1.23 M`.
pub(super) fn count(n: f64) -> String {
    let whole = n.round();
    if whole < 1_000.0 {
        return format!("{whole}");
    }
    if whole < 1_000_000.0 {
        return format!("{},{:03}", (whole / 1_000.0).floor(), whole % 1_000.0);
    }
    scaled(n / 1_000_000.0, &["M", "G", "T", "P"]).unwrap_or_else(|| "> 999 P".to_owned())
}

/// A number of bytes in at most eight columns: `999 B`, `1.23 kB`.
pub(super) fn bytes(n: f64) -> String {
    if n.round() < 1_000.0 {
        return format!("{} B", n.round());
    }
    let units = ["kB", "MB", "GB", "TB", "PB"];
    scaled(n / 1_000.0, &units).unwrap_or_else(|| "> 999 PB".to_owned())
}

/// Three figures and the first unit in which they are enough.
fn scaled(mut n: f64, units: &[&str]) -> Option<String> {
    for unit in units {
        // The last figure shown must not round up to a fourth one before the point.
        match n {
            ..9.995 => return Some(format!("{n:.2} {unit}")),
            ..99.95 => return Some(format!("{n:.1} {unit}")),
            ..999.5 => return Some(format!("{n:.0} {unit}")),
            _ => n /= 1_000.0,
        }
    }
    None
}

/// All figures of a number, in groups of three.
pub(super) fn exact(n: u64) -> String {
    let figures = n.to_string();
    let mut grouped = String::with_capacity(figures.len() * 4 / 3);
    for (index, figure) in figures.chars().enumerate() {
        if index > 0 && (figures.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(figure);
    }
    grouped
}

/// A span in its largest unit, in at most seven columns.
pub(super) fn span(seconds: u64) -> String {
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7_200 => format!("{} min", seconds / 60),
        7_200..172_800 => format!("{} h", seconds / 3_600),
        172_800..86_400_000 => format!("{} d", seconds / 86_400),
        _ => "> 999 d".to_owned(),
    }
}

/// How long something took: `250 ms`, `1.25 s`, `12.3 s`, then as a span.
pub(super) fn took(ms: u64) -> String {
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..10_000 => format!("{}.{:02} s", ms / 1_000, ms % 1_000 / 10),
        10_000..100_000 => format!("{}.{} s", ms / 1_000, ms % 1_000 / 100),
        _ => span(ms / 1_000),
    }
}

/// A moment to the second, as RFC 3339 has it; `None` where it has no year of four figures.
pub(super) fn moment(at_ms: i64) -> Option<String> {
    let text = Timestamp::from_second(at_ms.div_euclid(1_000)).ok()?.to_string();
    (text.len() == "2013-01-01T00:00:00Z".len()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_sizes_are_short() {
        for (n, text) in [
            (0.0, "0"),
            (999.4, "999"),
            (999.5, "1,000"),
            (12_045.0, "12,045"),
            (999_999.0, "999,999"),
            (999_999.9, "1.00 M"),
            (9_994_000.0, "9.99 M"),
            (9_996_000.0, "10.0 M"),
            (99_960_000.0, "100 M"),
            (999_600_000.0, "1.00 G"),
            (1e30, "> 999 P"),
        ] {
            assert_eq!(count(n), text, "{n}");
        }
        for (n, text) in [
            (999.4, "999 B"),
            (999.6, "1.00 kB"),
            (12_045.0, "12.0 kB"),
            (999_600.0, "1.00 MB"),
            (1e30, "> 999 PB"),
        ] {
            assert_eq!(bytes(n), text, "{n}");
        }
        for (n, text) in
            [(0, "0"), (999, "999"), (1_000, "1,000"), (27_004, "27,004"), (1 << 20, "1,048,576")]
        {
            assert_eq!(exact(n), text);
        }
    }

    #[test]
    fn spans_and_moments_are_short() {
        for (seconds, text) in [
            (0, "0 s"),
            (119, "119 s"),
            (120, "2 min"),
            (7_199, "119 min"),
            (7_200, "2 h"),
            (172_800, "2 d"),
            (u64::MAX, "> 999 d"),
        ] {
            assert_eq!(span(seconds), text);
        }
        for (ms, text) in [(0, "0 ms"), (1_259, "1.25 s"), (99_999, "99.9 s"), (150_000, "2 min")] {
            assert_eq!(took(ms), text);
        }
        assert_eq!(moment(1_356_998_400_999).as_deref(), Some("2013-01-01T00:00:00Z"));
        assert_eq!(moment(-1).as_deref(), Some("1969-12-31T23:59:59Z"));
        assert_eq!(moment(i64::MAX), None);
    }
}
