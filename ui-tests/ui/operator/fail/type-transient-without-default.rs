// A transient field is rebuilt with `Default`.
use clink::prelude::*;

struct Connection;

#[clink::operator(uid = "count")]
struct Count {
    #[transient]
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
