//! Prints a plan as JSON, for programs.

use serde::Serialize;

use crate::canonical_json;
use crate::planner::{ChainView, Decision, JobPlan, PlannedTask};
use crate::validate::Diagnostic;

#[derive(Serialize)]
struct PlanView<'p> {
    ok: bool,
    tasks: Vec<TaskView<'p>>,
    warnings: Vec<DiagnosticView<'p>>,
    decisions: Vec<DecisionView<'p>>,
}

#[derive(Serialize)]
struct RefusalView<'p> {
    ok: bool,
    diagnostics: Vec<DiagnosticView<'p>>,
}

#[derive(Serialize)]
struct TaskView<'p> {
    subtask_idx: u32,
    role: &'static str,
    op_id: &'p str,
    subtask_idx_in_op: u32,
    parallelism: u32,
    key_group_first: u16,
    key_group_last: u16,
    needs_commit_confirmation: bool,
    peer_refs: Vec<(&'static str, u32)>,
    chain: ChainView<'p>,
}

#[derive(Serialize)]
struct DiagnosticView<'p> {
    code: &'static str,
    severity: String,
    operator: Option<&'p str>,
    location: Option<String>,
    message: &'p str,
    help: Option<&'p str>,
}

#[derive(Serialize)]
struct DecisionView<'p> {
    upstream: &'p str,
    downstream: &'p str,
    input_index: u32,
    chained: bool,
    routing: Option<&'static str>,
    reason: &'p str,
    /// Where the operator that reads was written.
    location: Option<String>,
}

/// The plan as JSON: `ok`, its tasks in the reference's form, its warnings and its decisions.
pub fn plan_to_json(plan: &JobPlan) -> String {
    canonical_json::to_string(&PlanView {
        ok: true,
        tasks: plan.tasks.iter().map(task).collect(),
        warnings: plan.warnings.iter().map(diagnostic).collect(),
        decisions: plan.decisions.iter().map(|choice| decision(plan, choice)).collect(),
    })
}

/// Why there is no plan, as JSON: `ok` and the diagnostics, warnings included.
pub fn diagnostics_to_json(diagnostics: &[Diagnostic]) -> String {
    let diagnostics = diagnostics.iter().map(diagnostic).collect();
    canonical_json::to_string(&RefusalView { ok: false, diagnostics })
}

fn task(task: &PlannedTask) -> TaskView<'_> {
    TaskView {
        subtask_idx: task.subtask_idx,
        role: task.role,
        op_id: &task.op_id,
        subtask_idx_in_op: task.subtask_idx_in_op,
        parallelism: task.parallelism,
        key_group_first: task.key_groups.start,
        key_group_last: task.key_groups.end,
        needs_commit_confirmation: task.needs_commit_confirmation,
        peer_refs: task.peer_refs.iter().map(|&peer| (task.role, peer)).collect(),
        chain: ChainView::of(&task.chain),
    }
}

fn diagnostic(diagnostic: &Diagnostic) -> DiagnosticView<'_> {
    DiagnosticView {
        code: diagnostic.code,
        severity: diagnostic.severity.to_string(),
        operator: diagnostic.operator.as_deref(),
        location: diagnostic.location.map(|location| location.to_string()),
        message: &diagnostic.message,
        help: diagnostic.help.as_deref(),
    }
}

fn decision<'p>(plan: &'p JobPlan, decision: &'p Decision) -> DecisionView<'p> {
    DecisionView {
        upstream: &decision.upstream,
        downstream: &decision.downstream,
        input_index: decision.input_index,
        chained: decision.chained,
        routing: decision.routing.map(|mode| mode.as_str()),
        reason: &decision.reason,
        location: plan.locations.get(&decision.downstream).map(ToString::to_string),
    }
}
