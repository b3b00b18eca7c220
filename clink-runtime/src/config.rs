//! Names every limit and timeout of the engine with its unit, default and bounds.

/// One setting as the command line, the environment and the book show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Flag without the dashes.
    pub flag: &'static str,
    /// Environment variable.
    pub variable: &'static str,
    /// What stands for a value in help; empty for a switch.
    pub value: &'static str,
    /// The value where none is given; empty if there is none.
    pub default: &'static str,
    /// What happens where none is given and there is no default, in words.
    pub otherwise: &'static str,
    /// Accepted range, in words.
    pub bounds: &'static str,
    /// One line for help and the book.
    pub help: &'static str,
}

/// Subtasks per operator.
pub const PARALLELISM: Setting = Setting {
    flag: "parallelism",
    variable: "CLINK_PARALLELISM",
    value: "N",
    default: "",
    otherwise: "the job's own, else 1",
    bounds: "1 to 32768; keyed operators at most 128",
    help: "Subtasks per operator",
};

/// Budget of a channel.
pub const CHANNEL_CAPACITY: Setting = Setting {
    flag: "channel-capacity",
    variable: "CLINK_CHANNEL_CAPACITY",
    value: "RECORDS",
    default: "2048",
    otherwise: "",
    bounds: "1 to 16777216",
    help: "Records a channel between two subtasks holds before its sender waits",
};

/// Who steps subtasks.
pub const SCHEDULER: Setting = Setting {
    flag: "scheduler",
    variable: "CLINK_SCHEDULER",
    value: "KIND",
    default: "pool",
    otherwise: "",
    bounds: "`pool`, `threads` or `simulation`",
    help: "Who steps subtasks: `pool` (a thread per core), `threads` or `simulation`",
};

/// Seed of the simulation.
pub const SEED: Setting = Setting {
    flag: "seed",
    variable: "CLINK_SEED",
    value: "N",
    default: "",
    otherwise: "0",
    bounds: "0 to 2^64-1; only with the simulation",
    help: "Seed of the simulation's choices",
};

/// Whether operators may share a subtask.
pub const NO_CHAINING: Setting = Setting {
    flag: "no-chaining",
    variable: "CLINK_NO_CHAINING",
    value: "",
    default: "",
    otherwise: "off: neighbours share a subtask where they can",
    bounds: "not with --fuse-par1",
    help: "Give every operator subtasks of its own",
};

/// Whether chains of one subtask take in their source and sink.
pub const FUSE_PAR1: Setting = Setting {
    flag: "fuse-par1",
    variable: "CLINK_PLAN_FUSE_PAR1",
    value: "",
    default: "",
    otherwise: "off: sources and sinks have subtasks of their own",
    bounds: "not with --no-chaining",
    help: "Let chains of parallelism 1 take in their source and their sink",
};

/// Where checkpoints go.
pub const CHECKPOINT_DIR: Setting = Setting {
    flag: "checkpoint-dir",
    variable: "CLINK_CHECKPOINT_DIR",
    value: "DIR",
    default: "",
    otherwise: "none: nothing is kept",
    bounds: "a local folder, or its `file://` URL",
    help: "Folder for checkpoints",
};

/// How often to save.
pub const CHECKPOINT_INTERVAL: Setting = Setting {
    flag: "checkpoint-interval",
    variable: "CLINK_CHECKPOINT_INTERVAL",
    value: "TIME",
    default: "10s",
    otherwise: "",
    bounds: "1ms to 24h; only with --checkpoint-dir",
    help: "Time from the start of one checkpoint to the start of the next",
};

/// When to give a checkpoint up.
pub const CHECKPOINT_TIMEOUT: Setting = Setting {
    flag: "checkpoint-timeout",
    variable: "CLINK_CHECKPOINT_TIMEOUT",
    value: "TIME",
    default: "10m",
    otherwise: "",
    bounds: "1ms to 24h; only with --checkpoint-dir",
    help: "Time after which an unfinished checkpoint is given up",
};

