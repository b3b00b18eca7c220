//! Is what one operator instance has beside its main output: side outputs and timers.

use super::runtime_context::RuntimeContext;
use super::side_output::SideOutputs;
use crate::time::timers::Timers;

/// What the contexts of an operator lend to its hooks.
#[derive(Debug, Default)]
pub struct Services {
    pub(crate) side: SideOutputs,
    pub(crate) timers: Timers,
}

impl Services {
    /// Those of an instance that opens.
    pub(crate) fn new(ctx: &RuntimeContext) -> Self {
        let side = SideOutputs::new(ctx.name(), &ctx.side_outputs);
        Self { side, timers: Timers::default() }
    }
}
