// The width of a `usize` depends on the machine, so it is no key.
use clink::prelude::*;

#[derive(Key, Clone, PartialEq, Eq, Hash)]
struct Slot(u64, usize);

impl Slot {
    fn is_first(&self) -> bool {
        self.1 == 0
    }
}

fn main() {}
