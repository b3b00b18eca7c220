//! Writes a job graph as canonical JSON: the views below list its keys in order.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::value::RawValue;

use super::FORMAT;
use crate::canonical_json;
use crate::graph::{JobGraphSpec, KeptKeys, OperatorSpec, SideOutputSpec, UdfSpec};

#[derive(Serialize)]
struct GraphView<'g> {
    format: u32,
    #[serde(skip_serializing_if = "is_empty")]
    name: &'g str,
    #[serde(skip_serializing_if = "is_empty")]
    determinism_coverage: &'g str,
    ops: Vec<OperatorView<'g>>,
    #[serde(skip_serializing_if = "is_empty")]
    expected_state_versions: &'g str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    udfs: Vec<UdfView<'g>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column_lineage: Option<&'g RawValue>,
    #[serde(flatten)]
    kept: KeptView<'g>,
}

#[derive(Serialize)]
struct OperatorView<'g> {
    id: &'g str,
    r#type: &'g str,
    #[serde(skip_serializing_if = "is_empty")]
    uid: &'g str,
    #[serde(skip_serializing_if = "is_empty")]
    display_name: &'g str,
    out_channel: &'g str,
    parallelism: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    min_parallelism: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_parallelism: Option<u32>,
    inputs: &'g [String],
    params: &'g BTreeMap<String, String>,
    #[serde(skip_serializing_if = "is_empty")]
    key_by: &'g str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    side_outputs: Vec<SideOutputView<'g>>,
    #[serde(flatten)]
    kept: KeptView<'g>,
}

#[derive(Serialize)]
struct SideOutputView<'g> {
    tag: &'g str,
    channel_type: &'g str,
    #[serde(flatten)]
    kept: KeptView<'g>,
}

#[derive(Serialize)]
struct UdfView<'g> {
    name: &'g str,
    language: &'g str,
    arg_names: &'g [String],
    arg_types: &'g [String],
    return_type: &'g str,
    definitions: &'g [String],
    module_b64: &'g str,
    #[serde(skip_serializing_if = "is_empty")]
    kind: &'g str,
    #[serde(flatten)]
    kept: KeptView<'g>,
}

/// What follows the keys that are known.
type KeptView<'g> = BTreeMap<&'g str, &'g RawValue>;

// Serde hands a reference to the field, and the field is a reference itself.
fn is_empty(text: &&str) -> bool {
    text.is_empty()
}

/// The graph as canonical JSON.
pub(in crate::graph) fn write(graph: &JobGraphSpec) -> String {
    canonical_json::to_string(&GraphView {
        format: FORMAT,
        name: &graph.name,
        determinism_coverage: &graph.determinism_coverage,
        ops: graph.operators.iter().map(operator).collect(),
        expected_state_versions: &graph.expected_state_versions,
        udfs: graph.udfs.iter().map(udf).collect(),
        column_lineage: graph.column_lineage.as_ref().map(|lineage| raw(lineage.as_str())),
        kept: kept(&graph.kept),
    })
}

fn kept(keys: &KeptKeys) -> KeptView<'_> {
    keys.iter().map(|(key, value)| (key, raw(value))).collect()
}

fn raw(text: &str) -> &RawValue {
    serde_json::from_str(text).expect("what is carried through is the text of a JSON value")
}

fn operator(spec: &OperatorSpec) -> OperatorView<'_> {
    let bounded = spec.min_parallelism != 0 || spec.max_parallelism != 0;
    OperatorView {
        id: &spec.id,
        r#type: &spec.type_name,
        uid: &spec.uid,
        display_name: &spec.display_name,
        out_channel: &spec.out_channel,
        parallelism: spec.parallelism,
        min_parallelism: bounded.then_some(spec.min_parallelism),
        max_parallelism: bounded.then_some(spec.max_parallelism),
        inputs: &spec.inputs,
        params: &spec.params,
        key_by: &spec.key_by,
        side_outputs: spec.side_outputs.iter().map(side_output).collect(),
        kept: kept(&spec.kept),
    }
}

fn side_output(spec: &SideOutputSpec) -> SideOutputView<'_> {
    SideOutputView { tag: &spec.tag, channel_type: &spec.channel_type, kept: kept(&spec.kept) }
}

fn udf(spec: &UdfSpec) -> UdfView<'_> {
    UdfView {
        name: &spec.name,
        language: &spec.language,
        arg_names: &spec.arg_names,
        arg_types: &spec.arg_types,
        return_type: &spec.return_type,
        definitions: &spec.definitions,
        module_b64: &spec.module_b64,
        kind: &spec.kind,
        kept: kept(&spec.kept),
    }
}
