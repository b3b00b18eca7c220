//! Is what an operator emits besides its main output: tagged streams, each of a type of its own.

use std::any::Any;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use crate::channel::ErasedBatch;
use crate::data::Data;
use crate::error::{Error, Result};
use crate::time::EventTime;

use super::emitter::Emitter;

/// The name and type of a side output. The operator that emits to it and the job that reads it
/// share one:
///
/// ```
/// use clink_runtime::operator::OutputTag;
///
/// const LATE: OutputTag<String> = OutputTag::new("late");
/// ```
pub struct OutputTag<T> {
    name: &'static str,
    types: PhantomData<fn() -> T>,
}

impl<T> OutputTag<T> {
    /// A tag of that name: unique within its operator.
    pub const fn new(name: &'static str) -> Self {
        Self { name, types: PhantomData }
    }

    /// The name in the job graph.
    pub const fn name(&self) -> &'static str {
        self.name
    }
}

impl<T> Clone for OutputTag<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for OutputTag<T> {}

impl<T> fmt::Debug for OutputTag<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OutputTag({})", self.name)
    }
}

/// A side output that the job graph declares for an operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SideOutputPort {
    /// Its tag.
    pub tag: String,
    /// The element type.
    pub channel_type: String,
    /// The place among the side outputs of the subtask; `None` if nothing reads it.
    pub port: Option<u32>,
}

/// Collects what an operator instance emits to its side outputs.
#[derive(Default)]
pub struct SideOutputs {
    outputs: Vec<SideOutput>,
    operator: String,
    full: usize,
    emitted: u64,
}

struct SideOutput {
    declared: SideOutputPort,
    /// There from the first record on, which tells its type.
    emitter: Option<Box<dyn AnyEmitter>>,
}

impl SideOutputs {
    /// The declared side outputs of the operator of that name.
    pub fn new(operator: &str, declared: &Arc<[SideOutputPort]>) -> Self {
        let outputs = declared.iter().cloned();
        Self {
            outputs: outputs.map(|declared| SideOutput { declared, emitter: None }).collect(),
            operator: operator.to_owned(),
            full: 0,
            emitted: 0,
        }
    }

    /// Adds a record to a side output.
    ///
    /// # Errors
    /// If the job does not declare it, or declares it with another type.
    pub fn push<T: Data>(
        &mut self,
        tag: &OutputTag<T>,
        value: T,
        time: Option<EventTime>,
    ) -> Result<()> {
        let found = self.outputs.iter_mut().find(|output| output.declared.tag == tag.name);
        let Some(output) = found else { return Err(self.undeclared(tag.name)) };
        let emitter = match &mut output.emitter {
            Some(emitter) => emitter,
            None => {
                let (own, declared) = (T::type_name(), &output.declared.channel_type);
                if own != *declared {
                    return Err(wrong_type(tag.name, &own, declared));
                }
                output.emitter.insert(Box::<Emitter<T>>::default())
            }
        };
        let any: &mut dyn Any = emitter.as_mut();
        let Some(emitter) = any.downcast_mut::<Emitter<T>>() else {
            return Err(wrong_type(tag.name, &T::type_name(), &output.declared.channel_type));
        };
        let before = emitter.full_batches();
        emitter.push(value, time);
        self.full += emitter.full_batches() - before;
        Ok(())
    }

    /// Number of full batches that wait to be taken.
    #[inline]
    pub fn full_batches(&self) -> usize {
        self.full
    }

    /// Moves full batches out.
    pub fn take_full(&mut self, out: &mut Vec<(u32, ErasedBatch)>) {
        if self.full > 0 {
            self.take(out, |emitter, out| emitter.take_full_erased(out));
        }
    }

    /// Moves everything out.
    pub fn take_all(&mut self, out: &mut Vec<(u32, ErasedBatch)>) {
        if !self.outputs.is_empty() {
            self.take(out, |emitter, out| emitter.take_all_erased(out));
        }
    }

