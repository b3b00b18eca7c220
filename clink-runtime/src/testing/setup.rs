//! Says which operators a harness runs, and as which of how many instances.

use std::marker::PhantomData;
use std::sync::Arc;

use clink_plan::id::OperatorId;
use clink_plan::key_group::key_group_range_for_subtask;

use crate::data::Data;
use crate::operator::bad_records::BadRecordPolicy;
use crate::operator::stage::{
    CoStage, KeyedCoStage, KeyedStage, OperatorStage, SinkStage, SourceHead, SourceStage, Stage,
    TwoLookups,
};
use crate::operator::{
    CoOperator, KeyedCoOperator, KeyedOperator, Operator, OperatorFields, OutputTag, ParamError,
    Params, SideOutputPort, Sink, Source,
};
use crate::state::key_index::OwnedLookup;
use crate::state::snapshot::{Instance, OperatorIdentity};
use crate::subtask::RuntimeError;

use super::bench::Bench;
use super::harness::{NoInput, NoOutput, OperatorHarness, Two};
use super::snapshot::{Snapshot, Snapshots};

type MakeSource = dyn Fn() -> Result<Box<dyn SourceHead>, ParamError> + Send + Sync;
type MakeStage = dyn Fn(&Instance) -> Result<Box<dyn Stage>, ParamError> + Send + Sync;

/// Makes an instance of an operator from its parameters.
#[derive(Clone)]
pub(super) enum Make {
    Source(Arc<MakeSource>),
    Stage(Arc<MakeStage>),
}

/// One operator of a harness.
#[derive(Clone)]
pub(super) struct OperatorSetup {
    pub(super) make: Make,
    pub(super) uid: String,
    pub(super) type_name: String,
    pub(super) side_outputs: Vec<SideOutputPort>,
}

/// What a harness is made from, the types of its ends apart.
#[derive(Clone)]
pub(super) struct Setup {
    pub(super) operators: Vec<OperatorSetup>,
    pub(super) inputs: usize,
    pub(super) parallelism: u32,
    pub(super) subtask_index: u32,
    pub(super) start_ms: i64,
    pub(super) saves: bool,
    pub(super) bad_records: BadRecordPolicy,
    pub(super) restored: Option<Arc<Snapshots>>,
}

impl Setup {
    fn of<O: OperatorFields>(fields: &O, inputs: usize, make: impl FnOnce(Params) -> Make) -> Self {
        Self {
            operators: vec![OperatorSetup::of(fields, make)],
            inputs,
            parallelism: 1,
            subtask_index: 0,
            start_ms: 0,
            saves: true,
            bad_records: BadRecordPolicy::default(),
            restored: None,
        }
    }

    /// The instance that the operator at `index` of the chain is.
    pub(super) fn instance(&self, index: usize, operator: &OperatorSetup) -> Instance {
        let id = OperatorId::of(index, &operator.uid, &format!("op_{index}"));
        Instance {
            operator: OperatorIdentity { id, uid: operator.uid.clone() },
            subtask_index: self.subtask_index,
            parallelism: self.parallelism,
            key_groups: key_group_range_for_subtask(self.subtask_index, self.parallelism),
        }
    }
}

impl OperatorSetup {
    #[track_caller]
    fn of<O: OperatorFields>(fields: &O, make: impl FnOnce(Params) -> Make) -> Self {
        let mut params = Params::default();
        let written = fields.to_params(&mut params);
        let type_name = O::type_name();
        assert!(written.is_ok(), "the parameters of `{type_name}` are no text: {written:?}");
        let uid = O::DESCRIPTOR.uid.to_owned();
        Self { make: make(params), uid, type_name, side_outputs: Vec::new() }
    }
}

fn stage(
    make: impl Fn(&Instance) -> Result<Box<dyn Stage>, ParamError> + Send + Sync + 'static,
) -> Make {
    Make::Stage(Arc::new(make))
}

fn operator_stage<O: Operator + OperatorFields>(params: Params) -> Make {
    stage(move |_| Ok(Box::new(OperatorStage::new(O::from_params(&params)?))))
}

fn keyed_stage<O, F>(params: Params, key: F) -> Make
where
    O: KeyedOperator + OperatorFields,
    F: Fn(&O::In) -> O::Key + Send + Sync + 'static,
{
    let key = Arc::new(key);
    stage(move |instance| {
        let lookup = Box::new(OwnedLookup(Arc::clone(&key)));
        Ok(Box::new(KeyedStage::new(O::from_params(&params)?, lookup, instance.key_groups)))
    })
}

