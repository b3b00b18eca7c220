//! Keeps the records of one side of a join: a row of keyed state each, by key and in order of time.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, StructArray};
use arrow_schema::{DataType, Field, Fields};

use crate::data::{ColumnBuilder, Data, DataError, StructView, Timestamp};
use crate::state::{ErasedSlot, SlotRows};
use crate::time::EventTime;

/// The columns of a row.
const TIME: &str = "time";
const MATCHED: &str = "matched";
const VALUE: &str = "value";

/// A record that waits for matches.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Waiting<V> {
    pub(super) value: V,
    /// It has had one.
    pub(super) matched: bool,
}

/// The records of one side that wait, by key index.
#[derive(Debug)]
pub(super) struct JoinBuffer<V> {
    /// Of each key, in order of their event time in milliseconds, and at one time in that of their
    /// arrival.
    keys: Vec<BTreeMap<(i64, u64), Waiting<V>>>,
    /// How many have come.
    count: u64,
}

impl<V> Default for JoinBuffer<V> {
    fn default() -> Self {
        Self { keys: Vec::new(), count: 0 }
    }
}

/// All places at those times.
fn places(times: RangeInclusive<i64>) -> RangeInclusive<(i64, u64)> {
    (*times.start(), u64::MIN)..=(*times.end(), u64::MAX)
}

impl<V> JoinBuffer<V> {
    /// Adds a record.
    pub(super) fn insert(&mut self, key: u32, time: EventTime, waiting: Waiting<V>) {
        let key = key as usize;
        if key >= self.keys.len() {
            self.keys.resize_with(key + 1, BTreeMap::new);
        }
        let of_key = self.keys.get_mut(key).expect("the buffer was grown to hold the key");
        of_key.insert((time.as_millis(), self.count), waiting);
        self.count += 1;
    }

    /// The records of a key at those times.
    pub(super) fn at(
        &mut self,
        key: u32,
        times: RangeInclusive<i64>,
    ) -> impl Iterator<Item = (EventTime, &mut Waiting<V>)> {
        let of_key = self.keys.get_mut(key as usize).into_iter();
        of_key
            .flat_map(move |rows| rows.range_mut(places(times.clone())))
            .map(|((time, _), waiting)| (EventTime::from_millis(*time), waiting))
    }

    /// Takes the records of a key at those times out.
    pub(super) fn take(
        &mut self,
        key: u32,
        times: RangeInclusive<i64>,
    ) -> impl Iterator<Item = (EventTime, Waiting<V>)> {
        let of_key = self.keys.get_mut(key as usize).into_iter();
        of_key
            .flat_map(move |rows| rows.extract_if(places(times.clone()), |_, _| true))
            .map(|((time, _), waiting)| (EventTime::from_millis(time), waiting))
    }

    /// Takes the first record of a key out if its time says so.
    pub(super) fn take_first_if(
        &mut self,
        key: u32,
        is_due: impl FnOnce(EventTime) -> bool,
    ) -> Option<(EventTime, Waiting<V>)> {
        let first = self.keys.get_mut(key as usize)?.first_entry()?;
        let time = EventTime::from_millis(first.key().0);
        is_due(time).then(|| (time, first.remove()))
    }

    /// The key and the time of each record.
    pub(super) fn times(&self) -> impl Iterator<Item = (u32, EventTime)> {
        (0..).zip(&self.keys).flat_map(|(key, rows)| {
            rows.keys().map(move |(time, _)| (key, EventTime::from_millis(*time)))
        })
    }
}

impl<V: Data> JoinBuffer<V> {
    fn columns() -> Fields {
        Fields::from(vec![
            Field::new(TIME, Timestamp::data_type(), false),
            Field::new(MATCHED, DataType::Boolean, false),
            Field::new(VALUE, V::data_type(), V::nullable()),
        ])
    }
}

impl<V: Data> ErasedSlot for JoinBuffer<V> {
    fn value_field(&self) -> Field {
        Field::new("value", DataType::Struct(Self::columns()), false)
    }

    fn rows(&self) -> SlotRows {
        let mut times = <Timestamp as Data>::Builder::default();
        let mut matched = <bool as Data>::Builder::default();
        let mut values = V::Builder::default();
        let mut indices = Vec::new();
        for (key, rows) in (0..).zip(&self.keys) {
            for ((time, _), waiting) in rows {
                indices.push(key);
                times.append(&Timestamp::from_millis(*time));
                matched.append(&waiting.matched);
                values.append(&waiting.value);
            }
        }
        let columns = vec![
            ColumnBuilder::<Timestamp>::finish(&mut times),
            ColumnBuilder::<bool>::finish(&mut matched),
            values.finish(),
        ];
        let rows = StructArray::try_new(Self::columns(), columns, None)
            .expect("each builder got one value per row and makes the type its field says");
        SlotRows { indices, values: Arc::new(rows) }
    }

