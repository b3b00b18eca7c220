//! Plays scripts, all their orders, and random histories to the alignment of many inputs.

mod feed;
mod model;
mod random;

use super::*;
use crate::time::EventTime;

use feed::{Feed, Said};

const END: Item = Item::Watermark(Watermark::At(EventTime::MAX));
const IDLE: Item = Item::Watermark(Watermark::Idle);
const CLOSE: Item = Item::Close { stopped: false };
const STOP: Item = Item::Close { stopped: true };

/// What an input can deliver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Item {
    Record,
    Watermark(Watermark),
    Barrier(Barrier),
    Probe(u64),
    Close { stopped: bool },
}

fn time(millis: i64) -> Watermark {
    Watermark::At(EventTime::from_millis(millis))
}

fn at(millis: i64) -> Item {
    Item::Watermark(time(millis))
}

fn aligned(id: u64) -> Barrier {
    Barrier::aligned(CheckpointId(id))
}

fn unaligned(id: u64) -> Barrier {
    Barrier { mode: BarrierMode::Unaligned, ..aligned(id) }
}

fn barrier(id: u64) -> Item {
    Item::Barrier(aligned(id))
}

fn complete(id: u64) -> Action {
    Action::Complete(aligned(id))
}

fn wave(round: u64) -> Action {
    Action::Probe(Probe { iteration: 0, round })
}

fn ended(stopped: bool) -> Action {
    Action::End { stopped }
}

/// Lets an input deliver something; what is to be done.
fn hear(align: &mut MultiInputAlignment, input: usize, item: Item) -> Vec<Action> {
    match item {
        Item::Record => Vec::new(),
        Item::Watermark(watermark) => {
            align.watermark(input, watermark).into_iter().map(Action::Watermark).collect()
        }
        Item::Barrier(barrier) => align.barrier(input, barrier).into_iter().collect(),
        Item::Probe(round) => {
            let probe = Probe { iteration: 0, round };
            align.probe(input, probe).into_iter().map(Action::Probe).collect()
        }
        Item::Close { stopped } => align.close(input, stopped).into_iter().collect(),
    }
}

/// Plays a script of deliveries with what is to be done after each.
fn play(align: &mut MultiInputAlignment, script: &[(usize, Item, &[Action])]) {
    for (step, (input, item, wanted)) in script.iter().enumerate() {
        let actions = hear(align, *input, *item);
        assert_eq!(actions, *wanted, "step {step}: {item:?} from input {input}");
    }
}

const HOLD_0: &[Action] = &[Action::Hold(0)];
const HOLD_1: &[Action] = &[Action::Hold(1)];
const MARKED_IDLE: &[Action] = &[Action::Watermark(Watermark::Idle)];

fn word(millis: i64) -> Action {
    Action::Watermark(time(millis))
}

fn last_word() -> Action {
    Action::Watermark(Watermark::At(EventTime::MAX))
}

// Time.

#[test]
fn the_slower_of_two_inputs_holds_time_and_an_equal_watermark_is_not_said_again() {
    let mut align = MultiInputAlignment::new(2);
    play(
        &mut align,
        &[
            (0, at(5), &[]),
            (1, at(3), &[word(3)]),
            (0, at(7), &[]),
            (1, at(3), &[]),
            (1, at(9), &[word(7)]),
        ],
    );
}

#[test]
fn an_idle_input_is_left_out_and_comes_back_at_the_time_that_was_said() {
    let mut align = MultiInputAlignment::new(2);
    play(
        &mut align,
        &[
            (0, at(5), &[]),
            (1, IDLE, &[word(5)]),
            (1, at(2), &[]),
            (0, at(8), &[]),
            (1, at(6), &[word(6)]),
        ],
    );
}

