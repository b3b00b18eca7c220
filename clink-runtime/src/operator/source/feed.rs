//! Reads what gives its bytes once on a thread of its own, so that nobody waits for it who has
//! something else to do.
//!
//! Limit: 32 blocks wait, 8 MiB at most; then the thread does, and with it whoever writes.
//!
//! The thread of an input that is silent when its job ends stays until the process ends: a read
//! cannot be called off.

use std::io::{self, Read};

use crossbeam_channel::{Receiver, Sender, TryRecvError, bounded};

use super::BLOCK_BYTES;

/// Blocks that may wait. A pipe gives 64 KiB at a time and is looked at every 5 ms: fewer would
/// slow a fast writer down.
const BLOCKS: usize = 32;

/// What the thread has to say.
enum Chunk {
    Bytes(Vec<u8>),
    Failed(io::Error),
    End,
}

/// The bytes that have come so far.
pub(super) struct Feed {
    chunks: Receiver<Chunk>,
    current: Vec<u8>,
    taken: usize,
    ended: bool,
}

/// What a look at an input came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fetched {
    /// That many bytes.
    Bytes(usize),
    /// None for now.
    Later,
    /// None any more.
    End,
}

impl Feed {
    /// Opens an input on its thread, which may take as long as it likes, and reads it.
    pub(super) fn start<R: Read>(
        open: impl FnOnce() -> io::Result<R> + Send + 'static,
    ) -> io::Result<Self> {
        let (send, chunks) = bounded(BLOCKS);
        let read = move || {
            let last = match open().and_then(|input| read_all(input, &send)) {
                Ok(()) => Chunk::End,
                Err(error) => Chunk::Failed(error),
            };
            // Nobody listens any more where the job has ended.
            let _ = send.send(last);
        };
        std::thread::Builder::new().name("clink-input".to_owned()).spawn(read)?;
        Ok(Self { chunks, current: Vec::new(), taken: 0, ended: false })
    }

    /// Takes what has come.
    pub(super) fn fetch(&mut self, room: &mut [u8]) -> io::Result<Fetched> {
        while self.taken == self.current.len() {
            if self.ended {
                return Ok(Fetched::End);
            }
            match self.chunks.try_recv() {
                Ok(Chunk::Bytes(bytes)) => (self.current, self.taken) = (bytes, 0),
                Ok(Chunk::End) => self.ended = true,
                Ok(Chunk::Failed(error)) => return Err(error),
                Err(TryRecvError::Empty) => return Ok(Fetched::Later),
                Err(TryRecvError::Disconnected) => {
                    return Err(io::Error::other("the thread that reads it has ended"));
                }
            }
        }
        let waiting = self.current.get(self.taken..).unwrap_or_default();
        let count = waiting.len().min(room.len());
        for (to, from) in room.iter_mut().zip(waiting) {
            *to = *from;
        }
        self.taken += count;
        Ok(Fetched::Bytes(count))
    }
}

fn read_all(mut input: impl Read, send: &Sender<Chunk>) -> io::Result<()> {
    let mut room = vec![0; BLOCK_BYTES];
    loop {
        let count = match input.read(&mut room) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read?,
        };
        let bytes = room.get(..count).unwrap_or_default().to_vec();
        if bytes.is_empty() || send.send(Chunk::Bytes(bytes)).is_err() {
            return Ok(());
        }
    }
}
