//! The engine of clink: operators, channels, state, checkpoints and the scheduler.
#![deny(unsafe_code)]
