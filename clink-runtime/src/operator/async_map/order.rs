//! Decides in which order results and watermarks leave (pure).
//!
//! Records stand in groups, and a group leaves once all its records have come to an end. Where
//! order is kept, each record is a group of its own; else records form one group up to the next
//! watermark, and their results leave as they come.
//!
//! ```text
//! records     a b  W  c  d e  W        ordered:    [a] [b W] [c] [d] [e W]
//!                                      unordered:  [a b W] [c d e W]
//! ```
//!
//! Limit:  a watermark takes the place of those behind the same record that it outdoes, so that
//!         memory is bounded by the number of records.

use std::collections::VecDeque;

use crate::time::Watermark;

/// The group of a record, to be named at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Group(u64);

/// What leaves.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Leaving<T> {
    Result(T),
    Watermark(Watermark),
}

/// Records that have begun, until they leave.
#[derive(Debug)]
pub(super) struct Order<T> {
    ordered: bool,
    groups: VecDeque<Members<T>>,
    /// The number of the first group.
    first: u64,
    records: usize,
    /// The room of a group that has left.
    spare: VecDeque<Option<T>>,
}

#[derive(Debug)]
struct Members<T> {
    /// Records that have not come to an end.
    open: usize,
    /// Those that have; `None` if there is no result.
    ended: VecDeque<Option<T>>,
    /// Leave after all of them: a time, or that the stream is idle, or first one and then the
    /// other.
    watermarks: VecDeque<Watermark>,
}

impl<T> Order<T> {
    /// Without records; `ordered` if results leave in the order of their records.
    pub(super) fn new(ordered: bool) -> Self {
        Self { ordered, groups: VecDeque::new(), first: 0, records: 0, spare: VecDeque::new() }
    }

    /// A record begins, behind all that have begun.
    pub(super) fn begin(&mut self) -> Group {
        self.records += 1;
        let joins = |last: &&mut Members<T>| !self.ordered && last.watermarks.is_empty();
        match self.groups.back_mut().filter(joins) {
            Some(last) => last.open += 1,
            None => self.push(1),
        }
        Group(self.first + self.groups.len() as u64 - 1)
    }

    fn push(&mut self, open: usize) {
        let ended = std::mem::take(&mut self.spare);
        self.groups.push_back(Members { open, ended, watermarks: VecDeque::new() });
    }

    /// A record of that group has come to its end, with a result or without.
    pub(super) fn end(&mut self, group: Group, result: Option<T>) {
        let index = usize::try_from(group.0 - self.first).ok();
        let members = index.and_then(|index| self.groups.get_mut(index));
        let members = members.expect("a group stays until all its records have come to an end");
        members.open -= 1;
        members.ended.push_back(result);
    }

    /// A watermark comes, behind all records that have begun.
    pub(super) fn watermark(&mut self, watermark: Watermark) {
        if self.groups.is_empty() {
            self.push(0);
        }
        let Some(last) = self.groups.back_mut() else { return };
        match watermark {
            Watermark::At(_) => last.watermarks.clear(),
            Watermark::Idle if last.watermarks.back() == Some(&watermark) => return,
            Watermark::Idle => {}
        }
        last.watermarks.push_back(watermark);
    }

    /// What leaves next, if it may.
    pub(super) fn next(&mut self) -> Option<Leaving<T>> {
        while let Some(front) = self.groups.front_mut() {
            if let Some(ended) = front.ended.pop_front() {
                self.records -= 1;
                match ended {
                    Some(result) => return Some(Leaving::Result(result)),
                    None => continue,
                }
            }
            if front.open > 0 {
                return None;
            }
            if let Some(watermark) = front.watermarks.pop_front() {
                return Some(Leaving::Watermark(watermark));
            }
            self.first += 1;
            self.spare = self.groups.pop_front().map(|left| left.ended).unwrap_or_default();
        }
        None
    }

    /// True if something may leave, or what has left may be forgotten.
    pub(super) fn is_due(&self) -> bool {
        self.groups.front().is_some_and(|front| front.open == 0 || !front.ended.is_empty())
    }

    /// Records that have begun and not left.
    pub(super) fn records(&self) -> usize {
        self.records
    }

    /// True if nothing is left that has begun.
    pub(super) fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }
}

#[cfg(test)]
mod tests;
