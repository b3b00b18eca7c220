//! Says of a graph what a registry knows of it: the state of its operators, and everything because
//! of which the engine cannot run it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clink_plan::graph::{InputRef, JobGraphSpec, OperatorSpec, Port};
use clink_plan::validate::{Diagnostic, Rule, Severity};

use super::builtin::{Lack, ParamProblem, Provided, family};
use super::{PathOf, Place, Registry};
use crate::operator::sink::base_of;
use crate::operator::source::reads;
use crate::state::KnownSlots;
use crate::sys::files;

/// What a graph that can be planned must fulfil to run: a family of its own beside
/// [`clink_plan::validate::RULES`].
pub const RULES: &[Rule] = &[
    Rule { code: "P0800", meaning: "the engine has what the operator's type needs" },
    Rule { code: "P0802", meaning: "no side output of a built-in operator is read: it has none" },
    Rule { code: "P0804", meaning: "the graph has no user functions: the engine runs none yet" },
    Rule {
        code: "P0805",
        meaning: "a built-in operator has the parameters it takes, and no other",
    },
    Rule { code: "P0806", meaning: "no two sinks write to one file" },
    Rule { code: "P0807", meaning: "no source reads a file that the job writes to" },
    Rule {
        code: "P0808",
        meaning: "the input of a source is there when the job starts, and begins as it should",
    },
];

impl Registry {
    /// The state slots of each operator that this registry knows, by operator id.
    pub fn slots(&self, graph: &JobGraphSpec) -> BTreeMap<String, KnownSlots> {
        let wired = Wired::of(graph);
        let slots = |spec: &OperatorSpec| {
            let known = self.known(spec, &wired.channels(spec))?;
            let names = known.slots.iter().map(|slot| (*slot).to_owned()).collect();
            // None of the engine's own does.
            let asks_by_name = !spec.key_by.is_empty() && known.builtin.is_none();
            Some((spec.id.clone(), KnownSlots { names, asks_by_name }))
        };
        graph.operators.iter().filter_map(slots).collect()
    }

    /// Everything because of which the engine cannot run the graph: nothing if the list is empty.
    ///
    /// The rules of graphs are taken for held ([`clink_plan::validate::validate`]); a type of which
    /// this registry has never heard is theirs to name.
    pub fn check(&self, graph: &JobGraphSpec) -> Vec<Diagnostic> {
        let wired = Wired::of(graph);
        let mut found = Vec::new();
        if !graph.udfs.is_empty() {
            let names: Vec<_> = graph.udfs.iter().map(|udf| format!("`{}`", udf.name)).collect();
            let message = format!("it has user functions, and the engine runs none yet: {}", {
                names.join(", ")
            });
            found.push(diagnostic("P0804", None, message, None));
        }
        for spec in &graph.operators {
            self.check_operator(spec, &wired, &mut found);
        }
        self.check_files(graph, &wired, &mut found);
        found
    }

    fn check_operator(&self, spec: &OperatorSpec, wired: &Wired<'_>, found: &mut Vec<Diagnostic>) {
        let mut add = |code, message: String, help: Option<&str>| {
            found.push(diagnostic(code, Some(spec), message, help));
        };
        let known = self.known(spec, &wired.channels(spec));
        let lack = if known.is_none() { self.lack(&spec.type_name) } else { None };
        if let Some(Lack { what, instead }) = lack {
            let message = format!("`{}` cannot run: the engine has no {what}", spec.type_name);
            add("P0800", message, instead);
        }
        let provided = known.and_then(|known| known.builtin);
        let side = wired.reader(spec, |port| matches!(port, Port::Side(_)));
        if let Some(reader) = side.filter(|_| provided.is_some()) {
            let message =
                format!("it has a side output ({reader}), and built-in operators emit none");
            add("P0802", message, Some("write it as an operator of a job of your own"));
        }
        for problem in provided.map(|row| row.problems(&spec.params)).unwrap_or_default() {
            add("P0805", format!("`{}`: {problem}", spec.type_name), help_on(&problem));
        }
    }

    /// What is wrong with the input of a source: it is not there, or does not begin as it should.
    /// Sinks empty their files when a job starts, so a misspelt input would cost the output of the
    /// run before.
    pub fn check_input(&self, spec: &OperatorSpec) -> Option<Diagnostic> {
        let entry = self.sources.get(&Place::source(&spec.type_name, &spec.out_channel))?;
        // What cannot be made is told when it is made for good.
        let source = (entry.factory)(spec.params.clone())().ok()?;
        let error = source.check().err()?;
        Some(diagnostic("P0808", Some(spec), error.to_string(), None))
    }

    /// The path that an operator reads or writes, as the graph spells it.
    fn path(&self, spec: &OperatorSpec, wired: &Wired<'_>) -> Option<String> {
        let known = self.known(spec, &wired.channels(spec))?;
        match known.builtin {
            Some(builtin) => builtin.path(&spec.params),
            None => (known.path)(&spec.params),
        }
    }