/// The operators of a harness that is not open yet, from the type they take to the one they emit.
///
/// The operators are rebuilt from their parameters, as in a job: what is no parameter and no state
/// does not travel. A setup can be opened any number of times; each time the operators are new.
#[must_use = "a setup does nothing before it is opened"]
pub struct HarnessSetup<In, Out> {
    pub(super) setup: Setup,
    types: PhantomData<fn(In) -> Out>,
}

impl<In, Out> Clone for HarnessSetup<In, Out> {
    fn clone(&self) -> Self {
        Self::new(self.setup.clone())
    }
}

impl OperatorHarness<NoInput, NoOutput> {
    /// For an operator without a key.
    #[track_caller]
    pub fn operator<O: Operator + OperatorFields>(operator: O) -> HarnessSetup<O::In, O::Out> {
        HarnessSetup::new(Setup::of(&operator, 1, operator_stage::<O>))
    }

    /// For a keyed operator, with the key of each record.
    #[track_caller]
    pub fn keyed<O: KeyedOperator + OperatorFields>(
        operator: O,
        key: impl Fn(&O::In) -> O::Key + Send + Sync + 'static,
    ) -> HarnessSetup<O::In, O::Out> {
        HarnessSetup::new(Setup::of(&operator, 1, |params| keyed_stage::<O, _>(params, key)))
    }

    /// For an operator with two inputs and no key.
    #[track_caller]
    pub fn co<O: CoOperator + OperatorFields>(
        operator: O,
    ) -> HarnessSetup<Two<O::In1, O::In2>, O::Out> {
        HarnessSetup::new(Setup::of(&operator, 2, |params| {
            stage(move |_| Ok(Box::new(CoStage::new(O::from_params(&params)?))))
        }))
    }

    /// For a keyed operator with two inputs, with the key of each record of either.
    #[track_caller]
    pub fn keyed_co<O: KeyedCoOperator + OperatorFields>(
        operator: O,
        first: impl Fn(&O::In1) -> O::Key + Send + Sync + 'static,
        second: impl Fn(&O::In2) -> O::Key + Send + Sync + 'static,
    ) -> HarnessSetup<Two<O::In1, O::In2>, O::Out> {
        let (first, second) = (Arc::new(first), Arc::new(second));
        HarnessSetup::new(Setup::of(&operator, 2, |params| {
            stage(move |instance| {
                let lookups = TwoLookups {
                    first: Box::new(OwnedLookup(Arc::clone(&first))),
                    second: Box::new(OwnedLookup(Arc::clone(&second))),
                };
                let operator = O::from_params(&params)?;
                Ok(Box::new(KeyedCoStage::new(operator, lookups, instance.key_groups)))
            })
        }))
    }

    /// For a sink.
    #[track_caller]
    pub fn sink<S: Sink + OperatorFields>(sink: S) -> HarnessSetup<S::In, NoOutput> {
        HarnessSetup::new(Setup::of(&sink, 1, sink_stage::<S>))
    }

    /// For a source. Its splits are made when the harness opens, unless that is restored.
    #[track_caller]
    pub fn source<S: Source + OperatorFields>(source: S) -> HarnessSetup<NoInput, S::Out> {
        HarnessSetup::new(Setup::of(&source, 0, |params| {
            Make::Source(Arc::new(move || {
                let source = S::from_params(&params)?;
                Ok(Box::new(SourceStage::new(source, Arc::default())))
            }))
        }))
    }
}

fn sink_stage<S: Sink + OperatorFields>(params: Params) -> Make {
    stage(move |_| Ok(Box::new(SinkStage::new(S::from_params(&params)?))))
}

impl<In, Out> HarnessSetup<In, Out> {
    pub(super) fn new(setup: Setup) -> Self {
        Self { setup, types: PhantomData }
    }

    /// Has the last operator emit to this side output: one that is not read is an error, as in a
    /// job.
    #[track_caller]
    pub fn side_output<T: Data>(mut self, tag: &OutputTag<T>) -> Self {
        let operators = &mut self.setup.operators;
        let port = operators.iter().map(|operator| operator.side_outputs.len()).sum::<usize>();
        let all = operators.iter().flat_map(|operator| &operator.side_outputs);
        let name = tag.name();
        let known = all.map(|output| output.tag.as_str()).any(|known| known == name);
        assert!(!known, "side output `{name}` is there already: one `side_output` call a tag");
        let port = Some(u32::try_from(port).expect("nobody writes so many calls"));
        let (tag, channel_type) = (name.to_owned(), T::type_name());
        if let Some(last) = operators.last_mut() {
            last.side_outputs.push(SideOutputPort { tag, channel_type, port });
        }
        self
    }

