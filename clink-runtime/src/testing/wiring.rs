//! Connects the operators of a harness: who they are, real gates before them and behind.

use std::sync::Arc;

use crate::channel::bounded::{Peer, inbox, spares};
use crate::channel::gate::InputGate;
use crate::channel::output::{Origin, OutputGate, OutputGroup, Spread};
use crate::metrics::OperatorMetrics;
use crate::operator::bad_records::BadRecords;
use crate::operator::place::WorkPlace;
use crate::operator::stage::SourceHead;
use crate::operator::{JobShared, ParamError, RuntimeContext};
use crate::state::snapshot::Instance;
use crate::subtask::chain::Member;
use crate::subtask::contain::contain;
use crate::subtask::{GateHead, RuntimeError};
use crate::sync::wake::Waker;
use crate::sys::clock::Clock;

use super::bench::{Input, Output};
use super::setup::{OperatorSetup, Setup};
use super::surroundings::runtime_context;

/// What the operators share.
pub(super) fn shared(setup: &Setup) -> Result<Arc<JobShared>, RuntimeError> {
    let bad_records = BadRecords::open(setup.bad_records.clone(), setup.restored.is_some());
    let bad_records = bad_records.map_err(|error| RuntimeError::Refused {
        problems: vec![format!("keep bad records: {error}")],
    })?;
    Ok(Arc::new(JobShared { bad_records, ..JobShared::default() }))
}

/// Who the operator at that place of the chain is.
pub(super) fn member(
    setup: &Setup,
    (index, operator): (usize, &OperatorSetup),
    instance: &Instance,
    clock: &Clock,
    shared: &Arc<JobShared>,
) -> Member {
    let metrics = Arc::<OperatorMetrics>::default();
    let ctx = RuntimeContext {
        operator: format!("op_{index}"),
        uid: operator.uid.clone(),
        type_name: operator.type_name.clone(),
        operator_id: instance.operator.id,
        subtask_index: instance.subtask_index,
        parallelism: instance.parallelism,
        restored: setup.restored.is_some(),
        side_outputs: operator.side_outputs.iter().cloned().collect(),
        metrics: Arc::clone(&metrics),
        shared: Arc::clone(shared),
        ..runtime_context(clock.clone())
    };
    let place = WorkPlace::new("harness", &ctx.operator, ctx.subtask_index);
    Member { ctx, instance: instance.clone(), metrics, place }
}

/// Looks whether the input of a source is there, as before the start of a job.
pub(super) fn check(source: &dyn SourceHead) -> Result<(), RuntimeError> {
    let problem = match contain(|| source.check()) {
        Ok(Ok(())) => return Ok(()),
        Ok(Err(error)) => error.to_string(),
        Err(caught) => caught.message,
    };
    Err(RuntimeError::Refused { problems: vec![problem] })
}

/// The error of an operator that its parameters do not make.
pub(super) fn unbuilt(member: &Member, error: &ParamError) -> RuntimeError {
    RuntimeError::Build { origin: Box::new(member.origin()), message: error.to_string() }
}

fn peer() -> Peer {
    Peer { waker: Waker::nobody(), spares: spares(1).0 }
}

/// A gate of so many inputs, and their sending ends.
pub(super) fn inputs(count: usize) -> (GateHead, Vec<Input>) {
    let (inbox, senders) = inbox(u32::MAX, &Waker::nobody(), (0..count).map(|_| peer()).collect());
    let gate = GateHead::new(InputGate::new(inbox), (0..count).collect());
    (gate, senders.into_iter().map(|sender| Input(Some(sender))).collect())
}

/// The outputs of the operators, the main one first, and where they arrive.
pub(super) fn outputs(operators: &[OperatorSetup]) -> (OutputGate, Vec<Output>) {
    let side = operators.iter().flat_map(|operator| &operator.side_outputs);
    let side =
        side.filter_map(|output| Some((Origin::Side(output.port?), Some(output.tag.clone()))));
    let ends = std::iter::once((Origin::Main, None)).chain(side);
    let (groups, outputs) = ends
        .map(|(origin, tag)| {
            let (inbox, targets) = inbox(u32::MAX, &Waker::nobody(), vec![peer()]);
            let group = OutputGroup { origin, spread: Spread::InTurn, targets };
            (group, Output::new(tag, InputGate::new(inbox)))
        })
        .unzip();
    (OutputGate::new(groups, None, crossbeam_channel::never()), outputs)
}
