//! Asks that the registry has what the graph names: factories, key extractors, selectors.

use std::collections::{BTreeMap, BTreeSet};

use super::report::{Context, Report, listed};
use super::type_place::registered_as;
use super::{ChainOpKind, RegistryView, TypePlace};
use crate::graph::{OpIndex, OperatorSpec, SELECTOR_FN};

/// Checks P0026 to P0029, as far as there is a registry.
pub(super) fn check(context: &Context<'_>, report: &mut Report<'_>) {
    let Some(registry) = context.facts.registry else {
        return;
    };
    let mut unknown = UnknownNames::new(registry);
    // A misspelt input leaves the operator it meant without a reader: it looks like a sink.
    let all_read = !report.has_code("P0015");
    // And so does an operator whose readers turned out to read a branch of another.
    let shadowed: BTreeSet<&str> = if report.has_code("P0022") {
        context.shadowed().into_values().flatten().collect()
    } else {
        BTreeSet::new()
    };
    for (op, spec) in context.specs() {
        if report.hides(op) {
            continue;
        }
        let Some(channels) = context.channels(op) else {
            // Whether a name is known at all needs no types.
            unknown.names(context, op, report);
            continue;
        };
        let channels: Vec<&str> = channels.into_iter().map(|(_, channel)| channel).collect();
        let meant = |input: &&str| registry.has_operator(&spec.type_name, input, &spec.out_channel);
        let kind = context.kind(op);
        if kind == ChainOpKind::Sink && shadowed.contains(spec.id.as_str()) {
            continue;
        }
        let alone = channels.is_empty() && context.topology.readers(op).is_empty();
        if kind == ChainOpKind::Join && !(alone && report.has_code("P0017")) {
            join(registry, op, spec, &channels, report);
        } else if kind != ChainOpKind::Sink || all_read || !channels.first().is_some_and(meant) {
            factory(context, registry, &mut unknown, op, &channels, report);
        }
        if !report.just_said(op, "P0027") {
            key_extractor(context, registry, &mut unknown, op, &channels, report);
        } else if spec.is_keyed() {
            unknown.extractor_name(context, op, report);
        }
        selector(context, registry, &mut unknown, op, spec, report);
    }
}

fn join(
    registry: &dyn RegistryView,
    op: OpIndex,
    spec: &OperatorSpec,
    channels: &[&str],
    report: &mut Report<'_>,
) {
    let type_name = &spec.type_name;
    let [left, right] = channels else {
        let message = format!("`{type_name}` is a join and its inputs number {}", channels.len());
        report.error("P0026", op, message).help("a join has exactly two inputs");
        return;
    };
    if !registry.join_takes(type_name, left, right, &spec.out_channel) {
        let out = &spec.out_channel;
        let message = format!("join `{type_name}` does not take {left} and {right} to {out}");
        let help = match registry.places(type_name).as_slice() {
            [] => "check the types of its inputs and its output".to_owned(),
            places => format!("it is {}", registered_as(places)),
        };
        report.error("P0026", op, message).help(help);
    }
}

fn factory(
    context: &Context<'_>,
    registry: &dyn RegistryView,
    unknown: &mut UnknownNames<'_>,
    op: OpIndex,
    channels: &[&str],
    report: &mut Report<'_>,
) {
    let spec = context.topology.spec(op);
    let (type_name, out) = (spec.type_name.as_str(), spec.out_channel.as_str());
    let input = channels.first().copied().unwrap_or(out);
    let (found, place) = match context.kind(op) {
        ChainOpKind::Source => (registry.has_source(type_name, out), TypePlace::Source { out }),
        ChainOpKind::Sink => (registry.has_sink(type_name, input), TypePlace::Sink { input }),
        ChainOpKind::Operator => {
            (registry.has_operator(type_name, input, out), TypePlace::Operator { input, out })
        }
        // Both kinds are known to the registry by definition.
        ChainOpKind::Join | ChainOpKind::CoOperator => return,
    };
    if found {
        return;
    }
    let message = format!("`{type_name}` is not registered as {place}");
    let help =
        if context.kind(op) == ChainOpKind::Sink && registry.has_operator(type_name, input, out) {
            "it is an operator, and nothing reads it: add a sink".to_owned()
        } else if context.kind(op) == ChainOpKind::Operator && registry.has_sink(type_name, input) {
            "it is a sink, and a sink cannot be read".to_owned()
        } else if context.kind(op) == ChainOpKind::Source && unknown.reads(type_name) {
            format!("it reads nothing, and `{type_name}` needs an input: give it `inputs`")
        } else {
            unknown.type_help(context, type_name)
        };
    report.error("P0027", op, message).help(help);
}