#[test]
fn all_idle_is_said_once_and_any_return_says_that_time_is_active_again() {
    let mut align = MultiInputAlignment::new(2);
    play(
        &mut align,
        &[
            (0, at(5), &[]),
            (1, at(5), &[word(5)]),
            (0, IDLE, &[]),
            (1, IDLE, MARKED_IDLE),
            (0, IDLE, &[]),
            (0, at(5), &[word(5)]),
            (0, at(5), &[]),
            (0, IDLE, MARKED_IDLE),
        ],
    );
}

#[test]
fn all_closed_is_the_end_of_time_once() {
    let mut align = MultiInputAlignment::new(2);
    play(
        &mut align,
        &[
            (0, at(5), &[]),
            (0, CLOSE, &[]),
            (1, at(4), &[word(4)]),
            (1, CLOSE, &[last_word(), ended(false)]),
            (1, CLOSE, &[]),
        ],
    );
    let mut said_before = MultiInputAlignment::new(2);
    play(
        &mut said_before,
        &[(0, END, &[]), (1, END, &[last_word()]), (0, CLOSE, &[]), (1, CLOSE, &[ended(false)])],
    );
}

#[test]
fn an_input_whose_records_still_wait_is_not_closed_yet() {
    let mut feed = Feed::new(
        MultiInputAlignment::new(2),
        [vec![at(3), barrier(1), Item::Record, CLOSE], vec![at(5), barrier(1)]],
    );
    for input in [0, 0, 1] {
        assert!(feed.step(input));
    }
    assert!(!feed.step(0), "it is held, with a record and its end in line");
    assert_eq!(feed.align.pending_inputs_for(CheckpointId(2)), [0, 1]);
    for input in [1, 0, 0] {
        assert!(feed.step(input));
    }
    let one = Said::Cut(aligned(1), vec![0, 0]);
    let said = [Said::Watermark(time(3)), one, Said::Record(0), Said::Watermark(time(5))];
    assert_eq!(feed.said, said);
}

#[test]
fn scripts_settle_on_one_time_in_every_order_w04() {
    let cases: &[(&[&[Item]], Watermark, bool)] = &[
        (&[&[at(5), IDLE], &[at(4), IDLE]], time(5), true),
        (&[&[at(5), IDLE], &[at(4), IDLE, CLOSE]], time(5), true),
        (&[&[at(5), IDLE], &[at(7), CLOSE]], time(7), true),
        (&[&[at(5), IDLE], &[at(7), END, CLOSE]], time(7), true),
        (&[&[at(5), IDLE, STOP], &[at(7), CLOSE]], time(7), true),
        (&[&[at(5), IDLE, at(6), IDLE], &[at(4), IDLE]], time(6), true),
        (&[&[at(5), IDLE], &[IDLE], &[at(4), at(6), CLOSE]], time(6), true),
        (&[&[at(5), IDLE], &[at(4)]], time(4), false),
        (&[&[at(5), STOP], &[at(7), CLOSE]], time(5), false),
        (&[&[at(5), STOP], &[at(4), IDLE]], time(5), false),
        (&[&[at(5), IDLE, CLOSE], &[at(4), CLOSE]], Watermark::At(EventTime::MAX), false),
    ];
    for (scripts, settled, idle) in cases {
        let feed = Feed::new(MultiInputAlignment::new(scripts.len()), scripts.iter().copied());
        let mut orders = 0;
        feed.every_order(&mut |feed| {
            orders += 1;
            assert_eq!(feed.settled(), (Some(*settled), *idle), "{scripts:?}: {:?}", feed.order);
        });
        assert!(orders > 1);
    }
}

#[test]
fn stopped_inputs_keep_their_last_word_and_the_end_says_so() {
    let mut align = MultiInputAlignment::new(2);
    play(
        &mut align,
        &[(0, at(5), &[]), (1, at(7), &[word(5)]), (0, STOP, &[]), (1, CLOSE, &[ended(true)])],
    );
    assert!(align.any_stopped());
}

// Barriers, aligned.

