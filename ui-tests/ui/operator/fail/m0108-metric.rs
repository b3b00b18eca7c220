// M0108: side outputs and metrics are not available yet.
use clink::prelude::*;

#[clink::operator(uid = "count")]
struct Count {
    #[metric]
    dropped: u64,
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
