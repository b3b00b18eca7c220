//! Stateful streaming jobs as ordinary Rust.
//!
//! You write operators as structs and a job as one function; clink plans it, runs it in parallel,
//! saves its state while it runs, and goes on from there after a crash.
//!
//! ```
//! use clink::prelude::*;
//!
//! /// Counts the words of each length.
//! #[clink::operator(uid = "count")]
//! #[derive(Default)]
//! struct Count {
//!     #[state]
//!     seen: ValueState<u64>,
//! }
//!
//! impl KeyedOperator for Count {
//!     type Key = u64;
//!     type In = String;
//!     type Out = (u64, u64);
//!
//!     fn process(&mut self, _: String, ctx: &mut KeyedContext<'_, Self>) -> Result<()> {
//!         let seen = self.seen.update(ctx, |n| n + 1)?;
//!         let length = *ctx.key();
//!         ctx.emit((length, seen));
//!         Ok(())
//!     }
//! }
//!
//! #[clink::job(name = "word-lengths", version = "1.0.0")]
//! fn word_lengths(pipeline: &Pipeline) -> Result<()> {
//!     pipeline
//!         .elements(["to", "be", "or", "not"].map(String::from).to_vec())
//!         .key_by(|word| word.len() as u64)
//!         .process(Count::default())
//!         .sink(print());
//!     Ok(())
//! }
//!
//! let job = clink::Job::build("word-lengths", word_lengths)?;
//! job.run(&clink::RunOptions::default())?;
//! # Ok::<(), clink::JobError>(())
//! ```
//!
//! What clink is not: a query language, a message broker, a batch scheduler.
//!
//! Map of the crate: [`Pipeline`] and [`DataStream`] build a job, [`Job`] is one as a value,
//! [`run`] are the ways to run it, [`cli`] is what `cargo run -- …` offers inside a job package.
#![forbid(unsafe_code)]

#[doc(hidden)]
pub mod __private;
pub mod cli;
pub mod job;
pub mod prelude;
pub mod run;
pub mod stream;

pub use clink_macros::{Args, Data, job, operator};
pub use clink_runtime::data::{Data, Timestamp};
pub use clink_runtime::operator::{
    Context, KeyedContext, KeyedOperator, Operator, Produced, Progress, RuntimeContext, Sink,
    Source, SourceContext,
};
pub use clink_runtime::state::{Key, OperatorListState, ValueState};
pub use clink_runtime::time;
pub use clink_runtime::{Error, Result};
pub use job::{Job, JobError};
pub use run::RunOptions;
pub use stream::{DataStream, KeyedDataStream, Pipeline};

/// Sources and sinks over files.
pub mod files {
    pub use clink_runtime::operator::sink::ndjson_sink;
    pub use clink_runtime::operator::source::{csv, ndjson};
}

/// Sinks that need no configuration.
pub mod sinks {
    pub use clink_runtime::operator::sink::{blackhole, print};
}

/// The `main` function of a job package: names the package's library, so that its jobs are linked.
///
/// ```ignore
/// clink::main!(my_job);
/// ```
#[macro_export]
macro_rules! main {
    ($library:ident) => {
        use $library as _;

        fn main() -> ::std::process::ExitCode {
            $crate::cli::main()
        }
    };
}