#[test]
fn a_barrier_is_complete_when_every_input_has_delivered_it() {
    let mut align = MultiInputAlignment::new(3);
    play(
        &mut align,
        &[
            (0, barrier(1), HOLD_0),
            (2, barrier(1), &[Action::Hold(2)]),
            (1, barrier(1), &[complete(1), Action::Release]),
            (1, barrier(2), HOLD_1),
        ],
    );
    assert_eq!(align.pending_inputs_for(CheckpointId(1)), [0; 0]);
    assert_eq!(align.pending_inputs_for(CheckpointId(2)), [0, 2]);
    assert_eq!(align.pending_inputs_for(CheckpointId(3)), [0, 1, 2]);
}

#[test]
fn a_single_input_waits_for_nobody() {
    let mut align = MultiInputAlignment::new(1);
    play(
        &mut align,
        &[
            (0, barrier(1), &[complete(1)]),
            (0, Item::Barrier(unaligned(2)), &[Action::First(unaligned(2))]),
        ],
    );
}

#[test]
fn a_close_completes_an_alignment_c01() {
    let mut align = MultiInputAlignment::new(2);
    play(
        &mut align,
        &[
            (0, barrier(1), HOLD_0),
            (1, CLOSE, &[complete(1), Action::Release]),
            (0, barrier(2), &[complete(2)]),
            (0, CLOSE, &[last_word(), ended(false)]),
        ],
    );
    assert!(align.all_closed());
}

#[test]
fn the_end_of_an_input_counts_as_its_barriers_in_every_order_c01() {
    let both = vec![aligned(1), aligned(2)];
    let cases = [
        (vec![barrier(1)], vec![CLOSE], vec![aligned(1)]),
        (vec![barrier(1), barrier(2)], vec![barrier(1), CLOSE], both.clone()),
        (vec![barrier(1), barrier(2)], vec![CLOSE], both),
    ];
    for (a, b, wanted) in cases {
        for obeyed in [true, false] {
            let mut feed = Feed::new(MultiInputAlignment::new(2), [a.clone(), b.clone()]);
            feed.obeys = obeyed;
            feed.every_order(&mut |feed| {
                assert_eq!(feed.cuts(), wanted, "{a:?}, {b:?}: {:?}", feed.order);
            });
        }
    }
}

#[test]
fn all_barriers_that_one_close_completes_are_to_be_acted_on() {
    let mut align = MultiInputAlignment::new(2);
    play(
        &mut align,
        &[
            (0, barrier(1), HOLD_0),
            (0, barrier(2), &[]),
            (0, barrier(4), &[]),
            (1, barrier(1), &[complete(1)]),
            (1, CLOSE, &[complete(2), complete(4), Action::Release]),
        ],
    );
}

#[test]
fn a_close_passes_on_its_barrier_before_its_watermark_and_the_end_comes_last() {
    let mut align = MultiInputAlignment::new(2);
    play(
        &mut align,
        &[
            (0, at(5), &[]),
            (0, Item::Probe(1), &[]),
            (0, barrier(1), HOLD_0),
            (1, CLOSE, &[complete(1), word(5), wave(1), Action::Release]),
            (0, CLOSE, &[last_word(), ended(false)]),
        ],
    );
}

#[test]
fn a_newer_barrier_takes_the_place_of_one_that_was_given_up() {
    let mut align = MultiInputAlignment::new(2);
    play(
        &mut align,
        &[
            (0, barrier(1), HOLD_0),
            (1, barrier(2), &[Action::Release, Action::Hold(1)]),
            (0, barrier(2), &[complete(2), Action::Release]),
        ],
    );
}

#[test]
fn an_older_barrier_never_disturbs_a_newer_alignment_c02() {
    let mut align = MultiInputAlignment::new(3);
    play(
        &mut align,
        &[
            (0, barrier(2), HOLD_0),
            (1, barrier(1), &[]),
            (1, barrier(2), HOLD_1),
            (2, barrier(2), &[complete(2), Action::Release]),
            (0, barrier(1), &[]),
        ],
    );
}

