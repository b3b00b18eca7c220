//! Words how far a job has come, and how fast, in one line of a terminal (pure).

use clink_runtime::local::JobView;

use super::counts::Counts;
use super::fit::{Part, fit};
use super::numbers::{bytes, count, moment, span};

/// Weight of the last interval in the rates shown: the rest is what it was before, so that the
/// figures can be read while they change.
const LAST: f64 = 0.3;

/// Event time that is further behind than a day is that of a replay: how far says nothing.
const LAG_MS_MAX: i64 = 24 * 3_600 * 1_000;

/// Remembers what is needed to tell a rate.
#[derive(Debug, Default)]
pub(super) struct Meter {
    /// The moment of the last look, and the records and bytes read by then.
    last: Option<(i64, u64, u64)>,
    /// Records and bytes, per second.
    rates: Option<(f64, f64)>,
    /// The first moment at which every source knew its end, and what was done by then: a job that
    /// goes on from a checkpoint does not begin at nothing.
    begin: Option<(i64, u64)>,
}

impl Meter {
    /// What there is to say and room for: records and bytes read, how far bounded input has come,
    /// how far event time has, the age of the last checkpoint, what could not be read.
    pub(super) fn line(&mut self, view: &JobView, counts: &Counts, columns: usize) -> String {
        self.note_rates(view, counts);
        let part = |rank, long: String, short: String| Part { rank, long, short };
        let mut parts =
            vec![part(7, format!("{} records", count(counts.read as f64)), String::new())];
        if let Some((records, read)) = self.rates {
            parts.push(part(2, format!("{}/s", count(records)), String::new()));
            if counts.bytes > 0 {
                parts.push(part(6, format!("{}/s", bytes(read)), String::new()));
            }
        }
        if let Some((done, total)) = counts.bounded {
            let percent = u128::from(done) * 100 / u128::from(total);
            parts.push(part(0, format!("{percent} %"), String::new()));
            if let Some(left_s) = self.left_s(view.now_ms, done, total) {
                parts.push(part(1, format!("{} left", span(left_s)), String::new()));
            }
        }
        parts.extend(watermark(view.now_ms, counts).map(|(long, short)| part(5, long, short)));
        if let Some((id, at_ms)) = view.last_checkpoint {
            let age_s = view.now_ms.saturating_sub(at_ms).max(0).unsigned_abs() / 1_000;
            let (id, age) = (id.0, span(age_s));
            let long = format!("checkpoint {id} ({age} ago)");
            parts.push(part(4, long, format!("checkpoint {age} ago")));
        }
        if counts.bad > 0 {
            let bad = count(counts.bad as f64);
            parts.push(part(3, format!("{bad} bad records"), format!("{bad} bad")));
        }
        fit(&parts, columns)
    }

    fn note_rates(&mut self, view: &JobView, counts: &Counts) {
        let (at_ms, records, read) = self.last.unwrap_or((view.started_ms, 0, 0));
        let elapsed_ms = view.now_ms.saturating_sub(at_ms);
        if elapsed_ms <= 0 {
            return;
        }
        let rate =
            |now: u64, before: u64| now.saturating_sub(before) as f64 * 1_000.0 / elapsed_ms as f64;
        let (records, read) = (rate(counts.read, records), rate(counts.bytes, read));
        let smooth = |before: f64, now: f64| before + (now - before) * LAST;
        self.rates = Some(self.rates.map_or((records, read), |(before, before_read)| {
            (smooth(before, records), smooth(before_read, read))
        }));
        self.last = Some((view.now_ms, counts.read, counts.bytes));
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

/// How far event time has come, and how far it is behind where it follows the clock.
fn watermark(now_ms: i64, counts: &Counts) -> Option<(String, String)> {
    let at_ms = counts.watermark_ms?;
    let moment = moment(at_ms)?;
    let lag_ms = now_ms.saturating_sub(at_ms);
    if !(0..=LAG_MS_MAX).contains(&lag_ms) {
        return Some((format!("watermark {moment}"), moment));
    }
    let behind = span(lag_ms.unsigned_abs() / 1_000);
    Some((format!("watermark {moment} ({behind} behind)"), format!("{behind} behind")))
}

#[cfg(test)]
mod tests;
