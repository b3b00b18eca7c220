//! Is what `#[clink::job]` leaves behind for this binary to find its jobs by.

use clap::{ArgMatches, Args, Command};
use clink_plan::descriptor::SourceLocation;

use crate::stream::Pipeline;

/// One job of this binary, as the inventory holds it.
#[derive(Clone, Copy)]
pub struct JobEntry {
    /// Its name.
    pub name: &'static str,
    /// Its version, `major.minor.patch`.
    pub version: &'static str,
    /// One paragraph for people.
    pub description: &'static str,
    /// Where the author wrote it.
    pub location: SourceLocation,
    /// Adds the job's own flags to a command.
    pub arguments: fn(Command) -> Command,
    /// Runs the build function with the flags found.
    pub build: fn(&Pipeline, &ArgMatches) -> crate::Result<()>,
}

inventory::collect!(JobEntry);

impl JobEntry {
    /// What a job function returned.
    ///
    /// # Errors
    /// The function's own.
    pub fn returned<R: JobResult>(result: R) -> crate::Result<()> {
        result.into_result()
    }
}

/// What a job function returns: nothing but `clink::Result<()>`.
#[diagnostic::on_unimplemented(
    message = "a job returns `clink::Result<()>`, not `{Self}`",
    label = "expected `clink::Result<()>`",
    note = "`?` turns any error into a `clink::Error`, and so does `.into()`, also of text"
)]
pub trait JobResult {
    /// The same value.
    ///
    /// # Errors
    /// The value's own.
    fn into_result(self) -> crate::Result<()>;
}

impl JobResult for crate::Result<()> {
    fn into_result(self) -> crate::Result<()> {
        self
    }
}

impl std::fmt::Debug for JobEntry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {} ({})", self.name, self.version, self.location)
    }
}

/// The jobs of this binary by name; the order of the inventory is not stable, this one is.
pub fn jobs() -> Vec<&'static JobEntry> {
    let mut jobs: Vec<_> = inventory::iter::<JobEntry>.into_iter().collect();
    jobs.sort_by_key(|job| (job.name, job.location.file, job.location.line));
    jobs
}

/// A struct of job arguments: `#[derive(clink::Args)]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a struct of job arguments",
    label = "the second parameter of a job function holds its arguments",
    note = "derive it: `#[derive(clink::Args)]`"
)]
pub trait JobArgs: Sized {
    /// Adds the flags to a command.
    fn augment(command: Command) -> Command;
    /// Takes the values found.
    ///
    /// # Errors
    /// What clap says of them.
    fn parse(matches: &ArgMatches) -> crate::Result<Self>;
}

#[diagnostic::do_not_recommend]
impl<T: Args> JobArgs for T {
    fn augment(command: Command) -> Command {
        T::augment_args(command)
    }

    fn parse(matches: &ArgMatches) -> crate::Result<Self> {
        Ok(T::from_arg_matches(matches)?)
    }
}
