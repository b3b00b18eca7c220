// M0003: the value of an option is a string literal.
use clink::prelude::*;

#[clink::operator(uid = "count", name = 7)]
#[derive(Default)]
struct Count {
    limit: u64,
    #[state]
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
