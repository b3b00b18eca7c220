//! Is the only door to the machine: clock, files, sockets.

pub mod clock;
pub mod files;
#[cfg(feature = "net")]
pub mod net;
