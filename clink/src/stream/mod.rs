//! Is the algebra of streams: what is a stream, and what it becomes.
//!
//! | on | call | gives |
//! |---|---|---|
//! | [`Pipeline`] | `source`, `elements`, `generate` | [`DataStream`] |
//! | [`DataStream`] | `map_async` | [`DataStream`] |
//! | [`DataStream`] | `map`, `filter`, `flat_map`, `process`, `union`, … | [`DataStream`] |
//! | [`DataStream`] | `side_output`, `split` | [`DataStream`] |
//! | [`DataStream`] | `connect` | [`ConnectedStreams`] |
//! | [`DataStream`] | `connect_broadcast` | [`BroadcastConnected`] |
//! | [`DataStream`] | `key_by`, `key_by_ref` | [`KeyedDataStream`] |
//! | [`KeyedDataStream`] | `process`, `reduce` | [`DataStream`] |
//! | [`KeyedDataStream`] | `connect` | [`KeyedConnectedStreams`] |
//! | [`ConnectedStreams`], [`BroadcastConnected`] | `process` | [`DataStream`] |
//! | [`KeyedConnectedStreams`] | `process` | [`DataStream`] |
//! | [`KeyedDataStream`] | `interval_join` | [`IntervalJoin`] |
//! | [`IntervalJoin`] | `between` | [`IntervalJoined`] |
//! | [`IntervalJoined`] | `inner`, `left_outer`, `left_semi`, … | [`DataStream`] |
//! | [`DataStream`] | `sink` | [`SinkHandle`] |
//!
//! Nothing runs while a stream is built: each call adds an operator to the job's graph.

mod connected;
mod data_stream;
mod fit;
mod handle;
mod joined;
mod keyed;
mod pipeline;

pub use connected::{BroadcastConnected, ConnectedStreams, KeyedConnectedStreams};
pub use data_stream::DataStream;
pub use fit::{Keyed, KeyedBy, Keyless, StreamKey, Takes, TwoInputs, TwoKeyedInputs};
pub use handle::SinkHandle;
pub use joined::{IntervalJoin, IntervalJoined};
pub use keyed::KeyedDataStream;
pub use pipeline::Pipeline;
