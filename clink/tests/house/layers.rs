//! Holds the table of who may import whom against what the files import.
//!
//! The tables are data at the top of this file; ARCHITECTURE.md says why they are what they are.

use crate::lexer::words;
use crate::manifests::Manifest;
use crate::modules::{Module, product};
use crate::paths::named;
use crate::workspace::{Source, Violations, files};

/// Which of our crates each of our crates may depend on.
const CRATES: &[(&str, &[&str])] = &[
    ("clink-macros", &[]),
    ("clink-plan", &[]),
    ("clink-runtime", &["clink-plan"]),
    ("clink", &["clink-macros", "clink-plan", "clink-runtime"]),
    ("clink/cli", &["clink", "clink-plan", "clink-runtime"]),
    ("clink-plan/fuzz", &["clink-plan"]),
    ("ui-tests", &["clink"]),
    ("book", &["clink"]),
];

/// What an example may depend on.
const EXAMPLE: &[&str] = &["clink"];

/// What a crate needs for its tests and benches besides: they measure jobs as authors write them.
const FOR_TESTS: &[(&str, &str)] = &[("clink-runtime", "clink")];

/// Which modules of `clink-runtime` one of them may use, and which of `clink-plan`.
struct Room {
    module: &'static str,
    may_use: &'static [&'static [&'static str]],
    plan: Plan,
}

/// What a module may know of `clink-plan`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Plan {
    /// Names of things, key groups, and what a macro knows of an operator.
    Base,
    /// That, and the finished plan.
    Planned,
    /// All of it.
    All,
}

const BASE: &[&str] = &["id", "key_group", "descriptor"];
const PLANNED: &[&str] = &["id", "key_group", "descriptor", "planner"];

const ZERO: &[&str] = &["config", "error", "metrics", "sync", "sys"];
const ONE: &[&str] = &["data", "time"];
const TWO: &[&str] = &["channel", "state"];
const THREE: &[&str] = &["checkpoint", "operator", "time::timers"];
const FOUR: &[&str] = &["dag", "registry"];
const FIVE: &[&str] = &["scheduler", "subtask"];
const SIX: &[&str] = &["local", "plugin"];
/// Where the control plane and the data plane meet, and the ways between machines.
const BETWEEN: &[&str] = &["control", "host", "network"];
/// Decisions about checkpoints that need no disk.
const CHECKPOINT_PURE: &[&str] = &["checkpoint::protocol", "checkpoint::retention"];

