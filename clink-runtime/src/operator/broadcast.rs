//! Connects a main stream with a control stream that every instance gets whole.

use std::marker::PhantomData;
use std::sync::Arc;

use clink_plan::descriptor::SlotDescriptor;

use crate::data::Data;
use crate::error::Result;
use crate::state::slot::ErasedOperatorSlot;
use crate::state::{BroadcastState, StateError, StateVisitor};

use super::{CoOperator, Context};

/// The one state slot.
pub const SLOT: SlotDescriptor =
    SlotDescriptor { name: "broadcast", kind: "broadcast", keyed: false, version: 1 };

/// What is done with a record of the main stream: it may read the state, not change it, for each
/// instance sees other records of the main stream.
pub trait BroadcastFn<S, In, Out>:
    Fn(&S, In, &mut Context<'_, Out>) -> Result<()> + Send + Sync + 'static
{
}

impl<S, In, Out, F> BroadcastFn<S, In, Out> for F where
    F: Fn(&S, In, &mut Context<'_, Out>) -> Result<()> + Send + Sync + 'static
{
}

/// What is done with a record of the control stream: it may change the state.
pub trait ControlFn<S, Control, Out>:
    Fn(&mut S, Control, &mut Context<'_, Out>) -> Result<()> + Send + Sync + 'static
{
}

impl<S, Control, Out, F> ControlFn<S, Control, Out> for F where
    F: Fn(&mut S, Control, &mut Context<'_, Out>) -> Result<()> + Send + Sync + 'static
{
}

/// Calls one closure for each main record and one for each control record.
///
/// The state is one value, alike in all instances as long as the control closure does the same with
/// the same records. Between the two streams no order is promised: a main record may come before
/// the rule that is meant for it.
pub struct BroadcastOperator<S, In, Control, Out, M, C> {
    state: BroadcastState<S>,
    main: Arc<M>,
    control: Arc<C>,
    types: PhantomData<fn(In, Control) -> Out>,
}

impl<S: Data, In, Control, Out, M, C> BroadcastOperator<S, In, Control, Out, M, C> {
    /// An instance around closures that all instances share.
    pub fn new(state: S, main: Arc<M>, control: Arc<C>) -> Self {
        Self { state: BroadcastState::new(state), main, control, types: PhantomData }
    }

    /// Shows the state to the engine.
    ///
    /// # Errors
    /// What the visitor returned.
    pub fn visit_state(&mut self, visitor: &mut dyn StateVisitor) -> Result<(), StateError> {
        let slot: &mut dyn ErasedOperatorSlot = &mut self.state;
        visitor.operator_slot(SLOT.name, slot)
    }
}

impl<S, In, Control, Out, M, C> CoOperator for BroadcastOperator<S, In, Control, Out, M, C>
where
    S: Data,
    In: Data,
    Control: Data,
    Out: Data,
    M: BroadcastFn<S, In, Out>,
    C: ControlFn<S, Control, Out>,
{
    type In1 = In;
    type In2 = Control;
    type Out = Out;

    fn process_element1(&mut self, value: In, ctx: &mut Context<'_, Out>) -> Result<()> {
        (self.main)(self.state.get(), value, ctx)
    }

    fn process_element2(&mut self, value: Control, ctx: &mut Context<'_, Out>) -> Result<()> {
        (self.control)(self.state.get_mut(), value, ctx)
    }
}