#[test]
fn the_newer_of_two_is_complete_in_every_order_c02() {
    let scripts = [vec![barrier(2)], vec![barrier(1), barrier(2)], vec![barrier(1), barrier(2)]];
    Feed::new(MultiInputAlignment::new(3), scripts).every_order(&mut |feed| {
        assert_eq!(feed.cuts(), [aligned(2)], "{:?}", feed.order);
    });
}

#[test]
fn a_barrier_stays_terminal_through_an_alignment() {
    let last = Barrier { terminal: true, ..aligned(u64::MAX) };
    let mut align = MultiInputAlignment::new(2);
    play(
        &mut align,
        &[
            (0, Item::Barrier(last), HOLD_0),
            (1, barrier(u64::MAX), &[Action::Complete(last), Action::Release]),
        ],
    );
    let mut closing = MultiInputAlignment::new(2);
    play(
        &mut closing,
        &[(0, Item::Barrier(last), HOLD_0), (1, CLOSE, &[Action::Complete(last), Action::Release])],
    );
}

// Barriers, unaligned.

#[test]
fn an_unaligned_barrier_goes_on_at_once_and_its_later_arrivals_are_absorbed() {
    let last = Barrier { terminal: true, ..unaligned(3) };
    let mut align = MultiInputAlignment::new(3);
    play(
        &mut align,
        &[(1, Item::Barrier(last), &[Action::First(last)]), (0, Item::Barrier(unaligned(3)), &[])],
    );
    assert_eq!(align.pending_inputs_for(CheckpointId(3)), [2]);
    assert_eq!(align.add_input(), Err(Refused::InFlight(CheckpointId(3))));
    play(&mut align, &[(2, Item::Barrier(last), &[])]);
    assert_eq!(align.add_input(), Ok(3), "it is forgotten when all have delivered it");
}

#[test]
fn a_close_does_not_pass_an_unaligned_barrier_on_again() {
    let mut align = MultiInputAlignment::new(2);
    play(
        &mut align,
        &[
            (0, Item::Barrier(unaligned(1)), &[Action::First(unaligned(1))]),
            (0, barrier(2), HOLD_0),
            (1, CLOSE, &[complete(2), Action::Release]),
        ],
    );
    assert_eq!(align.add_input(), Ok(2), "neither is in flight");
}

#[test]
fn the_first_arrival_decides_how_a_barrier_is_aligned() {
    let mut align = MultiInputAlignment::new(2);
    play(
        &mut align,
        &[
            (0, Item::Barrier(unaligned(1)), &[Action::First(unaligned(1))]),
            (1, barrier(1), &[]),
            (0, barrier(2), HOLD_0),
            (1, Item::Barrier(unaligned(2)), &[complete(2), Action::Release]),
        ],
    );
}

#[test]
fn the_mode_of_an_operator_takes_the_place_of_the_barriers_own() {
    let mut never = MultiInputAlignment::with_mode(2, Some(BarrierMode::Aligned));
    play(
        &mut never,
        &[
            (0, Item::Barrier(unaligned(1)), HOLD_0),
            (1, Item::Barrier(unaligned(1)), &[complete(1), Action::Release]),
        ],
    );
    let mut always = MultiInputAlignment::with_mode(2, Some(BarrierMode::Unaligned));
    play(&mut always, &[(0, barrier(1), &[Action::First(unaligned(1))]), (1, barrier(1), &[])]);
}

#[test]
fn an_unaligned_barrier_frees_inputs_held_for_one_that_was_given_up() {
    let mut align = MultiInputAlignment::new(2);
    play(
        &mut align,
        &[
            (0, barrier(1), HOLD_0),
            (1, Item::Barrier(unaligned(2)), &[Action::First(unaligned(2)), Action::Release]),
            (0, Item::Barrier(unaligned(2)), &[]),
        ],
    );
}

