//! Judges a request for metrics by its head (pure).
//!
//! A page on the internet can make a browser send requests to this machine, under a name of its own
//! that resolves to it. So a request is answered only if its `Host` is this machine, and its
//! `Origin`, where there is one, as well.

use std::net::IpAddr;

use httparse::{EMPTY_HEADER, Header, Request, Status};

/// Headers that a request may have.
const HEADERS_MAX: usize = 64;

/// The path of the metrics.
pub(super) const PATH: &str = "/metrics";

/// What a request gets.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The metrics.
    Serve,
    /// A status, and a line that says why.
    Refuse(&'static str, &'static str),
}

/// What becomes of a request of which so much has come; `None` if its head is not complete.
pub(super) fn judge(bytes: &[u8]) -> Option<Verdict> {
    let mut headers = [EMPTY_HEADER; HEADERS_MAX];
    let mut request = Request::new(&mut headers);
    match request.parse(bytes) {
        Ok(Status::Complete(_)) => Some(judge_head(&request)),
        Ok(Status::Partial) => None,
        Err(httparse::Error::TooManyHeaders) => Some(TOO_LARGE),
        Err(_) => Some(Verdict::Refuse("400 Bad Request", "this is no HTTP request")),
    }
}

/// What becomes of a request whose head does not end.
pub(super) const TOO_LARGE: Verdict =
    Verdict::Refuse("431 Request Header Fields Too Large", "the head of the request is too large");

fn judge_head(request: &Request<'_, '_>) -> Verdict {
    let mut hosts = values(request.headers, "host");
    match (hosts.next(), hosts.next(), request.version) {
        (Some(host), None, _) if is_here(host) => {}
        (Some(_), None, _) => {
            let why = "metrics are for this machine: ask for localhost or 127.0.0.1";
            return Verdict::Refuse("421 Misdirected Request", why);
        }
        // Before 1.1 there was no such header, and no browser that speaks so.
        (None, _, Some(0)) => {}
        _ => return Verdict::Refuse("400 Bad Request", "expected one Host header"),
    }
    let is_own = |origin: &[u8]| {
        let origin = origin.strip_prefix(b"http://").or(origin.strip_prefix(b"https://"));
        origin.is_some_and(is_here)
    };
    if !values(request.headers, "origin").all(is_own) {
        return Verdict::Refuse("403 Forbidden", "the page that asks is not of this machine");
    }
    if request.method != Some("GET") {
        return Verdict::Refuse("405 Method Not Allowed", "metrics can be read: use GET");
    }
    let target = request.path.unwrap_or_default();
    let path = target.split_once('?').map_or(target, |(path, _)| path);
    if path != PATH {
        return Verdict::Refuse("404 Not Found", "the metrics are at /metrics");
    }
    Verdict::Serve
}

fn values<'h>(headers: &'h [Header<'h>], name: &'static str) -> impl Iterator<Item = &'h [u8]> {
    let named = headers.iter().filter(move |header| header.name.eq_ignore_ascii_case(name));
    named.map(|header| header.value)
}

/// True if a host, with its port or without, is this machine by a name that nobody else can give.
fn is_here(host: &[u8]) -> bool {
    let Ok(host) = std::str::from_utf8(host) else { return false };
    let (name, port) = match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((name, "")) => (name, None),
        Some((name, rest)) => (name, rest.strip_prefix(':').or(Some("none"))),
        None => host.split_once(':').map_or((host, None), |(name, port)| (name, Some(port))),
    };
    // The port of a tunnel is not ours, and it names nobody.
    let is_port = port.is_none_or(|port| port.parse::<u16>().is_ok());
    let is_loopback = || name.parse().is_ok_and(|address: IpAddr| address.is_loopback());
    is_port && (name.eq_ignore_ascii_case("localhost") || is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The status of a request with these lines; `200` if it is served.
    fn status(lines: &str) -> &'static str {
        let head = lines.replace('\n', "\r\n") + "\r\n\r\n";
        for bytes in 0..head.len() - 1 {
            let early = judge(&head.as_bytes()[..bytes]);
            assert!(!matches!(early, Some(Verdict::Serve)), "served after {bytes} bytes");
        }
        match judge(head.as_bytes()).expect("the head is complete") {
            Verdict::Serve => "200",
            Verdict::Refuse(status, why) => {
                assert!(!why.is_empty());
                status.split_once(' ').unwrap().0
            }
        }
    }

    #[test]
    fn metrics_are_read_with_get_at_their_path() {
        for target in ["/metrics", "/metrics?name=x"] {
            assert_eq!(status(&format!("GET {target} HTTP/1.1\nHost: localhost")), "200");
        }
        assert_eq!(status("GET /metrics HTTP/1.0"), "200");
        for target in ["/", "/metrics/", "/metric", "//metrics", "/%6detrics", "/../metrics", "*"] {
            assert_eq!(status(&format!("GET {target} HTTP/1.1\nHost: localhost")), "404");
        }
        for method in ["HEAD", "POST", "PUT", "DELETE", "OPTIONS", "get"] {
            assert_eq!(status(&format!("{method} /metrics HTTP/1.1\nHost: localhost")), "405");
        }
    }

    #[test]
    fn a_foreign_host_or_origin_is_refused_x08() {
        let of = |host: &str| status(&format!("GET /metrics HTTP/1.1\nHost: {host}"));
        let own = ["localhost", "LOCALHOST:9090", "127.0.0.1", "127.1.2.3:80", "[::1]", "[::1]:9"];
        own.iter().for_each(|host| assert_eq!(of(host), "200", "{host}"));
        let foreign = [
            "example.com",
            "127.0.0.1.example.com",
            "localhost.example.com:9090",
            "evil-localhost",
            "0.0.0.0:9090",
            "192.0.2.1",
            "[::]",
            "[::1]x",
            "[::1",
            "localhost:",
            "localhost:80:80",
            "localhost@example.com",
            "2130706433",
            "\u{fc}",
        ];
        foreign.iter().for_each(|host| assert_eq!(of(host), "421", "{host}"));
        assert_eq!(status("GET /metrics HTTP/1.1"), "400");
        assert_eq!(status("GET /metrics HTTP/1.1\nHost: localhost\nHost: localhost"), "400");
        let from = |origin: &str| {
            status(&format!("GET /metrics HTTP/1.1\nHost: localhost\nOrigin: {origin}"))
        };
        assert_eq!(from("http://localhost:3000"), "200");
        for origin in ["null", "https://example.com", "http://127.0.0.1.example.com", "file://"] {
            assert_eq!(from(origin), "403", "{origin}");
        }
    }

    #[test]
    fn what_is_no_request_is_refused() {
        assert_eq!(status("GET /metrics"), "400");
        assert_eq!(status("\u{1}\u{2}\u{3}"), "400");
        let many = "\nA: b".repeat(HEADERS_MAX + 1);
        assert_eq!(status(&format!("GET /metrics HTTP/1.1{many}")), "431");
        assert_eq!(judge(b""), None);
    }
}
