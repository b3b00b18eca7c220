//! Listens on this machine's own addresses, and waits for no peer longer than it was told.

use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::clock::Clock;

/// How long a connection to a listener of this process may take to be made.
const CONNECT_WITHIN: Duration = Duration::from_secs(1);

/// A socket that other processes of this machine can connect to, and nobody else.
#[derive(Debug)]
pub struct LoopbackListener {
    listener: TcpListener,
    address: SocketAddr,
    closed: Arc<AtomicBool>,
}

impl LoopbackListener {
    /// Listens; port 0 is one that is free.
    ///
    /// # Errors
    /// `InvalidInput` if other machines could reach the address; what the system says if it cannot
    /// be had.
    pub fn bind(address: SocketAddr) -> io::Result<Self> {
        if !address.ip().is_loopback() {
            let what = format!("expected an address of this machine itself, found {address}");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
        }
        let listener = TcpListener::bind(address)?;
        let address = listener.local_addr()?;
        Ok(Self { listener, address, closed: Arc::default() })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What ends it from another thread.
    pub fn closer(&self) -> Closer {
        Closer { address: self.address, closed: Arc::clone(&self.closed) }
    }

    /// Waits for somebody to connect; `None` once it has been closed.
    ///
    /// All that is read from and written to the connection may take `within` together.
    ///
    /// # Errors
    /// What the system says: mostly that there are too many open files, which may pass.
    pub fn accept(&self, within: Duration) -> io::Result<Option<Connection>> {
        let accepted = self.listener.accept();
        if self.closed.load(Ordering::Acquire) {
            return Ok(None);
        }
        let (stream, _) = accepted?;
        let clock = Clock::system();
        Ok(Some(Connection { stream, clock, within }))
    }
}

/// Ends a [`LoopbackListener`].
#[derive(Debug)]
pub struct Closer {
    address: SocketAddr,
    closed: Arc<AtomicBool>,
}

impl Closer {
    /// Ends it: [`LoopbackListener::accept`] returns, and whoever still waits is not answered.
    ///
    /// # Errors
    /// If the thread that accepts could not be woken; it ends when somebody connects.
    pub fn close(&self) -> io::Result<()> {
        self.closed.store(true, Ordering::Release);
        // No portable call ends a wait for connections; a connection does.
        TcpStream::connect_timeout(&self.address, CONNECT_WITHIN).map(drop)
    }
}

/// A connection with a limit on the time it takes in all, however it is spent.
#[derive(Debug)]
pub struct Connection {
    stream: TcpStream,
    clock: Clock,
    within: Duration,
}

impl Connection {
    /// What ends it from another thread.
    ///
    /// # Errors
    /// What the system says.
    pub fn hang_up(&self) -> io::Result<HangUp> {
        self.stream.try_clone().map(HangUp)
    }

    /// Says that nothing more is written, and reads what the peer still sends, up to so many bytes:
    /// a connection that is closed on unread bytes takes back what was written.
    pub fn finish(mut self, most: u64) {
        if self.stream.shutdown(Shutdown::Write).is_ok() {
            // The peer has what it asked for, whatever it does now.
            let _ = io::copy(&mut (&mut self).take(most), &mut io::sink());
        }
    }

    fn left(&self) -> io::Result<Duration> {
        let left = self.within.checked_sub(self.clock.elapsed()).filter(|left| !left.is_zero());
        left.ok_or_else(|| io::ErrorKind::TimedOut.into())
    }
}

impl Read for Connection {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(Some(self.left()?))?;
        self.stream.read(room)
    }
}

impl Write for Connection {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(Some(self.left()?))?;
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

/// Ends a [`Connection`].
#[derive(Debug)]
pub struct HangUp(TcpStream);

impl HangUp {
    /// Ends it: whoever reads or writes it is told at once.
    pub fn now(&self) {
        // One that has ended already cannot be ended again.
        let _ = self.0.shutdown(Shutdown::Both);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_others_could_reach_is_refused() {
        for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:0"] {
            let error = LoopbackListener::bind(address.parse().unwrap()).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidInput, "{address}");
        }
    }

    #[test]
    fn a_peer_that_says_nothing_is_waited_for_as_long_as_was_said() {
        let listener = LoopbackListener::bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let silent = TcpStream::connect(listener.address()).unwrap();
        let mut connection = listener.accept(Duration::from_millis(20)).unwrap().unwrap();
        let kind = connection.read(&mut [0]).unwrap_err().kind();
        assert!(matches!(kind, io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock), "{kind}");
        drop(silent);
        let closer = listener.closer();
        let waiting = std::thread::spawn(move || listener.accept(Duration::ZERO).unwrap());
        closer.close().unwrap();
        assert!(waiting.join().unwrap().is_none(), "it has been closed");
    }
}
