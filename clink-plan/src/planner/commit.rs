//! Finds the sinks whose commits have to be confirmed.

use super::RegistryView;
use crate::descriptor::ConnectorDescriptor;

/// The connectors that a binary has.
pub(super) struct Connectors(Vec<ConnectorDescriptor>);

impl Connectors {
    /// Those of `registry`; without one nothing is known of any connector.
    pub(super) fn of(registry: Option<&dyn RegistryView>) -> Connectors {
        let mut connectors = registry.map(RegistryView::connectors).unwrap_or_default();
        // Longest first: `kafka_2pc_sink` belongs to `kafka_2pc`, not to `kafka`.
        connectors.sort_by_key(|connector| (std::cmp::Reverse(connector.name.len()), *connector));
        Connectors(connectors)
    }

    /// Whether a sink of this type is exactly-once and cannot find out by itself, after a crash,
    /// whether a commit went through.
    pub(super) fn needs_confirmation(&self, type_name: &str) -> bool {
        let connector = self.0.iter().find(|connector| type_name.starts_with(connector.name));
        connector.is_some_and(|found| found.exactly_once && !found.commit_recoverable)
    }
}
