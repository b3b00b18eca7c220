//! Names what a graph of the reference may ask for and the engine cannot run yet.

use clink_plan::validate::TypePlace;

/// An operator type that can be planned and not run.
pub(in crate::registry) struct Unavailable {
    pub(in crate::registry) type_name: &'static str,
    /// Where it may stand.
    pub(in crate::registry) at: TypePlace<'static>,
    /// What the engine lacks.
    pub(in crate::registry) lack: Lack,
}

/// What the engine lacks, and what it has instead.
#[derive(Clone, Copy)]
pub(in crate::registry) struct Lack {
    /// In the plural: `joins`.
    pub(in crate::registry) what: &'static str,
    /// What to do instead, if there is something.
    pub(in crate::registry) instead: Option<&'static str>,
}

impl Unavailable {
    /// Whether the type is of this name and stands there.
    pub(in crate::registry) fn stands(&self, name: &str, at: TypePlace<'_>) -> bool {
        self.type_name == name && self.at == at
    }

    pub(in crate::registry) fn is_join(&self, name: &str) -> bool {
        self.type_name == name && matches!(self.at, TypePlace::Join { .. })
    }
}

/// The types by name.
pub(super) const UNAVAILABLE: &[Unavailable] = &[
    Unavailable {
        type_name: "filter_string_predicate",
        at: TypePlace::Operator { input: "string", out: "string" },
        lack: Lack {
            what: "predicates that a graph can name: the reference looks them up in a table of \
                   functions that its host program fills",
            instead: Some("write the filter as an operator of a job of your own"),
        },
    },
    Unavailable {
        type_name: "file_2pc_sink_string",
        at: TypePlace::Sink { input: "string" },
        lack: Lack {
            what: "sinks that show their output only once the checkpoint is complete",
            instead: Some(
                "`file_text_sink` shows lines at once; after a restore each is in its file once",
            ),
        },
    },
    Unavailable {
        type_name: "int64_int64_match_join",
        at: TypePlace::Join { left: "int64", right: "int64", out: "int64" },
        lack: Lack {
            what: "joins without bounds in time: what would let it forget a record is not known",
            instead: Some("write it as an `interval_join` in a job of your own"),
        },
    },
];

/// Types that the reference has in many variants, by a word in their names. They are in nobody's
/// registry, so that a graph of them is not even planned.
const FAMILIES: &[(&str, Lack)] = &[
    (
        "parquet",
        Lack {
            what: "sources and sinks of Parquet files",
            instead: Some("`file_text_source` and `file_text_sink` read and write lines"),
        },
    ),
    (
        "collect",
        Lack {
            what: "sinks that collect in memory",
            instead: Some("`file_int64_sink` and `file_text_sink` write a value a line"),
        },
    ),
];

/// What the engine lacks to run a type that is not registered, if its name tells.
pub(in crate::registry) fn family(type_name: &str) -> Option<Lack> {
    FAMILIES.iter().find(|(word, _)| type_name.contains(word)).map(|(_, lack)| *lack)
}
