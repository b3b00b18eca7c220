//! Registers the operator types that the engine brings along, so that a graph written by hand runs
//! without any author's code.
//!
//! [`types`] lists them. Types, channels and parameters have the reference's names, and the data
//! does what it does there. Three things are stricter: a parameter must be written out as what it
//! is (`07` and `7 ` are no numbers), one that the type does not have is an error, and so is a
//! value that cannot be computed. What a graph may name and the engine cannot run yet is known
//! too: such a graph can be planned, and [`Registry::check`] says what is missing.
//!
//! Key extractors: `identity`, for both channels, is the value itself. The reference folds a string
//! with the hash of its language's runtime; here it has the one canonical key encoding, its bytes,
//! so that routing and state agree on the key group and a restart finds its state.

mod environment;
mod make;
mod params;
mod select;
mod table;
mod unavailable;

use std::sync::Arc;

use crate::operator::Params;
use crate::operator::stage::Stage;

use super::{
    BuildError, Entry, NO_PATH, NewSource, Place, Registry, SourceFactory, StageFactory,
    TypedExtractor,
};

pub use environment::Environment;
pub use params::ParamProblem;

pub(super) use unavailable::{Lack, Unavailable, family};

use params::{Given, Parameter};
use table::TABLE;
use unavailable::UNAVAILABLE;

/// The key extractor of both channels.
const IDENTITY: &str = "identity";

/// The instances of one source of one job.
type Instances = Box<dyn Fn() -> NewSource + Send>;

/// A row of the table: an operator type.
pub(super) struct Builtin {
    type_name: &'static str,
    /// The channel it reads; empty for a source. A name, as it stands in a graph.
    input: &'static str,
    /// The channel it writes; empty for a sink.
    output: &'static str,
    params: &'static [Parameter],
    slots: &'static [&'static str],
    make: Make,
}

/// A built-in operator type as those who write graphs by hand want to see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuiltinType {
    /// Its name in a graph.
    pub type_name: &'static str,
    /// The channel it reads; empty for a source.
    pub input: &'static str,
    /// The channel it writes; empty for a sink.
    pub output: &'static str,
    /// What may stand in its `params`.
    pub params: Vec<BuiltinParam>,
}

/// A parameter of a built-in operator type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuiltinParam {
    /// Its name.
    pub name: &'static str,
    /// What it must be, in words.
    pub expected: &'static str,
    /// What it is where the graph does not say; `None` if the graph must.
    pub default: Option<&'static str>,
}

/// Every built-in operator type that runs: sources, then operators, then sinks.
pub fn types() -> Vec<BuiltinType> {
    let listed = |row: &Builtin| BuiltinType {
        type_name: row.type_name,
        input: row.input,
        output: row.output,
        params: row.params.iter().map(Parameter::listed).collect(),
    };
    TABLE.iter().map(listed).collect()
}

/// How its instances are made of its parameters.
enum Make {
    Source(fn(&Given) -> Result<Instances, ParamProblem>),
    Operator(fn(&Given) -> Result<Box<dyn Stage>, ParamProblem>),
    Sink(fn(&Given) -> Result<Box<dyn Stage>, ParamProblem>),
}

/// An operator type, in the environment in which its parameters are read.
#[derive(Clone)]
pub(super) struct Provided {
    row: &'static Builtin,
    environment: Environment,
}

impl Provided {
    /// Everything that is wrong with the parameters of an operator.
    pub(super) fn problems(&self, params: &Params) -> Vec<ParamProblem> {
        let given = match self.given(params) {
            Ok(given) => given,
            Err(problems) => return problems,
        };
        // Nothing is opened before the job starts, so that one is made costs nothing.
        let made = match self.row.make {
            Make::Source(make) => make(&given).map(drop),
            Make::Operator(make) | Make::Sink(make) => make(&given).map(drop),
        };
        made.err().into_iter().collect()
    }

    /// The file that the operator reads or writes, if it does and its parameters fit.
    pub(super) fn path(&self, params: &Params) -> Option<String> {
        let parameter = self.row.params.iter().find(|parameter| parameter.is_path())?;
        self.given(params).ok()?.text(parameter.name()).ok()
    }

    fn given(&self, params: &Params) -> Result<Given, Vec<ParamProblem>> {
        Given::read(self.row.params, params, &self.environment)
    }
}

impl Registry {
    /// A registry of the engine's own operator types and nothing else. It knows no environment: a
    /// parameter `env://NAME` is refused.
    pub fn with_builtins() -> Self {
        Self::with_builtins_in(Environment::default())
    }

    /// The same; a parameter `env://NAME` has the value that the environment gives the name.
    pub fn with_builtins_in(environment: Environment) -> Self {
        let mut registry = Self::new();
        registry.register_builtins(&environment);
        registry
    }

    /// Takes the engine's own operator types in. What is registered later under the same name and
    /// channels takes their place.
    pub fn register_builtins(&mut self, environment: &Environment) {
        for row in TABLE {
            self.provide(Provided { row, environment: environment.clone() });
        }
        self.unavailable = UNAVAILABLE;
        let int64 = TypedExtractor::<i64, i64>::owned(|value| *value);
        self.add_extractor::<i64>(IDENTITY.to_owned(), Arc::new(int64));
        let string = TypedExtractor::<String, String>::borrowed(String::as_str);
        self.add_extractor::<String>(IDENTITY.to_owned(), Arc::new(string));
        select::register(self);
    }

    fn provide(&mut self, provided: Provided) {
        let Builtin { type_name, input, output, slots, make, .. } = provided.row;
        let place = Place::operator(type_name, input, output);
        let slots = slots.to_vec();
        let (builtin, path) = (Some(provided.clone()), NO_PATH);
        match make {
            Make::Source(make) => {
                let factory = source_factory(provided, *make);
                self.sources.insert(place, Entry { factory, slots, path, builtin });
            }
            Make::Operator(make) => {
                let factory = stage_factory(provided, *make);
                self.operators.insert(place, Entry { factory, slots, path, builtin });
            }
            Make::Sink(make) => {
                let factory = stage_factory(provided, *make);
                self.sinks.insert(place, Entry { factory, slots, path, builtin });
            }
        }
    }
}

fn source_factory(
    provided: Provided,
    make: fn(&Given) -> Result<Instances, ParamProblem>,
) -> SourceFactory {
    Box::new(move |params| {
        let given = provided.given(&params);
        match given.and_then(|given| make(&given).map_err(|problem| vec![problem])) {
            Ok(instances) => instances,
            Err(problems) => Box::new(move || Err(BuildError::Params(problems.clone()))),
        }
    })
}

fn stage_factory(
    provided: Provided,
    make: fn(&Given) -> Result<Box<dyn Stage>, ParamProblem>,
) -> StageFactory {
    Box::new(move |_, op, _| {
        let given = provided.given(&op.params).map_err(BuildError::Params)?;
        make(&given).map_err(|problem| BuildError::Params(vec![problem]))
    })
}
