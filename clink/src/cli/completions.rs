//! Writes what makes a shell complete a command line.

use clap::{Arg, ArgMatches, Command, value_parser};
use clap_complete::Shell;

use super::Exit;
use super::say::print;

/// The name of the argument that names the shell.
const SHELL: &str = "shell";

/// Adds the argument that names the shell, and how to put the script to use.
pub fn with_shell(command: Command, program: &str) -> Command {
    command.arg(shell_argument()).after_help(format!(
        "To put it to use:\n  \
         bash        source <({program} completions bash)\n  \
         zsh         source <({program} completions zsh)    (after compinit)\n  \
         fish        {program} completions fish | source\n  \
         elvish      eval ({program} completions elvish | slurp)\n  \
         powershell  {program} completions powershell | Out-String | Invoke-Expression\n\
         In the file that the shell reads at its start it holds for every session."
    ))
}

/// Which shell.
pub(super) fn shell_argument() -> Arg {
    let shell = Arg::new(SHELL).value_name("SHELL").required(true);
    shell.value_parser(value_parser!(Shell)).help("The shell that is to complete the line")
}

/// Writes the script for the shell that was named to stdout.
pub fn completions(mut command: Command, program: &str, matches: &ArgMatches) -> Exit {
    let Some(shell) = matches.get_one::<Shell>(SHELL) else { return Exit::Usage };
    let called = if *shell == Shell::Bash { word(program) } else { program.to_owned() };
    let mut script = Vec::new();
    clap_complete::generate(*shell, &mut command, &called, &mut script);
    let script = String::from_utf8_lossy(&script);
    print(&if *shell == Shell::Bash {
        for_program(&script, &called, program)
    } else {
        script.into()
    })
}

/// A program's name as a word that names a function of bash.
///
/// The generator makes names of functions itself, and of a name with a dash two different ones, of
/// which one is called and the other is there.
fn word(program: &str) -> String {
    program.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

/// The script that completes `called`, for a program of another name.
fn for_program(script: &str, called: &str, program: &str) -> String {
    let for_it = |line: &str| match line.trim_start().strip_prefix("complete ") {
        Some(rest) if rest.ends_with(&format!(" {called}")) => {
            format!("{} {program}", line.strip_suffix(&format!(" {called}")).unwrap_or(line))
        }
        _ => line.to_owned(),
    };
    script.lines().map(for_it).collect::<Vec<_>>().join("\n")
}
