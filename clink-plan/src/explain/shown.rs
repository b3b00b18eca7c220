//! Shows a job in the form it has reached, in any format.

use super::{
    DiagramLanguage, Format, draw_graph, draw_placement, draw_plan, explain_graph,
    explain_placement, explain_plan, placement_to_json, plan_to_json,
};
use crate::deploy::Placement;
use crate::descriptor::Locations;
use crate::graph::JobGraphSpec;
use crate::planner::JobPlan;

/// A job in the form it has reached.
#[derive(Clone, Copy, Debug)]
pub enum Shown<'j> {
    /// What the author meant.
    Graph(&'j JobGraphSpec, &'j Locations),
    /// Chains, subtasks and routing.
    Plan(&'j JobGraphSpec, &'j JobPlan),
    /// The subtasks on the slots of workers.
    Placement(&'j JobGraphSpec, &'j JobPlan, &'j Placement),
}

impl Shown<'_> {
    /// The form in a format. The JSON of a graph is its submission format.
    pub fn write(self, format: Format) -> String {
        let language = match format {
            Format::Text => return self.text(),
            Format::Json => return self.json(),
            Format::Mermaid => DiagramLanguage::Mermaid,
            Format::Dot => DiagramLanguage::Dot,
            Format::Svg => DiagramLanguage::Svg,
        };
        match self {
            Shown::Graph(graph, locations) => draw_graph(graph, locations, language),
            Shown::Plan(graph, plan) => draw_plan(graph, plan, language),
            Shown::Placement(graph, plan, placement) => {
                draw_placement(graph, plan, placement, language)
            }
        }
    }

    fn text(self) -> String {
        match self {
            Shown::Graph(graph, locations) => explain_graph(graph, locations),
            Shown::Plan(graph, plan) => explain_plan(graph, plan),
            Shown::Placement(graph, plan, placement) => explain_placement(graph, plan, placement),
        }
    }

    fn json(self) -> String {
        match self {
            Shown::Graph(graph, _) => graph.to_json(),
            Shown::Plan(_, plan) => plan_to_json(plan),
            Shown::Placement(_, plan, placement) => placement_to_json(plan, placement),
        }
    }
}
