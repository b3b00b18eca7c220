// M0106: a time to live is a number and a unit.
use clink::prelude::*;

#[clink::operator(uid = "count")]
struct Count {
    #[state(ttl = "thirty days")]
    seen: ValueState<u64>,
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
