//! Checks the order in which results and watermarks leave against a list of everything that came.

use proptest::prelude::*;

use super::{Group, Leaving, Order};
use crate::time::{EventTime, Watermark};

fn at(ms: i64) -> Watermark {
    Watermark::At(EventTime::from_millis(ms))
}

fn leaving(order: &mut Order<u32>) -> Vec<Leaving<u32>> {
    std::iter::from_fn(|| order.next()).collect()
}

/// What there is to do next, by a number of one's own for each record.
#[derive(Clone, Debug)]
enum Deed {
    Begin,
    /// Of the records that are open, the one at this place, counted round.
    End(usize, bool),
    Time,
    Idle,
}

fn deeds() -> impl Strategy<Value = Vec<Deed>> {
    let deed = prop_oneof![
        4 => Just(Deed::Begin),
        4 => (any::<usize>(), proptest::bool::weighted(0.8)).prop_map(|(at, is)| Deed::End(at, is)),
        1 => Just(Deed::Time),
        1 => Just(Deed::Idle),
    ];
    proptest::collection::vec(deed, 0..120)
}

/// What came, in order.
#[derive(Clone, Debug, PartialEq)]
enum Came {
    Record(u32),
    Watermark(Watermark),
}

/// Carries out the deeds, then ends what is open; what came and what left.
fn carry_out(ordered: bool, deeds: &[Deed]) -> (Vec<Came>, Vec<u32>, Vec<Leaving<u32>>) {
    let (mut order, mut came, mut given_up) = (Order::new(ordered), Vec::new(), Vec::new());
    let mut open: Vec<(u32, Group)> = Vec::new();
    let (mut left, mut next, mut ms) = (Vec::new(), 0, 0);
    let mut end = |order: &mut Order<u32>, (record, group): (u32, Group), is: bool| {
        order.end(group, is.then_some(record));
        given_up.extend((!is).then_some(record));
    };
    for deed in deeds {
        match deed {
            Deed::Begin => {
                open.push((next, order.begin()));
                came.push(Came::Record(next));
                next += 1;
            }
            Deed::End(..) if open.is_empty() => {}
            Deed::End(place, is) => {
                let place = place % open.len();
                end(&mut order, open.remove(place), *is);
            }
            Deed::Time => {
                ms += 1;
                order.watermark(at(ms));
                came.push(Came::Watermark(at(ms)));
            }
            Deed::Idle => {
                order.watermark(Watermark::Idle);
                came.push(Came::Watermark(Watermark::Idle));
            }
        }
        let gone = leaving(&mut order);
        assert!(!order.is_due(), "all that may leave has left");
        left.extend(gone);
        let watermarks: usize = order.groups.iter().map(|group| group.watermarks.len()).sum();
        assert!(order.groups.len() <= order.records(), "no more groups than records");
        assert!(watermarks <= 2 * order.groups.len());
    }
    for record in open {
        end(&mut order, record, true);
    }
    left.extend(leaving(&mut order));
    assert!(order.is_empty() && order.records() == 0);
    (came, given_up, left)
}

proptest! {
    #[test]
    fn kept_in_order_results_and_watermarks_leave_as_their_records_came(deeds in deeds()) {
        let (came, given_up, left) = carry_out(true, &deeds);
        let results: Vec<u32> = left.iter().filter_map(result).collect();
        let records = came.iter().filter_map(record);
        prop_assert_eq!(&results, &records.filter(|n| !given_up.contains(n)).collect::<Vec<_>>());
        check_watermarks(&came, &given_up, &left)?;
    }

    #[test]
    fn in_any_order_results_stay_between_their_watermarks_and_none_is_lost(deeds in deeds()) {
        let (came, given_up, left) = carry_out(false, &deeds);
        let mut results: Vec<u32> = left.iter().filter_map(result).collect();
        results.sort_unstable();
        let records = came.iter().filter_map(record);
        prop_assert_eq!(&results, &records.filter(|n| !given_up.contains(n)).collect::<Vec<_>>());
        check_watermarks(&came, &given_up, &left)?;
    }
}

fn result(leaving: &Leaving<u32>) -> Option<u32> {
    match leaving {
        Leaving::Result(record) => Some(*record),
        Leaving::Watermark(_) => None,
    }
}

fn record(came: &Came) -> Option<u32> {
    match came {
        Came::Record(record) => Some(*record),
        Came::Watermark(_) => None,
    }
}

/// Each watermark that left has behind it the records that came before it, and no others; the last
/// time has left, and the stream is as idle as it was at last.
fn check_watermarks(
    came: &[Came],
    given_up: &[u32],
    left: &[Leaving<u32>],
) -> Result<(), TestCaseError> {
    let mut place = 0;
    for (index, leaving) in left.iter().enumerate() {
        let Leaving::Watermark(watermark) = leaving else { continue };
        let mut before: Vec<u32> = left[..index].iter().filter_map(result).collect();
        before.sort_unstable();
        // Of two that are alike, any: the other one may have been outdone.
        let found = (place..came.len()).find(|place| {
            let expected = came[..*place].iter().filter_map(record);
            came[*place] == Came::Watermark(*watermark)
                && expected.filter(|n| !given_up.contains(n)).eq(before.iter().copied())
        });
        prop_assert!(found.is_some(), "{watermark:?} left at another place: {came:?}, {left:?}");
        place = found.unwrap_or_default() + 1;
    }
    let times = |watermark: &Watermark| matches!(watermark, Watermark::At(_));
    let watermarks = |is: &dyn Fn(&Watermark) -> bool| {
        let came = came.iter().filter_map(|came| match came {
            Came::Watermark(watermark) => Some(*watermark),
            Came::Record(_) => None,
        });
        let left = left.iter().filter_map(|leaving| match leaving {
            Leaving::Watermark(watermark) => Some(*watermark),
            Leaving::Result(_) => None,
        });
        (came.filter(|w| is(w)).last(), left.filter(|w| is(w)).last())
    };
    let (came_last, left_last) = watermarks(&times);
    prop_assert_eq!(came_last, left_last);
    let (came_last, left_last) = watermarks(&|_| true);
    prop_assert_eq!(came_last, left_last);
    Ok(())
}

#[test]
fn watermarks_behind_one_record_are_one() {
    for ordered in [true, false] {
        let mut order = Order::new(ordered);
        let group = order.begin();
        for ms in 1..=1_000 {
            order.watermark(at(ms));
            order.watermark(Watermark::Idle);
            order.watermark(Watermark::Idle);
        }
        assert_eq!(leaving(&mut order), []);
        order.end(group, Some(7));
        let expected = [
            Leaving::Result(7),
            Leaving::Watermark(at(1_000)),
            Leaving::Watermark(Watermark::Idle),
        ];
        assert_eq!(leaving(&mut order), expected);
    }
}

#[test]
fn records_that_gave_no_result_count_until_their_turn_has_come() {
    let mut order: Order<u32> = Order::new(true);
    let first = order.begin();
    for _ in 0..100 {
        let group = order.begin();
        order.end(group, None);
    }
    assert_eq!((leaving(&mut order), order.records()), (vec![], 101));
    order.end(first, None);
    assert_eq!((leaving(&mut order), order.records(), order.is_empty()), (vec![], 0, true));
}