    fn take(
        &mut self,
        out: &mut Vec<(u32, ErasedBatch)>,
        from: impl Fn(&mut dyn AnyEmitter, &mut Vec<ErasedBatch>),
    ) {
        self.full = 0;
        let mut batches = Vec::new();
        for SideOutput { declared, emitter } in &mut self.outputs {
            let Some(emitter) = emitter else { continue };
            from(emitter.as_mut(), &mut batches);
            self.emitted += emitter.take_emitted();
            // What the graph declares and nobody reads ends here, counted.
            match declared.port {
                Some(port) => out.extend(batches.drain(..).map(|batch| (port, batch))),
                None => batches.clear(),
            }
        }
    }

    /// Records that have left in batches since the last call.
    pub fn take_count(&mut self) -> u64 {
        std::mem::take(&mut self.emitted)
    }

    #[cold]
    fn undeclared(&self, tag: &str) -> Error {
        let tags: Vec<_> = self.outputs.iter().map(|it| format!("`{}`", it.declared.tag)).collect();
        let declared = if tags.is_empty() { "none".to_owned() } else { tags.join(", ") };
        Error::new(format!(
            "`{}` emits to side output `{tag}`, which the job does not read (it reads {declared}): \
             add `.side_output(…)` with this tag to the stream behind it",
            self.operator
        ))
        .terminal()
    }
}

#[cold]
fn wrong_type(tag: &str, found: &str, declared: &str) -> Error {
    Error::new(format!(
        "side output `{tag}` carries `{declared}`, and a `{found}` was emitted to it: use one \
         `OutputTag` for both ends"
    ))
    .terminal()
}

/// An emitter whose type only its operator knows.
trait AnyEmitter: Any + Send {
    fn take_full_erased(&mut self, out: &mut Vec<ErasedBatch>);
    fn take_all_erased(&mut self, out: &mut Vec<ErasedBatch>);
    fn take_emitted(&mut self) -> u64;
}

impl<T: Data> AnyEmitter for Emitter<T> {
    fn take_full_erased(&mut self, out: &mut Vec<ErasedBatch>) {
        self.drain_full(|batch| out.push(batch));
    }

    fn take_all_erased(&mut self, out: &mut Vec<ErasedBatch>) {
        self.seal_rest();
        self.drain_full(|batch| out.push(batch));
    }

    fn take_emitted(&mut self) -> u64 {
        self.take_count()
    }
}

impl fmt::Debug for SideOutputs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let declared = self.outputs.iter().map(|output| &output.declared);
        f.debug_list().entries(declared).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ODD: OutputTag<u64> = OutputTag::new("odd");
    const UNREAD: OutputTag<u64> = OutputTag::new("unread");

    fn outputs() -> SideOutputs {
        let port = |tag: &str, port| SideOutputPort {
            tag: tag.to_owned(),
            channel_type: u64::type_name(),
            port,
        };
        SideOutputs::new("op", &Arc::from([port("odd", Some(3)), port("unread", None)]))
    }

    #[test]
    fn records_leave_by_the_port_of_their_tag_and_unread_ones_are_counted() {
        let mut side = outputs();
        for n in 0..5 {
            side.push(&ODD, n, None).unwrap();
            side.push(&UNREAD, n, None).unwrap();
        }
        let mut out = Vec::new();
        side.take_full(&mut out);
        assert!(out.is_empty());
        side.take_all(&mut out);
        let left: Vec<_> = out.iter().map(|(port, batch)| (*port, batch.len())).collect();
        assert_eq!(left, [(3, 5)]);
        assert_eq!(side.take_count(), 10);
    }

    #[test]
    fn a_tag_that_the_job_does_not_read_and_one_of_another_type_are_errors() {
        let mut side = outputs();
        let error = side.push(&OutputTag::new("even"), 1_u64, None).unwrap_err().to_string();
        assert!(error.contains("`even`") && error.contains("`odd`, `unread`"), "{error}");
        let error = side.push(&OutputTag::new("odd"), String::new(), None).unwrap_err();
        assert!(error.to_string().contains("side output `odd` carries"), "{error}");
        side.push(&ODD, 1, None).unwrap();
        side.push(&OutputTag::new("odd"), 1_i64, None).unwrap_err();
    }
}
