//! The doors of the clink macros: one line per macro, no logic.
#![forbid(unsafe_code)]
