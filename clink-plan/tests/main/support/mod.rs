//! Builds small graphs, stands in for a registry and compares texts with golden files.

mod golden;
mod registry;
mod svg;

pub(crate) use golden::compare_golden;
pub(crate) use registry::FakeRegistry;
pub(crate) use svg::Picture;

use clink_plan::graph::{JobGraphSpec, OperatorSpec, SideOutputSpec};
use clink_plan::planner::{JobPlan, PlanOptions, plan_job};
use clink_plan::validate::ValidateFacts;

/// A graph of these operators.
pub(crate) fn graph(operators: impl IntoIterator<Item = OperatorSpec>) -> JobGraphSpec {
    JobGraphSpec { operators: operators.into_iter().collect(), ..JobGraphSpec::default() }
}

/// What is known of a graph whose binary has the reference's built-ins.
pub(crate) fn facts() -> ValidateFacts<'static> {
    ValidateFacts { registry: Some(&FakeRegistry), ..ValidateFacts::default() }
}

/// The plan of a graph, with default options, about which nothing else is known.
pub(crate) fn plan(graph: &JobGraphSpec) -> JobPlan {
    plan_job(graph, &PlanOptions::default(), &ValidateFacts::default())
        .unwrap_or_else(|problems| panic!("{problems:#?}"))
}

/// An operator on `int64`: a source without inputs, a sink if its id says so.
pub(crate) fn op(id: &str, inputs: &[&str]) -> OperatorSpec {
    let type_name = match (inputs.is_empty(), id.starts_with("out")) {
        (true, _) => "int64_range_source",
        (false, true) => "file_int64_sink",
        (false, false) => "identity_int64",
    };
    let mut spec = OperatorSpec::new(id, type_name, "int64");
    spec.inputs = inputs.iter().map(|&input| input.to_owned()).collect();
    spec
}

/// Changes to an operator, to be read from left to right.
pub(crate) trait OperatorExt: Sized {
    fn with(self, change: impl FnOnce(&mut OperatorSpec)) -> Self;

    fn parallelism(self, parallelism: u32) -> Self {
        self.with(|spec| spec.parallelism = parallelism)
    }

    fn keyed(self) -> Self {
        self.with(|spec| spec.key_by = "identity".to_owned())
    }

    fn bounds(self, min: u32, max: u32) -> Self {
        self.with(|spec| (spec.min_parallelism, spec.max_parallelism) = (min, max))
    }

    fn uid(self, uid: &str) -> Self {
        self.with(|spec| spec.uid = uid.to_owned())
    }

    fn of_type(self, type_name: &str) -> Self {
        self.with(|spec| spec.type_name = type_name.to_owned())
    }

    fn emits(self, channel: &str) -> Self {
        self.with(|spec| spec.out_channel = channel.to_owned())
    }

    fn param(self, name: &str, value: &str) -> Self {
        self.with(|spec| drop(spec.params.insert(name.to_owned(), value.to_owned())))
    }

    fn side(self, tag: &str, channel: &str) -> Self {
        self.with(|spec| spec.side_outputs.push(SideOutputSpec::new(tag, channel)))
    }
}

impl OperatorExt for OperatorSpec {
    fn with(mut self, change: impl FnOnce(&mut OperatorSpec)) -> OperatorSpec {
        change(&mut self);
        self
    }
}
