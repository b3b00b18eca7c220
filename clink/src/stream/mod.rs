//! Is the algebra of streams: what is a stream, and what it becomes.
//!
//! | on | call | gives |
//! |---|---|---|
//! | [`Pipeline`] | `source`, `elements`, `generate` | [`DataStream`] |
//! | [`DataStream`] | `map`, `filter`, `flat_map`, `process`, `union`, … | [`DataStream`] |
//! | [`DataStream`] | `key_by`, `key_by_ref` | [`KeyedDataStream`] |
//! | [`KeyedDataStream`] | `process`, `reduce` | [`DataStream`] |
//! | [`DataStream`] | `sink` | [`SinkHandle`] |
//!
//! Nothing runs while a stream is built: each call adds an operator to the job's graph.

mod data_stream;
mod fit;
mod handle;
mod keyed;
mod pipeline;

pub use data_stream::DataStream;
pub use fit::{Keyed, KeyedBy, Keyless, StreamKey, Takes};
pub use handle::SinkHandle;
pub use keyed::KeyedDataStream;
pub use pipeline::Pipeline;
#[doc(hidden)]
pub use pipeline::RULES;
