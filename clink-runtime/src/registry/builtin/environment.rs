//! Gives a parameter `env://NAME` the value that its surroundings have for the name.
//!
//! The engine reads no environment of its own: a run would depend on what no graph shows, and a
//! test on the machine it runs on. Who starts the engine, a command or a worker, passes a look-up
//! in, and the text in the graph stays `env://NAME` wherever the graph is printed.

use std::sync::Arc;

use super::params::ParamProblem;

/// What a parameter begins with whose value is elsewhere.
const PREFIX: &str = "env://";

type LookUp = dyn Fn(&str) -> Option<String> + Send + Sync;

/// Where `env://NAME` is looked up; by default nowhere.
///
/// # Example
/// ```
/// use clink_runtime::registry::Registry;
/// use clink_runtime::registry::builtin::Environment;
///
/// let environment = Environment::new(|name| (name == "OUT").then(|| "/tmp/out".to_owned()));
/// let registry = Registry::with_builtins_in(environment);
/// # let _ = registry;
/// ```
#[derive(Clone, Default)]
pub struct Environment(Option<Arc<LookUp>>);

impl Environment {
    /// An environment with this look-up, `None` for a name that is not set.
    pub fn new(look_up: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(look_up)))
    }

    /// The value of a parameter, and the name it was looked up under.
    ///
    /// The reference takes a name that is not set for empty text; a path or a number that somebody
    /// forgot to set is an error here.
    pub(super) fn resolve<'a>(
        &self,
        name: &str,
        text: &'a str,
    ) -> Result<(String, Option<&'a str>), ParamProblem> {
        let Some(variable) = text.strip_prefix(PREFIX) else { return Ok((text.to_owned(), None)) };
        let unresolved = |reason| ParamProblem::Variable {
            name: name.to_owned(),
            variable: variable.to_owned(),
            reason,
        };
        let Self(Some(look_up)) = self else {
            return Err(unresolved("no environment was given to the engine"));
        };
        let value = look_up(variable).ok_or_else(|| unresolved("it is not set"))?;
        Ok((value, Some(variable)))
    }
}

impl std::fmt::Debug for Environment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.0.is_some() { "Environment" } else { "Environment (none)" })
    }
}
