//! Asks a server as browsers, scrapers and those who mean no good do.

use std::net::TcpStream;

use clink_runtime::sys::clock::Clock;

use super::*;

fn started() -> (Server, Current) {
    let current = Current::default();
    let server = Server::start("127.0.0.1:0".parse().unwrap(), Arc::clone(&current)).unwrap();
    (server, current)
}

fn connect(server: &Server) -> TcpStream {
    TcpStream::connect(server.address()).unwrap()
}

/// The answer to these bytes, its head and its body.
fn ask(server: &Server, request: &[u8]) -> (String, String) {
    let mut stream = connect(server);
    stream.write_all(request).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{answer}"));
    let length = format!("Content-Length: {}", body.len());
    assert!(head.contains(&length) && head.contains("Connection: close"), "{answer}");
    (head.to_owned(), body.to_owned())
}

const GET: &[u8] = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";

#[test]
fn metrics_are_there_once_the_job_has_started() {
    let (server, current) = started();
    let (head, body) = ask(&server, GET);
    assert!(head.starts_with("HTTP/1.1 503 Service Unavailable"), "{head}");
    assert_eq!(body, "the job has not started\n");
    let view = JobView { takes_checkpoints: true, job: "it".to_owned(), ..JobView::default() };
    *current.lock().unwrap() = Some(Arc::new(view.clone()));
    let (head, body) = ask(&server, GET);
    assert!(head.starts_with("HTTP/1.1 200 OK") && head.contains(CONTENT_TYPE), "{head}");
    assert_eq!(body, view.to_prometheus());
    assert!(body.contains("clink_checkpoints_completed_total{job=\"it\"} 0"), "{body}");
}

#[test]
fn a_refusal_arrives_whatever_comes_with_the_request_x08() {
    let (server, _) = started();
    let body = "x".repeat(20_000);
    let post = format!("POST /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n{body}");
    let (head, _) = ask(&server, post.as_bytes());
    assert!(head.starts_with("HTTP/1.1 405 ") && head.contains("Allow: GET"), "{head}");
    let (head, why) = ask(&server, b"GET /metrics HTTP/1.1\r\nHost: example.com\r\n\r\n");
    assert!(head.starts_with("HTTP/1.1 421 ") && why.contains("localhost"), "{head}");
    let (head, _) = ask(&server, b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert!(head.starts_with("HTTP/1.1 404 "), "{head}");
    let endless = format!("GET /metrics HTTP/1.1\r\nA: {}", "x".repeat(HEAD_BYTES_MAX));
    let (head, _) = ask(&server, endless.as_bytes());
    assert!(head.starts_with("HTTP/1.1 431 "), "{head}");
}

/// Opens as many connections as there may be and says nothing on them: one more is closed, until
/// one of them is given up; and the end of the server waits for none.
#[test]
fn those_who_say_nothing_hold_up_nobody() {
    let (server, _) = started();
    let clock = Clock::system();
    let mut silent: Vec<_> = (0..CONNECTIONS_MAX).map(|_| connect(&server)).collect();
    let is_answered = || {
        let mut stream = connect(&server);
        let mut answer = String::new();
        // A connection that is closed on what was sent is reset.
        let _ = stream.write_all(GET).and_then(|()| stream.read_to_string(&mut answer).map(drop));
        answer.starts_with("HTTP/1.1 503 ")
    };
    assert!(!is_answered(), "there is room for more than {CONNECTIONS_MAX}");
    silent.pop();
    while !is_answered() {}
    let address = server.address();
    drop(server);
    assert!(TcpStream::connect(address).is_err(), "somebody still listens");
    for mut stream in silent {
        let _ = stream.read_to_string(&mut String::new());
    }
    assert!(clock.elapsed() < EXCHANGE_TIME, "somebody waited for those who say nothing");
}