fn key_extractor(
    context: &Context<'_>,
    registry: &dyn RegistryView,
    unknown: &mut UnknownNames<'_>,
    op: OpIndex,
    channels: &[&str],
    report: &mut Report<'_>,
) {
    let spec = context.topology.spec(op);
    if !spec.is_keyed() {
        return;
    }
    let by_key = channels.iter().enumerate().filter(|(index, _)| !spec.is_broadcast(*index));
    let mut distinct: Vec<&str> = by_key.map(|(_, channel)| *channel).collect();
    distinct.sort_unstable();
    distinct.dedup();
    for channel in distinct {
        if !registry.has_key_extractor(channel, &spec.key_by) {
            let message =
                format!("key extractor `{}` is not registered for {channel}", spec.key_by);
            let help = unknown.key_extractor_help(context, &spec.key_by);
            report.error("P0028", op, message).help(help);
        }
    }
}

fn selector(
    context: &Context<'_>,
    registry: &dyn RegistryView,
    unknown: &mut UnknownNames<'_>,
    op: OpIndex,
    spec: &OperatorSpec,
    report: &mut Report<'_>,
) {
    if !context.topology.is_split(op) {
        return;
    }
    let Some(name) = spec.params.get(SELECTOR_FN).filter(|name| !name.is_empty()) else {
        return;
    };
    if !registry.has_selector(&spec.out_channel, name) {
        let message = format!("selector `{name}` is not registered for {}", spec.out_channel);
        let help = unknown.selector_help(context, name);
        report.error("P0029", op, message).help(help);
    }
}

/// Help about names the registry does not have; each name is looked up once.
struct UnknownNames<'r> {
    registry: &'r dyn RegistryView,
    types: Option<Vec<String>>,
    key_extractors: Option<Vec<String>>,
    selectors: Option<Vec<String>>,
    said: BTreeMap<String, String>,
}

impl<'r> UnknownNames<'r> {
    fn new(registry: &'r dyn RegistryView) -> UnknownNames<'r> {
        let said = BTreeMap::new();
        UnknownNames { registry, types: None, key_extractors: None, selectors: None, said }
    }

    /// Whether the type is known, and as no source.
    fn reads(&self, type_name: &str) -> bool {
        let places = self.registry.places(type_name);
        let source = |place: &TypePlace<'_>| matches!(place, TypePlace::Source { .. });
        !places.is_empty() && !places.iter().any(source)
    }

    fn type_help(&mut self, context: &Context<'_>, name: &str) -> String {
        if let Some(help) = self.said.get(name) {
            return help.clone();
        }
        let valid = self.types.get_or_insert_with(|| sorted(self.registry.type_names()));
        let help = if valid.iter().any(|other| other == name) {
            match self.registry.places(name).as_slice() {
                [] => "it is registered for other element types or another place".to_owned(),
                places => format!("it is {}", registered_as(places)),
            }
        } else {
            unknown_help(context, self.registry, name, valid)
        };
        self.said.insert(name.to_owned(), help.clone());
        help
    }

    fn key_extractor_help(&mut self, context: &Context<'_>, name: &str) -> String {
        let valid =
            self.key_extractors.get_or_insert_with(|| sorted(self.registry.key_extractor_names()));
        if valid.iter().any(|other| other == name) {
            return "it is registered for another element type".to_owned();
        }
        unknown_help(context, self.registry, name, valid)
    }

    /// Notes the names of an operator that nothing is registered under.
    fn names(&mut self, context: &Context<'_>, op: OpIndex, report: &mut Report<'_>) {
        let spec = context.topology.spec(op);
        let types = self.types.get_or_insert_with(|| sorted(self.registry.type_names()));
        if !types.contains(&spec.type_name) {
            let message = format!("`{}` is not registered", spec.type_name);
            let help = self.type_help(context, &spec.type_name);
            report.error("P0027", op, message).help(help);
        }
        if spec.is_keyed() {
            self.extractor_name(context, op, report);
        }
    }

    /// Notes a key extractor that is registered for no element type.
    fn extractor_name(&mut self, context: &Context<'_>, op: OpIndex, report: &mut Report<'_>) {
        let name = &context.topology.spec(op).key_by;
        let known =
            self.key_extractors.get_or_insert_with(|| sorted(self.registry.key_extractor_names()));
        if !known.contains(name) {
            let message = format!("key extractor `{name}` is not registered");
            let help = self.key_extractor_help(context, name);
            report.error("P0028", op, message).help(help);
        }
    }

    fn selector_help(&mut self, context: &Context<'_>, name: &str) -> String {
        let valid = self.selectors.get_or_insert_with(|| sorted(self.registry.selector_names()));
        if valid.iter().any(|other| other == name) {
            return "it is registered for another element type".to_owned();
        }
        unknown_help(context, self.registry, name, valid)
    }
}

fn sorted(mut names: Vec<String>) -> Vec<String> {
    names.sort_unstable();
    names.dedup();
    names
}

/// The nearest name, why a name can be missing, and what there is.
fn unknown_help(
    context: &Context<'_>,
    registry: &dyn RegistryView,
    name: &str,
    valid: &[String],
) -> String {
    let nearest = context.did_you_mean(name, valid.iter().map(String::as_str));
    let nearest = nearest.map(|line| format!("{line} ")).unwrap_or_default();
    let registered = listed(valid.iter().map(String::as_str));
    format!("{nearest}{}; registered: {registered}", registry.missing_because())
}
