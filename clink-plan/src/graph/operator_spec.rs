//! Describes one operator of a job graph.

use std::collections::BTreeMap;

use super::KeptKeys;

/// The parameter whose presence keeps an operator out of a job-wide parallelism; its value may
/// say why.
pub const FORCED_SINGLETON: &str = "forced_singleton";

/// The parameter that names the selector of an operator whose output is split into branches.
pub const SELECTOR_FN: &str = "selector_fn";

/// The parameter that names the one input whose records go to every subtask of the operator.
pub const BROADCAST_INPUT: &str = "broadcast_input";

/// The parameter of an operator that holds back its input until it has ended.
pub const BLOCKING_EXCHANGE: &str = "blocking_exchange";

/// The parameter of a sink that is the tail of an iteration: the operator that its records go back
/// to.
pub const FEEDBACK_TO: &str = "feedback_to";

/// One operator of a job graph, before chaining.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperatorSpec {
    /// Its name within the graph; inputs refer to it.
    pub id: String,
    /// The registry name of its factory.
    pub type_name: String,
    /// The author's stable name for its state; empty if none was given.
    pub uid: String,
    /// A label for people; empty for none.
    pub display_name: String,
    /// What it reads, in the grammar of [`super::InputRef`]; a source reads nothing.
    pub inputs: Vec<String>,
    /// How many subtasks it becomes.
    pub parallelism: u32,
    /// The least parallelism a rescale may choose; 0 together with the greatest: not scalable.
    pub min_parallelism: u32,
    /// The greatest parallelism a rescale may choose.
    pub max_parallelism: u32,
    /// The element type of its main output.
    pub out_channel: String,
    /// Free-form configuration.
    pub params: BTreeMap<String, String>,
    /// The key extractor that partitions its input; empty if it is not keyed.
    pub key_by: String,
    /// Its tagged outputs besides the main one.
    pub side_outputs: Vec<SideOutputSpec>,
    /// What a newer release said about it.
    pub kept: KeptKeys,
}

/// A tagged output besides the main one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SideOutputSpec {
    /// The tag that readers name.
    pub tag: String,
    /// The element type of the output.
    pub channel_type: String,
    /// What a newer release said about it.
    pub kept: KeptKeys,
}

impl SideOutputSpec {
    /// A side output `tag` of elements of `channel_type`.
    pub fn new(tag: impl Into<String>, channel_type: impl Into<String>) -> SideOutputSpec {
        SideOutputSpec {
            tag: tag.into(),
            channel_type: channel_type.into(),
            kept: KeptKeys::default(),
        }
    }
}

impl OperatorSpec {
    /// An operator of parallelism 1 with nothing optional set.
    pub fn new(
        id: impl Into<String>,
        type_name: impl Into<String>,
        out_channel: impl Into<String>,
    ) -> OperatorSpec {
        OperatorSpec {
            id: id.into(),
            type_name: type_name.into(),
            uid: String::new(),
            display_name: String::new(),
            inputs: Vec::new(),
            parallelism: 1,
            min_parallelism: 0,
            max_parallelism: 0,
            out_channel: out_channel.into(),
            params: BTreeMap::new(),
            key_by: String::new(),
            side_outputs: Vec::new(),
            kept: KeptKeys::default(),
        }
    }

    /// The element type of side output `tag`, if it is declared.
    pub fn side_channel(&self, tag: &str) -> Option<&str> {
        let output = self.side_outputs.iter().find(|output| output.tag == tag)?;
        Some(&output.channel_type)
    }

    /// Whether each record at that input goes to every subtask.
    pub fn is_broadcast(&self, input_index: usize) -> bool {
        let named = self.params.get(BROADCAST_INPUT).and_then(|text| text.parse().ok());
        named == Some(input_index)
    }

    /// Whether its input is partitioned by key.
    pub fn is_keyed(&self) -> bool {
        !self.key_by.is_empty()
    }

    /// Why a job-wide parallelism leaves it alone: `None` if it does not, empty text if the graph
    /// gives no reason.
    pub fn forced_singleton(&self) -> Option<&str> {
        self.params.get(FORCED_SINGLETON).map(String::as_str)
    }
}
