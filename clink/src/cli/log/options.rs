//! Are the settings of the log: how much is said, and how.

use clap::ArgMatches;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::parser::ValueSource;
use clink_runtime::config;
use tracing::level_filters::LevelFilter;

use crate::run::{given, origin};

/// How a line is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// A JSON object a line.
    Json,
}

/// How much is said of a run, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogOptions {
    /// What is said.
    pub level: LevelFilter,
    /// How.
    pub format: LogFormat,
}

impl Default for LogOptions {
    fn default() -> Self {
        Self { level: LevelFilter::INFO, format: LogFormat::default() }
    }
}

const LEVELS: [(&str, LevelFilter); 6] = [
    ("error", LevelFilter::ERROR),
    ("warn", LevelFilter::WARN),
    ("info", LevelFilter::INFO),
    ("debug", LevelFilter::DEBUG),
    ("trace", LevelFilter::TRACE),
    ("off", LevelFilter::OFF),
];

const FORMATS: [(&str, LogFormat); 2] = [("text", LogFormat::Text), ("json", LogFormat::Json)];

/// Takes the name of a level.
pub(crate) fn level_parser() -> impl TypedValueParser<Value = LevelFilter> {
    one_of(&LEVELS)
}

/// Takes the name of a format.
pub(crate) fn format_parser() -> impl TypedValueParser<Value = LogFormat> {
    one_of(&FORMATS)
}

fn one_of<T: Copy + Send + Sync>(
    named: &'static [(&'static str, T)],
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(named.iter().map(|(name, _)| *name)).map(move |text| {
        let value = named.iter().find(|(name, _)| *name == text).map(|(_, value)| *value);
        value.expect("the parser takes the names of the table only")
    })
}

impl LogOptions {
    /// The options that the engine's flags ask for.
    ///
    /// `--quiet` is `--log-level error`. What was typed wins over what stands in a variable;
    /// where both were given in one way, they must not say different things.
    ///
    /// # Errors
    /// `--quiet` with another level.
    pub fn from_flags(matches: &ArgMatches) -> Result<Self, String> {
        let (level, quiet) = (config::LOG_LEVEL, config::QUIET);
        let format = matches.get_one(config::LOG_FORMAT.flag).copied().unwrap_or_default();
        let asked = matches.get_one(level.flag).copied().unwrap_or(LevelFilter::INFO);
        if !matches.get_flag(quiet.flag) {
            return Ok(Self { level: asked, format });
        }
        let (by_quiet, by_level) = (origin(matches, &quiet), origin(matches, &level));
        if by_quiet == by_level && asked != LevelFilter::ERROR {
            let (quiet, level) = (given(matches, &quiet), given(matches, &level));
            return Err(format!(
                "{quiet} is --log-level error, and {level} says `{asked}`: give one of them"
            ));
        }
        let typed = by_level == Some(ValueSource::CommandLine);
        Ok(Self { level: if typed { asked } else { LevelFilter::ERROR }, format })
    }
}
