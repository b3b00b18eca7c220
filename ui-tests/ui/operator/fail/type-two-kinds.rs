// An operator implements exactly one contract: two are one error at its name.
use clink::prelude::*;

#[clink::operator(uid = "count")]
struct Count;

impl KeyedOperator for Count {
    type Key = u64;
    type In = u64;
    type Out = u64;

    fn process(&mut self, value: u64, ctx: &mut KeyedContext<'_, Self>) -> Result<()> {
        ctx.emit(value);
        Ok(())
    }
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
