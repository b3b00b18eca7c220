//! Makes a job graph of what was added.

use std::collections::{BTreeMap, BTreeSet};

use clink_plan::descriptor::Locations;
use clink_plan::graph::{
    FORCED_SINGLETON, InputRef, JobGraphSpec, Port, StateVersion, pack_versions,
};
use clink_plan::id::OperatorId;
use clink_plan::validate::Diagnostic;

use crate::registry::Registry;
use crate::state::KnownSlots;

use super::{Added, Dag, IterationAdded};

/// A job graph with the code of its operators, and what is known of them besides.
pub struct DagJob {
    /// What the author meant.
    pub graph: JobGraphSpec,
    /// Where the code of its operators is found.
    pub registry: Registry,
    /// Where they were written.
    pub locations: Locations,
    /// The state slots of each operator, by operator id.
    pub slots: BTreeMap<String, KnownSlots>,
    /// What was found wrong while it was built and the graph does not show.
    pub problems: Vec<Diagnostic>,
}

impl Dag {
    /// The job of that name.
    pub fn build(mut self, name: &str) -> DagJob {
        self.withdraw_shared_defaults();
        self.check_splits();
        self.check_iterations();
        let parallelism = self.parallelism;
        let mut job = DagJob {
            graph: JobGraphSpec { name: name.to_owned(), ..JobGraphSpec::default() },
            registry: self.registry,
            locations: BTreeMap::new(),
            slots: BTreeMap::new(),
            problems: self.problems,
        };
        let mut versions = Vec::new();
        for (index, added) in self.operators.into_iter().enumerate() {
            let Added { mut spec, location, slots, asks_by_name, set, .. } = added;
            if !set && !spec.params.contains_key(FORCED_SINGLETON) {
                spec.parallelism = parallelism;
            }
            job.locations.insert(spec.id.clone(), location);
            let operator = OperatorId::of(index, &spec.uid, &spec.id);
            versions.extend(slots.iter().map(|slot| StateVersion::of(operator, slot)));
            let names = slots.iter().map(|slot| slot.name.to_owned()).collect();
            job.slots.insert(spec.id.clone(), KnownSlots { names, asks_by_name });
            job.graph.operators.push(spec);
        }
        job.graph.expected_state_versions =
            pack_versions(&versions).expect("the names of slots are identifiers");
        job
    }

    /// Two uses of one connector both lose its default uid: which of them kept it would depend on
    /// their order, and a changed order would then hand one the state of the other.
    fn withdraw_shared_defaults(&mut self) {
        let mut uses: BTreeMap<String, usize> = BTreeMap::new();
        for added in self.operators.iter().filter(|added| !added.spec.uid.is_empty()) {
            *uses.entry(added.spec.uid.clone()).or_default() += 1;
        }
        for added in self.operators.iter_mut().filter(|added| added.default_uid) {
            if uses.get(&added.spec.uid).is_some_and(|count| *count > 1) {
                added.spec.uid.clear();
            }
        }
    }

    /// The tail of an iteration has as many subtasks as its head, and reads what came from it.
    fn check_iterations(&mut self) {
        for IterationAdded { head, tail, location } in std::mem::take(&mut self.iterations) {
            let Some(tail) = tail else {
                let message =
                    "the iteration is not closed: nothing goes back to its head".to_owned();
                self.problem("P0907", &head, location, message);
                continue;
            };
            let Some(Added { spec, set, .. }) = self.added(&head) else { continue };
            let (parallelism, set) = (spec.parallelism, *set);
            if set {
                self.set_parallelism(&tail, parallelism);
            }
            if !self.comes_from(&tail, &head) {
                let message = format!(
                    "what it feeds back does not come from the iteration: it must be read, \
                     through other operators, from its head `{head}`"
                );
                self.problem("P0907", &tail, location, message);
            }
        }
    }

    /// Whether an operator reads another one, through any number of others.
    fn comes_from(&self, reader: &str, origin: &str) -> bool {
        let inputs: BTreeMap<&str, &Vec<String>> = (self.operators.iter())
            .map(|added| (added.spec.id.as_str(), &added.spec.inputs))
            .collect();
        let (mut seen, mut todo) = (BTreeSet::new(), vec![reader]);
        while let Some(id) = todo.pop() {
            if id == origin {
                return true;
            }
            if seen.insert(id) {
                let read = inputs.get(id).into_iter().flat_map(|inputs| inputs.iter());
                todo.extend(read.map(|input| InputRef::parse(input).operator));
            }
        }
        false
    }

    /// A branch that nobody reads is no place for a record.
    fn check_splits(&mut self) {
        let inputs = self.operators.iter().flat_map(|added| &added.spec.inputs);
        let read: BTreeSet<(String, u32)> = inputs
            .filter_map(|input| match InputRef::parse(input) {
                InputRef { operator, port: Port::Branch(branch) } => {
                    Some((operator.to_owned(), branch))
                }
                _ => None,
            })
            .collect();
        for split in std::mem::take(&mut self.splits) {
            for (branch, name) in (0..).zip(&split.branches) {
                if !read.contains(&(split.operator.clone(), branch)) {
                    let message = format!(
                        "its branch `{name}` is not read: end it with a sink, `blackhole()` if \
                         its records are not wanted"
                    );
                    self.problem("P0903", &split.operator, split.location, message);
                }
            }
        }
    }
}
