//! Keeps account of which parts of a file are free (pure).
//!
//! Limit: first fit. What is freed in the order in which it was taken leaves its room in one piece,
//!        so the file stays near the most that was in use at one time.

use std::collections::BTreeMap;
use std::ops::Range;

/// Which bytes before the end of a file are free; all after it are.
#[derive(Debug, Default)]
pub(super) struct Room {
    end: u64,
    /// Start and end of each free part: none empty, none touching another or the end.
    free: BTreeMap<u64, u64>,
}

impl Room {
    /// Bytes that the file must have: the end of the last part in use.
    pub(super) fn end(&self) -> u64 {
        self.end
    }

    /// Takes a part of that many bytes, the first that is large enough.
    pub(super) fn take(&mut self, bytes: u64) -> Range<u64> {
        let fits = self.free.iter().find(|(start, end)| *end - *start >= bytes);
        let Some((start, end)) = fits.map(|(start, end)| (*start, *end)) else {
            let start = self.end;
            self.end = self.end.saturating_add(bytes);
            return start..self.end;
        };
        self.free.remove(&start);
        let taken = start..start.saturating_add(bytes);
        if taken.end < end {
            self.free.insert(taken.end, end);
        }
        taken
    }

    /// Frees a part that was taken.
    pub(super) fn give(&mut self, part: Range<u64>) {
        let mut part = part;
        if let Some(end) = self.free.remove(&part.end) {
            part.end = end;
        }
        let before = self.free.range(..part.start).next_back();
        if let Some((start, _)) = before.filter(|(_, end)| **end == part.start) {
            part.start = *start;
            self.free.remove(&part.start);
        }
        if part.end == self.end {
            self.end = part.start;
        } else if !part.is_empty() {
            self.free.insert(part.start, part.end);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn room_that_is_free_is_taken_before_the_end() {
        let mut room = Room::default();
        let [first, second, third] = [10, 20, 30].map(|bytes| room.take(bytes));
        assert_eq!((first.clone(), second.clone(), third.clone()), (0..10, 10..30, 30..60));
        room.give(second);
        assert_eq!(room.take(25), 60..85);
        assert_eq!(room.take(15), 10..25);
        assert_eq!(room.take(5), 25..30);
        room.give(third);
        room.give(60..85);
        assert_eq!(room.end(), 30);
        room.give(first);
        assert_eq!((room.take(4), room.take(6)), (0..4, 4..10));
    }

    proptest! {
        #[test]
        fn parts_never_overlap_and_the_end_is_that_of_the_last(
            steps in prop::collection::vec(
                (any::<bool>(), 1u64..100, any::<prop::sample::Index>()),
                1..200,
            ),
        ) {
            let mut room = Room::default();
            let mut used: Vec<Range<u64>> = Vec::new();
            for (take, bytes, which) in steps {
                if take || used.is_empty() {
                    let part = room.take(bytes);
                    prop_assert_eq!(part.end - part.start, bytes);
                    let apart = |other: &Range<u64>| {
                        other.end <= part.start || part.end <= other.start
                    };
                    prop_assert!(used.iter().all(apart));
                    used.push(part);
                } else {
                    room.give(used.swap_remove(which.index(used.len())));
                }
                prop_assert_eq!(room.end(), used.iter().map(|part| part.end).max().unwrap_or(0));
                let free: u64 = room.free.iter().map(|(start, end)| end - start).sum();
                let taken: u64 = used.iter().map(|part| part.end - part.start).sum();
                prop_assert_eq!(free + taken, room.end());
            }
        }

        #[test]
        fn a_queue_that_never_runs_empty_does_not_grow(
            sizes in prop::collection::vec(1u64..100, 500..1_000),
            length in 1usize..20,
        ) {
            let (mut room, mut queue, mut most) = (Room::default(), VecDeque::new(), 0);
            for bytes in sizes {
                queue.push_back(room.take(bytes));
                let used: u64 = queue.iter().map(|part: &Range<u64>| part.end - part.start).sum();
                most = most.max(used);
                if queue.len() > length {
                    room.give(queue.pop_front().unwrap());
                }
                prop_assert!(room.end() <= 3 * most + 300, "{} of {most}", room.end());
            }
        }
    }
}
