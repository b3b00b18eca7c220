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
//! [`testing`] runs operators by hand and jobs under seeds, for an author's own tests.
//! [`prelude`] has the names a job file needs, [`files`] and [`sinks`] the connectors, [`state`],
//! [`time`] and [`plan`] the names behind the rest.
//!
//! One feature, off by default: `metrics-http` lets a running job be asked for its metrics over
//! HTTP, from this machine ([`RunOptions::metrics_addr`], `--metrics-addr`).
#![forbid(unsafe_code)]

#[doc(hidden)]
pub mod __private;
pub mod cli;
pub mod job;
pub mod prelude;
pub mod run;
pub mod stream;
pub mod testing;

pub use clink_macros::{Args, Data, Key, job, operator};
pub use clink_runtime::channel::Barrier;
pub use clink_runtime::data::{Data, Timestamp};
pub use clink_runtime::error::{Domain, Retry};
pub use clink_runtime::operator::async_map::AsyncOptions;
pub use clink_runtime::operator::exchange::ExchangeOptions;
pub use clink_runtime::operator::iterate::IterationConfig;
pub use clink_runtime::operator::{
    CoOperator, Context, KeyContext, KeyedCoContext, KeyedCoOperator, KeyedContext, KeyedOperator,
    Operator, OutputTag, Produced, Progress, RuntimeContext, Sink, Source, SourceContext,
    TimerService,
};
pub use clink_runtime::state::{Key, OperatorListState, ValueState};
pub use clink_runtime::{Error, Result, RuntimeError};
pub use job::{Job, JobError};
pub use run::RunOptions;
pub use stream::{DataStream, KeyedDataStream, Pipeline};

/// Sources and sinks over files.
pub mod files {
    pub use clink_runtime::operator::sink::{
        Compression, CsvSink, FileSink, NdjsonSink, PartsSink, Rotation, TextSink, csv_sink,
        ndjson_sink, text_sink,
    };
    #[cfg(feature = "parquet")]
    pub use clink_runtime::operator::sink::{ParquetSink, parquet_sink};
    pub use clink_runtime::operator::source::{
        CsvSource, NdjsonSource, RecordError, TextSource, csv, ndjson, text,
    };
    #[cfg(feature = "parquet")]
    pub use clink_runtime::operator::source::{ParquetSource, parquet};
}

/// Sinks that need no configuration, and what [`DataStream::collect`] gives.
pub mod sinks {
    pub use clink_runtime::operator::sink::{Blackhole, Collected, Print, blackhole, print};
}

/// Builds a job stage by stage, with a handle for each: what the fluent streams end in.
pub mod dag {
    pub use clink_runtime::dag::{
        Broadcast, Dag, Extractor, ParallelStageHandle, StageHandle, key,
    };
}

/// What a join of two streams is made of, for [`dag`]; the fluent streams bring theirs
/// along.
pub mod join {
    pub use clink_runtime::operator::join::{
        Interval, Join, JoinKind, Joined, Joiner, LatePolicy, full_outer, inner, left_anti,
        left_outer, left_semi, right_anti, right_outer, right_semi,
    };
}

/// What operators remember: the types for `#[state]` fields, and what goes with them.
///
/// ```
/// use clink::prelude::*;
/// use clink::state::Union;
///
/// /// Passes words on until it has seen a limit of them; each instance learns of all the others'.
/// #[clink::operator(uid = "limit")]
/// #[derive(Default)]
/// struct Limit {
///     #[state]
///     seen: OperatorListState<u64, Union>,
/// }
///
/// impl Operator for Limit {
///     type In = String;
///     type Out = String;
///
///     fn process(&mut self, word: String, ctx: &mut Context<'_, String>) -> Result<()> {
///         if self.seen.rows().len() < 100 {
///             self.seen.push(word.len() as u64);
///             ctx.emit(word);
///         }
///         Ok(())
///     }
/// }
/// ```
///
/// What a keyed operator asks for by name ([`KeyContext::keyed_state`]) needs no field. Names that
/// it says beforehand are looked at while the job compiles:
///
/// ```compile_fail,E0080
/// use clink::prelude::*;
///
/// #[clink::operator(uid = "count")]
/// struct Count;
///
/// impl KeyedOperator for Count {
///     type Key = u64;
///     type In = u64;
///     type Out = u64;
///
///     const STATE_BY_NAME: &'static [&'static str] = &["seen|twice"];
///
///     fn process(&mut self, _: u64, ctx: &mut KeyedContext<'_, Self>) -> Result<()> {
///         let seen = ctx.keyed_state::<u64>("seen|twice")?.update(|n| n + 1)?;
///         ctx.emit(seen);
///         Ok(())
///     }
/// }
///
/// let job = clink::Job::build("count", |pipeline| {
///     pipeline.generate(5, |n| n).key_by(|n| *n).process(Count).sink(blackhole());
///     Ok(())
/// });
/// ```
pub mod state {
    pub use clink_runtime::state::{
        CurrentKey, Key, KeyedState, OperatorListState, Redistribution, Split, StateError, Union,
        ValueState,
    };
}

/// Numbers that operators keep themselves: [`RuntimeContext::counter`] and its neighbours give
/// them.
pub mod metrics {
    pub use clink_runtime::metrics::{Accumulated, Accumulator, Counter, Gauge, MetricError};
}

/// Event time, spans of it, and how far a stream has come in it.
pub mod time {
    pub use clink_runtime::time::{
        EventTime, IntoEventTime, Offset, Watermark, WatermarkStrategy, after, before, bounded,
        days, hours, millis, minutes, monotonic, seconds,
    };
}

/// The forms of a job before it runs, and what is said of them.
pub mod plan {
    pub use clink_plan::descriptor::SourceLocation;
    pub use clink_plan::graph::{GraphJsonError, JobGraphSpec, OperatorSpec, SideOutputSpec};
    pub use clink_plan::id::{CheckpointId, OperatorId};
    pub use clink_plan::key_group::KeyGroupRange;
    pub use clink_plan::planner::{
        ChainOp, Decision, JobPlan, OperatorChainSpec, OutputRouting, PlannedTask, RoutingMode,
        SubtaskEdge, SubtaskOutputGroup,
    };
    pub use clink_plan::validate::{Diagnostic, Severity};
}

/// The `main` function of a job package: names the package's library, so that its jobs are linked.
///
/// ```
/// # use clink as my_job;
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
