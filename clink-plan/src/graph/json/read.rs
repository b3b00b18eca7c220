//! Reads a job graph from JSON: what would be bent is refused, what is not known refused or kept.

use std::collections::BTreeMap;

use super::{ColumnLineage, FORMAT, GraphJsonError, KeptKeys};
use crate::graph::{JobGraphSpec, OperatorSpec, SideOutputSpec, UdfSpec};
use crate::strict_json::{self, Fields, Node, Path, Problems, UnknownKeys};

const GRAPH_KEYS: &[&str] = &[
    "format",
    "name",
    "determinism_coverage",
    "ops",
    "expected_state_versions",
    "udfs",
    "column_lineage",
];
const OPERATOR_KEYS: &[&str] = &[
    "id",
    "type",
    "uid",
    "display_name",
    "out_channel",
    "parallelism",
    "min_parallelism",
    "max_parallelism",
    "inputs",
    "params",
    "key_by",
    "side_outputs",
];
const SIDE_OUTPUT_KEYS: &[&str] = &["tag", "channel_type"];
const UDF_KEYS: &[&str] = &[
    "name",
    "language",
    "arg_names",
    "arg_types",
    "return_type",
    "definitions",
    "module_b64",
    "kind",
];

/// Reads a graph, or says everything that keeps `text` from being one.
pub(in crate::graph) fn read(
    text: &str,
    unknown_keys: UnknownKeys,
) -> Result<JobGraphSpec, GraphJsonError> {
    let graph = |root: &Node<'_, '_>, problems: &mut Problems| {
        check_format(root, problems)?;
        graph(root, problems)
    };
    strict_json::read(text, unknown_keys, graph).map_err(|problems| GraphJsonError { problems })
}

/// Refuses a newer format before its keys are called unknown; `None` if it is refused.
fn check_format(root: &Node<'_, '_>, problems: &mut Problems) -> Option<()> {
    // Whatever else is wrong with the document is said once, by `graph`.
    let mut elsewhere = Problems::new(UnknownKeys::Keep);
    let entries = root.entries(&mut elsewhere).unwrap_or_default();
    let Some((_, raw)) = entries.iter().find(|(key, _)| key == "format") else {
        return Some(());
    };
    let node = Node::new(raw, Path::Key(&root.path, "format"));
    let format = node.number(problems)?;
    if (1..=FORMAT).contains(&format) {
        return Some(());
    }
    let newer = "a newer clink wrote this graph: read it with that release, or write it again with \
                 this one";
    let help = (format > FORMAT).then(|| newer.to_owned());
    node.wrong(&format!("a format from 1 to {FORMAT}"), help, problems);
    None
}

fn graph(root: &Node<'_, '_>, problems: &mut Problems) -> Option<JobGraphSpec> {
    let fields = root.fields(GRAPH_KEYS, problems)?;
    let name = fields.text("name", problems);
    let determinism_coverage = fields.text("determinism_coverage", problems);
    fields.require("ops", "a list of operators", problems);
    let operators = fields.each("ops", "operators", problems, operator);
    let column_lineage = fields.get("column_lineage").and_then(|node| {
        let lineage = ColumnLineage::new(node.raw.get());
        if lineage.is_none() {
            node.wrong("an object", None, problems);
        }
        lineage
    });
    Some(JobGraphSpec {
        name,
        determinism_coverage,
        operators,
        expected_state_versions: fields.text("expected_state_versions", problems),
        udfs: fields.each("udfs", "user functions", problems, udf),
        column_lineage,
        kept: kept(&fields),
    })
}

fn operator(node: &Node<'_, '_>, problems: &mut Problems) -> Option<OperatorSpec> {
    let fields = node.fields(OPERATOR_KEYS, problems)?;
    Some(OperatorSpec {
        id: fields.required_text("id", problems),
        type_name: fields.required_text("type", problems),
        uid: fields.text("uid", problems),
        display_name: fields.text("display_name", problems),
        out_channel: fields.required_text("out_channel", problems),
        parallelism: fields.number("parallelism", 1, problems),
        min_parallelism: fields.number("min_parallelism", 0, problems),
        max_parallelism: fields.number("max_parallelism", 0, problems),
        inputs: fields.texts("inputs", problems),
        params: params(&fields, problems),
        key_by: fields.text("key_by", problems),
        side_outputs: side_outputs(&fields, problems),
        kept: kept(&fields),
    })
}

/// What a strict reader has refused already and a tolerant one keeps.
fn kept(fields: &Fields<'_, '_>) -> KeptKeys {
    KeptKeys::of(fields.unknown())
}

/// Reads the parameters of an operator, of a graph or of a chain.
pub(crate) fn params(fields: &Fields<'_, '_>, problems: &mut Problems) -> BTreeMap<String, String> {
    let Some(params) = fields.get("params") else {
        return BTreeMap::new();
    };
    let entries = params.entries(problems).unwrap_or_default();
    let read = |(key, raw): (String, _)| {
        let value = Node::new(raw, Path::Key(&params.path, &key)).parameter(problems)?;
        Some((key, value))
    };
    entries.into_iter().filter_map(read).collect()
}

/// Reads the side outputs of an operator, of a graph or of a chain.
pub(crate) fn side_outputs(
    fields: &Fields<'_, '_>,
    problems: &mut Problems,
) -> Vec<SideOutputSpec> {
    fields.each("side_outputs", "side outputs", problems, |node, problems| {
        let fields = node.fields(SIDE_OUTPUT_KEYS, problems)?;
        Some(SideOutputSpec {
            tag: fields.required_text("tag", problems),
            channel_type: fields.required_text("channel_type", problems),
            kept: kept(&fields),
        })
    })
}

fn udf(node: &Node<'_, '_>, problems: &mut Problems) -> Option<UdfSpec> {
    let fields = node.fields(UDF_KEYS, problems)?;
    Some(UdfSpec {
        name: fields.required_text("name", problems),
        language: fields.required_text("language", problems),
        arg_names: fields.texts("arg_names", problems),
        arg_types: fields.texts("arg_types", problems),
        return_type: fields.text("return_type", problems),
        definitions: fields.texts("definitions", problems),
        module_b64: fields.text("module_b64", problems),
        kind: fields.text("kind", problems),
        kept: kept(&fields),
    })
}
