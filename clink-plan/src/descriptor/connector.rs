//! Says what a family of sources and sinks promises.

/// What a connector promises about its sinks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ConnectorDescriptor {
    /// The name that the types of its operators begin with, as `kafka_2pc` begins
    /// `kafka_2pc_sink`.
    pub name: &'static str,
    /// Whether its sinks commit exactly once.
    pub exactly_once: bool,
    /// Whether such a sink can find out after a crash that a commit went through.
    pub commit_recoverable: bool,
}