const fn room(
    module: &'static str,
    may_use: &'static [&'static [&'static str]],
    plan: Plan,
) -> Room {
    Room { module, may_use, plan }
}

/// Every module that there is or will be, lowest first. A module may always use itself.
const ROOMS: &[Room] = &[
    room("config", &[], Plan::Base),
    room("error", &[], Plan::Base),
    room("metrics", &[], Plan::Base),
    room("sync", &[], Plan::Base),
    room("sys", &[], Plan::Base),
    room("data", &[ZERO], Plan::Base),
    room("time", &[ZERO, &["data"]], Plan::Base),
    room("channel", &[ZERO, ONE], Plan::Base),
    room("state", &[ZERO, ONE], Plan::Base),
    room("time::timers", &[ZERO, ONE, TWO], Plan::Base),
    room("checkpoint", &[ZERO, ONE, TWO, &["time::timers"]], Plan::Base),
    room("operator", &[ZERO, ONE, TWO, &["time::timers"]], Plan::Base),
    room("registry", &[ZERO, ONE, TWO, THREE, FOUR], Plan::All),
    room("dag", &[ZERO, ONE, TWO, THREE, FOUR], Plan::All),
    room("subtask", &[ZERO, ONE, TWO, THREE, FOUR, FIVE], Plan::Planned),
    room("scheduler", &[ZERO, ONE, TWO, THREE, FOUR, FIVE], Plan::Planned),
    room("local", &[ZERO, ONE, TWO, THREE, FOUR, FIVE], Plan::All),
    room("plugin", &[ZERO, ONE, TWO, THREE, FOUR, FIVE, SIX], Plan::All),
    room("control", &[ZERO], Plan::All),
    room("host", &[ZERO], Plan::All),
    room("network", &[ZERO, &["channel"]], Plan::All),
    room("worker", &[ZERO, BETWEEN], Plan::All),
    room("coordinator", &[ZERO, &["control"], CHECKPOINT_PURE], Plan::All),
    room("http", &[ZERO, &["control"], CHECKPOINT_PURE], Plan::All),
    room("testing", &[ZERO, ONE, TWO, THREE, FOUR, FIVE, SIX, BETWEEN], Plan::All),
];

/// What `clink-plan` may never know, and why.
const PLAN_NEVER: &[(&str, &str)] = &[
    ("std::thread", "a plan is a function of its graph"),
    ("std::sync::atomic", "a plan is a function of its graph"),
    ("Mutex", "a plan is a function of its graph"),
    ("RwLock", "a plan is a function of its graph"),
    ("std::time", "a plan is the same at any time"),
    ("std::fs", "text comes in and goes out as an argument"),
    ("std::net", "text comes in and goes out as an argument"),
    ("std::env", "a plan is the same on every machine"),
    ("std::process", "a plan is a function of its graph"),
    ("async", "a plan is a function of its graph"),
    ("HashMap", "its order differs from run to run: BTreeMap"),
    ("HashSet", "its order differs from run to run: BTreeSet"),
];

/// What the values of `clink-plan` may never name; the files called `…json…` hold the encodings.
const VALUES_NEVER: &[(&str, &str)] = &[
    ("Serialize", "what travels has an encoding of its own, with a version"),
    ("Deserialize", "what travels has an encoding of its own, with a version"),
];

/// What `clink-macros` may never know.
const MACROS_NEVER: &[(&str, &str)] = &[
    ("std::fs", "a macro sees tokens and nothing else"),
    ("std::env", "a macro sees tokens and nothing else"),
    ("std::net", "a macro sees tokens and nothing else"),
    ("std::process", "a macro sees tokens and nothing else"),
    ("std::time", "the same tokens expand to the same tokens"),
];

/// What the engine leaves to `sys`.
const ENGINE_NEVER: &[(&str, &str)] = &[
    ("std::fs", "`sys::files` is the door to the disk"),
    ("std::net", "`network` is the door to other machines"),
    ("std::env", "settings come in as arguments"),
    ("std::process", "a run ends by returning"),
    ("Instant::now", "`sys::clock` tells the time"),
    ("SystemTime", "`sys::clock` tells the time"),
];

/// What a file that calls itself pure may not name.
const PURE_NEVER: &[(&str, &str)] = &[
    ("crate::sys", "a pure file takes what it needs as an argument"),
    ("crate::sync", "a pure file has nothing to wait for"),
    ("std::fs", "a pure file takes what it needs as an argument"),
    ("std::io", "a pure file takes what it needs as an argument"),
    ("std::net", "a pure file takes what it needs as an argument"),
    ("std::env", "a pure file takes what it needs as an argument"),
    ("std::thread", "a pure file has nothing to wait for"),
    ("std::sync", "a pure file has nothing to wait for"),
    ("Instant", "a pure file takes the time as an argument"),
    ("SystemTime", "a pure file takes the time as an argument"),
    ("tokio", "a pure file has nothing to wait for"),
];

/// The files that must call themselves pure.
const PURE: [&str; 9] = [
    "clink-runtime/src/channel/credit.rs",
    "clink-runtime/src/channel/order.rs",
    "clink-runtime/src/checkpoint/protocol.rs",
    "clink-runtime/src/checkpoint/retention.rs",
    "clink-runtime/src/subtask/align/barriers.rs",
    "clink-runtime/src/subtask/align/deliveries.rs",
    "clink-runtime/src/subtask/align/mod.rs",
    "clink-runtime/src/subtask/align/probes.rs",
    "clink-runtime/src/time/merge.rs",
];

#[test]
fn crates_depend_downward() {
    let mut violations = Violations::default();
    let manifests = files().into_iter().filter(|path| path.ends_with("/Cargo.toml"));
    for path in manifests {
        let folder = path.trim_end_matches("/Cargo.toml");
        let row = CRATES.iter().find(|(name, _)| *name == folder).map(|(_, may)| *may);
        let Some(may) = row.or_else(|| folder.starts_with("examples/").then_some(EXAMPLE)) else {
            violations.add(&path, 1, "layers", "a new crate: give it a row in CRATES");
            continue;
        };
        let manifest = Manifest::read(&path);
        let ours = manifest.dependencies.iter().filter(|dependency| {
            let name = dependency.name.as_str();
            let for_tests = dependency.for_tests && FOR_TESTS.contains(&(folder, name));
            name.starts_with("clink") && !may.contains(&name) && !for_tests
        });
        for dependency in ours {
            let help = format!("`{folder}` may use {may:?} of ours, not `{}`", dependency.name);
            violations.add(&path, dependency.line, "layers", &help);
        }
    }
    violations.assert_none();
}

#[test]
fn modules_of_the_engine_use_lower_ones() {
    let mut violations = Violations::default();
    for (module, source) in product("clink-runtime") {
        if module.names.is_empty() {
            continue;
        }
        let Some(room) = room_of(&module.names) else {
            violations.add(&source.path, 1, "layers", "a new module: give it a row in ROOMS");
            continue;
        };
        for named in named(&source) {
            let Some(target) = absolute(&module, &named.segments) else { continue };
            if let Err(help) = judge(room, &target) {
                violations.add(&source.path, named.line, "layers", &help);
            }
        }
    }
    violations.assert_none();
}

/// The row of a path, the longest that fits.
fn room_of(names: &[String]) -> Option<&'static Room> {
    let path = names.join("::");
    let fits = |room: &&Room| is_within(&path, room.module);
    ROOMS.iter().filter(fits).max_by_key(|room| room.module.len())
}

