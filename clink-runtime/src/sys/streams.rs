//! Opens what gives its bytes once: standard input, a connection.

use std::io::{self, Read};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

/// How long a peer may take to answer before the connection counts as failed.
const CONNECT_WITHIN: Duration = Duration::from_secs(10);

/// Standard input of this process.
pub fn stdin() -> impl Read + Send {
    io::stdin()
}

/// Connects to a peer, `HOST:PORT`, at the first of its addresses that answers.
///
/// # Errors
/// What the system says of the name, or of the last address.
pub fn connect(peer: &str) -> io::Result<TcpStream> {
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the name has no address");
    for address in peer.to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, CONNECT_WITHIN) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}
