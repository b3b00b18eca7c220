// State needs a key: a kind without one has no `#[state]`.
use clink::prelude::*;

#[clink::operator(uid = "count")]
struct Count {
    #[state]
    seen: ValueState<u64>,
}

impl Operator for Count {
    type In = u64;
    type Out = u64;

    fn process(&mut self, value: u64, ctx: &mut Context<'_, u64>) -> Result<()> {
        ctx.emit(value);
        Ok(())
    }
}

fn main() {}