    fn mark(&self, alive: &mut [bool]) {
        for (alive, rows) in alive.iter_mut().zip(&self.keys) {
            *alive |= !rows.is_empty();
        }
    }

    fn compact(&mut self, moved: &[Option<u32>]) {
        let mut index = 0;
        // Keys that live keep their order, so what stays is in its place.
        self.keys.retain(|_| {
            let stays = moved.get(index).copied().flatten().is_some();
            index += 1;
            stays
        });
        self.keys.shrink_to_fit();
    }

    fn load(&mut self, values: &ArrayRef, indices: &[u32]) -> Result<(), DataError> {
        let Some(rows) = values.as_any().downcast_ref::<StructArray>() else {
            let expected = DataType::Struct(Self::columns());
            return Err(DataError::mismatch(&expected, values.data_type()));
        };
        let times = StructView::field::<Timestamp>(rows, TIME)?;
        let matched = StructView::field::<bool>(rows, MATCHED)?;
        let values = StructView::field::<V>(rows, VALUE)?;
        for (row, key) in indices.iter().enumerate() {
            let time = StructView::get::<Timestamp>(&times, TIME, row)?;
            let matched = StructView::get::<bool>(&matched, MATCHED, row)?;
            let value = StructView::get::<V>(&values, VALUE, row)?;
            self.insert(*key, time.into(), Waiting { value, matched });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: i64) -> EventTime {
        EventTime::from_millis(millis)
    }

    fn waiting(value: &str, matched: bool) -> Waiting<String> {
        Waiting { value: value.to_owned(), matched }
    }

    fn filled() -> JoinBuffer<String> {
        let mut buffer = JoinBuffer::default();
        for (key, time, value) in [(2, 7, "a"), (0, 5, "b"), (2, 3, "c"), (2, 7, "d")] {
            buffer.insert(key, at(time), waiting(value, value == "c"));
        }
        buffer
    }

    fn left(buffer: &JoinBuffer<String>) -> Vec<(u32, EventTime)> {
        buffer.times().collect()
    }

    #[test]
    fn records_of_a_key_stand_in_order_of_time_and_of_arrival() {
        let mut buffer = filled();
        let found: Vec<_> = buffer.at(2, 4..=7).map(|(_, row)| row.value.clone()).collect();
        assert_eq!(found, ["a", "d"]);
        assert_eq!(buffer.at(1, i64::MIN..=i64::MAX).count(), 0);
        assert_eq!(buffer.at(9, i64::MIN..=i64::MAX).count(), 0);
        let taken: Vec<_> = buffer.take(2, 7..=9).map(|(time, row)| (time, row.value)).collect();
        assert_eq!(taken, [(at(7), "a".to_owned()), (at(7), "d".to_owned())]);
        assert_eq!(buffer.take_first_if(2, |time| time < at(3)), None);
        assert_eq!(buffer.take_first_if(2, |_| true), Some((at(3), waiting("c", true))));
        assert_eq!(buffer.take_first_if(2, |_| true), None);
        assert_eq!(left(&buffer), [(0, at(5))]);
    }

    #[test]
    fn several_records_of_a_key_are_several_rows_and_follow_their_key() {
        let mut buffer = filled();
        let mut alive = vec![false; 4];
        buffer.mark(&mut alive);
        assert_eq!(alive, [true, false, true, false]);
        buffer.compact(&[Some(0), None, Some(1), None]);
        let rows = buffer.rows();
        assert_eq!(rows.indices, [0, 1, 1, 1]);
        let mut restored = JoinBuffer::<String>::default();
        restored.load(&rows.values, &rows.indices).unwrap();
        assert_eq!(left(&restored), left(&buffer));
        let rows: Vec<_> = restored.at(1, 0..=9).map(|(_, row)| row.clone()).collect();
        assert_eq!(rows, [waiting("c", true), waiting("a", false), waiting("d", false)]);
    }

    #[test]
    fn rows_of_another_type_are_refused() {
        let rows = filled().rows();
        let error = JoinBuffer::<u64>::default().load(&rows.values, &rows.indices).unwrap_err();
        assert!(error.to_string().starts_with("column `value`: expected UInt64"), "{error}");
        let error = JoinBuffer::<u64>::default().load(&times_only(), &[0]).unwrap_err();
        assert!(matches!(error, DataError::TypeMismatch { .. }), "{error}");
    }

    fn times_only() -> ArrayRef {
        Arc::new(arrow_array::Int64Array::from(vec![1]))
    }
}
