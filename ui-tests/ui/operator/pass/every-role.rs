// A keyed operator with parameters, state and a transient field.
use clink::prelude::*;

#[clink::operator(uid = "count")]
#[derive(Default)]
struct Count {
    limit: Option<u64>,
    name: String,
    #[state]
    seen: ValueState<u64>,
    #[transient]
    scratch: std::collections::HashMap<u64, String>,
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
