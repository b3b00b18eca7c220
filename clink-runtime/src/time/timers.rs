//! Keeps the timers of one operator instance: rows of keyed state that fire in order of time.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Int64Array};
use arrow_schema::{DataType, Field};

use crate::data::DataError;
use crate::state::slot::{ErasedOperatorSlot, ErasedSlot, SlotRows, StateError, StateVisitor};
use crate::state::{Redistribution, Split};

use super::EventTime;

/// The slot of event-time timers.
pub const EVENT_TIME_SLOT: &str = "__clink_event_time_timers";
/// The slot of processing-time timers.
pub const PROCESSING_TIME_SLOT: &str = "__clink_processing_time_timers";

/// True for the slots of timers, which every operator between a source and a sink has.
pub fn is_slot(name: &str) -> bool {
    [EVENT_TIME_SLOT, PROCESSING_TIME_SLOT].contains(&name)
}

/// The key index of timers in an operator without keys.
pub const NO_KEY: u32 = 0;

/// Timers of one time domain: a time in milliseconds and the index of the key that is current when
/// it fires. Registering one twice makes one timer.
#[derive(Debug, Default)]
pub struct TimerQueue {
    timers: BTreeSet<(i64, u32)>,
}

impl TimerQueue {
    /// Adds a timer; false if there is the same one.
    pub fn register(&mut self, at_ms: i64, key: u32) -> bool {
        self.timers.insert((at_ms, key))
    }

    /// Removes a timer; false if there is none.
    pub fn delete(&mut self, at_ms: i64, key: u32) -> bool {
        self.timers.remove(&(at_ms, key))
    }

    /// Takes out the first timer that is not after `now_ms`.
    pub fn take_due(&mut self, now_ms: i64) -> Option<(i64, u32)> {
        let first = self.timers.first().copied().filter(|(at_ms, _)| *at_ms <= now_ms)?;
        self.timers.pop_first();
        Some(first)
    }

    /// All timers in the order in which they would fire.
    pub fn pending(&self) -> Vec<(i64, u32)> {
        self.timers.iter().copied().collect()
    }

    /// The time of the first one, in milliseconds.
    pub fn next_ms(&self) -> Option<i64> {
        self.timers.first().map(|(at_ms, _)| *at_ms)
    }

    /// True without timers.
    pub fn is_empty(&self) -> bool {
        self.timers.is_empty()
    }
}

/// All timers of one operator instance.
#[derive(Debug, Default)]
pub struct Timers {
    /// Those that fire when the watermark reaches them.
    pub event_time: TimerQueue,
    /// Those that fire when the clock reaches them.
    pub processing_time: TimerQueue,
    watermark: Option<EventTime>,
}

impl Timers {
    /// The last watermark, if there was one.
    pub fn watermark(&self) -> Option<EventTime> {
        self.watermark
    }

    /// The watermark has come to this time.
    pub fn advance(&mut self, watermark: EventTime) {
        self.watermark = self.watermark.max(Some(watermark));
    }

    /// Shows the timers of a keyed operator as slots of keyed state.
    ///
    /// # Errors
    /// What the visitor returned.
    pub fn visit_keyed(&mut self, visitor: &mut dyn StateVisitor) -> Result<(), StateError> {
        visitor.slot(EVENT_TIME_SLOT, &mut self.event_time)?;
        visitor.slot(PROCESSING_TIME_SLOT, &mut self.processing_time)
    }

    /// Shows the timers of an operator without keys as slots of operator state.
    ///
    /// # Errors
    /// What the visitor returned.
    pub fn visit_unkeyed(&mut self, visitor: &mut dyn StateVisitor) -> Result<(), StateError> {
        visitor.operator_slot(EVENT_TIME_SLOT, &mut self.event_time)?;
        visitor.operator_slot(PROCESSING_TIME_SLOT, &mut self.processing_time)
    }

