//! Prints each form of a job: as text for people, as JSON for programs.

mod graph_text;
mod layout;
mod plan_json;
mod plan_text;

pub use graph_text::explain_graph;
pub use plan_json::plan_to_json;
pub use plan_text::explain_plan;
