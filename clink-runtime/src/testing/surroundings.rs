//! Makes the surroundings of an operator instance that stands in no job.

use std::sync::Arc;

use clink_plan::id::OperatorId;

use crate::operator::RuntimeContext;
use crate::sync::wake::Waker;
use crate::sys::clock::Clock;

/// The only instance of an operator without a name, at a fresh start.
pub(crate) fn runtime_context(clock: Clock) -> RuntimeContext {
    RuntimeContext {
        operator: "op_1".to_owned(),
        uid: String::new(),
        name: String::new(),
        type_name: String::new(),
        operator_id: OperatorId(1),
        subtask_index: 0,
        parallelism: 1,
        restored: false,
        side_outputs: Arc::default(),
        clock,
        waker: Waker::nobody(),
        metrics: Arc::default(),
        shared: Arc::default(),
    }
}
