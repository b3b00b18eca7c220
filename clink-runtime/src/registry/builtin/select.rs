//! Are the built-in selectors, which split a stream of numbers or text.

use super::super::{ByIndex, Registry};

/// Takes them in.
pub(super) fn register(registry: &mut Registry) {
    for (name, modulus) in [("int64_even_odd", 2), ("int64_mod_2", 2), ("int64_mod_3", 3)] {
        let branches = match modulus {
            2 => vec!["even".to_owned(), "odd".to_owned()],
            _ => Vec::new(),
        };
        // Of the other sign as well: `-1` is odd.
        let branch = move |n: &i64| u32::try_from(n.rem_euclid(modulus)).unwrap_or_default();
        registry.add_selector::<i64>(name.to_owned(), ByIndex::factory(name, branches, branch));
    }
    let name = "string_first_char_parity";
    // The first byte; an empty text is even.
    let parity = |text: &String| u32::from(text.bytes().next().unwrap_or_default() % 2);
    let branches = vec!["even".to_owned(), "odd".to_owned()];
    registry.add_selector::<String>(name.to_owned(), ByIndex::factory(name, branches, parity));
}
