//! Carries records together, typed for operators and erased for channels.
//!
//! A batch is owned by one operator at a time. Its fields are private so that a later columnar
//! form can be added without touching an author's code.

use std::any::Any;
use std::fmt;

use crate::data::Data;
use crate::time::EventTime;

use super::partition::{Shuffle, TypedShuffle};

/// Marks a record without an event time; [`EventTime`] never has this value.
const NO_TIME: i64 = i64::MIN;

/// The event time behind an entry.
#[inline]
fn known(time: i64) -> Option<EventTime> {
    (time != NO_TIME).then(|| EventTime::from_millis(time))
}

/// One value with its event time.
#[derive(Clone, Debug, PartialEq)]
pub struct Record<T> {
    /// The value.
    pub value: T,
    /// When it happened, if that is known.
    pub time: Option<EventTime>,
}

/// Records in order.
#[derive(Clone, Debug)]
pub struct Batch<T> {
    values: Vec<T>,
    /// Empty while no record has a time, else one entry per value.
    times: Vec<i64>,
}

impl<T> Default for Batch<T> {
    fn default() -> Self {
        Self { values: Vec::new(), times: Vec::new() }
    }
}

impl<T> Batch<T> {
    /// An empty batch with room for that many records.
    pub fn with_capacity(records: usize) -> Self {
        Self { values: Vec::with_capacity(records), times: Vec::new() }
    }

    /// Number of records.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// True without records.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The values in order.
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// The records in order, each with its event time.
    pub fn iter(&self) -> impl Iterator<Item = (&T, Option<EventTime>)> {
        let times = self.times.iter().map(|time| Some(*time)).chain(std::iter::repeat(None));
        let known = |time: Option<i64>| time.and_then(known);
        self.values.iter().zip(times.map(known))
    }

    /// Bytes that the batch takes by itself, unused room included; what its values own elsewhere
    /// is not counted.
    pub(super) fn own_bytes(&self) -> usize {
        let values = self.values.capacity().saturating_mul(size_of::<T>());
        let times = self.times.capacity().saturating_mul(size_of::<i64>());
        size_of::<Self>().saturating_add(values).saturating_add(times)
    }

    /// Gives unused room back where it is more than half.
    pub(super) fn shrink(&mut self) {
        if self.values.capacity() / 2 > self.values.len() {
            self.values.shrink_to_fit();
        }
        if self.times.capacity() / 2 > self.times.len() {
            self.times.shrink_to_fit();
        }
    }

    /// True if a record has an event time.
    pub fn has_times(&self) -> bool {
        !self.times.is_empty()
    }

    /// Adds a record.
    #[inline]
    pub fn push(&mut self, value: T, time: Option<EventTime>) {
        if time.is_some() || !self.times.is_empty() {
            self.push_time(time);
        }
        self.values.push(value);
    }

    fn push_time(&mut self, time: Option<EventTime>) {
        // Records before the first timed one get the mark.
        self.times.resize(self.values.len(), NO_TIME);
        self.times.push(time.map_or(NO_TIME, EventTime::as_millis));
    }

    /// Takes all records out in order and leaves the batch empty, its memory kept.
    pub fn drain(&mut self) -> Drain<'_, T> {
        Drain { values: self.values.drain(..), times: self.times.drain(..) }
    }

    /// Gives every record the event time that `of` finds in its value.
    pub fn assign_times(&mut self, mut of: impl FnMut(&T) -> Option<EventTime>) {
        self.times.clear();
        let time_of = |value| of(value).map_or(NO_TIME, EventTime::as_millis);
        self.times.extend(self.values.iter().map(time_of));
    }

    /// The event times of the records that have one.
    pub fn known_times(&self) -> impl Iterator<Item = EventTime> {
        self.times.iter().filter_map(|time| known(*time))
    }

    fn take_front(&mut self, records: usize) -> Self {
        let records = records.min(self.values.len());
        let timed = records.min(self.times.len());
        Self {
            values: self.values.drain(..records).collect(),
            times: self.times.drain(..timed).collect(),
        }
    }

    fn clear(&mut self) {
        self.values.clear();
        self.times.clear();
    }
}

/// The records of a batch on their way out.
#[derive(Debug)]
pub struct Drain<'a, T> {
    values: std::vec::Drain<'a, T>,
    times: std::vec::Drain<'a, i64>,
}

