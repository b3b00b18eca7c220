//! Chooses what of a line a terminal has room for (pure).

/// One thing that a line may say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// Of two for which there is no room, the lower one stays.
    pub(super) rank: u8,
    /// What it says.
    pub(super) long: String,
    /// The same in fewer columns; empty if there is no such form.
    pub(super) short: String,
}

/// Stands between two parts.
const COMMA: &str = ", ";

/// The parts that fit, in their order, by rank; then the long form of those that have room for it.
pub(super) fn fit(parts: &[Part], columns: usize) -> String {
    let mut by_rank: Vec<usize> = (0..parts.len()).collect();
    by_rank.sort_by_key(|index| parts.get(*index).map(|part| part.rank));
    let mut chosen: Vec<Option<&str>> = vec![None; parts.len()];
    for long in [false, true] {
        for index in &by_rank {
            let (Some(part), Some(place)) = (parts.get(*index), chosen.get(*index)) else {
                continue;
            };
            let text = if long || part.short.is_empty() { &part.long } else { &part.short };
            if long && place.is_none() {
                continue;
            }
            let mut with = chosen.clone();
            with.iter_mut().skip(*index).take(1).for_each(|place| *place = Some(text));
            if width(&with) <= columns {
                chosen = with;
            }
        }
    }
    chosen.into_iter().flatten().collect::<Vec<_>>().join(COMMA)
}

fn width(chosen: &[Option<&str>]) -> usize {
    let said = chosen.iter().flatten();
    let columns: usize = said.map(|text| text.chars().count() + COMMA.len()).sum();
    columns.saturating_sub(COMMA.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(rank: u8, long: &str, short: &str) -> Part {
        Part { rank, long: long.to_owned(), short: short.to_owned() }
    }

    #[test]
    fn what_matters_more_stays_in_its_place() {
        let parts =
            [part(3, "12 records", ""), part(1, "5 min left", "5 min"), part(2, "at noon", "")];
        for (columns, line) in [
            (80, "12 records, 5 min left, at noon"),
            (31, "12 records, 5 min left, at noon"),
            (30, "12 records, 5 min, at noon"),
            (25, "5 min left, at noon"),
            (19, "5 min left, at noon"),
            (18, "5 min, at noon"),
            (13, "5 min left"),
            (5, "5 min"),
            (4, ""),
            (0, ""),
        ] {
            assert_eq!(fit(&parts, columns), line, "{columns}");
        }
        assert_eq!(fit(&[], 80), "");
    }
}
