// State is marked as such.
use clink::prelude::*;

#[clink::operator(uid = "count")]
#[derive(Default)]
struct Count {
    seen: ValueState<u64>,
}

impl KeyedOperator for Count {
    type Key = u64;
    type In = u64;
    type Out = u64;

    fn process(&mut self, value: u64, ctx: &mut KeyedContext<'_, Self>) -> Result<()> {
        self.seen.update(ctx, |n| n + value)?;
        Ok(())
    }
}

fn main() {}
