// Types are inferred through operators, sinks and closures.
use clink::prelude::*;

/// Passes records on.
#[clink::operator(uid = "pass")]
struct Pass<T: Data> {
    #[transient]
    last: Option<T>,
}

impl<T: Data> Operator for Pass<T> {
    type In = T;
    type Out = T;

    fn process(&mut self, value: T, ctx: &mut Context<'_, T>) -> Result<()> {
        self.last = Some(value.clone());
        ctx.emit(value);
        Ok(())
    }
}

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
    words.clone().key_by(|_| 0).process(Count::default()).sink(print());
    words.clone().key_by(|word| word.len() as u64).process(Count::default()).sink(blackhole());
    words.clone().key_by_ref(|word| word.as_str()).reduce(|a, b| a + &b).sink(print());
    let passed = words.clone().process(Pass { last: None }).filter(|word| word.len() > 3);
    passed.sink(files::csv_sink("words.csv"));
    words.clone().flat_map(|word| word.chars().map(|c| (c.to_string(), 1)).collect::<Vec<_>>())
        .key_by(|(c, _)| c.clone())
        .reduce(|(c, a), (_, b)| (c, a + b))
        .sink(print());
    words.map(|word| word.parse().unwrap()).process(Pass::<u64> { last: None }).sink(print());
}

fn main() {
    let _ = clink::Job::build("job", |pipeline| Ok(build(pipeline)));
}
