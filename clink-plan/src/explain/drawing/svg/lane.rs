//! Leads arrows past the side of a node: out of boxes in the middle of a frame, and in loops.

use std::collections::BTreeMap;

use super::dock::Meeting;
use super::layout::{Place, Rect};
use super::measure::Block;
use super::node::{Node, label_size};
use super::table::{ArrowId, Table};

/// Between a frame and the first lane.
const LANE_MARGIN: f64 = 16.0;
/// Between two lanes, and between a lane and a label.
const LANE_GAP: f64 = 12.0;
/// Between the labels of two loops.
const LOOP_LABEL_GAP: f64 = 6.0;

/// A loop with its place, counted from the middle of the node's upper side.
pub(super) struct Looped {
    pub(super) arrow: ArrowId,
    pub(super) places: Vec<Place>,
    pub(super) label: Option<Rect>,
}

/// Who meets a box at its side.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Guest {
    /// An edge with a lane, by its place on its side.
    Lane(usize),
    LoopStart(usize),
    LoopEnd(usize),
}

/// The lanes of one node.
pub(super) struct Lanes<'n> {
    node: &'n Node,
    /// The ends with a lane at the left and at the right, from the node outwards.
    sides: [&'n [Meeting]; 2],
    /// At which height a guest meets its box, at the left and at the right.
    heights: [BTreeMap<Guest, f64>; 2],
    /// How far node and lanes reach to the left and to the right.
    pub(super) reach: (f64, f64),
    /// How far down they reach.
    pub(super) bottom: f64,
}

impl<'n> Lanes<'n> {
    /// Gives every end a lane and a height.
    pub(super) fn of(node: &'n Node, sides: [&'n [Meeting]; 2]) -> Lanes<'n> {
        let heights = [heights(node, sides[0], false), heights(node, sides[1], true)];
        let reach = sides.map(|side| match side.len() {
            0 => node.width / 2.0,
            lanes => node.width / 2.0 + lane(lanes - 1),
        });
        Lanes { node, sides, heights, reach: (reach[0], reach[1]), bottom: node.height }
    }

    /// The way of every end, from its box outwards.
    pub(super) fn ways(&self) -> Vec<(Meeting, Vec<Place>)> {
        let mut ways = Vec::new();
        for ((side, heights), sign) in self.sides.iter().zip(&self.heights).zip([-1.0, 1.0]) {
            for (at, &meeting) in side.iter().enumerate() {
                let y = heights.get(&Guest::Lane(at)).copied().unwrap_or_default();
                let border = self.node.boxes.get(meeting.place).map_or(0.0, |one| one.rect.right());
                let x = self.node.width / 2.0 + lane(at);
                ways.push((meeting, vec![Place::new(sign * border, y), Place::new(sign * x, y)]));
            }
        }
        ways
    }

    /// The ways of the node's loops, outside of its lanes, and their labels beside all of them.
    pub(super) fn loops(&mut self, labels: &Table<ArrowId, Option<Block>>) -> Vec<Looped> {
        let loops = &self.node.loops;
        let sizes = loops.iter().map(|one| labels[one.arrow].as_ref().map(label_size));
        let sizes: Vec<Option<(f64, f64)>> = sizes.collect();
        // One loop passes by its label; several go out to theirs and back, each on two lanes.
        let lanes = if loops.len() > 1 { 2 } else { 1 };
        let reach = self.reach.1;
        let beside = reach + lane(lanes * loops.len());
        let total: f64 = sizes.iter().flatten().map(|(_, height)| height + LOOP_LABEL_GAP).sum();
        let mut label_y = None;
        let mut ways = Vec::new();
        for (at, (one, size)) in loops.iter().zip(sizes).enumerate() {
            let [out, back] = [lanes * at, lanes * at + lanes - 1].map(|at| reach + lane(at));
            let height = |guest| self.heights[1].get(&guest).copied().unwrap_or_default();
            let (start, end) = (height(Guest::LoopStart(at)), height(Guest::LoopEnd(at)));
            let border =
                |place: usize| self.node.boxes.get(place).map_or(0.0, |one| one.rect.right());
            let label = size.map(|(width, height)| {
                let y = label_y.unwrap_or_else(|| ((start + end - total) / 2.0).max(0.0));
                label_y = Some(y + height + LOOP_LABEL_GAP);
                Rect { x: beside, y, width, height }
            });
            let mut places = vec![Place::new(border(one.from), start), Place::new(out, start)];
            if let Some(label) = label.filter(|_| lanes > 1) {
                let (upper, lower) =
                    (label.y + label.height / 3.0, label.bottom() - label.height / 3.0);
                places.extend([(out, upper), (beside, upper)].map(|(x, y)| Place::new(x, y)));
                places.extend([(beside, lower), (back, lower)].map(|(x, y)| Place::new(x, y)));
            }
            let back = if label.is_some() { back } else { out };
            places.extend([Place::new(back, end), Place::new(border(one.to), end)]);
            ways.push(Looped { arrow: one.arrow, places, label });
        }
        let far = ways.iter().filter_map(|way| Some(way.label?.right())).fold(0.0, f64::max);
        let low = ways.iter().filter_map(|way| Some(way.label?.bottom())).fold(0.0, f64::max);
        if !loops.is_empty() {
            self.reach.1 = far.max(beside);
        }
        self.bottom = self.bottom.max(low);
        ways
    }
}

/// How far the lane with this number is from the frame.
#[expect(clippy::cast_precision_loss, reason = "a node has fewer than 2^52 arrows")]
fn lane(at: usize) -> f64 {
    LANE_MARGIN + LANE_GAP * at as f64
}

/// Spreads what meets a box at one side over the height of the box.
#[expect(clippy::cast_precision_loss, reason = "a node has fewer than 2^52 arrows")]
fn heights(node: &Node, side: &[Meeting], with_loops: bool) -> BTreeMap<Guest, f64> {
    let mut guests: BTreeMap<usize, Vec<Guest>> = BTreeMap::new();
    // In this order no lane is crossed by what goes to a lane further out.
    for (at, meeting) in side.iter().enumerate().filter(|(_, meeting)| !meeting.leaves) {
        guests.entry(meeting.place).or_default().push(Guest::Lane(at));
    }
    for (at, one) in node.loops.iter().enumerate().filter(|_| with_loops) {
        guests.entry(one.from).or_default().push(Guest::LoopStart(at));
        guests.entry(one.to).or_default().push(Guest::LoopEnd(at));
    }
    for (at, meeting) in side.iter().enumerate().rev().filter(|(_, meeting)| meeting.leaves) {
        guests.entry(meeting.place).or_default().push(Guest::Lane(at));
    }
    let mut heights = BTreeMap::new();
    for (place, guests) in guests {
        let Some(one) = node.boxes.get(place) else { continue };
        let gap = one.rect.height / (guests.len() + 1) as f64;
        for (at, guest) in guests.into_iter().enumerate() {
            heights.insert(guest, one.rect.y + gap * (at + 1) as f64);
        }
    }
    heights
}
