//! Gives settings that need others.

use super::{COUNT, typed};

#[track_caller]
fn refused(line: &str) -> String {
    typed(&[&COUNT], line).unwrap().options().unwrap_err().to_string()
}

#[test]
fn settings_of_checkpoints_need_a_folder() {
    let needs = "--checkpoint-dir: where the checkpoints of this run go";
    for flag in ["--restore latest", "--checkpoint-interval 10s", "--checkpoint-timeout 10m"] {
        let name = flag.split(' ').next().unwrap();
        assert_eq!(refused(flag), format!("{name} needs {needs}"));
        let line = format!("{flag} --checkpoint-dir x");
        assert!(typed(&[&COUNT], &line).unwrap().options().is_ok(), "{line}");
    }
    let both = refused("--checkpoint-timeout 1m --checkpoint-interval 10s");
    assert_eq!(both, format!("--checkpoint-interval and --checkpoint-timeout need {needs}"));
    // Their defaults need nothing.
    assert_eq!(typed(&[&COUNT], "").unwrap().options().unwrap().checkpoints.map(|_| ()), None);
}

#[test]
fn a_seed_needs_the_simulation() {
    assert_eq!(refused("--seed 1"), "--seed needs --scheduler simulation");
    assert!(typed(&[&COUNT], "--seed 1 --scheduler simulation").unwrap().options().is_ok());
}
