// A sink takes what the stream carries.
use clink::prelude::*;

/// Adds numbers.
#[clink::operator(uid = "add")]
#[derive(Default)]
struct Add {
    #[transient]
    sum: u64,
}

impl Sink for Add {
    type In = u64;

    fn on_data(&mut self, n: u64) -> Result<()> {
        self.sum += n;
        Ok(())
    }
}

fn build(pipeline: &Pipeline) {
    pipeline.elements(vec!["to".to_owned()]).sink(Add::default());
}

fn main() {
    let _ = clink::Job::build("job", |pipeline| Ok(build(pipeline)));
}
