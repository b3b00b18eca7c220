//! Adds what is not one stage after the other: forks, splits, unions, side outputs, broadcasts.

use clink_plan::descriptor::SourceLocation;

use crate::data::Data;
use crate::error::Result;
use crate::operator::broadcast::{BroadcastFn, ControlFn};
use crate::operator::exchange::ExchangeOptions;
use crate::operator::iterate::IterationConfig;
use crate::operator::{Context, OutputTag};

use super::{Broadcast, Dag, IterationHandle, StageHandle};

impl Dag {
    /// The stream so many times: each branch gets every record, watermark and barrier.
    pub fn fork<T, const N: usize>(&mut self, upstream: StageHandle<T>) -> [StageHandle<T>; N] {
        let StageHandle { dag, inputs, .. } = upstream;
        std::array::from_fn(|_| StageHandle::new(dag, inputs.clone()))
    }

    /// The branches of a stream: each record goes to the one whose number `select` names, which
    /// must be below the number of branches. Watermarks and barriers go to every one.
    #[track_caller]
    pub fn add_split<T: Data, const N: usize>(
        &mut self,
        upstream: StageHandle<T>,
        branches: [&str; N],
        select: impl Fn(&T) -> u32 + Send + Sync + 'static,
    ) -> [StageHandle<T>; N] {
        let at = SourceLocation::caller();
        let inputs = self.take(upstream, at);
        let names = branches.iter().map(|name| (*name).to_owned()).collect();
        let mut read = self.split(inputs, names, select, at).into_iter();
        std::array::from_fn(|_| StageHandle::new(self.number, read.by_ref().take(1).collect()))
    }

    /// Several streams of one type as one; the order of their records is that of arrival.
    #[track_caller]
    pub fn union_streams<T>(&mut self, streams: Vec<StageHandle<T>>) -> StageHandle<T> {
        let at = SourceLocation::caller();
        if streams.is_empty() {
            let message = "a union of no streams has no records: give it one at least";
            self.problem("P0905", "", at, message.to_owned());
        }
        let inputs = streams.into_iter().flat_map(|stream| self.take(stream, at)).collect();
        StageHandle::new(self.number, inputs)
    }

    /// What the operator behind a handle emits to a side output.
    #[track_caller]
    pub fn side_output<T, S: Data>(
        &mut self,
        of: &StageHandle<T>,
        tag: &OutputTag<S>,
    ) -> StageHandle<S> {
        let read = self.side(&of.inputs, tag, SourceLocation::caller());
        StageHandle::new(self.number, read.into_iter().collect())
    }

    /// Holds back the stream until it has ended: what is before it and what is behind are two
    /// stages of a batch job. Such a job takes no checkpoints.
    #[track_caller]
    pub fn add_blocking_exchange<T: Data>(
        &mut self,
        upstream: StageHandle<T>,
        options: ExchangeOptions,
    ) -> StageHandle<T> {
        let at = SourceLocation::caller();
        let inputs = self.take(upstream, at);
        let id = self.exchange::<T>(inputs, options, at);
        self.stage(id, 1)
    }

    /// Opens an iteration: the stream that comes out is that of new records and of those that are
    /// fed back with [`close_with`](Self::close_with).
    #[track_caller]
    pub fn iterate_stream<T: Data>(
        &mut self,
        upstream: StageHandle<T>,
        config: IterationConfig,
    ) -> (StageHandle<T>, IterationHandle<T>) {
        let at = SourceLocation::caller();
        let inputs = self.take(upstream, at);
        let iteration = self.iterate_head::<T>(inputs, config, at);
        let head = self.stage(iteration.head().to_owned(), 1);
        (head, IterationHandle::new(self.number, iteration))
    }

    /// Closes an iteration: what the stream carries goes back to its head.
    #[track_caller]
    pub fn close_with<T: Data>(&mut self, iteration: IterationHandle<T>, feedback: StageHandle<T>) {
        let at = SourceLocation::caller();
        let inputs = self.take(feedback, at);
        if iteration.dag != self.number {
            let message = "an iteration of another `Dag` is closed: close it where it was opened";
            self.problem("P0905", "", at, message.to_owned());
            return;
        }
        self.iterate_tail::<T>(iteration.iteration, inputs, at);
    }

    /// Connects a main stream with a control stream, which may change a state that the main
    /// stream can read. A main record gives one record, or none; a control record gives none.
    #[track_caller]
    pub fn broadcast_connect<S: Data, In: Data, Control: Data, Out: Data>(
        &mut self,
        main: StageHandle<In>,
        control: StageHandle<Control>,
        state: S,
        on_control: impl Fn(&mut S, Control) + Send + Sync + 'static,
        on_main: impl Fn(&S, In) -> Option<Out> + Send + Sync + 'static,
    ) -> StageHandle<Out> {
        let main_fn = move |state: &S, value: In, ctx: &mut Context<'_, Out>| -> Result<()> {
            if let Some(value) = on_main(state, value) {
                ctx.emit(value);
            }
            Ok(())
        };
        let control_fn = move |state: &mut S, value: Control, _: &mut Context<'_, Out>| {
            on_control(state, value);
            Ok(())
        };
        let broadcast = Broadcast { state, main: main_fn, control: control_fn };
        self.broadcast_process(main, control, broadcast)
    }

    /// Connects a main stream with a control stream; both may emit any number of records.
    #[track_caller]
    pub fn broadcast_process<S, In, Control, Out, M, C>(
        &mut self,
        main: StageHandle<In>,
        control: StageHandle<Control>,
        broadcast: Broadcast<S, M, C>,
    ) -> StageHandle<Out>
    where
        S: Data,
        In: Data,
        Control: Data,
        Out: Data,
        M: BroadcastFn<S, In, Out>,
        C: ControlFn<S, Control, Out>,
    {
        let at = SourceLocation::caller();
        let (main, control) = (self.take(main, at), self.take(control, at));
        let id = self.broadcast(main, control, broadcast, at);
        self.stage(id, 1)
    }
}
