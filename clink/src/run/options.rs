//! Are the options of a run, as values and as command-line flags.

use std::fmt::Display;
use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::builder::{BoolishValueParser, PossibleValuesParser, TypedValueParser, ValueParser};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};
use clink_plan::planner::PlanOptions;
use clink_runtime::checkpoint::store::RestorePoint;
use clink_runtime::config::{self, Setting};
use clink_runtime::local::CheckpointOptions;
use clink_runtime::operator::bad_records::BadRecordPolicy;
use clink_runtime::scheduler::SchedulerKind;

use crate::cli::log::{format_parser, level_parser};

/// How to run a job in this process.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// How the planner may choose.
    pub plan: PlanOptions,
    /// Who steps subtasks.
    pub scheduler: SchedulerKind,
    /// Records a channel between two subtasks holds before its sender waits.
    pub channel_capacity: u32,
    /// Where and how often to save; `None` to keep nothing.
    pub checkpoints: Option<CheckpointOptions>,
    /// The checkpoint to start from.
    pub restore: Option<RestorePoint>,
    /// Restore although the checkpoint holds state that no operator takes.
    pub allow_unmatched_state: bool,
    /// Where `/metrics` can be read over HTTP while the job runs: a loopback address, whose port 0
    /// is one that is free. Needs the feature `metrics-http`.
    pub metrics_addr: Option<SocketAddr>,
    /// What becomes of records of the input that do not fit their type.
    pub bad_records: BadRecordPolicy,
    /// Longest record of a text file or a stream, in bytes without its line end.
    pub record_bytes_max: usize,
}

impl Default for RunOptions {
    fn default() -> Self {
        Self {
            plan: PlanOptions::default(),
            scheduler: SchedulerKind::default(),
            channel_capacity: config::CHANNEL_CAPACITY_RECORDS,
            checkpoints: None,
            restore: None,
            allow_unmatched_state: false,
            metrics_addr: None,
            bad_records: BadRecordPolicy::default(),
            record_bytes_max: config::RECORD_BYTES_MAX,
        }
    }
}

impl RunOptions {
    pub(crate) fn check(&self) -> Result<(), String> {
        if self.restore.is_some() && self.checkpoints.is_none() {
            return Err(format!("--restore needs {NEEDS_DIR}"));
        }
        match self.metrics_addr {
            Some(address) if !address.ip().is_loopback() => Err(not_loopback(&address)),
            Some(_) if !cfg!(feature = "metrics-http") => {
                Err(format!("--{} needs {NEEDS_HTTP}", config::METRICS_ADDR.flag))
            }
            _ => Ok(()),
        }
    }
}

/// Why a job package that has no server cannot serve.
const NEEDS_HTTP: &str = "the feature `metrics-http` of clink: add \
                          `features = [\"metrics-http\"]` to its line in the Cargo.toml of the job";

/// What settings of checkpoints need.
const NEEDS_DIR: &str = "--checkpoint-dir: where the checkpoints of this run go";

/// Adds the engine's flags to a command, each as [`config::SETTINGS`] has it.
pub(crate) fn with_engine_flags(command: Command) -> Command {
    let command = command.next_help_heading("Engine");
    config::SETTINGS.iter().fold(command, |command, setting| command.arg(argument(setting)))
}

fn argument(setting: &Setting) -> Arg {
    let mut help = setting.help.to_owned();
    if !setting.otherwise.is_empty() {
        // Before a colon stands that there is none: this says so too.
        let otherwise = setting.otherwise.split_once(": ");
        let otherwise = otherwise.map_or(setting.otherwise, |(_, what)| what);
        help += &format!(" [without it: {otherwise}]");
    }
    let flag = Arg::new(setting.flag).long(setting.flag).env(setting.variable).hide_env(true);
    let flag = flag.help(help);
    if setting.value.is_empty() {
        // A variable says `1` or `0` where a flag says nothing.
        let flag = flag.action(ArgAction::SetTrue).value_parser(BoolishValueParser::new());
        return if *setting == config::QUIET { flag.short('q') } else { flag };
    }
    // The line of help names the values already.
    let flag = flag.hide_possible_values(true);
    let flag = flag.value_name(setting.value).value_parser(parser_of(setting));
    if setting.default.is_empty() { flag } else { flag.default_value(setting.default) }
}

