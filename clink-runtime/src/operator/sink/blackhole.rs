//! Drops what it is given.

use std::marker::PhantomData;

use clink_plan::descriptor::{OperatorDescriptor, SourceLocation};

use crate::data::Data;
use crate::error::Result;
use crate::operator::{OperatorFields, ParamError, Params};
use crate::state::{StateError, StateVisitor};

use super::super::contract::Sink;

/// A sink that drops every record: for measuring what comes before it.
#[derive(Debug)]
pub struct Blackhole<T>(PhantomData<fn(T)>);

impl<T> Default for Blackhole<T> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<T: Data> Sink for Blackhole<T> {
    type In = T;

    #[inline]
    fn on_data(&mut self, _value: T) -> Result<()> {
        Ok(())
    }
}

impl<T: Data> OperatorFields for Blackhole<T> {
    const DESCRIPTOR: OperatorDescriptor = OperatorDescriptor {
        type_name: "blackhole",
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
