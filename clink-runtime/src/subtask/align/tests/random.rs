//! Compares the alignment with the model, and holds it to its laws, on random histories.

use proptest::prelude::*;
use proptest::sample::Index;

use super::model::Model;
use super::*;

/// What an input does next, relative to what it did before.
#[derive(Clone, Debug)]
enum Move {
    Record,
    Advance(i64),
    Idle,
    EndOfTime,
    Barrier { skipped: u64, unaligned: bool, terminal: bool },
    Probe { skipped: u64 },
    Close { stopped: bool },
    Add,
}

fn a_move() -> impl Strategy<Value = Move> {
    let skipped = || prop_oneof![6 => Just(0_u64), 1 => 1..3_u64];
    let barrier = (skipped(), any::<bool>(), prop::bool::weighted(0.2));
    prop_oneof![
        1 => Just(Move::Record),
        6 => (0..4_i64).prop_map(Move::Advance),
        3 => Just(Move::Idle),
        1 => Just(Move::EndOfTime),
        8 => barrier.prop_map(|(skipped, unaligned, terminal)| {
            Move::Barrier { skipped, unaligned, terminal }
        }),
        3 => skipped().prop_map(|skipped| Move::Probe { skipped }),
        2 => prop::bool::weighted(0.3).prop_map(|stopped| Move::Close { stopped }),
        1 => Just(Move::Add),
    ]
}

fn a_mode() -> impl Strategy<Value = Option<BarrierMode>> {
    let modes = [Some(BarrierMode::Aligned), Some(BarrierMode::Unaligned)];
    prop_oneof![2 => Just(None), 1 => prop::sample::select(modes.to_vec())]
}

/// Where an input is in what it counts up.
#[derive(Clone, Copy, Default)]
struct Place {
    time: i64,
    barrier: u64,
    round: u64,
}

impl Place {
    fn item(&mut self, next: &Move) -> Item {
        match *next {
            Move::Record | Move::Add => Item::Record,
            Move::Advance(span) => {
                self.time += span;
                at(self.time - 5)
            }
            Move::Idle => IDLE,
            Move::EndOfTime => END,
            Move::Barrier { skipped, unaligned, terminal } => {
                self.barrier += 1 + skipped;
                let mode = if unaligned { BarrierMode::Unaligned } else { BarrierMode::Aligned };
                Item::Barrier(Barrier { id: CheckpointId(self.barrier), mode, terminal })
            }
            Move::Probe { skipped } => {
                self.round += 1 + skipped;
                Item::Probe(self.round)
            }
            Move::Close { stopped } => Item::Close { stopped },
        }
    }
}

/// Anything from anywhere.
fn an_item() -> impl Strategy<Value = Item> {
    let barrier = (1..7_u64, any::<bool>(), any::<bool>());
    prop_oneof![
        4 => (-3..6_i64).prop_map(at),
        2 => Just(IDLE),
        1 => Just(END),
        6 => barrier.prop_map(|(id, is_aligned, terminal)| {
            let mode = if is_aligned { BarrierMode::Aligned } else { BarrierMode::Unaligned };
            Item::Barrier(Barrier { id: CheckpointId(id), mode, terminal })
        }),
        2 => (0..6_u64).prop_map(Item::Probe),
        1 => any::<bool>().prop_map(|stopped| Item::Close { stopped }),
    ]
}

/// The value and the model side by side.
struct Pair {
    align: MultiInputAlignment,
    model: Model,
}

impl Pair {
    fn new(inputs: usize, mode: Option<BarrierMode>) -> Self {
        let align = MultiInputAlignment::with_mode(inputs, mode);
        Self { align, model: Model::new(inputs, mode) }
    }

    fn hear(&mut self, input: usize, item: Item) -> Result<Vec<Action>, TestCaseError> {
        let actions = hear(&mut self.align, input, item);
        let wanted = self.model.hear(input, item);
        prop_assert_eq!(&actions, &wanted, "{:?} from {} after {:?}", item, input, self.model);
        self.compare()?;
        Ok(actions)
    }

    fn add_input(&mut self) -> Result<Result<usize, Refused>, TestCaseError> {
        let added = self.align.add_input();
        prop_assert_eq!(added, self.model.add_input());
        self.compare()?;
        Ok(added)
    }

