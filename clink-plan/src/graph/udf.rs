//! Describes a user function of a SQL job.

use super::KeptKeys;

/// A function that every worker registers before the job runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UdfSpec {
    /// The name that queries call.
    pub name: String,
    /// The language it is written in.
    pub language: String,
    /// The names of its arguments.
    pub arg_names: Vec<String>,
    /// The types of its arguments.
    pub arg_types: Vec<String>,
    /// The type it returns.
    pub return_type: String,
    /// Its source, one definition after another.
    pub definitions: Vec<String>,
    /// Its compiled module, as base64.
    pub module_b64: String,
    /// What it is besides a scalar function; empty for nothing.
    pub kind: String,
    /// What a newer release said about it.
    pub kept: KeptKeys,
}
