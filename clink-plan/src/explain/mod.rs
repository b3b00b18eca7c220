//! Prints each form of a job: as text and diagrams for people, as JSON for programs.

mod diagram;
mod drawing;
mod graph_text;
mod layout;
mod links;
mod plan_json;
mod plan_text;

pub use diagram::{draw_graph, draw_plan};
pub use drawing::DiagramLanguage;
pub use graph_text::explain_graph;
pub use plan_json::plan_to_json;
pub use plan_text::explain_plan;