impl<T> Iterator for Drain<'_, T> {
    type Item = (T, Option<EventTime>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let value = self.values.next()?;
        let time = self.times.next().and_then(known);
        Some((value, time))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.values.size_hint()
    }
}

impl<T> FromIterator<(T, Option<EventTime>)> for Batch<T> {
    fn from_iter<I: IntoIterator<Item = (T, Option<EventTime>)>>(records: I) -> Self {
        let mut batch = Self::default();
        for (value, time) in records {
            batch.push(value, time);
        }
        batch
    }
}

/// What the engine does with a batch whose type it does not know.
pub trait AnyBatch: Any + Send + Sync {
    /// Number of records, at least one on a channel.
    fn records(&self) -> usize;
    /// Splits off the first records.
    fn take_front(&mut self, records: usize) -> ErasedBatch;
    /// A copy for one more receiver.
    fn copy(&self) -> ErasedBatch;
    /// Buffers that sort records of this type by target.
    fn shuffle(&self, targets: usize, buffer_records: usize) -> Box<dyn Shuffle>;
    /// Drops the records, keeps the memory.
    fn clear(&mut self);
    /// The channel type, for messages.
    fn type_name(&self) -> String;
}

impl<T: Data> AnyBatch for Batch<T> {
    fn records(&self) -> usize {
        self.len()
    }

    fn take_front(&mut self, records: usize) -> ErasedBatch {
        ErasedBatch::new(Batch::take_front(self, records))
    }

    fn copy(&self) -> ErasedBatch {
        ErasedBatch::new(self.clone())
    }

    fn shuffle(&self, targets: usize, buffer_records: usize) -> Box<dyn Shuffle> {
        Box::new(TypedShuffle::<T>::new(targets, buffer_records))
    }

    fn clear(&mut self) {
        Batch::clear(self);
    }

    fn type_name(&self) -> String {
        T::type_name()
    }
}

/// A batch whose type only its operators know.
pub struct ErasedBatch(Box<dyn AnyBatch>);

impl ErasedBatch {
    /// Erases the type.
    pub fn new<T: Data>(batch: Batch<T>) -> Self {
        Self(Box::new(batch))
    }

    /// Number of records.
    pub fn len(&self) -> usize {
        self.0.records()
    }

    /// True without records.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The batch as its own type; itself back if the type is another one.
    pub fn downcast<T: Data>(self) -> Result<Box<Batch<T>>, Self> {
        let any: &dyn Any = self.0.as_ref();
        if !any.is::<Batch<T>>() {
            return Err(self);
        }
        let any: Box<dyn Any> = self.0;
        Ok(any.downcast().expect("the type was checked above"))
    }

    /// The batch as its own type, by reference.
    pub fn downcast_ref<T: Data>(&self) -> Option<&Batch<T>> {
        let any: &dyn Any = self.0.as_ref();
        any.downcast_ref()
    }

    /// What the engine may do with it.
    pub fn as_any_batch(&mut self) -> &mut dyn AnyBatch {
        self.0.as_mut()
    }

    /// A copy for one more receiver.
    #[must_use]
    pub fn copy(&self) -> Self {
        self.0.copy()
    }

    /// The channel type, for messages.
    pub fn type_name(&self) -> String {
        self.0.type_name()
    }
}

impl<T: Data> From<Box<Batch<T>>> for ErasedBatch {
    fn from(batch: Box<Batch<T>>) -> Self {
        Self(batch)
    }
}

impl fmt::Debug for ErasedBatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} × {}", self.len(), self.type_name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_absent_until_the_first_record_that_has_one() {
        let mut batch = Batch::default();
        batch.push("a".to_owned(), None);
        assert!(!batch.has_times());
        batch.push("b".to_owned(), Some(EventTime::from_millis(7)));
        batch.push("c".to_owned(), None);
        let times: Vec<_> = batch.drain().map(|(_, time)| time.map(EventTime::as_millis)).collect();
        assert_eq!(times, [None, Some(7), None]);
    }

    #[test]
    fn a_split_keeps_order_and_times_on_both_sides() {
        let mut batch: Batch<u64> =
            (0..5).map(|n| (n, Some(EventTime::from_millis(n as i64)))).collect();
        let mut front = batch.take_front(2);
        assert_eq!(front.drain().map(|(n, _)| n).collect::<Vec<_>>(), [0, 1]);
        let rest: Vec<_> = batch.drain().collect();
        assert_eq!(rest.first(), Some(&(2, Some(EventTime::from_millis(2)))));
        assert_eq!(rest.len(), 3);
    }
}
