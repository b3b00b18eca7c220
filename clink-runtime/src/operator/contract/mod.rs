//! Are the contracts an author may implement: exactly one per operator struct.
//!
//! The order of calls; what is in parentheses comes only if there is something to call it for:
//!
//! | | at the end of the input | at a stop | cancelled or failed |
//! |---|---|---|---|
//! | [`Source`] | `open`, `produce`…, (`snapshot`), `close` | the same | `open`, `produce`…, `close` |
//! | [`Operator`] and the like | `open`, `process`…, (timers, then `on_watermark`), (`on_barrier`), residual processing-time timers, `flush`, `close` | the same without residual timers and `flush` | `open`, `process`…, `close` |
//! | [`Sink`] | `open`, `on_data`…, (`on_watermark`), (`flush`, `on_barrier`), `flush`, `finish`, (`on_barrier`), `close` | the same | `open`, `on_data`…, `close` |
//!
//! `close` comes exactly if `open` was called (of sources: if it came back without an error), also
//! where `open` failed. A test records every kind in every one of these endings.

mod co_operator;
mod keyed_co_operator;
mod keyed_operator;
mod operator;
mod sink;
mod source;

pub use co_operator::CoOperator;
pub use keyed_co_operator::KeyedCoOperator;
pub use keyed_operator::KeyedOperator;
pub use operator::Operator;
pub use sink::Sink;
pub use source::{Produced, Progress, Source};
