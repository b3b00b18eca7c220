// `crate` says where clink is, when it is not at the root.
use clink::prelude::*;

mod sdk {
    pub use clink as streams;
}

#[derive(Data, Clone)]
#[data(crate = sdk::streams)]
struct Number {
    value: u64,
}

#[derive(Data, Key, Clone, PartialEq, Eq, Hash)]
#[data(crate = sdk::streams)]
enum Class {
    First,
    Second,
}

#[clink::operator(uid = "count", crate = "sdk::streams")]
struct Count;

#[derive(clink::Args)]
#[args(crate = sdk::streams)]
struct Input {
    #[arg(long)]
    limit: Option<u64>,
}

#[clink::job(name = "count", version = "1.0.0", crate = sdk::streams)]
fn count(pipeline: &Pipeline, args: Input) -> Result<()> {
    let _ = (pipeline, args.limit, Number { value: 1 }.value);
    Ok(())
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
