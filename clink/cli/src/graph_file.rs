//! Reads a job graph from a file or stdin and makes a job of it.

use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use clap::ArgMatches;
use clink::cli::verbs;
use clink::{Job, JobError};
use clink_plan::graph::JobGraphSpec;

/// What stands for stdin.
const STDIN: &str = "-";

/// The job of the graph that the command line names.
///
/// # Errors
/// [`JobError::Options`] if the file cannot be read, [`JobError::Graph`] if what was read is no
/// graph.
pub(crate) fn job(matches: &ArgMatches) -> Result<Job, JobError> {
    let file: &PathBuf = matches.get_one(verbs::GRAPH).expect("the file is a required argument");
    let text = text(file).map_err(JobError::Options)?;
    // Some editors begin a file with a mark of its byte order.
    let text = text.trim_start_matches('\u{feff}');
    let keep = matches.get_one::<String>(verbs::UNKNOWN_KEYS).is_some_and(|it| it == verbs::KEEP);
    let read = if keep { JobGraphSpec::from_json_tolerant } else { JobGraphSpec::from_json };
    let mut graph = read(text).map_err(JobError::Graph)?;
    if let Some(parallelism) = verbs::parallelism(matches) {
        graph.override_parallelism(parallelism);
    }
    Ok(Job::from_graph(&name(&graph, file), graph))
}

/// The text of the file, or of stdin.
fn text(file: &Path) -> Result<String, String> {
    if file == Path::new(STDIN) {
        let mut text = String::new();
        let read = std::io::stdin().read_to_string(&mut text);
        return read.map(|_| text).map_err(|error| format!("read stdin: {error}"));
    }
    std::fs::read_to_string(file).map_err(|error| match error.kind() {
        ErrorKind::NotFound => {
            let file = file.display();
            format!("there is no file {file}: give that of a job graph, or `-` for stdin")
        }
        _ => format!("read {}: {error}", file.display()),
    })
}

/// The name of the job, under which its checkpoints are kept: the graph's own, else its file's.
fn name(graph: &JobGraphSpec, file: &Path) -> String {
    if !graph.name.is_empty() {
        return graph.name.clone();
    }
    let stem = file.file_stem().filter(|_| file != Path::new(STDIN));
    stem.map_or_else(|| "stdin".to_owned(), |stem| stem.to_string_lossy().into_owned())
}
