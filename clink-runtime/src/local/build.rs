//! Makes the subtasks of a plan and connects them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use clink_plan::graph::{FEEDBACK_TO, JobGraphSpec, OperatorSpec};
use clink_plan::id::{OperatorId, SubtaskId};
use clink_plan::planner::{
    ChainOp, ChainOpKind, OutputRouting, PlannedTask, RoutingMode, SubtaskOutputGroup,
};
use crossbeam_channel::{Receiver, Sender};

use crate::channel::ErasedBatch;
use crate::channel::bounded::{EdgeSender, Peer, inbox, spares};
use crate::channel::gate::InputGate;
use crate::channel::output::{Origin, OutputGate, OutputGroup, Spread};
use crate::metrics::{SourceMetrics, SubtaskMetrics};
use crate::operator::place::WorkPlace;
use crate::operator::{JobShared, RuntimeContext, SideOutputPort};
use crate::registry::{BuildError, NewSource};
use crate::state::snapshot::{Instance, OperatorIdentity, RestoredState};
use crate::subtask::RuntimeError;
use crate::subtask::chain::{Chain, Member};
use crate::subtask::{GateHead, Head, JobControl, Parts, SourceLink, Subtask, SubtaskEvent};
use crate::sync::wake::{Wake, Waker};
use crate::sys::clock::Clock;

use super::{InstanceMetrics, LocalExecutor, SubtaskView};

/// Emptied batches that may wait for the subtask that fills them, for each edge it fills.
const SPARE_BATCHES: usize = 4;

/// Emptied batches that may wait for one subtask in all: memory grows with subtasks, not edges.
const SPARE_BATCHES_MAX: usize = 64;

/// What state of a graph's operators is filed under, by operator id.
pub(super) fn identities(graph: &JobGraphSpec) -> BTreeMap<String, OperatorIdentity> {
    let identify = |(index, op): (usize, &OperatorSpec)| {
        let id = OperatorId::of(index, &op.uid, &op.id);
        (op.id.clone(), OperatorIdentity { id, uid: op.uid.clone() })
    };
    graph.operators.iter().enumerate().map(identify).collect()
}

/// What subtasks are made from.
pub(super) struct Wiring<'a> {
    pub(super) executor: &'a LocalExecutor<'a>,
    pub(super) wake: Arc<dyn Wake>,
    pub(super) clock: Clock,
    pub(super) events: Sender<SubtaskEvent>,
    pub(super) restored: Option<Arc<dyn RestoredState>>,
    pub(super) checkpoints: bool,
    pub(super) shared: Arc<JobShared>,
}

/// The subtasks, in the order of the plan, and what belongs to all of them.
pub(super) struct Built {
    pub(super) subtasks: Vec<Subtask>,
    pub(super) control: Arc<JobControl>,
    pub(super) metrics: Vec<InstanceMetrics>,
    /// What each subtask does with its time, and what waits for it.
    pub(super) watched: Vec<SubtaskView>,
    /// The operator instances of each subtask.
    pub(super) instances: BTreeMap<SubtaskId, Vec<Instance>>,
}

/// The ends of all edges: by sender, receiver and input of the receiver.
#[derive(Default)]
struct Edges {
    senders: BTreeMap<(u32, u32, u32), EdgeSender>,
    inputs: BTreeMap<u32, InputGate>,
    spares: BTreeMap<u32, Receiver<ErasedBatch>>,
}

type MakeSource = Box<dyn Fn() -> NewSource + Send>;

