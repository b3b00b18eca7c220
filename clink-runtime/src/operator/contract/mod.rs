//! Are the contracts an author may implement: exactly one per operator struct.
//!
//! The order of calls of one instance, by how its job ends: at the end of the input, or at a stop
//! before it. `*` is any number of times, `?` once or not at all, `(a | b)` either; `process`
//! stands for `process_element1` and `process_element2` too, and an operator is any that is neither
//! source nor sink.
//!
//! ```text
//! source, end:    open (produce | snapshot)* close
//! source, stop:   open (produce | snapshot)* close
//! operator, end:  open (process | on_event_time_timer* on_watermark | on_processing_time_timer |
//!                 on_barrier)* on_processing_time_timer* flush on_barrier? close
//! operator, stop: open (process | on_event_time_timer* on_watermark | on_processing_time_timer |
//!                 on_barrier)* on_barrier? close
//! sink, end:      open (on_data | flush | on_watermark | on_barrier)*
//!                 flush finish on_barrier? close
//! sink, stop:     open (on_data | flush | on_watermark | on_barrier)*
//!                 flush finish on_barrier? close
//! ```
//!
//! A job that is cancelled, or in which anything fails, breaks this off wherever it is, and `close`
//! follows. It comes exactly if `open` was called, also where `open` failed; it never comes twice.
//! `on_barrier`, and `snapshot` of a source, come in jobs that save checkpoints, the last of them
//! at the very end. `check` and `splits` of a source come before, of one instance.
//!
//! A test reads this table and holds every kind to it, in every ending, however the job is run.

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
