//! Reads the table of the order of calls out of the contracts' documentation, and holds calls to
//! it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// Where the table stands.
const PAGE: &str = "../clink-runtime/src/operator/contract/mod.rs";

/// An order of calls.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Order {
    Hook(String),
    Row(Vec<Order>),
    Either(Vec<Order>),
    Maybe(Box<Order>),
    Any(Box<Order>),
}

/// The table: by kind and ending, as `sink, stop`.
static TABLE: LazyLock<BTreeMap<String, Order>> = LazyLock::new(|| {
    let path = format!("{}/{PAGE}", env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(path).unwrap();
    let lines = page.lines().skip_while(|line| *line != "//! ```text").skip(1);
    let lines = lines.take_while(|line| *line != "//! ```");
    let mut rows: Vec<(String, String)> = Vec::new();
    for line in lines.map(|line| line.trim_start_matches("//!")) {
        match line.split_once(':') {
            Some((name, order)) => rows.push((name.trim().to_owned(), order.to_owned())),
            None => rows.last_mut().unwrap().1.push_str(line),
        }
    }
    rows.into_iter().map(|(name, order)| (name, parse(&order))).collect()
});

fn parse(text: &str) -> Order {
    let spaced = ["(", ")", "|", "*", "?"]
        .iter()
        .fold(text.to_owned(), |text, sign| text.replace(sign, &format!(" {sign} ")));
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut words = words.as_slice();
    let order = either(&mut words);
    assert!(words.is_empty(), "not understood from {words:?} on: {text}");
    order
}

fn either(words: &mut &[&str]) -> Order {
    let mut choices = vec![row(words)];
    while let Some(("|", rest)) = words.split_first().map(|(word, rest)| (*word, rest)) {
        *words = rest;
        choices.push(row(words));
    }
    if choices.len() == 1 { choices.remove(0) } else { Order::Either(choices) }
}

fn row(words: &mut &[&str]) -> Order {
    let mut parts = Vec::new();
    while let Some((word, rest)) = words.split_first().filter(|(word, _)| !"|)".contains(**word)) {
        *words = rest;
        match *word {
            "*" => {
                *parts.last_mut().unwrap() = Order::Any(Box::new(parts.last().cloned().unwrap()))
            }
            "?" => {
                *parts.last_mut().unwrap() = Order::Maybe(Box::new(parts.last().cloned().unwrap()));
            }
            "(" => {
                parts.push(either(words));
                *words = words.strip_prefix(&[")"]).expect("a bracket is closed");
            }
            hook => parts.push(Order::Hook(hook.to_owned())),
        }
    }
    Order::Row(parts)
}

impl Order {
    /// Adds to `ends` where this order may be over if it begins at `from`; true if the calls may
    /// break off within it.
    fn follow(&self, calls: &[&str], from: usize, ends: &mut BTreeSet<usize>) -> bool {
        match self {
            Self::Hook(hook) => {
                let call = calls.get(from);
                ends.extend(call.filter(|call| *call == hook).map(|_| from + 1));
                call.is_none()
            }
            Self::Row(parts) => {
                let (mut at, mut breaks_off) = (BTreeSet::from([from]), false);
                for part in parts {
                    let mut next = BTreeSet::new();
                    for from in at {
                        breaks_off |= part.follow(calls, from, &mut next);
                    }
                    at = next;
                }
                ends.extend(at);
                breaks_off
            }
            Self::Either(choices) => {
                let followed = choices.iter().map(|choice| choice.follow(calls, from, ends));
                // Each of them, whatever the others came to.
                followed.filter(|breaks_off| *breaks_off).count() > 0
            }
            Self::Maybe(part) => {
                ends.insert(from);
                part.follow(calls, from, ends)
            }
            Self::Any(part) => {
                let (mut seen, mut new, mut breaks_off) = (BTreeSet::new(), vec![from], false);
                while let Some(from) = new.pop() {
                    if seen.insert(from) {
                        let mut next = BTreeSet::new();
                        breaks_off |= part.follow(calls, from, &mut next);
                        new.extend(next);
                    }
                }
                ends.extend(seen);
                breaks_off
            }
        }
    }
}

/// The row of the table for a kind and an ending.
#[track_caller]
fn order_of(kind: &str, ending: &str) -> &'static Order {
    let found = TABLE.get(&format!("{kind}, {ending}"));
    found.unwrap_or_else(|| panic!("{PAGE} has no row for `{kind}, {ending}`"))
}

/// The names of the table: a record is one, from whatever input.
fn in_words_of_the_table<'a>(calls: &[&'a str]) -> Vec<&'a str> {
    let word = |call: &&'a str| match *call {
        "process_element1" | "process_element2" => "process",
        other => other,
    };
    calls.iter().map(word).collect()
}

/// True if the calls are all that the table has for this ending.
pub(crate) fn is_whole(kind: &str, ending: &str, calls: &[&str]) -> bool {
    let calls = in_words_of_the_table(calls);
    let mut ends = BTreeSet::new();
    order_of(kind, ending).follow(&calls, 0, &mut ends);
    ends.contains(&calls.len())
}

/// True if the calls break the table's off somewhere and then close, or never began.
pub(crate) fn breaks_off(kind: &str, calls: &[&str]) -> bool {
    let calls = in_words_of_the_table(calls);
    let Some((close, before)) = calls.split_last() else { return true };
    let begins = |ending| {
        let mut ends = BTreeSet::new();
        let off = order_of(kind, ending).follow(before, 0, &mut ends);
        off || ends.contains(&before.len())
    };
    let opened = before.first() == Some(&"open") && *close == "close" && !before.contains(close);
    opened && (begins("end") || begins("stop"))
}

#[test]
fn the_table_is_read_as_it_is_written() {
    assert_eq!(TABLE.len(), 6, "{:?}", TABLE.keys());
    let operator = |calls: &str| is_whole("operator", "end", &words(calls));
    assert!(operator("open flush close"));
    assert!(operator("open process process_element2 on_watermark process flush on_barrier close"));
    assert!(operator("open on_event_time_timer on_watermark on_processing_time_timer flush close"));
    assert!(!operator("open process on_event_time_timer process flush close"));
    assert!(!operator("open process close"));
    assert!(!operator("open process flush"));
    let broken = |calls: &str| breaks_off("sink", &words(calls));
    assert!(broken("") && broken("open close") && broken("open on_data flush close"));
    assert!(!broken("close") && !broken("open on_data") && !broken("open close close"));
    assert!(!broken("open finish close"));
}

fn words(calls: &str) -> Vec<&str> {
    calls.split_whitespace().collect()
}
