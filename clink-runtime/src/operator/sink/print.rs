//! Prints records on standard output, one JSON value a line.

use std::io::{self, Write};
use std::marker::PhantomData;

use clink_plan::descriptor::{OperatorDescriptor, SourceLocation};

use crate::data::{AsSerialize, Data};
use crate::error::Result;
use crate::operator::{OperatorFields, ParamError, Params};
use crate::state::{StateError, StateVisitor};
use crate::sys::files::reason;

use super::super::contract::Sink;
use super::BUFFER_BYTES;

/// Why standard output took no more.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PrintError {
    /// The program at the other end of the pipe has gone.
    #[error("write to standard output: its reader has closed it")]
    Closed,
    /// The system refused.
    #[error("write to standard output: {}", reason(.error))]
    Write {
        /// What it said.
        error: io::Error,
    },
}

/// A sink that prints; made by [`print`](super::print()).
///
/// Lines of parallel instances never mix within a line; their order is not defined. What came after
/// the last checkpoint is printed again after a restore: a terminal takes nothing back.
#[derive(Debug)]
pub struct Print<T> {
    lines: Vec<u8>,
    types: PhantomData<fn(T)>,
}

impl<T> Default for Print<T> {
    fn default() -> Self {
        Self { lines: Vec::new(), types: PhantomData }
    }
}

impl<T> Print<T> {
    /// Writes all lines at once, so that no other writer comes between them.
    fn write_to(&mut self, out: &mut impl Write) -> Result<(), PrintError> {
        let written = out.write_all(&self.lines).and_then(|()| out.flush());
        self.lines.clear();
        written.map_err(|error| match error.kind() {
            io::ErrorKind::BrokenPipe => PrintError::Closed,
            _ => PrintError::Write { error },
        })
    }
}

impl<T: Data> Sink for Print<T> {
    type In = T;

    fn on_data(&mut self, value: T) -> Result<()> {
        serde_json::to_writer(&mut self.lines, &AsSerialize(&value))?;
        self.lines.push(b'\n');
        if self.lines.len() > BUFFER_BYTES {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        if self.lines.is_empty() {
            return Ok(());
        }
        // Nobody reads the lines of a new attempt either.
        self.write_to(&mut io::stdout().lock())
            .map_err(|error| crate::Error::from(error).terminal())
    }
}

impl<T: Data> OperatorFields for Print<T> {
    const DESCRIPTOR: OperatorDescriptor = OperatorDescriptor {
        type_name: "print",
        uid: "",
        slots: &[],
        params: &[],
        location: SourceLocation::caller(),
    };

    fn to_params(&self, _params: &mut Params) -> Result<(), ParamError> {
        Ok(())
    }

    fn from_params(_params: &Params) -> Result<Self, ParamError> {
        Ok(Self::default())
    }

    fn visit_state(&mut self, _visitor: &mut dyn StateVisitor) -> Result<(), StateError> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Closed;

    impl Write for Closed {
        fn write(&mut self, _bytes: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_are_json_and_leave_as_a_whole() {
        let mut print = super::super::print::<(String, Option<i64>)>();
        print.on_data(("a\n\"b\"".to_owned(), None)).unwrap();
        print.on_data(("c".to_owned(), Some(-1))).unwrap();
        let mut out = Vec::new();
        print.write_to(&mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "[\"a\\n\\\"b\\\"\",null]\n[\"c\",-1]\n");
        let mut nothing = Vec::new();
        print.write_to(&mut nothing).unwrap();
        assert_eq!(nothing, b"");
    }

    #[test]
    fn a_closed_pipe_is_named() {
        let mut print = super::super::print::<i64>();
        print.on_data(1).unwrap();
        let error = print.write_to(&mut Closed).unwrap_err();
        assert_eq!(error.to_string(), "write to standard output: its reader has closed it");
    }
}
