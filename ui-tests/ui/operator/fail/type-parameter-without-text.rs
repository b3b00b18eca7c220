// A parameter can travel as text.
use clink::prelude::*;

struct Connection;

#[clink::operator(uid = "count")]
struct Count {
    connection: Connection,
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
