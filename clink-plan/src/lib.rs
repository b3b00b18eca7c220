//! The pure half of clink: job graphs, validation, key groups and the planner.
#![forbid(unsafe_code)]
