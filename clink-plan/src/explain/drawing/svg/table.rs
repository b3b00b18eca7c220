//! Is a list whose rows are read by one kind of number only.

use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// The number of a row.
pub(super) trait Key: Copy {
    /// The key of the row at this place.
    fn new(at: usize) -> Self;

    /// The place of its row.
    fn at(self) -> usize;
}

/// A composite node: a frame with its boxes, or a box without a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct NodeId(usize);

impl Key for NodeId {
    fn new(at: usize) -> NodeId {
        NodeId(at)
    }

    fn at(self) -> usize {
        self.0
    }
}

/// A point of the mesh: a node, a label, or a place where a long arrow passes a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PointId(usize);

impl Key for PointId {
    fn new(at: usize) -> PointId {
        PointId(at)
    }

    fn at(self) -> usize {
        self.0
    }
}

/// An arrow of the drawing, by its place there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ArrowId(usize);

impl Key for ArrowId {
    fn new(at: usize) -> ArrowId {
        ArrowId(at)
    }

    fn at(self) -> usize {
        self.0
    }
}

/// One row for each key that was given out.
#[derive(Clone, Debug)]
pub(super) struct Table<K, T> {
    rows: Vec<T>,
    key: PhantomData<K>,
}

impl<K: Key, T> Table<K, T> {
    /// The same row `count` times.
    pub(super) fn filled(count: usize, row: T) -> Table<K, T>
    where
        T: Clone,
    {
        vec![row; count].into_iter().collect()
    }

    /// Adds a row and gives out its key.
    pub(super) fn push(&mut self, row: T) -> K {
        self.rows.push(row);
        K::new(self.rows.len() - 1)
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = K> + use<K, T> {
        (0..self.rows.len()).map(K::new)
    }

    pub(super) fn values(&self) -> impl Iterator<Item = &T> {
        self.rows.iter()
    }

    pub(super) fn into_values(self) -> impl Iterator<Item = T> {
        self.rows.into_iter()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (K, &T)> {
        self.rows.iter().enumerate().map(|(at, row)| (K::new(at), row))
    }
}

impl<K: Key, T> FromIterator<T> for Table<K, T> {
    fn from_iter<I: IntoIterator<Item = T>>(rows: I) -> Table<K, T> {
        Table { rows: rows.into_iter().collect(), key: PhantomData }
    }
}

impl<K: Key, T> Index<K> for Table<K, T> {
    type Output = T;

    fn index(&self, key: K) -> &T {
        self.rows.get(key.at()).expect("a key is used with tables of the drawing that gave it out")
    }
}

impl<K: Key, T> IndexMut<K> for Table<K, T> {
    fn index_mut(&mut self, key: K) -> &mut T {
        let row = self.rows.get_mut(key.at());
        row.expect("a key is used with tables of the drawing that gave it out")
    }
}
