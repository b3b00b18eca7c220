//! Is what one operator instance has beside its fields and its main output: side outputs, timers,
//! state by name.

use crate::state::NamedSlots;
use crate::time::timers::Timers;

use super::runtime_context::RuntimeContext;
use super::side_output::SideOutputs;

/// What the contexts of an operator lend to its hooks.
#[derive(Debug, Default)]
pub struct Services {
    pub(crate) side: SideOutputs,
    pub(crate) timers: Timers,
    pub(crate) named: NamedSlots,
}

impl Services {
    /// Those of an instance that opens.
    pub(crate) fn new(ctx: &RuntimeContext) -> Self {
        let side = SideOutputs::new(ctx.name(), &ctx.side_outputs);
        Self { side, ..Self::default() }
    }
}
