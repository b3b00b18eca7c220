//! The terse form of a graph, for hand-written lists and quick tests: a line for each operator.
//!
//! Shape:  `type key=value key=value`, parts separated by single spaces or more, parameters sorted
//!         by key when written. Nothing is escaped.
//! Limit:  lossy. Of an operator only its type and parameters are written; ids, inputs,
//!         parallelism, element types, keys, side outputs and everything about the job are left
//!         out, so what is read back cannot be planned until it is given them. A job is submitted
//!         as JSON.
//! Errors: a text that would read back as another list is not written, and a line of which the
//!         reference would drop a part in silence is not read.

use std::collections::BTreeMap;
use std::fmt;

use super::{JobGraphSpec, OperatorSpec};

/// The element type of an operator whose text names none: the reference's.
const DEFAULT_CHANNEL: &str = "int64";

/// What keeps a graph from being written as lines, or lines from being read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineFormatError {
    /// The problems, in order of their lines; never empty.
    pub problems: Vec<LineProblem>,
}

/// One place where the line format does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineProblem {
    /// The line, from 1: of the text that is read, or of the one that would be written.
    pub line: usize,
    /// What is wrong there.
    pub fault: LineFault,
}

/// What can be wrong with one operator as a line.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LineFault {
    /// The line starts with a space, so its type is empty; or the operator has none.
    NoType,
    /// A part that is no parameter: it has no `=`.
    NoValue {
        /// The part.
        part: String,
    },
    /// Two parameters have one key.
    TwoValues {
        /// The key.
        key: String,
    },
    /// A text that would be torn apart when it is read: it holds a space or a newline, or it is a
    /// key that holds `=`.
    Torn {
        /// The text.
        text: String,
    },
}

impl fmt::Display for LineFormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("job graph as lines:")?;
        let separator = if self.problems.len() > 1 { "\n  " } else { " " };
        self.problems.iter().try_for_each(|LineProblem { line, fault }| {
            write!(f, "{separator}line {line}: {fault}")
        })
    }
}

impl std::error::Error for LineFormatError {}

impl fmt::Display for LineFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LineFault::NoType => f.write_str("expected an operator type first, found none"),
            LineFault::NoValue { part } => write!(f, "expected `key=value`, found {part:?}"),
            LineFault::TwoValues { key } => {
                write!(f, "expected one value of `{key}`, found several")
            }
            LineFault::Torn { text } => write!(
                f,
                "{text:?} cannot be written: a space or newline ends a part, and `=` a key; use \
                 JSON"
            ),
        }
    }
}

impl JobGraphSpec {
    /// The types and parameters of the operators, a line each; empty for no operators.
    ///
    /// # Errors
    /// [`LineFault::NoType`] and [`LineFault::Torn`], for every text that would read back as
    /// something else.
    pub fn serialize(&self) -> Result<String, LineFormatError> {
        let mut problems = Vec::new();
        let mut text = String::new();
        for (at, spec) in self.operators.iter().enumerate() {
            problems.extend(faults(spec).map(|fault| LineProblem { line: at + 1, fault }));
            text += &spec.type_name;
            for (key, value) in &spec.params {
                text += &format!(" {key}={value}");
            }
            text.push('\n');
        }
        if problems.is_empty() { Ok(text) } else { Err(LineFormatError { problems }) }
    }

    /// Reads what [`JobGraphSpec::serialize`] wrote, or the reference; empty lines are skipped and
    /// the last line needs no newline.
    ///
    /// The operators have no ids and no inputs, parallelism 1 and element type `int64`.
    ///
    /// # Errors
    /// [`LineFault::NoType`], [`LineFault::NoValue`] and [`LineFault::TwoValues`], each with its
    /// line.
    ///
    /// # Example
    /// ```
    /// use clink_plan::graph::JobGraphSpec;
    /// let graph = JobGraphSpec::parse("int64_range_source count=3\nblackhole\n").unwrap();
    /// assert_eq!(graph.operators[0].params["count"], "3");
    /// assert_eq!(graph.serialize().unwrap(), "int64_range_source count=3\nblackhole\n");
    /// ```
    pub fn parse(text: &str) -> Result<JobGraphSpec, LineFormatError> {
        let mut graph = JobGraphSpec::default();
        let mut problems = Vec::new();
        let lines = text.split('\n').zip(1..).filter(|(line, _)| !line.is_empty());
        for (line, number) in lines {
            let mut faults = Vec::new();
            graph.operators.push(operator(line, &mut faults));
            problems.extend(faults.into_iter().map(|fault| LineProblem { line: number, fault }));
        }
        if problems.is_empty() { Ok(graph) } else { Err(LineFormatError { problems }) }
    }
}

fn operator(line: &str, faults: &mut Vec<LineFault>) -> OperatorSpec {
    let (type_name, parts) = line.split_once(' ').unwrap_or((line, ""));
    if type_name.is_empty() {
        faults.push(LineFault::NoType);
    }
    let mut params = BTreeMap::new();
    for part in parts.split(' ').filter(|part| !part.is_empty()) {
        match part.split_once('=') {
            None => faults.push(LineFault::NoValue { part: part.to_owned() }),
            Some((key, value)) => {
                if params.insert(key.to_owned(), value.to_owned()).is_some() {
                    faults.push(LineFault::TwoValues { key: key.to_owned() });
                }
            }
        }
    }
    OperatorSpec { params, ..OperatorSpec::new("", type_name, DEFAULT_CHANNEL) }
}

/// What keeps an operator from being a line that reads back.
fn faults(spec: &OperatorSpec) -> impl Iterator<Item = LineFault> {
    let torn = |text: &String, ends: &[char]| {
        text.contains(ends).then(|| LineFault::Torn { text: text.clone() })
    };
    let of_type = if spec.type_name.is_empty() {
        Some(LineFault::NoType)
    } else {
        torn(&spec.type_name, &[' ', '\n'])
    };
    let of_params = spec
        .params
        .iter()
        .flat_map(move |(key, value)| [torn(key, &[' ', '\n', '=']), torn(value, &[' ', '\n'])]);
    of_type.into_iter().chain(of_params.flatten())
}
