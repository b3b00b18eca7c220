//! Lets the shells that are there read their scripts and complete lines with them.

use std::process::Command;

use crate::program::{program, run};

fn script(shell: &str) -> String {
    let done = run(&["completions", shell]);
    assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""), "{shell}");
    done.stdout
}

/// What a shell says of a script; `None` where the shell is not installed.
fn run_in(shell: &str, arguments: &[&str]) -> Option<String> {
    let Ok(done) = Command::new(shell).args(arguments).output() else {
        println!("skipped: {shell} is not installed");
        return None;
    };
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{shell}: {said}");
    Some(String::from_utf8(done.stdout).unwrap())
}

/// What bash offers at the end of a line.
fn offered(line: &[&str]) -> Option<Vec<String>> {
    let words = line.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" ");
    let act = format!(
        "{}\nset -- $(complete -p flight-delays)\n\
         while [ \"$1\" != -F ]; do shift; done\n\
         COMP_WORDS=({words}); COMP_CWORD={}\n\
         \"$2\" flight-delays \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD-1]}}\"\n\
         printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        script("bash"),
        line.len() - 1
    );
    let said = run_in("bash", &["-c", &act])?;
    Some(said.lines().map(str::to_owned).collect())
}

#[test]
fn bash_completes_verbs_and_the_flags_of_the_engine_and_the_job() {
    for (line, expect) in [
        (&["flight-delays", "pl"][..], &["plan"][..]),
        (&["flight-delays", "--par"], &["--parallelism"]),
        (&["flight-delays", "--inp"], &["--input"]),
        (&["flight-delays", "run", "--inp"], &["--input"]),
        (&["flight-delays", "plan", "--fo"], &["--form", "--format"]),
        (&["flight-delays", "plan", "--form", "pla"], &["plan", "placement"]),
        (&["flight-delays", "--log-format", ""], &["text", "json"]),
        (&["flight-delays", "run", "--scheduler", "s"], &["simulation"]),
        (&["flight-delays", "completions", "z"], &["zsh"]),
    ] {
        let Some(found) = offered(line) else { return };
        assert_eq!(found, expect, "{line:?}");
    }
}

#[test]
fn fish_and_zsh_take_the_scripts_as_help_says() {
    let folder = tempfile::tempdir().unwrap();
    let write = |shell: &str| {
        let file = folder.path().join(shell);
        std::fs::write(&file, script(shell)).unwrap();
        file.display().to_string()
    };
    let fish = format!("source {}; complete -C 'flight-delays plan --inp'", write("fish"));
    if let Some(offered) = run_in("fish", &["-c", &fish]) {
        assert!(offered.starts_with("--input\t"), "{offered}");
    }
    let zsh = format!(
        "autoload -U compinit; compinit -u -D; source {}; echo ${{_comps[flight-delays]}}",
        write("zsh")
    );
    if let Some(completes) = run_in("zsh", &["-fc", &zsh]) {
        assert_eq!(completes, "_flight-delays\n");
    }
}

#[test]
fn every_shell_gets_a_script_that_it_can_read_with_the_flags_of_the_job() {
    let folder = tempfile::tempdir().unwrap();
    for (shell, check) in [
        ("bash", &["-n"][..]),
        ("zsh", &["-n"]),
        ("fish", &["--no-execute"]),
        ("elvish", &["-compileonly"]),
        ("powershell", &[]),
    ] {
        let script = script(shell);
        for part in ["flight-delays", "checkpoint-dir", "input", "completions"] {
            assert!(script.contains(part), "{shell}: no {part}");
        }
        let file = folder.path().join(shell);
        std::fs::write(&file, script).unwrap();
        if !check.is_empty() {
            run_in(shell, &[check, &[file.to_str().unwrap()]].concat());
        }
    }
}

#[test]
fn help_of_completions_says_how_to_put_them_to_use() {
    let help = run(&["completions", "--help"]);
    assert_eq!((help.code, help.stderr.as_str()), (Some(0), ""));
    assert!(help.stdout.contains("source <(flight-delays completions bash)"), "{}", help.stdout);
    let none = program(&["completions"]).output().unwrap();
    assert_eq!(none.status.code(), Some(2));
}