    /// True without timers: nothing of them needs to be saved.
    pub fn is_empty(&self) -> bool {
        self.event_time.is_empty() && self.processing_time.is_empty()
    }
}

fn field() -> Field {
    Field::new("value", DataType::Int64, false)
}

/// The times of a restored column.
fn times(rows: &ArrayRef) -> Result<&Int64Array, DataError> {
    rows.as_any()
        .downcast_ref::<Int64Array>()
        .ok_or_else(|| DataError::mismatch(&DataType::Int64, rows.data_type()))
}

impl ErasedSlot for TimerQueue {
    fn value_field(&self) -> Field {
        field()
    }

    fn rows(&self) -> SlotRows {
        let mut rows: Vec<(u32, i64)> = self.timers.iter().map(|(at, key)| (*key, *at)).collect();
        rows.sort_unstable();
        SlotRows {
            indices: rows.iter().map(|(key, _)| *key).collect(),
            values: Arc::new(Int64Array::from_iter_values(rows.iter().map(|(_, at)| *at))),
        }
    }

    fn mark(&self, alive: &mut [bool]) {
        for (_, key) in &self.timers {
            if let Some(alive) = alive.get_mut(*key as usize) {
                *alive = true;
            }
        }
    }

    fn compact(&mut self, moved: &[Option<u32>]) {
        let timers = std::mem::take(&mut self.timers);
        self.timers = timers
            .into_iter()
            .filter_map(|(at, key)| Some((at, moved.get(key as usize).copied().flatten()?)))
            .collect();
    }

    fn load(&mut self, values: &ArrayRef, indices: &[u32]) -> Result<(), DataError> {
        let times = times(values)?.values().iter().copied();
        self.timers.extend(times.zip(indices.iter().copied()));
        Ok(())
    }
}

impl ErasedOperatorSlot for TimerQueue {
    fn value_field(&self) -> Field {
        field()
    }

    fn rows(&self) -> ArrayRef {
        Arc::new(Int64Array::from_iter_values(self.timers.iter().map(|(at, _)| *at)))
    }

    fn load(
        &mut self,
        parts: &[ArrayRef],
        subtask_index: u32,
        parallelism: u32,
    ) -> Result<(), DataError> {
        let same = parts.len() == parallelism as usize;
        let mut position = 0;
        for (part_index, part) in (0u32..).zip(parts) {
            for at in times(part)?.values() {
                let owner =
                    if same { Some(part_index) } else { Split::owner(position, parallelism) };
                if owner == Some(subtask_index) {
                    self.timers.insert((*at, NO_KEY));
                }
                position += 1;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timers_fire_in_order_of_time_once_each_and_not_before() {
        let mut queue = TimerQueue::default();
        assert!(queue.register(20, 1));
        assert!(queue.register(10, 7));
        assert!(!queue.register(20, 1), "the same timer");
        assert!(queue.register(20, 0));
        assert_eq!(queue.take_due(9), None);
        assert_eq!(queue.take_due(10), Some((10, 7)));
        assert_eq!(queue.take_due(19), None);
        assert!(queue.delete(20, 1));
        assert!(!queue.delete(20, 1));
        assert_eq!(queue.take_due(i64::MAX), Some((20, 0)));
        assert_eq!(queue.next_ms(), None);
    }

    #[test]
    fn timers_are_rows_and_follow_their_keys() {
        let mut queue = TimerQueue::default();
        for (at, key) in [(5, 2), (7, 0), (5, 0)] {
            queue.register(at, key);
        }
        let mut alive = vec![false; 3];
        queue.mark(&mut alive);
        assert_eq!(alive, [true, false, true]);
        queue.compact(&[Some(0), None, Some(1)]);
        let rows = ErasedSlot::rows(&queue);
        assert_eq!(rows.indices, [0, 0, 1]);
        let mut restored = TimerQueue::default();
        ErasedSlot::load(&mut restored, &rows.values, &rows.indices).unwrap();
        assert_eq!(restored.pending(), queue.pending());
    }
}
