//! Turns what a join finds into records: a closure of the author's for pairs, the record itself for
//! semi and anti joins.

use crate::data::Data;

use super::kind::JoinKind;

/// What a full outer join has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Joined<'a, L, R> {
    /// A pair that matches.
    Both(&'a L, &'a R),
    /// A left record without a match.
    Left(&'a L),
    /// A right record without a match.
    Right(&'a R),
}

impl<'a, L, R> Joined<'a, L, R> {
    /// The left record, if there is one.
    pub fn left(&self) -> Option<&'a L> {
        match self {
            Self::Both(left, _) | Self::Left(left) => Some(left),
            Self::Right(_) => None,
        }
    }

    /// The right record, if there is one.
    pub fn right(&self) -> Option<&'a R> {
        match self {
            Self::Both(_, right) | Self::Right(right) => Some(right),
            Self::Left(_) => None,
        }
    }
}

/// Makes the output of a join of one kind. [`inner`], [`left_outer`] and the other six functions
/// give one.
pub trait Joiner<L, R>: Send + Sync + 'static {
    /// What it emits.
    type Out: Data;
    /// Which of the eight it is for; it says which of the functions below are called.
    const KIND: JoinKind;

    /// Of a pair that matches.
    fn pair(&self, left: &L, right: &R) -> Option<Self::Out> {
        let _ = (left, right);
        None
    }

    /// Of a left record that leaves by itself.
    fn left(&self, left: L) -> Option<Self::Out> {
        let _ = left;
        None
    }

    /// Of a right record that leaves by itself.
    fn right(&self, right: R) -> Option<Self::Out> {
        let _ = right;
        None
    }
}

macro_rules! with_closure {
    ($name:ident, $make:ident, $doc:literal, $($argument:ty),+) => {
        #[doc = concat!("Is the [`Joiner`] that [`", stringify!($make), "`] gives.")]
        #[derive(Clone, Copy, Debug)]
        pub struct $name<F>(F);

        #[doc = $doc]
        pub fn $make<L, R, Out, F>(join: F) -> $name<F>
        where
            F: Fn($($argument),+) -> Out + Send + Sync + 'static,
        {
            $name(join)
        }
    };
}

with_closure!(Inner, inner, "An inner join: pairs.", &L, &R);
with_closure!(
    LeftOuter,
    left_outer,
    "A left outer join: pairs, and left records without a match.",
    &L,
    Option<&R>
);
with_closure!(
    RightOuter,
    right_outer,
    "A right outer join: pairs, and right records without a match.",
    Option<&L>,
    &R
);
with_closure!(
    FullOuter,
    full_outer,
    "A full outer join: pairs, and the records of either side without a match.",
    Joined<'_, L, R>
);

impl<L, R, Out: Data, F> Joiner<L, R> for Inner<F>
where
    F: Fn(&L, &R) -> Out + Send + Sync + 'static,
{
    type Out = Out;
    const KIND: JoinKind = JoinKind::Inner;

    fn pair(&self, left: &L, right: &R) -> Option<Out> {
        Some((self.0)(left, right))
    }
}

impl<L, R, Out: Data, F> Joiner<L, R> for LeftOuter<F>
where
    F: Fn(&L, Option<&R>) -> Out + Send + Sync + 'static,
{
    type Out = Out;
    const KIND: JoinKind = JoinKind::LeftOuter;

    fn pair(&self, left: &L, right: &R) -> Option<Out> {
        Some((self.0)(left, Some(right)))
    }

    fn left(&self, left: L) -> Option<Out> {
        Some((self.0)(&left, None))
    }
}

impl<L, R, Out: Data, F> Joiner<L, R> for RightOuter<F>
where
    F: Fn(Option<&L>, &R) -> Out + Send + Sync + 'static,
{
    type Out = Out;
    const KIND: JoinKind = JoinKind::RightOuter;

    fn pair(&self, left: &L, right: &R) -> Option<Out> {
        Some((self.0)(Some(left), right))
    }

    fn right(&self, right: R) -> Option<Out> {
        Some((self.0)(None, &right))
    }
}

impl<L, R, Out: Data, F> Joiner<L, R> for FullOuter<F>
where
    F: Fn(Joined<'_, L, R>) -> Out + Send + Sync + 'static,
{
    type Out = Out;
    const KIND: JoinKind = JoinKind::FullOuter;

    fn pair(&self, left: &L, right: &R) -> Option<Out> {
        Some((self.0)(Joined::Both(left, right)))
    }

    fn left(&self, left: L) -> Option<Out> {
        Some((self.0)(Joined::Left(&left)))
    }

    fn right(&self, right: R) -> Option<Out> {
        Some((self.0)(Joined::Right(&right)))
    }
}

macro_rules! of_one_side {
    ($name:ident, $make:ident, $doc:literal, $side:ident, $record:ident) => {
        #[doc = concat!("Is the [`Joiner`] that [`", stringify!($make), "`] gives.")]
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        #[doc = $doc]
        pub fn $make() -> $name {
            $name
        }

        impl<L: Data, R: Data> Joiner<L, R> for $name {
            type Out = $record;
            const KIND: JoinKind = JoinKind::$name;

            fn $side(&self, record: $record) -> Option<$record> {
                Some(record)
            }
        }
    };
}

of_one_side!(LeftSemi, left_semi, "A left semi join: left records with a match.", left, L);
of_one_side!(RightSemi, right_semi, "A right semi join: right records with a match.", right, R);
of_one_side!(LeftAnti, left_anti, "A left anti join: left records without a match.", left, L);
of_one_side!(RightAnti, right_anti, "A right anti join: right records without one.", right, R);

#[cfg(test)]
mod tests {
    use super::*;

    fn kind<J: Joiner<u64, String>>(_: &J) -> JoinKind {
        J::KIND
    }

    #[test]
    fn each_joiner_is_of_its_kind_and_makes_what_that_kind_emits() {
        let (left, right) = (7_u64, "r".to_owned());
        let inner = inner(|l: &u64, r: &String| format!("{l}{r}"));
        assert_eq!(inner.pair(&left, &right).as_deref(), Some("7r"));
        assert_eq!((inner.left(left), inner.right(right.clone())), (None, None));
        let full = full_outer(|found: Joined<'_, u64, String>| {
            format!("{:?} {:?}", found.left(), found.right())
        });
        assert_eq!(full.pair(&left, &right).as_deref(), Some("Some(7) Some(\"r\")"));
        assert_eq!(full.left(left).as_deref(), Some("Some(7) None"));
        assert_eq!(full.right(right.clone()).as_deref(), Some("None Some(\"r\")"));
        let kinds = [
            kind(&inner),
            kind(&left_outer(|l: &u64, _: Option<&String>| *l)),
            kind(&right_outer(|_: Option<&u64>, r: &String| r.clone())),
            kind(&full),
            kind(&left_semi()),
            kind(&right_semi()),
            kind(&left_anti()),
            kind(&right_anti()),
        ];
        assert_eq!(kinds, JoinKind::ALL);
    }
}
