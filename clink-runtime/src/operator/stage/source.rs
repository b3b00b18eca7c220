//! Runs a [`Source`] at the head of a chain.

use std::sync::{Arc, OnceLock};

use arrow_array::ArrayRef;
use clink_plan::descriptor::SlotDescriptor;

use crate::channel::ErasedBatch;
use crate::data::{ColumnBuilder, ColumnView, Data};
use crate::error::{Error, Result, Retry};
use crate::operator::OperatorFields;

use super::super::context::{Context, SourceContext};
use super::super::contract::{Produced, Progress, Source};
use super::super::runtime_context::RuntimeContext;
use super::core::Core;
use super::operator::FieldsOf;
use super::{Outbox, SourceHead};
use crate::state::snapshot::{RestoredSlots, SnapshotWriter};
use crate::state::{Redistribution, Split};

/// The slot in which every source keeps its splits.
pub const SPLITS: SlotDescriptor =
    SlotDescriptor { name: "splits", kind: Split::KIND, keyed: false, version: 1 };

/// The splits of a fresh start, made once by the first instance that needs them and shared by
/// all, so that a file that changes meanwhile is still divided without gap or overlap.
pub struct FreshSplits<S>(OnceLock<std::result::Result<Vec<S>, (String, Retry)>>);

impl<S> Default for FreshSplits<S> {
    fn default() -> Self {
        Self(OnceLock::new())
    }
}

/// A source with its emitter.
pub struct SourceStage<S: Source> {
    source: S,
    core: Core<S::Out>,
    fresh: Arc<FreshSplits<S::Split>>,
    /// How to show the source's own state; inline sources have none.
    fields: Option<FieldsOf<S>>,
    has_splits: bool,
}

impl<S: Source> SourceStage<S> {
    /// A stage for one instance of an inline source; `fresh` is shared by all instances.
    pub fn inline(source: S, fresh: Arc<FreshSplits<S::Split>>) -> Self {
        Self { source, core: Core::default(), fresh, fields: None, has_splits: false }
    }

    /// A stage for one instance of an annotated source; `fresh` is shared by all instances.
    pub fn new(source: S, fresh: Arc<FreshSplits<S::Split>>) -> Self
    where
        S: OperatorFields,
    {
        Self { fields: Some(S::visit_state), ..Self::inline(source, fresh) }
    }

    /// This instance's part of freshly made splits.
    fn share(&self, ctx: &RuntimeContext) -> Result<Vec<S::Split>> {
        let parallelism = ctx.parallelism().max(1);
        let make = || self.source.splits(parallelism).map_err(|e| (e.to_string(), e.retry()));
        let made = self.fresh.0.get_or_init(make);
        // An error cannot be copied: its text and what may be done next can.
        let splits = made.as_ref().map_err(|(message, retry)| {
            let error = Error::new(message.clone());
            if *retry == Retry::Never { error.terminal() } else { error }
        })?;
        let step = parallelism as usize;
        Ok(splits.iter().skip(ctx.subtask_index() as usize).step_by(step).cloned().collect())
    }
}

impl<S: Source> SourceHead for SourceStage<S> {
    fn check(&self) -> Result<()> {
        self.source.check()
    }

    fn open(&mut self, ctx: &RuntimeContext, restored: Option<&RestoredSlots<'_>>) -> Result<()> {
        self.core.prepare(ctx);
        if let (Some(fields), Some(restored)) = (self.fields, restored) {
            fields(&mut self.source, &mut restored.operator_loader())?;
        }
        let restored = restored.map(|slots| slots.operator_rows(SPLITS.name)).transpose()?;
        let splits = match restored.flatten() {
            Some(parts) => dealt(&parts, ctx)?,
            // A source that the checkpoint does not know starts afresh.
            None => self.share(ctx)?,
        };
        self.has_splits = !splits.is_empty();
        self.core.open(ctx);
        self.source.open(splits, ctx)
    }

    fn is_blocking(&self) -> bool {
        self.source.is_blocking()
    }

    fn has_splits(&self) -> bool {
        self.has_splits
    }

    fn produce(&mut self, out: &mut Outbox) -> Result<Produced> {
        let Context { emitter, services, runtime, .. } = self.core.context(None);
        let produced = self.source.produce(&mut SourceContext { emitter, services, runtime })?;
        self.core.take_full(out);
        Ok(produced)
    }

    fn settle(&mut self, out: &mut Outbox) {
        self.core.take_all(out);
    }

    fn recycle(&mut self, batch: ErasedBatch) {
        self.core.recycle(batch);
    }

    fn snapshot(&mut self, writer: &mut SnapshotWriter<'_>) -> Result<()> {
        if let Some(fields) = self.fields {
            fields(&mut self.source, &mut writer.operator_saver())?;
        }
        // The positions are past the bad records: so these are on the disk first.
        self.core.runtime().shared.bad_records.sync()?;
        let mut builder = <S::Split as Data>::Builder::default();
        self.source.snapshot()?.iter().for_each(|split| builder.append(split));
        let field = arrow_schema::Field::new("value", S::Split::data_type(), S::Split::nullable());
        writer.operator_rows(SPLITS.name, field, builder.finish());
        Ok(())
    }

    fn progress(&self) -> Option<Progress> {
        self.source.progress()
    }

    fn close(&mut self) -> Result<()> {
        if self.core.is_open() { self.source.close() } else { Ok(()) }
    }

    fn take_emitted(&mut self) -> (u64, u64) {
        self.core.take_emitted()
    }
}

/// This instance's part of the restored splits of all old instances.
fn dealt<T: Data>(parts: &[ArrayRef], ctx: &RuntimeContext) -> Result<Vec<T>> {
    let same = parts.len() == ctx.parallelism() as usize;
    let (mut splits, mut position) = (Vec::new(), 0);
    for (part_index, part) in parts.iter().enumerate() {
        let view = T::View::of(part)?;
        for row in 0..part.len() {
            // As they were at the same parallelism, else one after the other.
            let owner = if same { part_index } else { position % ctx.parallelism() as usize };
            if owner == ctx.subtask_index() as usize {
                splits.push(view.get(row)?);
            }
            position += 1;
        }
    }
    Ok(splits)
}
