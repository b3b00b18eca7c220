// M0103: an operator is a struct with named fields or none.
use clink::prelude::*;

#[clink::operator(uid = "count")]
enum Count {
    Up,
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