/// What to start from.
pub const RESTORE: Setting = Setting {
    flag: "restore",
    variable: "CLINK_RESTORE",
    value: "WHICH",
    default: "",
    otherwise: "start afresh, unless there are checkpoints",
    bounds: "`latest`, a number, the path of a checkpoint, or `none`; only with --checkpoint-dir",
    help: "Checkpoint to start from: `latest`, a number, the path of one, or `none`",
};

/// Whether state may be dropped.
pub const ALLOW_UNMATCHED_STATE: Setting = Setting {
    flag: "allow-unmatched-state",
    variable: "CLINK_ALLOW_UNMATCHED_STATE",
    value: "",
    default: "",
    otherwise: "off: refuse",
    bounds: "only with --restore",
    help: "Restore although the checkpoint holds state that no operator of this job takes",
};

/// How much is said of a run.
pub const LOG_LEVEL: Setting = Setting {
    flag: "log-level",
    variable: "CLINK_LOG_LEVEL",
    value: "LEVEL",
    default: "info",
    otherwise: "",
    bounds: "`error`, `warn`, `info`, `debug`, `trace` or `off`",
    help: "What is said on stderr: `error`, `warn`, `info`, `debug`, `trace` or `off`",
};

/// How it is said.
pub const LOG_FORMAT: Setting = Setting {
    flag: "log-format",
    variable: "CLINK_LOG_FORMAT",
    value: "FORMAT",
    default: "text",
    otherwise: "",
    bounds: "`text` or `json`",
    help: "How it is said: `text` for people, `json` for programs, an object a line",
};

/// Whether only errors are said.
pub const QUIET: Setting = Setting {
    flag: "quiet",
    variable: "CLINK_QUIET",
    value: "",
    default: "",
    otherwise: "off: a run is reported on",
    bounds: "not with another --log-level than `error`",
    help: "Nothing on stderr but errors",
};

/// Where metrics can be read.
pub const METRICS_ADDR: Setting = Setting {
    flag: "metrics-addr",
    variable: "CLINK_METRICS_ADDR",
    value: "ADDR",
    default: "",
    otherwise: "nowhere",
    bounds: "`127.0.0.1:PORT`, `[::1]:PORT` or `localhost:PORT`; port 0 picks one",
    help: "Address of this machine at which `/metrics` can be read while the job runs",
};

/// What becomes of a record that does not fit its type.
pub const ON_BAD_RECORD: Setting = Setting {
    flag: "on-bad-record",
    variable: "CLINK_ON_BAD_RECORD",
    value: "fail|skip|FILE",
    default: "fail",
    otherwise: "",
    bounds: "`fail`, `skip`, or a path with a `.` or a `/` in it",
    help: "A record that does not fit: `fail` the job, `skip` and count it, or keep it in a file",
};

/// Longest record of text.
pub const MAX_RECORD_BYTES: Setting = Setting {
    flag: "max-record-bytes",
    variable: "CLINK_MAX_RECORD_BYTES",
    value: "BYTES",
    default: "16777216",
    otherwise: "",
    bounds: "1 to 1073741824",
    help: "Longest record of text, without its line end; a longer one is a bad record",
};

/// Every engine setting: the flags of the command line, their variables and the book's table are
/// made from these.
pub const SETTINGS: &[Setting] = &[
    PARALLELISM,
    CHANNEL_CAPACITY,
    SCHEDULER,
    SEED,
    NO_CHAINING,
    FUSE_PAR1,
    CHECKPOINT_DIR,
    CHECKPOINT_INTERVAL,
    CHECKPOINT_TIMEOUT,
    RESTORE,
    ALLOW_UNMATCHED_STATE,
    ON_BAD_RECORD,
    MAX_RECORD_BYTES,
    METRICS_ADDR,
    LOG_LEVEL,
    LOG_FORMAT,
    QUIET,
];

/// Longest record of text by default, without its line end, in bytes: it bounds memory when a file
/// has no newlines at all.
pub const RECORD_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Longest limit of a record accepted, in bytes: columns of text hold 2 GiB.
pub const RECORD_BYTES_MAX_MAX: u32 = 1 << 30;

