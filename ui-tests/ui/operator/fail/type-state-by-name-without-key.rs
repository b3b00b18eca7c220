// State by name belongs to a key: an operator without one has none to ask.
use clink::prelude::*;

/// Counts words.
#[clink::operator(uid = "count")]
struct Count;

impl Operator for Count {
    type In = String;
    type Out = u64;

    fn process(&mut self, _: String, ctx: &mut Context<'_, u64>) -> Result<()> {
        let seen = ctx.keyed_state::<u64>("seen")?.update(|n| n + 1)?;
        ctx.emit(seen);
        Ok(())
    }
}

fn main() {}
