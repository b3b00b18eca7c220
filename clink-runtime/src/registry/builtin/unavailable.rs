//! Names what a graph of the reference may ask for and the engine cannot run yet.

/// An operator type that can be planned and not run.
pub(in crate::registry) struct Unavailable {
    pub(in crate::registry) type_name: &'static str,
    at: Site,
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

/// Where a type may stand: the channels it connects.
enum Site {
    Operator(&'static str, &'static str),
    Sink(&'static str),
    Join(&'static str, &'static str, &'static str),
}

impl Unavailable {
    pub(in crate::registry) fn is_operator(&self, name: &str, input: &str, out: &str) -> bool {
        let fits = matches!(self.at, Site::Operator(from, to) if from == input && to == out);
        self.type_name == name && fits
    }

    pub(in crate::registry) fn is_sink(&self, name: &str, input: &str) -> bool {
        self.type_name == name && matches!(self.at, Site::Sink(from) if from == input)
    }

    pub(in crate::registry) fn is_join(&self, name: &str) -> bool {
        self.type_name == name && matches!(self.at, Site::Join(..))
    }

    /// Where it may stand, for messages.
    pub(in crate::registry) fn place(&self) -> String {
        match self.at {
            Site::Operator(from, to) => format!("an operator from {from} to {to}"),
            Site::Sink(from) => format!("a sink of {from}"),
            Site::Join(left, right, to) => format!("a join of {left} and {right} to {to}"),
        }
    }

    pub(in crate::registry) fn joins(&self, name: &str, l: &str, r: &str, out: &str) -> bool {
        let fits = matches!(self.at, Site::Join(left, right, to)
            if left == l && right == r && to == out);
        self.type_name == name && fits
    }
}

/// The types by name.
pub(super) const UNAVAILABLE: &[Unavailable] = &[
    Unavailable {
        type_name: "filter_string_predicate",
        at: Site::Operator("string", "string"),
        lack: Lack {
            what: "predicates that a graph can name: the reference looks them up in a table of \
                   functions that its host program fills",
            instead: Some("write the filter as an operator of a job of your own"),
        },
    },
    Unavailable {
        type_name: "file_2pc_sink_string",
        at: Site::Sink("string"),
        lack: Lack {
            what: "sinks that show their output only once the checkpoint is complete",
            instead: Some(
                "`file_text_sink` shows lines at once; after a restore each is in its file once",
            ),
        },
    },
    Unavailable {
        type_name: "int64_int64_match_join",
        at: Site::Join("int64", "int64", "int64"),
        lack: Lack { what: "joins", instead: None },
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

/// The selectors by channel; a graph that splits an output can be planned and not run.
const SELECTORS: &[(&str, &str)] = &[
    ("int64", "int64_even_odd"),
    ("int64", "int64_mod_2"),
    ("int64", "int64_mod_3"),
    ("string", "string_first_char_parity"),
];

/// The names of all selectors.
pub(in crate::registry) fn selector_names() -> Vec<String> {
    SELECTORS.iter().map(|(_, name)| (*name).to_owned()).collect()
}

/// True if there is a selector of this name for this channel.
pub(in crate::registry) fn selects(channel: &str, name: &str) -> bool {
    SELECTORS.contains(&(channel, name))
}
