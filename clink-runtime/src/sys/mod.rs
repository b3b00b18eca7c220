//! Is the only door to the machine: clock, files, sockets, standard input.

pub mod clock;
pub mod files;
pub mod streams;
