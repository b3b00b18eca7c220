// M0102: a uid has 1 to 128 of A-Z a-z 0-9 . _ - and no dot in front.
use clink::prelude::*;

#[clink::operator(uid = "my count")]
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