impl Wiring<'_> {
    pub(super) fn build(&self) -> Result<Built, RuntimeError> {
        let positions: BTreeMap<&str, usize> = (self.executor.graph.operators.iter())
            .enumerate()
            .map(|(index, op)| (op.id.as_str(), index))
            .collect();
        let tasks = self.executor.plan.tasks.iter();
        let parallelisms = tasks.map(|task| (task.subtask_idx, task.parallelism)).collect();
        let mut edges = self.connect();
        let mut sources: BTreeMap<String, MakeSource> = BTreeMap::new();
        let control = Arc::new(JobControl::default());
        let (mut metrics, mut instances) = (Vec::new(), BTreeMap::new());
        let mut watched = Vec::with_capacity(self.executor.plan.tasks.len());
        let mut subtasks = Vec::with_capacity(self.executor.plan.tasks.len());
        for task in &self.executor.plan.tasks {
            let members = Members { wiring: self, task, positions: &positions };
            let (head, chain) = members.make(&mut edges, &mut sources, &mut metrics)?;
            let view = members.view(&head);
            instances.insert(SubtaskId(task.subtask_idx), members.instances());
            let output = self.output(task, &parallelisms, &mut edges);
            let output = output.map_err(|error| members.failed_output(&error))?;
            subtasks.push(Subtask::new(Parts {
                id: SubtaskId(task.subtask_idx),
                head,
                chain,
                output,
                control: Arc::clone(&control),
                events: self.events.clone(),
                restored: self.restored.clone(),
                checkpoints: self.checkpoints,
                clock: self.clock.clone(),
                metrics: Arc::clone(&view.metrics),
            }));
            watched.push(view);
        }
        Ok(Built { subtasks, control, metrics, watched, instances })
    }

    fn waker(&self, subtask: u32) -> Waker {
        Waker::new(Arc::clone(&self.wake), subtask as usize)
    }

    /// Makes every edge of the plan.
    fn connect(&self) -> Edges {
        let mut edges = Edges::default();
        let mut pools: BTreeMap<u32, Sender<ErasedBatch>> = BTreeMap::new();
        for task in &self.executor.plan.tasks {
            let edges_out: usize =
                task.chain.output_groups.iter().map(|group| group.edges.len()).sum();
            let capacity = (edges_out * SPARE_BATCHES).clamp(SPARE_BATCHES, SPARE_BATCHES_MAX);
            let (pool, spares) = spares(capacity);
            pools.insert(task.subtask_idx, pool);
            edges.spares.insert(task.subtask_idx, spares);
        }
        for task in &self.executor.plan.tasks {
            let inputs = &task.chain.input_edges;
            let peers = inputs.iter().filter_map(|edge| {
                let spares = pools.get(&edge.peer_subtask_idx)?.clone();
                Some(Peer { waker: self.waker(edge.peer_subtask_idx), spares })
            });
            let receiver = self.waker(task.subtask_idx);
            let capacity = self.executor.options.channel_capacity;
            let (inbox, senders) = inbox(capacity, &receiver, peers.collect());
            for (edge, sender) in inputs.iter().zip(senders) {
                let ends = (edge.peer_subtask_idx, task.subtask_idx, edge.input_index);
                edges.senders.insert(ends, sender);
            }
            edges.inputs.insert(task.subtask_idx, InputGate::new(inbox));
        }
        edges
    }

    /// The outputs of a subtask; `parallelisms` are those of all subtasks, by their number.
    fn output(
        &self,
        task: &PlannedTask,
        parallelisms: &BTreeMap<u32, u32>,
        edges: &mut Edges,
    ) -> Result<OutputGate, BuildError> {
        let ports = side_ports(task);
        let mut groups = Vec::with_capacity(task.chain.output_groups.len());
        for group in &task.chain.output_groups {
            let targets = group.edges.iter().map(|edge| {
                let ends = (task.subtask_idx, edge.peer_subtask_idx, edge.input_index);
                edges.senders.remove(&ends).expect("the plan names each edge at both of its ends")
            });
            let targets: Vec<EdgeSender> = targets.collect();
            let spread = self.spread(group, parallelisms, targets.len())?;
            groups.push(OutputGroup { origin: origin(group, &ports), spread, targets });
        }
        let last = task.chain.operators().last().expect("a task of the plan has an operator");
        let selector = (task.chain.output_routing == OutputRouting::Split).then(|| {
            let name = &task.chain.output_selector_fn;
            let found = self.executor.registry.selector(&last.out_channel, name);
            found.expect("validation has found every selector of the graph registered")
        });
        let spares = edges.spares.remove(&task.subtask_idx);
        Ok(OutputGate::new(groups, selector, spares.unwrap_or_else(crossbeam_channel::never)))
    }

    /// How the records of a group spread over its edges.
    fn spread(
        &self,
        group: &SubtaskOutputGroup,
        parallelisms: &BTreeMap<u32, u32>,
        targets: usize,
    ) -> Result<Spread, BuildError> {
        match group.mode {
            RoutingMode::Forward | RoutingMode::Rebalance => return Ok(Spread::InTurn),
            RoutingMode::Broadcast => return Ok(Spread::ToAll),
            RoutingMode::Hash => {}
        }
        let first = group.edges.first();
        let channel = first.map_or("", |edge| &edge.channel_type);
        let input = first.map_or(0, |edge| edge.input_index as usize);
        let peer = first.and_then(|edge| parallelisms.get(&edge.peer_subtask_idx));
        let parallelism = peer.copied().unwrap_or_default();
        let (registry, name) = (self.executor.registry, group.key_extractor_fn.as_str());
        let found = registry.partitioner(channel, name, input, parallelism, targets);
        Ok(Spread::ByKey(
            found.expect("validation has found every key extractor of the graph registered")?,
        ))
    }
}

