//! Is the only door to the machine: clock, files, sockets, standard input.

pub mod clock;
pub mod files;
#[cfg(feature = "net")]
pub mod net;
pub mod streams;
