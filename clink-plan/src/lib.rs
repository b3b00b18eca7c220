//! The pure half of clink: job graphs, validation, key groups and the planner.
//!
//! A job passes through four forms, and three of them live here. What the author meant is a
//! [`graph::JobGraphSpec`]; [`validate::validate`] says everything that is wrong with it at once;
//! [`planner::plan_job`] turns it into a [`planner::JobPlan`] of subtasks, chains and routing.
//! [`explain`] prints each form for people.
//!
//! Every function here is a function of its arguments: no threads, clocks, files, sockets or
//! environment, and no hash-map order. The same graph gives the same bytes on every machine.
#![forbid(unsafe_code)]

pub mod deploy;
pub mod descriptor;
pub mod explain;
pub mod graph;
pub mod id;
pub mod key_group;
pub mod planner;
pub mod rescale;
pub mod validate;

mod canonical_json;
mod nearest;
mod plain;
mod strict_json;