// Inputs that come and go.

#[test]
fn no_input_is_added_with_a_barrier_in_flight_and_later_it_stands_where_time_does() {
    let mut align = MultiInputAlignment::new(2);
    play(&mut align, &[(0, at(5), &[]), (1, at(6), &[word(5)]), (0, barrier(1), HOLD_0)]);
    assert_eq!(align.add_input(), Err(Refused::InFlight(CheckpointId(1))));
    play(&mut align, &[(1, barrier(1), &[complete(1), Action::Release])]);
    assert_eq!(align.add_input(), Ok(2));
    play(
        &mut align,
        &[
            (0, at(8), &[]),
            (2, at(3), &[]),
            (1, at(9), &[]),
            (2, barrier(1), &[]),
            (2, at(7), &[word(7)]),
            (2, barrier(2), &[Action::Hold(2)]),
            (0, barrier(2), HOLD_0),
            (1, barrier(2), &[complete(2), Action::Release]),
        ],
    );
}

#[test]
fn no_input_is_added_after_the_end() {
    let mut align = MultiInputAlignment::new(1);
    play(&mut align, &[(0, CLOSE, &[last_word(), ended(false)])]);
    assert_eq!(align.add_input(), Err(Refused::Closed));
}

#[test]
fn inputs_that_are_not_there_or_have_closed_change_nothing() {
    let mut align = MultiInputAlignment::new(2);
    play(&mut align, &[(1, at(5), &[]), (1, CLOSE, &[])]);
    for input in [1, 7] {
        for item in [at(9), IDLE, barrier(4), Item::Probe(4), STOP] {
            play(&mut align, &[(input, item, &[])]);
        }
    }
    play(&mut align, &[(0, barrier(1), &[complete(1)]), (0, Item::Probe(1), &[wave(1)])]);
    assert!(!align.any_stopped());
}

// Probes.

#[test]
fn a_round_of_probes_goes_on_when_every_input_has_delivered_it_or_a_later_one() {
    let mut align = MultiInputAlignment::new(2);
    play(
        &mut align,
        &[
            (0, Item::Probe(1), &[]),
            (0, Item::Probe(4), &[]),
            (1, Item::Probe(3), &[wave(3)]),
            (1, Item::Probe(3), &[]),
            (1, Item::Probe(2), &[]),
            (1, Item::Probe(5), &[wave(4)]),
        ],
    );
}

#[test]
fn a_close_counts_as_every_round_and_an_added_input_has_to_deliver_the_next() {
    let mut align = MultiInputAlignment::new(2);
    play(
        &mut align,
        &[
            (0, Item::Probe(0), &[]),
            (0, Item::Probe(2), &[]),
            (1, CLOSE, &[wave(2)]),
            (0, Item::Probe(3), &[wave(3)]),
        ],
    );
    assert_eq!(align.add_input(), Ok(2));
    play(
        &mut align,
        &[
            (0, Item::Probe(4), &[]),
            (0, CLOSE, &[]),
            (2, CLOSE, &[last_word(), wave(4), ended(false)]),
        ],
    );
}

#[test]
fn waves_of_one_iteration_do_not_wait_for_those_of_another() {
    let mut align = MultiInputAlignment::new(2);
    let probe = |iteration, round| Probe { iteration, round };
    assert_eq!(align.probe(0, probe(1, 1)), None);
    assert_eq!(align.probe(1, probe(2, 1)), None);
    assert_eq!(align.probe(1, probe(1, 1)), Some(probe(1, 1)));
    let closed: Vec<Action> = align.close(0, false).into_iter().collect();
    assert!(closed.contains(&Action::Probe(probe(2, 1))), "{closed:?}");
    assert_eq!(align.probe(1, probe(3, 1)), Some(probe(3, 1)), "the other has closed before");
}
