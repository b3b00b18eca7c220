//! Builds operator instances from what the plan says of them.

use std::sync::Arc;

use clink_plan::key_group::OutputCountMismatch;
use clink_plan::planner::ChainOp;

use crate::operator::stage::{
    CoStage, KeyedCoStage, KeyedStage, OperatorStage, SinkStage, SourceStage, Stage, TwoLookups,
};
use crate::operator::{
    CoOperator, KeyedCoOperator, KeyedOperator, Operator, OperatorFields, ParamError, Params, Sink,
    Source,
};
use crate::state::snapshot::Instance;

use super::builtin::ParamProblem;
use super::{NewSource, Registry};

/// Makes the instances of one source of one job: the first call fixes the parameters, each later
/// one gives an instance. All instances share the splits of a fresh start.
pub type SourceFactory = Box<dyn Fn(Params) -> Box<dyn Fn() -> NewSource + Send> + Send + Sync>;

/// Makes an instance of an operator or sink.
pub type StageFactory =
    Box<dyn Fn(&Registry, &ChainOp, &Instance) -> Result<Box<dyn Stage>, BuildError> + Send + Sync>;

/// Why an operator of a plan could not be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// No factory has this name for these channels.
    #[error(
        "no operator type `{type_name}` is registered in this binary; registered: {}",
        .registered.join(", ")
    )]
    Unknown {
        /// The name in the graph.
        type_name: String,
        /// All names there are.
        registered: Vec<String>,
    },
    /// A parameter does not fit.
    #[error(transparent)]
    Param(#[from] ParamError),
    /// Parameters of a built-in operator type do not fit.
    #[error("{}", listed(.0))]
    Params(Vec<ParamProblem>),
    /// A keyed edge does not lead to each subtask behind it.
    #[error(transparent)]
    Outputs(#[from] OutputCountMismatch),
    /// A keyed operator stands where no key of its type is.
    #[error(
        "the operator is keyed by `{expected}`, but `key_by` names `{extractor}`, which is not \
         registered as such a key of `{channel}`"
    )]
    Key {
        /// The key type of the operator.
        expected: String,
        /// The extractor that the graph names.
        extractor: String,
        /// The channel type of the records.
        channel: String,
    },
}

fn listed(problems: &[ParamProblem]) -> String {
    let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
    problems.join("; ")
}

pub(super) fn annotated_source<S: Source + OperatorFields>() -> SourceFactory {
    Box::new(|params| {
        let fresh = Arc::default();
        Box::new(move || {
            let source = S::from_params(&params)?;
            Ok(Box::new(SourceStage::new(source, Arc::clone(&fresh))))
        })
    })
}

pub(super) fn annotated_operator<O: Operator + OperatorFields>() -> StageFactory {
    Box::new(|_, op, _| Ok(Box::new(OperatorStage::new(O::from_params(&op.params)?))))
}

pub(super) fn annotated_keyed<O: KeyedOperator + OperatorFields>() -> StageFactory {
    Box::new(|registry, op, instance| {
        let lookup = registry.key_lookup::<O::In, O::Key>(op, 0)?;
        Ok(Box::new(KeyedStage::new(O::from_params(&op.params)?, lookup, instance.key_groups)))
    })
}

pub(super) fn annotated_co<O: CoOperator + OperatorFields>() -> StageFactory {
    Box::new(|_, op, _| Ok(Box::new(CoStage::new(O::from_params(&op.params)?))))
}

pub(super) fn annotated_keyed_co<O: KeyedCoOperator + OperatorFields>() -> StageFactory {
    Box::new(|registry, op, instance| {
        let lookups = registry.two_lookups::<O>(op)?;
        Ok(Box::new(KeyedCoStage::new(O::from_params(&op.params)?, lookups, instance.key_groups)))
    })
}

pub(super) fn annotated_sink<S: Sink + OperatorFields>() -> StageFactory {
    Box::new(|_, op, _| Ok(Box::new(SinkStage::new(S::from_params(&op.params)?))))
}

impl Registry {
    /// A source whose instances come from a closure: an inline source.
    pub fn inline_source<S: Source>(make: impl Fn() -> S + Send + Sync + 'static) -> SourceFactory {
        let make = Arc::new(make);
        Box::new(move |_| {
            let fresh = Arc::default();
            let make = Arc::clone(&make);
            Box::new(move || Ok(Box::new(SourceStage::inline(make(), Arc::clone(&fresh)))))
        })
    }

    /// What finds the keys of both inputs of a keyed operator.
    ///
    /// # Errors
    /// If the records of an input have no such key.
    pub fn two_lookups<O: KeyedCoOperator>(
        &self,
        op: &ChainOp,
    ) -> Result<TwoLookups<O>, BuildError> {
        Ok(TwoLookups { first: self.key_lookup(op, 0)?, second: self.key_lookup(op, 1)? })
    }

    /// An operator whose instances come from a closure: an inline operator.
    pub fn inline_stage(make: impl Fn() -> Box<dyn Stage> + Send + Sync + 'static) -> StageFactory {
        Box::new(move |_, _, _| Ok(make()))
    }
}
