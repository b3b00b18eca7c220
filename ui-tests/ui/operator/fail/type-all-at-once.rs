// Every mistake of an item is reported in one run.
use clink::prelude::*;

#[clink::operator(name = "a b")]
struct Count {
    #[state(ttl = "x")]
    seen: ValueState<u64>,
    #[side_output]
    late: u64,
}

impl KeyedOperator for Count {
    type Key = u64;
    type In = u64;
    type Out = u64;

    fn process(&mut self, value: u64, ctx: &mut KeyedContext<'_, Self>) -> Result<()> {
        ctx.emit(value);
        Ok(())
    }
}

fn main() {}
