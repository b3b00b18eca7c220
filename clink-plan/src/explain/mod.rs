//! Prints each form of a job: as text and diagrams for people, as JSON for programs.

mod diagram;
mod drawing;
mod form;
mod graph_text;
mod layout;
mod links;
mod placement_json;
mod placement_text;
mod plan_json;
mod plan_text;
mod shown;

pub use diagram::{draw_graph, draw_placement, draw_plan};
pub use drawing::DiagramLanguage;
pub use form::{Form, Format};
pub use graph_text::explain_graph;
pub use placement_json::placement_to_json;
pub use placement_text::explain_placement;
pub use plan_json::{diagnostics_to_json, plan_to_json};
pub use plan_text::explain_plan;
pub use shown::Shown;
