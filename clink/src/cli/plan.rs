//! Shows a form of the chosen job.

use std::io::Write;

use clink_plan::explain::{
    DiagramLanguage, draw_graph, draw_plan, explain_graph, explain_plan, plan_to_json,
};

use crate::job::{Job, JobError};

use super::command::{Form, Format, Invocation};
use super::{Exit, complain_of};

pub(super) fn plan(invocation: &Invocation) -> Exit {
    match invocation.job().and_then(|job| shown(invocation, &job)) {
        Ok(text) => match writeln!(std::io::stdout(), "{}", text.trim_end()) {
            Ok(()) => Exit::Done,
            Err(_) => Exit::Failed,
        },
        Err(error) => complain_of(&error, invocation),
    }
}

fn shown(invocation: &Invocation, job: &Job) -> Result<String, JobError> {
    let form = invocation.form().unwrap_or(Form::Plan);
    let format = invocation.format().unwrap_or(Format::Text);
    let checkpoints = invocation.options()?.checkpoints.is_some();
    let diagram = |language| {
        Ok(match form {
            Form::Graph => draw_graph(job.graph(), language),
            Form::Plan => draw_plan(job.graph(), &job.plan(checkpoints)?, language),
        })
    };
    Ok(match (form, format) {
        (Form::Graph, Format::Text) => explain_graph(job.graph()),
        (Form::Graph, Format::Json) => job.graph().to_json(),
        (Form::Plan, Format::Text) => explain_plan(job.graph(), &job.plan(checkpoints)?),
        (Form::Plan, Format::Json) => plan_to_json(&job.plan(checkpoints)?),
        (_, Format::Mermaid) => diagram(DiagramLanguage::Mermaid)?,
        (_, Format::Dot) => diagram(DiagramLanguage::Dot)?,
    })
}