fn is_within(path: &str, module: &str) -> bool {
    path.strip_prefix(module).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

/// The path from the crate's root, or from `clink_plan`; `None` for anybody else's.
fn absolute(module: &Module, segments: &[String]) -> Option<Vec<String>> {
    let first = segments.first()?.as_str();
    if first == "clink_plan" {
        return Some(segments.to_vec());
    }
    let supers = segments.iter().take_while(|segment| *segment == "super").count();
    let (base, rest) = match first {
        "crate" => (&module.names[..0], &segments[1..]),
        "super" => {
            let depth = module.names.len().saturating_sub(supers);
            (&module.names[..depth], &segments[supers..])
        }
        _ => return None,
    };
    let path: Vec<String> = base.iter().chain(rest).cloned().collect();
    // What the root re-exports.
    Some(match path.first().map(String::as_str) {
        Some("Error" | "Result" | "RuntimeError") => vec!["error".to_owned()],
        Some("plan") => [&["clink_plan".to_owned()], &path[1..]].concat(),
        _ => path,
    })
}

fn judge(room: &Room, target: &[String]) -> Result<(), String> {
    let module = room.module;
    if target.first().is_some_and(|first| first == "clink_plan") {
        let part = target.get(1).map_or("", String::as_str);
        let may = match room.plan {
            Plan::All => return Ok(()),
            Plan::Base => BASE,
            Plan::Planned => PLANNED,
        };
        return if may.contains(&part) {
            Ok(())
        } else {
            Err(format!("`{module}` may use {may:?} of clink_plan, not `{part}`"))
        };
    }
    let path = target.join("::");
    let Some(found) = room_of(target).map(|found| found.module) else { return Ok(()) };
    let may = room.may_use.concat();
    let allowed = may.iter().any(|allowed| *allowed == found || is_within(&path, allowed));
    if found == module || allowed {
        return Ok(());
    }
    Err(format!("`{module}` may not use `{found}`: move what both need down, or turn it round"))
}

#[test]
fn what_is_absent_stays_absent() {
    let mut violations = Violations::default();
    let mut forbid = |sources: Vec<(Module, Source)>, never: &[(&str, &str)], who: &str| {
        for (_, source) in sources {
            for (what, why) in never {
                for at in found(&source, what) {
                    let help = format!("{who} may never know `{what}`: {why}");
                    violations.add(&source.path, source.line(at), "layers", &help);
                }
            }
        }
    };
    forbid(product("clink-plan"), PLAN_NEVER, "clink-plan");
    let mut values = product("clink-plan");
    values.retain(|(_, source)| !source.path.contains("json"));
    forbid(values, VALUES_NEVER, "a value of clink-plan");
    forbid(product("clink-macros"), MACROS_NEVER, "clink-macros");
    let mut engine = product("clink-runtime");
    engine.retain(|(module, _)| module.names.first().is_none_or(|first| first != "sys"));
    forbid(engine, ENGINE_NEVER, "the engine");
    violations.assert_none();
}

#[test]
fn pure_files_decide_and_do_nothing_else() {
    let mut violations = Violations::default();
    for (_, source) in product("clink-runtime") {
        let opening = source.text.split("\n//!\n").next().unwrap_or_default();
        let opening = opening.lines().take_while(|line| line.starts_with("//!"));
        let is_pure = opening.collect::<String>().contains("(pure)");
        if !is_pure && PURE.contains(&source.path.as_str()) {
            let help = "end its first sentence with `(pure)`, and keep it so";
            violations.add(&source.path, 1, "pure", help);
        }
        for (what, why) in PURE_NEVER.iter().filter(|_| is_pure) {
            for at in found(&source, what) {
                violations.add(&source.path, source.line(at), "pure", &format!("`{what}`: {why}"));
            }
        }
    }
    violations.assert_none();
}

/// Where a file names something, in full or through a group of its `use` lines.
fn found(source: &Source, what: &str) -> Vec<usize> {
    let mut found: Vec<usize> = words(&source.product, what).collect();
    let parts: Vec<&str> = what.split("::").collect();
    if let [root, part] = parts[..] {
        let grouped = named(source).into_iter().filter(|named| {
            named.segments.first().is_some_and(|first| first == root)
                && named.segments.get(1).is_some_and(|second| second == part)
        });
        let starts: Vec<usize> = grouped.map(|named| start_of(&source.text, named.line)).collect();
        found.extend(starts);
    }
    found
}

/// The first byte of a line that is counted from 1.
fn start_of(text: &str, line: usize) -> usize {
    text.split_inclusive('\n').take(line - 1).map(str::len).sum()
}
