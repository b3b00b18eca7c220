//! Finds the valid name that a mistyped one probably meant.

/// The shortest part of a name that is taken for the whole of it.
const PART_CHARS_MIN: usize = 4;

/// The candidate closest to `name`, if it is close enough to be what was meant.
///
/// Close enough is one edit in three characters, none in a shorter name, and ties go to the earlier
/// candidate. Failing
/// that, a candidate that holds the whole name, as `delays::MeanDelay` holds `MeanDelay`. Case
/// never separates two names.
pub(crate) fn nearest<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let wanted = folded(name);
    let mut best: Option<(usize, &str)> = None;
    let mut holder = None;
    for candidate in candidates {
        let other = folded(candidate);
        if holder.is_none() && holds(&other, &wanted) {
            holder = Some(candidate);
        }
        let limit = wanted.len().max(other.len()) / 3;
        if wanted.len().abs_diff(other.len()) > limit {
            continue;
        }
        let distance = edit_distance(&wanted, &other);
        if distance <= limit && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate).or(holder)
}

/// A help line for [`nearest`], if there is one.
pub(crate) fn did_you_mean<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    nearest(name, candidates).map(|found| format!("did you mean `{found}`?"))
}

fn folded(name: &str) -> Vec<char> {
    name.chars().flat_map(char::to_lowercase).collect()
}

fn holds(whole: &[char], part: &[char]) -> bool {
    part.len() >= PART_CHARS_MIN && whole.windows(part.len()).any(|window| window == part)
}

/// How many characters must be inserted, removed or replaced to make `to` of `from`.
fn edit_distance(from: &[char], to: &[char]) -> usize {
    // One row of the usual table, overwritten from left to right.
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (done, wanted) in from.iter().enumerate() {
        let mut diagonal = done;
        let mut left = done + 1;
        if let Some(first) = row.first_mut() {
            *first = left;
        }
        for (cell, found) in row.iter_mut().skip(1).zip(to) {
            let replaced = diagonal + usize::from(wanted != found);
            diagonal = *cell;
            left = replaced.min(diagonal + 1).min(left + 1);
            *cell = left;
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, candidates: &[&str], expect: Option<&str>) {
        assert_eq!(nearest(name, candidates.iter().copied()), expect, "{name}");
    }

    #[test]
    fn finds_what_was_probably_meant() {
        check("paralelism", &["params", "parallelism"], Some("parallelism"));
        check("Inputs", &["inputs"], Some("inputs"));
        check("identity_int", &["identity_int64", "identity_string"], Some("identity_int64"));
        check("b", &["a", "c"], None);
        check("b", &["a", "B"], Some("B"));
        check("MeanDelay", &["count", "delays::MeanDelay"], Some("delays::MeanDelay"));
        check("count", &["flights", "print"], None);
        check("ind", &["flights::index_and_find"], None);
        check("", &[], None);
    }

    #[test]
    fn distances_count_single_edits() {
        let check = |from: &str, to: &str, expect| {
            assert_eq!(edit_distance(&folded(from), &folded(to)), expect, "{from} {to}");
        };
        check("kitten", "sitting", 3);
        check("", "abc", 3);
        check("abc", "", 3);
        check("abc", "ABC", 0);
    }
}