    /// A file belongs to one sink, its parts included, and is no input of the same job: it would be
    /// emptied first.
    fn check_files(&self, graph: &JobGraphSpec, wired: &Wired<'_>, found: &mut Vec<Diagnostic>) {
        let mut written: BTreeMap<PathBuf, &OperatorSpec> = BTreeMap::new();
        let (sources, sinks): (Vec<_>, Vec<_>) =
            graph.operators.iter().partition(|spec| spec.inputs.is_empty());
        for spec in sinks {
            let Some(path) = self.path(spec, wired) else { continue };
            let file = files::resolved(Path::new(base_of(&path)));
            if let Some(other) = written.insert(file, spec) {
                let message = format!("it writes to {path}, and so does `{}`", other.id);
                found.push(diagnostic("P0806", Some(spec), message, Some("give each its own")));
            }
        }
        for spec in sources {
            let Some(path) = self.path(spec, wired) else { continue };
            // A link may lead to a part, or a part be a link.
            let file = files::resolved(Path::new(&path));
            let (of_link, of_name) = (file.to_string_lossy(), base_of(&path));
            let of_link = PathBuf::from(base_of(&of_link));
            let of_name = files::resolved(Path::new(of_name));
            let by_name = written.get(&of_link).or_else(|| written.get(&of_name));
            let mut others = written.iter().filter(|(file, _)| reads(&path, file));
            if let Some(sink) = by_name.or_else(|| others.next().map(|(_, sink)| sink)) {
                let message = format!("it reads {path}, which `{}` writes to", sink.id);
                let help = "the file is emptied before it is read: give the sink another path";
                found.push(diagnostic("P0807", Some(spec), message, Some(help)));
            }
        }
    }

    /// Why bad records cannot be kept in a file: an operator reads or writes it. It is emptied at a
    /// fresh start, and an input must not be.
    pub fn check_bad_records(&self, graph: &JobGraphSpec, file: &Path) -> Vec<String> {
        let wired = Wired::of(graph);
        let target = files::resolved(file);
        let (name, folder) = (target.to_string_lossy(), target.parent());
        let whole = Path::new(base_of(&name));
        let mut problems = Vec::new();
        for spec in &graph.operators {
            let Some(path) = self.path(spec, &wired) else { continue };
            let written = files::resolved(Path::new(&path));
            let does = match spec.inputs.is_empty() {
                true if reads(&path, &target) => "reads",
                false if written == whole || Some(written.as_path()) == folder => "writes to",
                _ => continue,
            };
            problems.push(format!(
                "error: bad records cannot be kept in {}: `{}` {does} {path}; give \
                 --on-bad-record another file",
                file.display(),
                spec.id
            ));
        }
        problems
    }

    /// What is registered for an operator that reads such channels.
    fn known(&self, spec: &OperatorSpec, channels: &[Option<&str>]) -> Option<Known<'_>> {
        if spec.inputs.is_empty() {
            let entry = self.sources.get(&Place::source(&spec.type_name, &spec.out_channel))?;
            let (slots, path) = (&entry.slots, entry.path);
            return Some(Known { slots, path, builtin: entry.builtin.as_ref() });
        }
        let two = match channels {
            [Some(first), Some(second)] => {
                self.co_entry(&spec.type_name, first, second, &spec.out_channel)
            }
            _ => None,
        };
        let entry = match two {
            Some((entry, _)) => entry,
            None => {
                let channel = channels.first().copied().flatten()?;
                self.stage_entry(&spec.type_name, channel, &spec.out_channel)?
            }
        };
        Some(Known { slots: &entry.slots, path: entry.path, builtin: entry.builtin.as_ref() })
    }

    /// What the engine lacks to run a type, as far as built-ins are concerned.
    fn lack(&self, type_name: &str) -> Option<Lack> {
        let mut rows = self.unavailable.iter();
        let row = rows.find(|row| row.type_name == type_name).map(|row| row.lack);
        row.or_else(|| family(type_name).filter(|_| !self.unavailable.is_empty()))
    }
}

/// What is known of an operator's type.
struct Known<'r> {
    slots: &'r [&'static str],
    path: PathOf,
    builtin: Option<&'r Provided>,
}

fn help_on(problem: &ParamProblem) -> Option<&'static str> {
    matches!(problem, ParamProblem::Variable { .. })
        .then_some("set it where the job runs, or write the value into the graph")
}

fn diagnostic(
    code: &'static str,
    spec: Option<&OperatorSpec>,
    message: String,
    help: Option<&str>,
) -> Diagnostic {
    Diagnostic {
        code,
        severity: Severity::Error,
        operator: spec.map(|spec| spec.id.clone()),
        location: None,
        message,
        help: help.map(str::to_owned),
    }
}

/// A graph whose references have been looked up.
struct Wired<'g> {
    operators: BTreeMap<&'g str, &'g OperatorSpec>,
    /// Who reads an operator, and which of its outputs, by operator id.
    readers: BTreeMap<&'g str, Vec<(&'g OperatorSpec, Port<'g>)>>,
}

impl<'g> Wired<'g> {
    fn of(graph: &'g JobGraphSpec) -> Self {
        let operators = graph.operators.iter().map(|spec| (spec.id.as_str(), spec)).collect();
        let mut readers: BTreeMap<&str, Vec<_>> = BTreeMap::new();
        for spec in &graph.operators {
            for text in &spec.inputs {
                let InputRef { operator, port } = InputRef::parse(text);
                readers.entry(operator).or_default().push((spec, port));
            }
        }
        Self { operators, readers }
    }

    /// The element type at each input; `None` where it reads nothing that is declared.
    fn channels(&self, spec: &'g OperatorSpec) -> Vec<Option<&'g str>> {
        let channel = |text: &'g String| {
            let InputRef { operator, port } = InputRef::parse(text);
            let from = self.operators.get(operator)?;
            match port {
                Port::Main | Port::Branch(_) => Some(from.out_channel.as_str()),
                Port::Side(tag) => from.side_channel(tag),
            }
        };
        spec.inputs.iter().map(channel).collect()
    }

    /// The first reader of such an output of an operator, in words.
    fn reader(&self, spec: &OperatorSpec, wanted: impl Fn(&Port<'_>) -> bool) -> Option<String> {
        let mut readers = self.readers.get(spec.id.as_str())?.iter();
        let (reader, port) = readers.find(|(_, port)| wanted(port))?;
        let input = InputRef { operator: &spec.id, port: *port };
        Some(format!("`{}` reads `{input}`", reader.id))
    }
}