fn parser_of(setting: &Setting) -> ValueParser {
    let up_to = |most: u32| move |text: &str| whole(text, 1..=most);
    match *setting {
        config::PARALLELISM => up_to(config::PARALLELISM_MAX).into(),
        config::CHANNEL_CAPACITY => up_to(config::CHANNEL_CAPACITY_RECORDS_MAX).into(),
        config::SEED => (|text: &str| whole(text, 0..=u64::MAX)).into(),
        config::SCHEDULER => ValueParser::new(
            PossibleValuesParser::new(["pool", "threads", "simulation"])
                .try_map(|text| SchedulerKind::from_str(&text)),
        ),
        config::LOG_LEVEL => ValueParser::new(level_parser()),
        config::LOG_FORMAT => ValueParser::new(format_parser()),
        config::CHECKPOINT_DIR => folder.into(),
        config::CHECKPOINT_INTERVAL | config::CHECKPOINT_TIMEOUT => span.into(),
        config::RESTORE => RestorePoint::from_str.into(),
        config::METRICS_ADDR => loopback.into(),
        config::ON_BAD_RECORD => BadRecordPolicy::from_str.into(),
        config::MAX_RECORD_BYTES => up_to(config::RECORD_BYTES_MAX_MAX).into(),
        _ => clap::value_parser!(String),
    }
}

impl RunOptions {
    /// The options that the engine's flags ask for.
    ///
    /// # Errors
    /// A flag that does not fit another.
    pub fn from_flags(matches: &ArgMatches) -> Result<Self, String> {
        let time = |setting: Setting| matches.get_one(setting.flag).copied().map_or(0, millis);
        let dir: Option<&PathBuf> = matches.get_one(config::CHECKPOINT_DIR.flag);
        if dir.is_none() {
            let idle = [config::RESTORE, config::CHECKPOINT_INTERVAL, config::CHECKPOINT_TIMEOUT];
            refuse(matches, &idle, NEEDS_DIR)?;
        }
        if !cfg!(feature = "metrics-http") {
            refuse(matches, &[config::METRICS_ADDR], NEEDS_HTTP)?;
        }
        let checkpoints = dir.map(|dir| CheckpointOptions {
            dir: dir.clone(),
            interval_ms: time(config::CHECKPOINT_INTERVAL),
            timeout_ms: time(config::CHECKPOINT_TIMEOUT),
        });
        let options = Self {
            plan: plan_options(matches)?,
            scheduler: scheduler(matches)?,
            channel_capacity: (matches.get_one(config::CHANNEL_CAPACITY.flag).copied())
                .unwrap_or(config::CHANNEL_CAPACITY_RECORDS),
            checkpoints,
            restore: matches.get_one(config::RESTORE.flag).cloned(),
            allow_unmatched_state: matches.get_flag(config::ALLOW_UNMATCHED_STATE.flag),
            metrics_addr: matches.get_one(config::METRICS_ADDR.flag).copied(),
            bad_records: matches.get_one(config::ON_BAD_RECORD.flag).cloned().unwrap_or_default(),
            record_bytes_max: (matches.get_one::<u32>(config::MAX_RECORD_BYTES.flag))
                .map_or(config::RECORD_BYTES_MAX, |bytes| *bytes as usize),
        };
        if options.allow_unmatched_state && options.restore.is_none() {
            refuse(matches, &[config::ALLOW_UNMATCHED_STATE], "--restore: what to start from")?;
        }
        options.check()?;
        Ok(options)
    }
}

fn plan_options(matches: &ArgMatches) -> Result<PlanOptions, String> {
    let chaining = !matches.get_flag(config::NO_CHAINING.flag);
    let fuse_par1 = matches.get_flag(config::FUSE_PAR1.flag);
    if fuse_par1 && !chaining {
        let (fuse, no) = (given(matches, &config::FUSE_PAR1), given(matches, &config::NO_CHAINING));
        return Err(format!("{fuse} extends chains, and {no} allows none: give one of them"));
    }
    Ok(PlanOptions { chaining, fuse_par1 })
}

fn scheduler(matches: &ArgMatches) -> Result<SchedulerKind, String> {
    match matches.get_one(config::SCHEDULER.flag).copied().unwrap_or_default() {
        SchedulerKind::Simulation { .. } => {
            let seed = matches.get_one(config::SEED.flag).copied();
            Ok(SchedulerKind::Simulation { seed: seed.unwrap_or(0) })
        }
        other => refuse(matches, &[config::SEED], "--scheduler simulation").map(|()| other),
    }
}

/// Refuses settings that were given though what they need was not.
fn refuse(matches: &ArgMatches, settings: &[Setting], need: &str) -> Result<(), String> {
    let set = settings.iter().filter(|setting| origin(matches, setting).is_some());
    let set: Vec<String> = set.map(|setting| given(matches, setting)).collect();
    match set.len() {
        0 => Ok(()),
        1 => Err(format!("{} needs {need}", set.concat())),
        _ => Err(format!("{} need {need}", set.join(" and "))),
    }
}

/// How a setting got the value it has, if not by default.
pub(crate) fn origin(matches: &ArgMatches, setting: &Setting) -> Option<ValueSource> {
    matches.value_source(setting.flag).filter(|source| *source != ValueSource::DefaultValue)
}

