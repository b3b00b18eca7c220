//! Is the only door to the machine: clock, files.

pub mod clock;
pub mod files;
