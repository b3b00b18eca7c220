//! Gives settings that need others.

use clink_runtime::config;
use tracing::level_filters::LevelFilter;

use super::{COUNT, typed};
use crate::cli::log::{LogFormat, LogOptions};

#[track_caller]
fn refused(line: &str) -> String {
    typed(&[&COUNT], line).unwrap().options().unwrap_err()
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

#[test]
fn switches_that_extend_and_forbid_chains_are_told_apart() {
    let says = "--fuse-par1 extends chains, and --no-chaining allows none: give one of them";
    assert_eq!(refused("--fuse-par1 --no-chaining"), says);
}

fn log(line: &str) -> Result<LogOptions, String> {
    LogOptions::from_flags(typed(&[&COUNT], line).unwrap().matches())
}

#[test]
fn quiet_is_the_level_of_errors_and_contradicts_every_other() {
    for (line, level) in [
        ("", LevelFilter::INFO),
        ("--quiet", LevelFilter::ERROR),
        ("-q --log-level error", LevelFilter::ERROR),
        ("--log-level off", LevelFilter::OFF),
        ("plan --log-level trace", LevelFilter::TRACE),
    ] {
        assert_eq!(log(line).map(|log| log.level), Ok(level), "{line}");
    }
    for level in ["off", "warn", "info", "debug", "trace"] {
        let says = format!(
            "--quiet is --log-level error, and --log-level says `{level}`: give one of them"
        );
        assert_eq!(log(&format!("--quiet --log-level {level}")), Err(says));
    }
    assert_eq!(log("--log-format json").map(|log| log.format), Ok(LogFormat::Json));
}

/// Every value that the table of settings names is one that the flag takes, and its default too.
#[test]
fn the_table_of_settings_says_what_the_flags_take() {
    for setting in [config::SCHEDULER, config::LOG_LEVEL, config::LOG_FORMAT] {
        let values: Vec<&str> = setting.bounds.split('`').skip(1).step_by(2).collect();
        assert!(values.contains(&setting.default), "{values:?}");
        for value in values {
            assert!(typed(&[&COUNT], &format!("--{} {value}", setting.flag)).is_ok(), "{value}");
        }
    }
    for (flag, out) in [
        (config::PARALLELISM, ["0", "32769"]),
        (config::CHANNEL_CAPACITY, ["0", "16777217"]),
        (config::CHECKPOINT_INTERVAL, ["0ms", "25h"]),
        (config::CHECKPOINT_TIMEOUT, ["0ms", "25h"]),
    ] {
        let bounds = flag.bounds.split_once(';').map_or(flag.bounds, |(bounds, _)| bounds);
        let (least, most) = bounds.split_once(" to ").unwrap();
        for value in [least, most] {
            assert!(typed(&[&COUNT], &format!("--{} {value}", flag.flag)).is_ok(), "{value}");
        }
        for value in out {
            let line = format!("--{} {value}", flag.flag);
            assert!(super::said(&[&COUNT], &line).1.contains(" to "), "{line}");
        }
    }
}