    fn compare(&self) -> Result<(), TestCaseError> {
        for id in (1..8).map(CheckpointId) {
            let pending = self.align.pending_inputs_for(id);
            prop_assert_eq!(pending, self.model.pending_inputs_for(id), "{}", id);
        }
        prop_assert_eq!(self.align.all_closed(), self.model.all_closed());
        prop_assert_eq!(self.align.any_stopped(), self.model.any_stopped());
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn inputs_that_wait_when_they_are_held_are_seen_as_the_model_sees_them(
        inputs in 1..5_usize,
        mode in a_mode(),
        moves in prop::collection::vec((any::<Index>(), a_move()), 0..24),
    ) {
        let mut pair = Pair::new(inputs, mode);
        let mut places = vec![Place::default(); inputs];
        let mut waiting: Vec<bool> = vec![false; inputs];
        for (index, next) in moves {
            if matches!(next, Move::Add) {
                if pair.add_input()?.is_ok() {
                    places.push(Place::default());
                    waiting.push(false);
                }
                continue;
            }
            let ready: Vec<usize> = (0..places.len()).filter(|input| !waiting[*input]).collect();
            prop_assert!(!ready.is_empty(), "all inputs wait");
            let input = ready[index.index(ready.len())];
            let actions = pair.hear(input, places[input].item(&next))?;
            let complete = |action: &&Action| matches!(action, Action::Complete(_));
            prop_assert!(actions.iter().filter(complete).count() <= 1, "one at a time");
            for action in actions {
                match action {
                    Action::Release => waiting.fill(false),
                    Action::Hold(held) => {
                        prop_assert_eq!(held, input, "only who delivers is held");
                        waiting[held] = true;
                    }
                    _ => {}
                }
            }
        }
    }

    #[test]
    fn inputs_that_never_wait_are_seen_as_the_model_sees_them(
        inputs in 1..5_usize,
        mode in a_mode(),
        moves in prop::collection::vec((any::<Index>(), a_move()), 0..24),
    ) {
        let mut pair = Pair::new(inputs, mode);
        let mut places = vec![Place::default(); inputs];
        for (index, next) in moves {
            if matches!(next, Move::Add) {
                if pair.add_input()?.is_ok() {
                    places.push(Place::default());
                }
                continue;
            }
            let input = index.index(places.len());
            pair.hear(input, places[input].item(&next))?;
        }
    }

    #[test]
    fn even_nonsense_is_seen_as_the_model_sees_it(
        inputs in 1..5_usize,
        mode in a_mode(),
        items in prop::collection::vec(
            (0..6_usize, prop::option::weighted(0.95, an_item())),
            0..24,
        ),
    ) {
        let mut pair = Pair::new(inputs, mode);
        for (input, item) in items {
            match item {
                Some(item) => {
                    pair.hear(input, item)?;
                }
                None => {
                    // Either is right; that both say the same is what counts.
                    let _ = pair.add_input()?;
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn time_rises_to_what_was_said_and_ends_once(
        inputs in 1..5_usize,
        items in prop::collection::vec((0..4_usize, an_item()), 0..40),
    ) {
        let mut align = MultiInputAlignment::new(inputs);
        let (mut emitted, mut idle) = (None, false);
        let mut heard = Vec::new();
        for (input, item) in items {
            heard.push(item);
            for action in hear(&mut align, input, item) {
                match action {
                    Action::Watermark(Watermark::At(time)) => {
                        prop_assert!(Some(time) > emitted || (idle && Some(time) == emitted));
                        prop_assert!(emitted != Some(EventTime::MAX));
                        let said = heard.contains(&Item::Watermark(Watermark::At(time)));
                        prop_assert!(said || time == EventTime::MAX);
                        (emitted, idle) = (Some(time), false);
                    }
                    Action::Watermark(Watermark::Idle) => {
                        prop_assert!(!idle && emitted != Some(EventTime::MAX));
                        idle = true;
                    }
                    _ => {}
                }
            }
        }
    }

    #[test]
    fn scripts_end_at_one_time_in_any_order(
        scripts in prop::collection::vec(a_clock_script(), 1..5),
        orders in prop::collection::vec(prop::collection::vec(any::<Index>(), 40), 3),
    ) {
        let feed = Feed::new(MultiInputAlignment::new(scripts.len()), scripts);
        let ends: Vec<_> = orders.iter().map(|order| run(feed.clone(), order).settled()).collect();
        prop_assert_eq!(ends[0], ends[1]);
        prop_assert_eq!(ends[0], ends[2]);
    }

    #[test]
    fn a_cut_lies_between_the_same_records_of_each_input_in_any_order(
        scripts in prop::collection::vec(a_cut_script(), 1..5),
        order in prop::collection::vec(any::<Index>(), 80),
    ) {
        let feed = Feed::new(MultiInputAlignment::new(scripts.len()), scripts.clone());
        let feed = run(feed, &order);
        prop_assert_eq!(feed.left(), 0, "nobody waits for ever");
        prop_assert_eq!(feed.said.last(), Some(&Said::End));
        prop_assert_eq!(feed.said.iter().filter(|said| **said == Said::End).count(), 1);
        for said in &feed.said {
            let Said::Cut(cut, records) = said else { continue };
            for (script, records) in scripts.iter().zip(records) {
                let before = script.iter().take_while(|item| **item != Item::Barrier(*cut));
                let wanted = before.filter(|item| **item == Item::Record).count();
                prop_assert_eq!(*records, wanted, "checkpoint {}", cut.id);
            }
        }
        // Every input has delivered the barrier or ended: nobody skipped it.
        let skipped = |id: u64| scripts.iter().any(|script| {
            let later = |item: &Item| matches!(item, Item::Barrier(b) if b.id.0 > id);
            !script.contains(&barrier(id)) && script.iter().any(later)
        });
        let there = |id: &u64| scripts.iter().any(|script| script.contains(&barrier(*id)));
        let wanted: Vec<Barrier> =
            (1..49).filter(there).filter(|id| !skipped(*id)).map(aligned).collect();
        prop_assert_eq!(feed.cuts(), wanted);
    }

    #[test]
    fn nobody_is_held_for_an_unaligned_barrier_and_each_goes_on_once(
        inputs in 1..5_usize,
        moves in prop::collection::vec((any::<Index>(), a_move()), 0..40),
    ) {
        let mut align = MultiInputAlignment::with_mode(inputs, Some(BarrierMode::Unaligned));
        let mut places = vec![Place::default(); inputs];
        let mut passed_on = Vec::new();
        for (index, next) in moves {
            let input = index.index(inputs);
            for action in hear(&mut align, input, places[input].item(&next)) {
                match action {
                    Action::First(barrier) => passed_on.push(barrier.id),
                    Action::Complete(_) | Action::Hold(_) | Action::Release => {
                        prop_assert!(false, "{action:?}");
                    }
                    _ => {}
                }
            }
        }
        prop_assert!(passed_on.is_sorted_by(|a, b| a < b), "{passed_on:?}");
    }
}

/// Lets inputs deliver in that order until there is nothing left, or no one can.
fn run(mut feed: Feed, order: &[Index]) -> Feed {
    for index in order.iter().cycle() {
        let ready = feed.ready();
        if ready.is_empty() {
            break;
        }
        feed.step(ready[index.index(ready.len())]);
    }
    feed
}

/// Times that rise, with idle phases, and then for good: idle, closed, stopped or at its end.
fn a_clock_script() -> impl Strategy<Value = Vec<Item>> {
    let word = prop_oneof![3 => (0..4_i64).prop_map(Some), 1 => Just(None)];
    let ends: [&[Item]; 6] =
        [&[IDLE], &[IDLE, CLOSE], &[CLOSE], &[END], &[END, CLOSE], &[IDLE, STOP]];
    (prop::collection::vec(word, 0..6), prop::sample::select(ends.to_vec())).prop_map(
        |(words, end)| {
            let mut time = -4;
            let item = |word| match word {
                Some(span) => {
                    time += span;
                    at(time)
                }
                None => IDLE,
            };
            let mut script: Vec<Item> = words.into_iter().map(item).collect();
            script.extend(end);
            script
        },
    )
}

/// Records and barriers, of which some are skipped, and a close.
fn a_cut_script() -> impl Strategy<Value = Vec<Item>> {
    let step = prop_oneof![3 => Just(None), 3 => Just(Some(0_u64)), 1 => (1..3_u64).prop_map(Some)];
    prop::collection::vec(step, 0..16).prop_map(|steps| {
        let mut id = 0;
        let item = |step| match step {
            Some(skipped) => {
                id += 1 + skipped;
                barrier(id)
            }
            None => Item::Record,
        };
        let mut script: Vec<Item> = steps.into_iter().map(item).collect();
        script.push(CLOSE);
        script
    })
}