/// Subtasks that the scheduler with a thread for each takes: well below what systems allow a
/// process, for near that limit threads fail to start in ways that end the process.
pub const SUBTASK_THREADS_MAX: usize = 8_192;

/// Records a channel holds by default.
pub const CHANNEL_CAPACITY_RECORDS: u32 = 2_048;

/// Largest channel capacity accepted: beyond it a budget no longer bounds memory in any useful way.
pub const CHANNEL_CAPACITY_RECORDS_MAX: u32 = 16_777_216;

/// Largest parallelism accepted.
pub const PARALLELISM_MAX: u32 = 32_768;

/// Records in a full batch: near 256 measured best between two threads; at 1,024 the allocator
/// begins to give buffers back to the system and to fault them in again.
pub const BATCH_RECORDS: usize = 256;

/// Records all inputs of one subtask may hold together, as a multiple of the channel capacity.
///
/// A gate with more inputs than this gives each input an equal share, so that memory grows with
/// the number of subtasks and not with the number of edges.
pub const GATE_CAPACITY_CHANNELS: u32 = 8;

/// Records all shuffle buffers of one subtask may hold together.
pub const SHUFFLE_BUFFER_RECORDS: usize = 16_384;

/// Records a subtask handles before it gives its thread to the next one: a full batch for each of
/// 64 targets.
pub const STEP_RECORDS: usize = 16_384;

/// How long a turn may take before the next subtask has its own, in milliseconds; looked at between
/// batches. Operators that are slow per record would else hold a thread for minutes.
pub const STEP_MS: u64 = 10;

/// How long a record may wait in an output buffer while its subtask always has more input, in
/// milliseconds.
///
/// A subtask whose input runs dry sends its buffers on at its next turn, so this matters under
/// full load only. There a round of 192 subtasks on two cores takes longer than 5 ms: with that
/// limit every buffer left after one turn, a tenth full, and throughput at parallelism 64 halved.
pub const LINGER_MS: u64 = 50;

/// Bytes of records that a queue keeps in memory before it puts the rest into a temporary file; any
/// number, 0 keeps none.
pub const EXCHANGE_MEMORY_BYTES: usize = 64 * 1024 * 1024;

/// Time that a call of an operator has to return once the job is cancelled, in milliseconds: what
/// is still in it then is left behind.
pub const CANCEL_GRACE_MS: i64 = 3_000;

/// Time after a cancel until one more thread sees to subtasks whose own may be stuck, in
/// milliseconds.
pub const CANCEL_REINFORCE_MS: i64 = 300;

/// Full batches an operator may produce from one input batch before its chain drains them.
pub const OUTBOX_BATCHES: usize = 4;

/// Times in a turn that the operators of a chain do what is due without a record, before the chain
/// takes more input in: futures that are ready again at once must not keep it from that.
pub const TICKS_PER_TURN: usize = 64;

/// Timers of one operator that fire before its chain looks whether the job was cancelled.
pub const TIMERS_PER_TURN: usize = 1_024;

/// Records that each subtask of an asynchronous map has in flight by default.
pub const ASYNC_CAPACITY_RECORDS: u32 = 100;

/// Most records that a subtask of an asynchronous map may have in flight: a queue has room for all
/// of them, 16 bytes each.
pub const ASYNC_CAPACITY_RECORDS_MAX: u32 = 65_536;

/// How long an asynchronous map waits by default before its first retry, in milliseconds.
pub const ASYNC_BACKOFF_MS: u64 = 100;

/// How long an asynchronous map waits by default at most before a retry, in milliseconds.
pub const ASYNC_BACKOFF_MAX_MS: u64 = 60_000;

/// Time from the start of one checkpoint to the start of the next, in milliseconds.
pub const CHECKPOINT_INTERVAL_MS: u64 = 10_000;

/// Time after which an unfinished checkpoint is aborted, in milliseconds.
pub const CHECKPOINT_TIMEOUT_MS: u64 = 600_000;

/// Completed checkpoints kept.
pub const CHECKPOINTS_RETAINED: usize = 3;

/// Checkpoints in a row that may fail to be written before the job does.
pub const CHECKPOINT_FAILURES_MAX: u32 = 3;
