// A keyed operator stands after `key_by`.
use clink::prelude::*;

/// Counts words.
#[clink::operator(uid = "count")]
#[derive(Default)]
struct Count {
    #[state]
    seen: ValueState<u64>,
}

impl KeyedOperator for Count {
    type Key = u64;
    type In = String;
    type Out = u64;

    fn process(&mut self, _: String, ctx: &mut KeyedContext<'_, Self>) -> Result<()> {
        let seen = self.seen.update(ctx, |n| n + 1)?;
        ctx.emit(seen);
        Ok(())
    }
}

fn build(pipeline: &Pipeline) {
    let words = pipeline.elements(vec!["to".to_owned()]);
    words.process(Count::default()).sink(print());
}

fn main() {
    let _ = clink::Job::build("job", |pipeline| Ok(build(pipeline)));
}
