//! The names a job file needs: `use clink::prelude::*;`.

pub use crate::files;
pub use crate::sinks::{blackhole, print};
pub use crate::stream::{DataStream, KeyedDataStream, Pipeline};
pub use clink_macros::{Data, Key};
pub use clink_runtime::channel::Barrier;
pub use clink_runtime::data::{Data, Timestamp};
pub use clink_runtime::operator::async_map::AsyncOptions;
pub use clink_runtime::operator::exchange::ExchangeOptions;
pub use clink_runtime::operator::iterate::IterationConfig;
pub use clink_runtime::operator::join::{Joined, LatePolicy};
pub use clink_runtime::operator::{
    CoOperator, Context, KeyedCoContext, KeyedCoOperator, KeyedContext, KeyedOperator, Operator,
    OutputTag, Produced, Progress, RuntimeContext, Sink, Source, SourceContext,
};
pub use clink_runtime::state::{Key, OperatorListState, ValueState};
pub use clink_runtime::time::{
    EventTime, Offset, Watermark, after, before, bounded, days, hours, millis, minutes, monotonic,
    seconds,
};
pub use clink_runtime::{Error, Result};
