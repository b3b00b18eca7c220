//! Words how far a job has come, and how fast, in one line of a terminal (pure).

use std::collections::BTreeMap;

use clink_runtime::local::JobView;

/// Columns of the line: of the narrowest terminal that people use, less the last one, in which
/// some of them begin a new line.
const COLUMNS: usize = 79;

/// Weight of the last interval in the rate shown: the rest is what it was before, so that the
/// figure can be read while it changes.
const LAST: f64 = 0.3;

/// Remembers what is needed to tell a rate.
#[derive(Debug, Default)]
pub(super) struct Meter {
    /// The moment of the last look, and the records read by then.
    last: Option<(i64, u64)>,
    rate: Option<f64>,
    /// The first moment at which every source knew its end, and what was done by then: a job that
    /// goes on from a checkpoint does not begin at nothing.
    begin: Option<(i64, u64)>,
}

impl Meter {
    /// Records read, per second; how far bounded input has come; the age of the last checkpoint.
    pub(super) fn line(&mut self, view: &JobView) -> String {
        let (records, bounded) = read(view);
        self.note_rate(view, records);
        let mut parts = vec![format!("{} records", count(records as f64))];
        parts.extend(self.rate.map(|rate| format!("{}/s", count(rate))));
        if let Some((done, total)) = bounded {
            let percent = u128::from(done) * 100 / u128::from(total);
            parts.push(format!("{percent} %"));
            let left = self.left_s(view.now_ms, done, total);
            parts.extend(left.map(|left_s| format!("{} left", span(left_s))));
        }
        if let Some((id, at_ms)) = view.last_checkpoint {
            let age_s = view.now_ms.saturating_sub(at_ms).max(0).unsigned_abs() / 1_000;
            parts.push(format!("checkpoint {} ({} ago)", id.0, span(age_s)));
        }
        let mut line = String::new();
        for part in parts {
            let comma = if line.is_empty() { "" } else { ", " };
            if line.len() + comma.len() + part.len() <= COLUMNS {
                line += comma;
                line += &part;
            }
        }
        line
    }

    fn note_rate(&mut self, view: &JobView, records: u64) {
        let (at_ms, before) = self.last.unwrap_or((view.started_ms, 0));
        let elapsed_ms = view.now_ms.saturating_sub(at_ms);
        if elapsed_ms <= 0 {
            return;
        }
        let now = records.saturating_sub(before) as f64 * 1_000.0 / elapsed_ms as f64;
        self.rate = Some(self.rate.map_or(now, |rate| rate + (now - rate) * LAST));
        self.last = Some((view.now_ms, records));
    }

    /// Seconds to the end at the pace so far; unknown at first, and nothing at the end.
    fn left_s(&mut self, now_ms: i64, done: u64, total: u64) -> Option<u64> {
        let (at_ms, before) = *self.begin.get_or_insert((now_ms, done));
        let elapsed_ms = u64::try_from(now_ms.saturating_sub(at_ms)).ok()?;
        let gained = done.checked_sub(before).filter(|gained| *gained > 0 && done < total)?;
        let left_ms = u128::from(elapsed_ms) * u128::from(total - done) / u128::from(gained);
        Some(u64::try_from(left_ms / 1_000).unwrap_or(u64::MAX))
    }
}

/// The records that sources have read; what is done and the total, if every source has an end.
fn read(view: &JobView) -> (u64, Option<(u64, u64)>) {
    let mut records = 0;
    let mut sources = BTreeMap::new();
    for instance in &view.instances {
        let Some(progress) = &instance.progress else { continue };
        records += instance.metrics.records_out();
        let (done, total) = progress.get();
        let source: &mut (u64, u64) = sources.entry(&instance.operator).or_default();
        source.0 += done.min(total);
        source.1 += total;
    }
    let bounded = !sources.is_empty() && sources.values().all(|(_, total)| *total > 0);
    let sum = || sources.values().fold((0, 0), |sum, (done, total)| (sum.0 + done, sum.1 + total));
    (records, bounded.then(sum))
}

/// A number in at most seven columns: `999,999`, then `1.23 M`.
fn count(n: f64) -> String {
    let whole = n.round();
    if whole < 1_000.0 {
        return format!("{whole}");
    }
    if whole < 1_000_000.0 {
        return format!("{},{:03}", (whole / 1_000.0).floor(), whole % 1_000.0);
    }
    let mut scaled = n / 1_000_000.0;
    for unit in ["M", "G", "T", "P"] {
        // The last figure shown must not round up to a fourth one before the point.
        match scaled {
            ..9.995 => return format!("{scaled:.2} {unit}"),
            ..99.95 => return format!("{scaled:.1} {unit}"),
            ..999.5 => return format!("{scaled:.0} {unit}"),
            _ => scaled /= 1_000.0,
        }
    }
    "> 999 P".to_owned()
}

/// A span in its largest unit, in at most six columns.
fn span(seconds: u64) -> String {
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7_200 => format!("{} min", seconds / 60),
        7_200..172_800 => format!("{} h", seconds / 3_600),
        172_800..86_400_000 => format!("{} d", seconds / 86_400),
        _ => "> 999 d".to_owned(),
    }
}

#[cfg(test)]
mod tests;
