//! Are the options of a run, as values and as command-line flags.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clink_runtime::checkpoint::store::RestorePoint;
use clink_runtime::config;
use clink_runtime::local::CheckpointOptions;
use clink_runtime::scheduler::SchedulerKind;

/// How to run a job in this process.
#[derive(Clone, Debug)]
pub struct RunOptions {
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
}

impl Default for RunOptions {
    fn default() -> Self {
        Self {
            scheduler: SchedulerKind::default(),
            channel_capacity: config::CHANNEL_CAPACITY_RECORDS,
            checkpoints: None,
            restore: None,
            allow_unmatched_state: false,
        }
    }
}

impl RunOptions {
    pub(crate) fn check(&self) -> Result<(), String> {
        if self.restore.is_some() && self.checkpoints.is_none() {
            return Err(
                "--restore needs --checkpoint-dir: where the checkpoints of this run go".to_owned()
            );
        }
        Ok(())
    }
}

/// The engine's flags.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Engine")]
pub struct EngineArgs {
    /// Subtasks per operator [default: the job's own, else 1]
    #[arg(long, value_name = "N", env = "CLINK_PARALLELISM", hide_env = true)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=i64::from(config::PARALLELISM_MAX)))]
    pub parallelism: Option<u32>,

    /// Records a channel between two subtasks holds before its sender waits
    #[arg(long, value_name = "RECORDS", env = "CLINK_CHANNEL_CAPACITY", hide_env = true)]
    #[arg(default_value_t = config::CHANNEL_CAPACITY_RECORDS)]
    #[arg(value_parser = clap::value_parser!(u32)
        .range(1..=i64::from(config::CHANNEL_CAPACITY_RECORDS_MAX)))]
    pub channel_capacity: u32,

    /// Who steps subtasks: `pool` (a thread per core), `threads` (one each) or `simulation`
    #[arg(long, value_name = "KIND", env = "CLINK_SCHEDULER", hide_env = true)]
    #[arg(default_value = "pool", value_parser = SchedulerKind::from_str)]
    pub scheduler: SchedulerKind,

    /// Seed of the simulation's choices
    #[arg(long, value_name = "N", env = "CLINK_SEED", hide_env = true)]
    pub seed: Option<u64>,

    /// Folder for checkpoints [default: none, nothing is kept]
    #[arg(long, value_name = "DIR", env = "CLINK_CHECKPOINT_DIR", hide_env = true)]
    pub checkpoint_dir: Option<PathBuf>,

    /// Time from the start of one checkpoint to the start of the next
    #[arg(long, value_name = "TIME", env = "CLINK_CHECKPOINT_INTERVAL", hide_env = true)]
    #[arg(default_value = "10s", value_parser = span)]
    pub checkpoint_interval: Duration,

    /// Time after which an unfinished checkpoint is given up
    #[arg(long, value_name = "TIME", env = "CLINK_CHECKPOINT_TIMEOUT", hide_env = true)]
    #[arg(default_value = "10m", value_parser = span)]
    pub checkpoint_timeout: Duration,

    /// Checkpoint to start from: `latest`, a number, or the path of one
    #[arg(long, value_name = "WHICH", env = "CLINK_RESTORE", hide_env = true)]
    #[arg(value_parser = RestorePoint::from_str)]
    pub restore: Option<RestorePoint>,

    /// Restore although the checkpoint holds state that no operator of this job takes
    #[arg(long, env = "CLINK_ALLOW_UNMATCHED_STATE", hide_env = true)]
    pub allow_unmatched_state: bool,
}

impl EngineArgs {
    /// The options these flags ask for.
    ///
    /// # Errors
    /// A flag that does not fit another.
    pub fn options(&self) -> Result<RunOptions, String> {
        let scheduler = match (self.scheduler, self.seed) {
            (SchedulerKind::Simulation { .. }, seed) => {
                SchedulerKind::Simulation { seed: seed.unwrap_or(0) }
            }
            (other, None) => other,
            (_, Some(_)) => return Err("--seed needs --scheduler simulation".to_owned()),
        };
        let checkpoints = self.checkpoint_dir.clone().map(|dir| CheckpointOptions {
            dir,
            interval_ms: millis(self.checkpoint_interval),
            timeout_ms: millis(self.checkpoint_timeout),
        });
        let options = RunOptions {
            scheduler,
            channel_capacity: self.channel_capacity,
            checkpoints,
            restore: self.restore.clone(),
            allow_unmatched_state: self.allow_unmatched_state,
        };
        options.check()?;
        Ok(options)
    }
}

fn millis(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}

/// Parses a span such as `20ms`, `10s` or `1h 30m`, from 1 ms to 1 day.
fn span(text: &str) -> Result<Duration, String> {
    let bounds = Duration::from_millis(1)..=Duration::from_secs(86_400);
    let parsed = jiff::SignedDuration::from_str(text)
        .map_err(|_| format!("expected a time such as `20ms`, `10s` or `5m`, found `{text}`"))?;
    match Duration::try_from(parsed) {
        Ok(span) if bounds.contains(&span) => Ok(span),
        _ => Err(format!("expected a time from 1ms to 24h, found `{text}`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
