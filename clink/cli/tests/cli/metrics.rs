//! Reads the metrics of a graph at work, from another process.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, ChildStderr, Command, Stdio};

use crate::program::{Done, clink_fed, command, root};

/// Two sources that have their first number at once and the next in an hour.
const HOURLY: &str = r#"{"ops":[
    {"id":"numbers","type":"int64_range_source","uid":"numbers","out_channel":"int64",
     "parallelism":2,"params":{"count":"10","delay_ms":"3600000"}},
    {"id":"tenfold","type":"multiply_int64","out_channel":"int64","inputs":["numbers"],
     "parallelism":2,"params":{"factor":"10"}},
    {"id":"gone","type":"blackhole","out_channel":"int64","inputs":["tenfold"],
     "parallelism":1}]}"#;

/// A run that goes on until it is told to end; it is killed if the test ends before.
struct Running {
    child: Child,
    stderr: BufReader<ChildStderr>,
}

impl Running {
    fn start(graph: &str, flags: &[&str], variables: &[(&str, &str)]) -> Self {
        let mut command = command(&root(), &[&["run", "-"], flags].concat(), variables);
        let mut child = command.stderr(Stdio::piped()).stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(graph.as_bytes()).unwrap();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        Self { child, stderr }
    }

    /// The address that it tells, once it does.
    fn address(&mut self) -> String {
        let mut line = String::new();
        self.stderr.read_line(&mut line).unwrap();
        let address = line.trim_end().strip_prefix("metrics: http://");
        let address = address.and_then(|rest| rest.strip_suffix("/metrics"));
        address.unwrap_or_else(|| panic!("no address: {line}")).to_owned()
    }

    /// Asks it to stop; how it ended, and what else it said.
    fn stop(mut self) -> (Option<i32>, String) {
        let kill = format!("kill -INT {}", self.child.id());
        assert!(Command::new("sh").arg("-c").arg(kill).status().unwrap().success());
        let mut rest = String::new();
        self.stderr.read_to_string(&mut rest).unwrap();
        (self.child.wait().unwrap().code(), rest)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // One that has ended is gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The status and the body of what is at `path`.
fn get(address: &str, path: &str) -> (String, String) {
    get_from(address, path, address)
}

/// The same for one who knows the address by the name `host`.
fn get_from(address: &str, path: &str, host: &str) -> (String, String) {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.lines().next().unwrap().to_owned(), body.to_owned())
}

/// The values of a series of an operator, by subtask.
fn values(text: &str, series: &str, operator: &str) -> Vec<f64> {
    let of = format!("operator=\"{operator}\"");
    let lines = text.lines().filter(|line| {
        line.strip_prefix(series).is_some_and(|rest| rest.starts_with('{')) && line.contains(&of)
    });
    lines.map(|line| line.rsplit_once(' ').unwrap().1.parse().unwrap()).collect()
}

#[test]
fn a_job_at_work_tells_its_metrics_and_stops_telling_when_it_ends() {
    let mut running = Running::start(HOURLY, &["--metrics-addr", "127.0.0.1:0"], &[]);
    let address = running.address();
    assert_eq!(get(&address, "/").0, "HTTP/1.1 404 Not Found");
    let text = loop {
        let (status, text) = get(&address, "/metrics");
        assert_eq!(status, "HTTP/1.1 200 OK");
        if values(&text, "clink_records_in_total", "gone") == [2.0] {
            break text;
        }
    };
    assert_eq!(values(&text, "clink_records_out_total", "numbers"), [1.0, 1.0]);
    assert_eq!(values(&text, "clink_records_in_total", "tenfold"), [1.0, 1.0]);
    assert_eq!(values(&text, "clink_channel_capacity_records", "gone"), [2.0 * 2_048.0]);
    assert!(text.contains("operator=\"tenfold\",name=\"multiply_int64\",uid=\"\""), "{text}");
    assert!(values(&text, "clink_records_in_total", "numbers").is_empty(), "{text}");
    // Nothing is left to be done, so that time goes by for all of them.
    let idle = || values(&get(&address, "/metrics").1, "clink_idle_seconds_total", "numbers");
    let before = idle();
    assert!(before.iter().zip(idle()).all(|(before, after)| after > *before), "{before:?}");
    let (code, rest) = running.stop();
    assert!(code == Some(130) && rest.starts_with("stopped after "), "{code:?}: {rest}");
    assert!(TcpStream::connect(&address).is_err(), "somebody still listens");
}

#[test]
fn who_knows_the_job_by_a_foreign_name_is_told_nothing_x08() {
    let mut running = Running::start(HOURLY, &["--metrics-addr", "127.0.0.1:0"], &[]);
    let address = running.address();
    let (status, body) = get_from(&address, "/metrics", "rebound.example.com");
    assert_eq!(status, "HTTP/1.1 421 Misdirected Request");
    assert!(!body.contains("clink_"), "{body}");
    assert_eq!(get_from(&address, "/metrics", "localhost").0, "HTTP/1.1 200 OK");
}

#[test]
fn the_address_may_stand_in_a_variable() {
    let variables = [("CLINK_METRICS_ADDR", "localhost:0")];
    let mut running = Running::start(HOURLY, &[], &variables);
    assert_eq!(get(&running.address(), "/metrics").0, "HTTP/1.1 200 OK");
}

fn refused(address: &str) -> Done {
    clink_fed(&root(), &["run", "-", "--metrics-addr", address], &[], HOURLY)
}

#[test]
fn an_address_that_is_not_of_this_machine_is_an_error_of_usage() {
    let done = refused("0.0.0.0:9090");
    assert_eq!(done.code, Some(2));
    let why = "metrics can be read on this machine only: expected `127.0.0.1:PORT`";
    assert!(done.stderr.contains(why), "{}", done.stderr);
}

#[test]
fn an_address_that_somebody_else_has_is_named_before_anything_runs() {
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = other.local_addr().unwrap().to_string();
    let done = refused(&address);
    assert_eq!(done.code, Some(1));
    let start = format!("error: listen for --metrics-addr: {address}: ");
    assert!(done.stderr.starts_with(&start), "{}", done.stderr);
}
