//! Turns records into others by futures: in which order results come, how many are in flight, what
//! becomes of those that fail or never end, and what a restart makes of them.

mod attempts;
mod endings;
mod flow;
mod futures;
mod turns;