/// The place of each side output of a subtask that is read, by operator and tag.
fn side_ports(task: &PlannedTask) -> BTreeMap<(&str, &str), u32> {
    let side = task.chain.output_groups.iter().filter(|group| !group.side_output_tag.is_empty());
    let read: BTreeSet<(&str, &str)> =
        side.map(|group| (group.upstream_op_id.as_str(), group.side_output_tag.as_str())).collect();
    read.into_iter().zip(0..).collect()
}

/// Which records a group carries.
fn origin(group: &SubtaskOutputGroup, ports: &BTreeMap<(&str, &str), u32>) -> Origin {
    let side = ports.get(&(group.upstream_op_id.as_str(), group.side_output_tag.as_str()));
    match (side, group.branch) {
        (Some(port), _) => Origin::Side(*port),
        (None, Some(branch)) => Origin::Branch(branch),
        (None, None) => Origin::Main,
    }
}

/// Makes the operators of one subtask.
struct Members<'a> {
    wiring: &'a Wiring<'a>,
    task: &'a PlannedTask,
    positions: &'a BTreeMap<&'a str, usize>,
}

impl Members<'_> {
    fn instances(&self) -> Vec<Instance> {
        self.task.chain.operators().map(|op| self.member(op).instance).collect()
    }

    fn make(
        &self,
        edges: &mut Edges,
        sources: &mut BTreeMap<String, MakeSource>,
        instances: &mut Vec<InstanceMetrics>,
    ) -> Result<(Head, Chain), RuntimeError> {
        let registry = self.wiring.executor.registry;
        let mut chain = Chain::default();
        let mut head = None;
        let mut swapped = false;
        let channels = self.channels();
        for op in self.task.chain.operators() {
            let member = self.member(op);
            if op.kind == ChainOpKind::Source {
                let make = match sources.entry(op.id.clone()) {
                    std::collections::btree_map::Entry::Occupied(entry) => entry.into_mut(),
                    std::collections::btree_map::Entry::Vacant(entry) => {
                        entry.insert(registry.source(op).map_err(|e| failed(&member, &e))?)
                    }
                };
                let source = make().map_err(|error| failed(&member, &error))?;
                let metrics = Arc::new(SourceMetrics::default());
                instances.push(self.watched(op, &member, Some(Arc::clone(&metrics))));
                head = Some(Head::Source(Box::new(SourceLink::new(member, source, metrics))));
                continue;
            }
            instances.push(self.watched(op, &member, None));
            let made = registry.stage(op, &channels, &member.instance);
            let made = made.map_err(|error| failed(&member, &error))?;
            swapped |= made.swapped;
            chain.push(member, made.stage);
        }
        let gate = edges.inputs.remove(&self.task.subtask_idx);
        let inputs = self.task.chain.input_edges.iter().map(|edge| match edge.input_index {
            input @ (0 | 1) if swapped => 1 - input as usize,
            input => input as usize,
        });
        let gate = gate.map(|gate| GateHead::new(gate, inputs.collect()));
        let head = head.or_else(|| gate.map(|gate| Head::Gate(Box::new(gate))));
        Ok((head.expect("every task of the plan has its edges made"), chain))
    }

    /// The element type of each input of the first operator.
    fn channels(&self) -> Vec<&str> {
        let edges = &self.task.chain.input_edges;
        let inputs: BTreeMap<u32, &str> =
            edges.iter().map(|edge| (edge.input_index, &*edge.channel_type)).collect();
        inputs.into_values().collect()
    }

    /// The last operator, which the output belongs to, cannot be connected.
    fn failed_output(&self, error: &BuildError) -> RuntimeError {
        let last = self.task.chain.operators().last().expect("a task of the plan has an operator");
        failed(&self.member(last), error)
    }

    fn watched(
        &self,
        op: &ChainOp,
        member: &Member,
        progress: Option<Arc<SourceMetrics>>,
    ) -> InstanceMetrics {
        InstanceMetrics {
            operator: op.id.clone(),
            name: member.ctx.name().into(),
            uid: op.uid.as_str().into(),
            subtask_index: self.task.subtask_idx_in_op,
            // What goes back to the head of an iteration is not written anywhere.
            is_sink: op.kind == ChainOpKind::Sink && !op.params.contains_key(FEEDBACK_TO),
            has_side_outputs: !op.side_outputs.is_empty(),
            metrics: Arc::clone(&member.metrics),
            progress,
        }
    }

    /// What is told of the subtask as a whole.
    fn view(&self, head: &Head) -> SubtaskView {
        let first = self.task.chain.operators().next();
        let first = first.expect("a task of the plan has an operator");
        let clock = self.wiring.clock.clone();
        SubtaskView {
            operator: first.id.clone(),
            name: self.member(first).ctx.name().to_owned(),
            uid: first.uid.clone(),
            subtask_index: self.task.subtask_idx_in_op,
            metrics: Arc::new(SubtaskMetrics::new(clock.elapsed())),
            input: match head {
                Head::Gate(gate) => Some(Arc::clone(gate.metrics())),
                Head::Source(_) => None,
            },
            clock,
        }
    }

    fn member(&self, op: &ChainOp) -> Member {
        let position = self.positions.get(op.id.as_str()).copied().unwrap_or_default();
        let operator_id = OperatorId::of(position, &op.uid, &op.id);
        let PlannedTask { subtask_idx_in_op, parallelism, key_groups, .. } = *self.task;
        let metrics = Arc::default();
        let ports = side_ports(self.task);
        let side_outputs = op.side_outputs.iter().map(|output| SideOutputPort {
            tag: output.tag.clone(),
            channel_type: output.channel_type.clone(),
            port: ports.get(&(op.id.as_str(), output.tag.as_str())).copied(),
        });
        Member {
            place: WorkPlace::new(&self.wiring.executor.options.job, &op.id, subtask_idx_in_op),
            ctx: RuntimeContext {
                operator: op.id.clone(),
                uid: op.uid.clone(),
                name: op.display_name.clone(),
                type_name: op.type_name.clone(),
                operator_id,
                subtask_index: subtask_idx_in_op,
                parallelism,
                restored: self.wiring.restored.is_some(),
                side_outputs: side_outputs.collect(),
                waker: self.wiring.waker(self.task.subtask_idx),
                clock: self.wiring.clock.clone(),
                metrics: Arc::clone(&metrics),
                shared: Arc::clone(&self.wiring.shared),
            },
            instance: Instance {
                operator: OperatorIdentity { id: operator_id, uid: op.uid.clone() },
                subtask_index: subtask_idx_in_op,
                parallelism,
                key_groups,
            },
            metrics,
        }
    }
}

fn failed(member: &Member, error: &BuildError) -> RuntimeError {
    RuntimeError::Build { origin: Box::new(member.origin()), message: error.to_string() }
}
