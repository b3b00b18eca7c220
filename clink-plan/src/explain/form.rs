//! Names the forms of a job that can be shown, and the ways to show them.

/// A form of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// What the author meant.
    Graph,
    /// Chains, subtasks and routing.
    Plan,
    /// The subtasks on the slots of workers.
    Placement,
}

/// A way to show a form of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Format {
    /// For people.
    Text,
    /// For programs.
    Json,
    /// A diagram in [Mermaid](https://mermaid.js.org/syntax/flowchart.html), for Markdown pages.
    Mermaid,
    /// A diagram in [DOT](https://graphviz.org/doc/info/lang.html), for Graphviz.
    Dot,
    /// A diagram as a picture, for browsers.
    Svg,
}

impl Form {
    /// Every form, in the order in which a job passes through them.
    pub const ALL: &[Form] = &[Form::Graph, Form::Plan, Form::Placement];

    /// The name on a command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Form::Graph => "graph",
            Form::Plan => "plan",
            Form::Placement => "placement",
        }
    }

    /// What it shows, for help.
    pub const fn help(self) -> &'static str {
        match self {
            Form::Graph => "What the author meant",
            Form::Plan => "Chains, subtasks and routing",
            Form::Placement => "The subtasks on the slots of workers",
        }
    }
}

impl Format {
    /// Every format.
    pub const ALL: &[Format] =
        &[Format::Text, Format::Json, Format::Mermaid, Format::Dot, Format::Svg];

    /// The name on a command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Format::Text => "text",
            Format::Json => "json",
            Format::Mermaid => "mermaid",
            Format::Dot => "dot",
            Format::Svg => "svg",
        }
    }

    /// What it is for, for help.
    pub const fn help(self) -> &'static str {
        match self {
            Format::Text => "For people",
            Format::Json => "For programs",
            Format::Mermaid => "A diagram, for Markdown pages",
            Format::Dot => "A diagram, for Graphviz",
            Format::Svg => "A diagram, for browsers",
        }
    }
}
