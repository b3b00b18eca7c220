//! Names the eight joins, and says what each makes of a match and of a record without one (pure).

/// What a join emits.
///
/// | kind | of a pair that matches | of a left record | of a right record |
/// |---|---|---|---|
/// | `Inner` | the pair | – | – |
/// | `LeftOuter` | the pair | without a match: alone | – |
/// | `RightOuter` | the pair | – | without a match: alone |
/// | `FullOuter` | the pair | without a match: alone | without a match: alone |
/// | `LeftSemi` | – | at its first match: once | – |
/// | `RightSemi` | – | – | at its first match: once |
/// | `LeftAnti` | – | without a match: once | – |
/// | `RightAnti` | – | – | without a match: once |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinKind {
    /// Pairs.
    Inner,
    /// Pairs, and left records without a match.
    LeftOuter,
    /// Pairs, and right records without a match.
    RightOuter,
    /// Pairs, and the records of either side without a match.
    FullOuter,
    /// Left records with a match.
    LeftSemi,
    /// Right records with a match.
    RightSemi,
    /// Left records without a match.
    LeftAnti,
    /// Right records without a match.
    RightAnti,
}

/// When a record of one side leaves a join by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::operator) enum Alone {
    Never,
    /// At its first match.
    Matched,
    /// Once it can have no match any more.
    Unmatched,
}

impl JoinKind {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Inner,
        Self::LeftOuter,
        Self::RightOuter,
        Self::FullOuter,
        Self::LeftSemi,
        Self::RightSemi,
        Self::LeftAnti,
        Self::RightAnti,
    ];

    /// Its name in a job graph.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Inner => "inner",
            Self::LeftOuter => "left_outer",
            Self::RightOuter => "right_outer",
            Self::FullOuter => "full_outer",
            Self::LeftSemi => "left_semi",
            Self::RightSemi => "right_semi",
            Self::LeftAnti => "left_anti",
            Self::RightAnti => "right_anti",
        }
    }

    /// True if pairs are emitted.
    pub(in crate::operator) const fn pairs(self) -> bool {
        matches!(self, Self::Inner | Self::LeftOuter | Self::RightOuter | Self::FullOuter)
    }

    /// When a left record leaves by itself.
    pub(in crate::operator) const fn left(self) -> Alone {
        match self {
            Self::LeftSemi => Alone::Matched,
            Self::LeftOuter | Self::FullOuter | Self::LeftAnti => Alone::Unmatched,
            Self::Inner | Self::RightOuter | Self::RightSemi | Self::RightAnti => Alone::Never,
        }
    }

    /// When a right record leaves by itself.
    pub(in crate::operator) const fn right(self) -> Alone {
        match self {
            Self::RightSemi => Alone::Matched,
            Self::RightOuter | Self::FullOuter | Self::RightAnti => Alone::Unmatched,
            Self::Inner | Self::LeftOuter | Self::LeftSemi | Self::LeftAnti => Alone::Never,
        }
    }
}

/// What becomes of a record that comes late: after a watermark that is past its event time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LatePolicy {
    /// It is taken like any other: it finds what is still there.
    #[default]
    Allow,
    /// It is dropped, and counted in `clink_late_records_total`.
    Drop,
}

impl LatePolicy {
    /// Its name in a job graph.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Drop => "drop",
        }
    }
}
