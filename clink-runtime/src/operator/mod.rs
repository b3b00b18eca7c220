//! Is what authors implement, and how the engine runs it.
//!
//! The list of modules below is the catalogue of operators.
//!
//! | contract | in | out | keyed state |
//! |---|---|---|---|
//! | [`Source`] | – | `Out` | no |
//! | [`Operator`] | `In` | `Out` | no |
//! | [`KeyedOperator`] | `In` | `Out` | by `Key` |
//! | [`CoOperator`] | `In1`, `In2` | `Out` | no |
//! | [`KeyedCoOperator`] | `In1`, `In2` | `Out` | by `Key` |
//! | [`Sink`] | `In` | – | no |
//!
//! Life of an operator: restore → `open` → records → (end: `flush`; end or stop: `finish` of sinks
//! and a final snapshot) → `close`. A cancelled or failed job skips all but `close`, which always
//! comes if `open` did.

pub mod async_map;
pub mod bad_records;
pub mod broadcast;
pub mod context;
pub mod contract;
pub mod emitter;
pub mod event_time;
pub mod exchange;
mod fields;
pub mod filter;
pub mod flat_map;
pub mod generate;
pub mod interleave;
pub mod interrupts;
pub mod iterate;
pub mod join;
pub mod map;
pub mod notices;
mod params;
pub mod pass;
pub mod place;
pub mod reduce;
mod runtime_context;
mod services;
pub mod side_output;
pub mod sink;
pub mod source;
pub mod stage;
pub mod try_map;

pub use context::{Context, KeyContext, KeyedCoContext, KeyedContext, SourceContext, TimerService};
pub use contract::{
    CoOperator, KeyedCoOperator, KeyedOperator, Operator, Produced, Progress, Sink, Source,
};
pub use emitter::Emitter;
pub use fields::OperatorFields;
pub use params::{Param, ParamError, Params};
pub use runtime_context::{JobShared, RuntimeContext};
pub use services::Services;
pub use side_output::{OutputTag, SideOutputPort};