/// A setting as it was given: its flag, and the variable that stood for it.
pub(crate) fn given(matches: &ArgMatches, setting: &Setting) -> String {
    let flag = format!("--{}", setting.flag);
    match origin(matches, setting) {
        Some(ValueSource::EnvVariable) => format!("{flag} (from {})", setting.variable),
        _ => flag,
    }
}

fn millis(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}

/// Parses a whole number within bounds.
fn whole<N: FromStr + PartialOrd + Display>(
    text: &str,
    bounds: RangeInclusive<N>,
) -> Result<N, String> {
    let number = text.parse().ok().filter(|number| bounds.contains(number));
    let (least, most) = (bounds.start(), bounds.end());
    number.ok_or_else(|| format!("expected a whole number from {least} to {most}"))
}

/// Parses the path of a folder; of URLs only those of local files name one.
fn folder(text: &str) -> Result<PathBuf, String> {
    if text.is_empty() {
        return Err("expected a folder, found nothing".to_owned());
    }
    match text.split_once("://") {
        Some(("file", path)) => Ok(path.into()),
        Some((scheme, _)) => {
            Err(format!("expected a local folder, found a URL with the scheme `{scheme}`"))
        }
        None => Ok(text.into()),
    }
}

/// Parses an address that only this machine can reach.
fn loopback(text: &str) -> Result<SocketAddr, String> {
    let numbers = text.strip_prefix("localhost:").map(|port| format!("127.0.0.1:{port}"));
    let address: SocketAddr = numbers.as_deref().unwrap_or(text).parse().map_err(|_| {
        format!("expected an address and a port, such as `127.0.0.1:9090`, found `{text}`")
    })?;
    if address.ip().is_loopback() { Ok(address) } else { Err(not_loopback(&address)) }
}

fn not_loopback(address: &SocketAddr) -> String {
    format!(
        "metrics can be read on this machine only: expected `127.0.0.1:PORT`, `[::1]:PORT` or \
         `localhost:PORT`, found `{address}`"
    )
}

/// Parses a span such as `20ms`, `10s` or `1h 30m`, from 1 ms to 1 day.
fn span(text: &str) -> Result<Duration, String> {
    let bounds = Duration::from_millis(1)..=Duration::from_secs(86_400);
    let span = jiff::SignedDuration::from_str(text).ok().and_then(|span| span.try_into().ok());
    span.filter(|span| bounds.contains(span)).ok_or_else(|| {
        format!("expected a time from 1ms to 24h, such as `20ms`, `10s` or `5m`, found `{text}`")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_local() {
        assert_eq!(folder("state/of jobs"), Ok(PathBuf::from("state/of jobs")));
        assert_eq!(folder("file:///tmp/state"), Ok(PathBuf::from("/tmp/state")));
        assert!(folder("").unwrap_err().contains("found nothing"));
        assert!(folder("s3://bucket/state").unwrap_err().contains("the scheme `s3`"));
    }

    #[test]
    fn metrics_are_for_this_machine() {
        for (text, address) in [
            ("127.0.0.1:9090", "127.0.0.1:9090"),
            ("127.8.9.1:0", "127.8.9.1:0"),
            ("[::1]:80", "[::1]:80"),
            ("localhost:9090", "127.0.0.1:9090"),
        ] {
            assert_eq!(loopback(text), Ok(address.parse().unwrap()));
        }
        for text in ["0.0.0.0:9090", "[::]:9090", "192.0.2.1:9090", "[::ffff:127.0.0.1]:9090"] {
            let error = loopback(text).unwrap_err();
            assert!(error.contains("on this machine only"), "{text}: {error}");
        }
        for text in ["", "9090", ":9090", "localhost", "localhost:", "127.0.0.1", "127.0.0.1:70000"]
        {
            let error = loopback(text).unwrap_err();
            assert!(error.contains("an address and a port"), "{text}: {error}");
        }
    }

    #[test]
    fn options_name_addresses_of_this_machine_and_features_that_are_there() {
        let at = |address: &str| {
            let metrics_addr = Some(address.parse().unwrap());
            RunOptions { metrics_addr, ..RunOptions::default() }.check()
        };
        assert!(at("192.0.2.1:80").unwrap_err().contains("found `192.0.2.1:80`"));
        let refusal = at("127.0.0.1:0").err();
        let expected =
            (!cfg!(feature = "metrics-http")).then(|| format!("--metrics-addr needs {NEEDS_HTTP}"));
        assert_eq!(refusal, expected);
    }

    #[test]
    fn spans_are_read_with_their_unit_and_bounded() {
        assert_eq!(span("20ms"), Ok(Duration::from_millis(20)));
        assert_eq!(span("10s"), Ok(Duration::from_secs(10)));
        assert_eq!(span("1h30m"), Ok(Duration::from_secs(5_400)));
        assert!(span("10").unwrap_err().contains("such as"));
        assert!(span("0s").unwrap_err().contains("from 1ms"));
        assert!(span("-1s").is_err());
        assert!(span("2d").is_err());
    }
}
