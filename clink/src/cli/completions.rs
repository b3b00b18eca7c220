//! Writes what makes a shell complete a command line.

use clap::{Arg, ArgMatches, Command, value_parser};
use clap_complete::Shell;

use super::Exit;
use super::say::print;

/// The name of the argument that names the shell.
const SHELL: &str = "shell";

/// Adds the argument that names the shell, and how to put the script to use.
pub fn with_shell(command: Command, program: &str) -> Command {
    let shell =
        Arg::new(SHELL).value_name("SHELL").required(true).value_parser(value_parser!(Shell));
    command.arg(shell.help("The shell that is to complete it")).after_help(format!(
        "To put it to use:\n  \
         bash        source <({program} completions bash)\n  \
         zsh         source <({program} completions zsh)    (after compinit)\n  \
         fish        {program} completions fish | source\n  \
         elvish      eval ({program} completions elvish | slurp)\n  \
         powershell  {program} completions powershell | Out-String | Invoke-Expression\n\
         In the file that the shell reads at its start it holds for every session."
    ))
}

/// Writes the script for the shell that was named to stdout.
pub fn completions(mut command: Command, program: &str, matches: &ArgMatches) -> Exit {
    let Some(shell) = matches.get_one::<Shell>(SHELL) else { return Exit::Usage };
    let mut script = Vec::new();
    clap_complete::generate(*shell, &mut command, program, &mut script);
    print(&String::from_utf8_lossy(&script))
}
