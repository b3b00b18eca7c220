//! Are the contracts an author may implement: exactly one per operator struct.
//!
//! The order of calls. Those in brackets come only if there is something to call them for; `…`
//! stands for any number of them, in the order of the stream.
//!
//! | | [`Source`] | operators | [`Sink`] |
//! |---|---|---|---|
//! | first | `open` | `open` | `open` |
//! | for records | `produce`… | `process`… | `on_data`… |
//! | when time moves | | [timers], `on_watermark` | `on_watermark` |
//! | at a checkpoint | `snapshot` | `on_barrier` | `on_barrier` |
//! | when the input runs dry | | | `flush` |
//! | at the end | [`snapshot`] | [timers], `flush` | `flush`, `finish`, [`on_barrier`] |
//! | last | `close` | `close` | `close` |
//!
//! After a stop the end comes without timers and without `flush` of operators: a job that goes on
//! from there calls them. After a cancel or a failure it does not come at all.
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
