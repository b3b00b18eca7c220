//! Looks at jobs that stand where a test puts them.

use clink_plan::id::CheckpointId;

use super::*;

/// What the narrowest terminal that people use has room for.
const COLUMNS: usize = 77;

fn view(now_ms: i64) -> JobView {
    JobView { now_ms, started_ms: 1_000, ..JobView::default() }
}

fn read(records: u64) -> Counts {
    Counts { read: records, ..Counts::default() }
}

#[track_caller]
fn check(meter: &mut Meter, now_ms: i64, counts: Counts, says: &str) {
    assert_eq!(meter.line(&view(now_ms), &counts, COLUMNS), says);
}

#[test]
fn the_first_look_may_come_at_once() {
    let mut meter = Meter::default();
    check(&mut meter, 1_000, read(0), "0 records");
    check(&mut meter, 900, read(5), "5 records");
    assert_eq!(meter.line(&JobView::default(), &read(0), COLUMNS), "0 records");
    let both = Counts { bytes: 12_300, ..read(500) };
    check(&mut meter, 2_000, both, "500 records, 500/s, 12.3 kB/s");
}

#[test]
fn the_rate_is_that_of_late() {
    let mut meter = Meter::default();
    let mut line = String::new();
    for second in 2..30 {
        let counts = Counts { bytes: 5_000, ..read(1_000) };
        line = meter.line(&view(second * 1_000), &counts, COLUMNS);
    }
    assert_eq!(line, "1,000 records, 0/s, 0 B/s");
    let counts = Counts { bytes: 6_000, ..read(1_100) };
    check(&mut meter, 30_000, counts, "1,100 records, 30/s, 300 B/s");
}

#[test]
fn per_cent_and_time_left_need_an_end() {
    let mut meter = Meter::default();
    let at = |done| Counts { bounded: Some((done, 200)), ..read(0) };
    check(&mut meter, 2_000, read(0), "0 records, 0/s");
    check(&mut meter, 3_000, at(50), "0 records, 0/s, 25 %");
    // A quarter was done at the first look: it tells nothing of the pace.
    check(&mut meter, 13_000, at(70), "0 records, 0/s, 35 %, 65 s left");
    check(&mut meter, 13_000, at(200), "0 records, 0/s, 100 %");
}

#[test]
fn event_time_is_told_with_its_lag_where_it_follows_the_clock() {
    let noon_ms = 1_356_998_400_000;
    let at = |watermark_ms| Counts { watermark_ms: Some(watermark_ms), ..read(0) };
    let line = |now_ms, counts| {
        let mut meter = Meter { last: Some((now_ms, 0, 0)), ..Meter::default() };
        meter.line(&view(now_ms), &counts, COLUMNS)
    };
    let says = "0 records, watermark 2013-01-01T00:00:00Z";
    assert_eq!(line(noon_ms + 2 * LAG_MS_MAX, at(noon_ms)), says);
    assert_eq!(line(noon_ms - 1, at(noon_ms)), says);
    assert_eq!(line(noon_ms + 3_000, at(noon_ms)), format!("{says} (3 s behind)"));
    // At the end of its input, time has no name any more.
    assert_eq!(line(noon_ms, at(i64::MAX)), "0 records");
}

#[test]
fn the_line_fits_whatever_it_says_and_what_matters_most_stays() {
    let mut far = view(i64::MAX);
    far.last_checkpoint = Some((CheckpointId(u64::MAX), 0));
    let huge = u64::MAX / 2;
    let counts = Counts {
        read: huge,
        bytes: huge,
        bad: huge,
        late: 0,
        bounded: Some((1, huge)),
        watermark_ms: Some(0),
        written: huge,
    };
    for columns in 0..200 {
        let line = Meter { begin: Some((0, 0)), ..Meter::default() }.line(&far, &counts, columns);
        assert!(line.len() <= columns, "{columns}: {line}");
    }
    let at_work = |columns| {
        let mut meter = Meter { rates: Some((22_503.0, 1.2e6)), ..Meter::default() };
        (meter.last, meter.begin) = (Some((61_000, 0, 0)), Some((1_000, 0)));
        let mut view = view(61_000);
        view.last_checkpoint = Some((CheckpointId(6), 58_000));
        let watermark_ms = Some(1_356_998_400_000);
        let bounded = Some((60, 100));
        let counts = Counts { bad: 3, bytes: 9, bounded, watermark_ms, ..read(1_350_180) };
        meter.line(&view, &counts, columns)
    };
    for line in [
        "1.35 M records, 22,503/s, 1.20 MB/s, 60 %, 40 s left, watermark 2013-01-01T00:00:00Z, \
         checkpoint 6 (3 s ago), 3 bad records",
        "22,503/s, 60 %, 40 s left, 2013-01-01T00:00:00Z, checkpoint 3 s ago, 3 bad",
        "22,503/s, 60 %, 40 s left, checkpoint 3 s ago, 3 bad",
        "22,503/s, 60 %, 40 s left, 3 bad",
        "60 %, 40 s left",
        "60 %",
    ] {
        assert_eq!(at_work(line.len()), line);
    }
    let at_80 = "22,503/s, 60 %, 40 s left, 2013-01-01T00:00:00Z, checkpoint 3 s ago, 3 bad";
    assert_eq!(at_work(COLUMNS), at_80);
}
