//! Reads the parameters of a built-in operator type, strictly and all of them.
//!
//! Errors: every [`ParamProblem`] of an operator at once.

use std::collections::BTreeMap;

use clink_plan::graph::{FORCED_SINGLETON, SELECTOR_FN};

use crate::data::shown;
use crate::operator::Params;

use super::BuiltinParam;
use super::environment::Environment;

/// What a graph may say of any operator: these speak to the planner and to reports.
const OF_EVERY_OPERATOR: &[&str] = &[FORCED_SINGLETON, SELECTOR_FN, "determinism", "commit_group"];

/// A parameter of an operator type.
pub(super) struct Parameter {
    name: &'static str,
    form: Form,
    /// What it is where the graph does not say; `None` if the graph must.
    default: Option<&'static str>,
}

impl Parameter {
    pub(super) const fn required(name: &'static str, form: Form) -> Self {
        Self { name, form, default: None }
    }

    pub(super) const fn name(&self) -> &'static str {
        self.name
    }

    pub(super) const fn is_path(&self) -> bool {
        matches!(self.form, Form::Path)
    }

    /// The parameter as those who write graphs want to see it.
    pub(super) fn listed(&self) -> BuiltinParam {
        BuiltinParam { name: self.name, expected: self.form.expected(), default: self.default }
    }

    pub(super) const fn optional(name: &'static str, form: Form, default: &'static str) -> Self {
        Self { name, form, default: Some(default) }
    }
}

/// What the text of a parameter must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Int64,
    Count,
    Text,
    Path,
}

impl Form {
    const fn expected(self) -> &'static str {
        match self {
            Self::Int64 => "an integer of 64 bits",
            Self::Count => "a whole number from 0",
            Self::Text => "a text",
            Self::Path => "the path of a file",
        }
    }

    /// The text must be what the number prints as, so that nothing is read that was not meant.
    fn fits(self, text: &str) -> bool {
        match self {
            Self::Int64 => text.parse().is_ok_and(|number: i64| number.to_string() == text),
            Self::Count => text.parse().is_ok_and(|number: u64| number.to_string() == text),
            Self::Text => true,
            Self::Path => !text.is_empty() && !text.contains('\0'),
        }
    }
}

/// What is wrong with a parameter of a built-in operator type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParamProblem {
    /// The type has no such parameter.
    #[error("there is no parameter `{name}`; {known}")]
    Unknown {
        /// The name in the graph.
        name: String,
        /// What there is.
        known: String,
    },
    /// It is not there.
    #[error("parameter `{name}` is missing: expected {expected}")]
    Missing {
        /// The parameter.
        name: &'static str,
        /// What it should be.
        expected: &'static str,
    },
    /// It is something else.
    #[error("parameter `{name}`: expected {expected}, found {found}")]
    Unfit {
        /// The parameter.
        name: &'static str,
        /// What it should be.
        expected: String,
        /// What it is, and where that was looked up.
        found: String,
    },
    /// Its value is elsewhere and cannot be had.
    #[error(
        "parameter `{name}` is to be read from the environment variable `{variable}`: {reason}"
    )]
    Variable {
        /// The parameter.
        name: String,
        /// The variable.
        variable: String,
        /// Why it cannot be read.
        reason: &'static str,
    },
}

/// The parameters of one operator, all there and each of its form.
pub(super) struct Given(BTreeMap<&'static str, String>);

impl Given {
    pub(super) fn read(
        parameters: &'static [Parameter],
        params: &Params,
        environment: &Environment,
    ) -> Result<Self, Vec<ParamProblem>> {
        let mut given = BTreeMap::new();
        let mut problems = Vec::new();
        for parameter in parameters {
            match value(parameter, params, environment) {
                Ok(value) => _ = given.insert(parameter.name, value),
                Err(problem) => problems.push(problem),
            }
        }
        let is_known = |name: &str| {
            OF_EVERY_OPERATOR.contains(&name) || parameters.iter().any(|known| known.name == name)
        };
        let unknown = params.keys().filter(|name| !is_known(name));
        problems.extend(
            unknown
                .map(|name| ParamProblem::Unknown { name: name.clone(), known: known(parameters) }),
        );
        if problems.is_empty() { Ok(Self(given)) } else { Err(problems) }
    }

    pub(super) fn int64(&self, name: &'static str) -> Result<i64, ParamProblem> {
        self.number(name, Form::Int64)
    }

    pub(super) fn count(&self, name: &'static str) -> Result<u64, ParamProblem> {
        self.number(name, Form::Count)
    }

    pub(super) fn text(&self, name: &'static str) -> Result<String, ParamProblem> {
        let missing = ParamProblem::Missing { name, expected: Form::Text.expected() };
        self.0.get(name).cloned().ok_or(missing)
    }

    fn number<T: std::str::FromStr>(
        &self,
        name: &'static str,
        form: Form,
    ) -> Result<T, ParamProblem> {
        let text = self.text(name)?;
        text.parse().map_err(|_| unfit(name, form.expected().to_owned(), &text, None))
    }
}

/// A value that does not fit, for what only several parameters together show.
pub(super) fn unfit(
    name: &'static str,
    expected: String,
    text: &str,
    variable: Option<&str>,
) -> ParamProblem {
    let mut found = shown(text.as_bytes());
    if let Some(variable) = variable {
        found.push_str(&format!(" in the environment variable `{variable}`"));
    }
    ParamProblem::Unfit { name, expected, found }
}

fn value(
    parameter: &Parameter,
    params: &Params,
    environment: &Environment,
) -> Result<String, ParamProblem> {
    let Parameter { name, form, default } = *parameter;
    let expected = form.expected();
    let Some(text) = params.get(name) else {
        return default.map(str::to_owned).ok_or(ParamProblem::Missing { name, expected });
    };
    let (value, variable) = environment.resolve(name, text)?;
    if form.fits(&value) {
        Ok(value)
    } else {
        Err(unfit(name, expected.to_owned(), &value, variable))
    }
}

/// The parameters there are, in words.
fn known(parameters: &[Parameter]) -> String {
    let names: Vec<String> = parameters.iter().map(|known| format!("`{}`", known.name)).collect();
    match names.as_slice() {
        [] => "the type has none".to_owned(),
        names => format!("there is {}", names.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_they_print() {
        for text in ["0", "-1", "9223372036854775807", "-9223372036854775808"] {
            assert!(Form::Int64.fits(text), "{text}");
        }
        for text in ["", " 1", "1 ", "+1", "01", "-0", "1.0", "1e3", "0x1", "9223372036854775808"] {
            assert!(!Form::Int64.fits(text), "{text}");
        }
        assert!(Form::Count.fits("18446744073709551615") && !Form::Count.fits("-1"));
        assert!(Form::Path.fits("a b") && !Form::Path.fits("") && !Form::Path.fits("a\0"));
    }
}
