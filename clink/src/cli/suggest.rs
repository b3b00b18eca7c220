//! Finds what a mistyped command line meant, where the parser alone does not.

use std::collections::BTreeSet;
use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, Error};
use clink_runtime::config;

/// Adds to a complaint what is known of the whole command line: the verb that has the flag, the
/// dash that is missing, the variable that holds the value.
pub fn explain(error: &mut Error, command: &Command, typed: &[OsString]) {
    name_variable(error, typed);
    let known = [ContextKind::SuggestedArg, ContextKind::Suggested];
    if error.kind() != ErrorKind::UnknownArgument
        || known.iter().any(|kind| error.get(*kind).is_some_and(is_said))
    {
        return;
    }
    let Some(ContextValue::String(argument)) = error.get(ContextKind::InvalidArg) else { return };
    if let Some(tip) = flag_meant(argument, command, typed) {
        hint(error, tip);
    }
}

/// Adds a hint.
pub(super) fn hint(error: &mut Error, tip: String) {
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
}

/// Advice to pass a flag as a value helps nobody who wanted a flag.
fn is_said(value: &ContextValue) -> bool {
    match value {
        ContextValue::StyledStrs(tips) => {
            !tips.iter().all(|tip| tip.to_string().starts_with("to pass "))
        }
        _ => true,
    }
}

/// The flag that a word with one dash, or one that this verb does not have, stands for.
fn flag_meant(argument: &str, command: &Command, typed: &[OsString]) -> Option<String> {
    let words = || typed.iter().skip(1).filter_map(|word| word.to_str());
    let verb = words().next().and_then(|word| command.find_subcommand(word));
    if let Some(name) = one_dash(argument, verb.unwrap_or(command), words()) {
        return Some(format!("a flag of several letters has two dashes: `--{name}`"));
    }
    let name = argument.strip_prefix("--")?;
    let verbs = || command.get_subcommands();
    let meant = nearest(name, verbs().flat_map(flags))?;
    let have = verbs().filter(|verb| flags(verb).contains(&meant));
    let have: Vec<String> = have.map(|verb| format!("`{}`", verb.get_name())).collect();
    Some(format!("--{meant} is a flag of {}", have.join(" and ")))
}

/// The flag that `-parallelism` stands for; the parser saw an unknown `-p` only.
fn one_dash<'w>(
    argument: &str,
    command: &Command,
    mut words: impl Iterator<Item = &'w str>,
) -> Option<String> {
    let (mut letters, letter) = (argument.chars().skip(1), argument.strip_prefix('-')?);
    letters.next().filter(|letter| *letter != '-')?;
    let word = words.find_map(|word| {
        let name = word.strip_prefix('-').filter(|name| !name.starts_with('-'))?;
        let name = name.split_once('=').map_or(name, |(name, _)| name);
        (name.contains(letter) && name.chars().count() > 1).then_some(name)
    })?;
    nearest(word, flags(command))
}

/// The long flags of a verb.
fn flags(command: &Command) -> Vec<String> {
    command.get_arguments().filter_map(|own| own.get_long()).map(str::to_owned).collect()
}

/// The name that is most like a word, if one is like it, as the parser finds it.
pub(super) fn nearest(word: &str, names: impl IntoIterator<Item = String>) -> Option<String> {
    let names: BTreeSet<String> = names.into_iter().collect();
    if names.contains(word) {
        return Some(word.to_owned());
    }
    let command = Command::new("names").disable_help_subcommand(true);
    let command = command.subcommands(names.into_iter().map(Command::new));
    let error = command.try_get_matches_from(["names", word]).err()?;
    match error.get(ContextKind::SuggestedSubcommand) {
        Some(ContextValue::Strings(names)) => names.last().cloned(),
        Some(ContextValue::String(name)) => Some(name.clone()),
        _ => None,
    }
}

/// Says of a value that does not fit that nobody typed it: it stands in a variable.
fn name_variable(error: &mut Error, typed: &[OsString]) {
    let Some(ContextValue::String(argument)) = error.get(ContextKind::InvalidArg) else { return };
    let of_argument = |setting: &&config::Setting| {
        let flag = argument.split_whitespace().next().unwrap_or_default();
        flag.strip_prefix("--") == Some(setting.flag)
    };
    let Some(setting) = config::SETTINGS.iter().find(of_argument) else { return };
    let flag = format!("--{}", setting.flag);
    let given = typed.iter().filter_map(|word| word.to_str()).any(|word| {
        word.strip_prefix(&flag).is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
    });
    if !given {
        let variable = setting.variable;
        hint(error, format!("the value is that of the environment variable {variable}"));
    }
}