    /// How many parallel instances there are; 1 unless said.
    ///
    /// The harness is one of them: it takes records of its own keys only, as
    /// [`key_groups`](OperatorHarness::key_groups) says.
    pub fn parallelism(mut self, parallelism: u32) -> Self {
        self.setup.parallelism = parallelism;
        self
    }

    /// Which of the parallel instances the harness is, from 0; the first unless said.
    pub fn subtask(mut self, index: u32) -> Self {
        self.setup.subtask_index = index;
        self
    }

    /// What the virtual clock shows at first, in milliseconds since the epoch; 0 unless said.
    pub fn start_at_ms(mut self, ms: i64) -> Self {
        self.setup.start_ms = ms;
        self
    }

    /// Whether the operators are captured, which they are unless said. Without it there are no
    /// barriers, and nothing is captured at the end.
    pub fn saves(mut self, saves: bool) -> Self {
        self.setup.saves = saves;
        self
    }

    /// What becomes of bad records; the harness fails at the first unless said.
    pub fn bad_records(mut self, policy: BadRecordPolicy) -> Self {
        self.setup.bad_records = policy;
        self
    }

    /// Starts from what was captured: give the snapshot of each instance there was, at whatever
    /// parallelism.
    ///
    /// # Panics
    /// If the snapshots are not one of each instance.
    #[track_caller]
    pub fn restore<'a>(mut self, snapshots: impl IntoIterator<Item = &'a Snapshot>) -> Self {
        let snapshots = snapshots.into_iter().cloned().collect();
        self.setup.restored = Some(Arc::new(Snapshots::new(snapshots)));
        self
    }

    /// Makes the operators, restores and opens them.
    ///
    /// # Errors
    /// What opening them failed with; what was opened has been closed.
    ///
    /// # Panics
    /// If there is no such instance.
    #[track_caller]
    pub fn open(&self) -> Result<OperatorHarness<In, Out>, RuntimeError> {
        let Setup { parallelism, subtask_index, .. } = self.setup;
        assert!(
            subtask_index < parallelism,
            "there is no subtask {subtask_index} of {parallelism}: they are counted from 0"
        );
        Ok(OperatorHarness::new(Bench::open(&self.setup)?, self.clone()))
    }

    fn followed_by<T>(mut self, next: OperatorSetup) -> HarnessSetup<In, T> {
        self.setup.operators.push(next);
        HarnessSetup::new(self.setup)
    }
}

/// Chains: the operators run in one subtask, one after the other.
impl<In: super::harness::Inputs, Out: Data> HarnessSetup<In, Out> {
    /// Chains an operator without a key behind.
    #[track_caller]
    pub fn then<O: Operator<In = Out> + OperatorFields>(self, next: O) -> HarnessSetup<In, O::Out> {
        self.followed_by(OperatorSetup::of(&next, operator_stage::<O>))
    }

    /// Chains a keyed operator behind.
    #[track_caller]
    pub fn then_keyed<O: KeyedOperator<In = Out> + OperatorFields>(
        self,
        next: O,
        key: impl Fn(&Out) -> O::Key + Send + Sync + 'static,
    ) -> HarnessSetup<In, O::Out> {
        self.followed_by(OperatorSetup::of(&next, |params| keyed_stage::<O, _>(params, key)))
    }

    /// Chains a sink behind.
    #[track_caller]
    pub fn then_sink<S: Sink<In = Out> + OperatorFields>(
        self,
        sink: S,
    ) -> HarnessSetup<In, NoOutput> {
        self.followed_by(OperatorSetup::of(&sink, sink_stage::<S>))
    }
}

impl<In, Out> std::fmt::Debug for HarnessSetup<In, Out> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Setup { operators, parallelism, subtask_index, .. } = &self.setup;
        let names: Vec<&str> = operators.iter().map(|it| it.type_name.as_str()).collect();
        write!(f, "HarnessSetup({}, subtask {subtask_index} of {parallelism})", names.join(" → "))
    }
}
