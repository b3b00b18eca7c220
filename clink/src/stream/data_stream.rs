//! Is a stream without a key.

use std::borrow::Borrow;
use std::hash::Hash;
use std::marker::PhantomData;
use std::sync::Arc;

use clink_plan::descriptor::SourceLocation;
use clink_plan::key_group::KeyEncode;
use clink_runtime::dag::Outputs;
use clink_runtime::data::Data;
use clink_runtime::error::Result;
use clink_runtime::operator::async_map::AsyncOptions;
use clink_runtime::operator::event_time::EventTimeStage;
use clink_runtime::operator::exchange::ExchangeOptions;
use clink_runtime::operator::filter::Filter;
use clink_runtime::operator::flat_map::FlatMapStage;
use clink_runtime::operator::iterate::IterationConfig;
use clink_runtime::operator::map::Map;
use clink_runtime::operator::sink::{Collect, Collected};
use clink_runtime::operator::stage::{OperatorStage, SinkStage, Stage};
use clink_runtime::operator::{Operator, OperatorFields, OutputTag, Sink};
use clink_runtime::registry::TypedExtractor;
use clink_runtime::state::Key;
use clink_runtime::time::{IntoEventTime, WatermarkStrategy};

use super::fit::{Keyless, StreamKey, Takes};
use super::pipeline::Pipeline;
use super::{BroadcastConnected, ConnectedStreams, KeyedDataStream, SinkHandle};

/// Records of type `T` on their way.
#[must_use = "a stream that nothing reads is never run; end it with `.sink(…)`"]
pub struct DataStream<'p, T> {
    pipeline: &'p Pipeline,
    /// The outputs that this stream is; several after a union.
    outputs: Outputs,
    types: PhantomData<fn() -> T>,
}

impl<T> Clone for DataStream<'_, T> {
    /// The same stream once more: each consumer gets every record.
    fn clone(&self) -> Self {
        Self { pipeline: self.pipeline, outputs: self.outputs.clone(), types: PhantomData }
    }
}

impl<'p, T> DataStream<'p, T> {
    pub(super) fn new(pipeline: &'p Pipeline, output: String) -> Self {
        Self::of(pipeline, vec![output])
    }

    pub(super) fn of(pipeline: &'p Pipeline, outputs: Outputs) -> Self {
        Self { pipeline, outputs, types: PhantomData }
    }

    pub(super) fn into_parts(self) -> (&'p Pipeline, Outputs) {
        (self.pipeline, self.outputs)
    }

    /// Gives the operator a label for people.
    #[track_caller]
    pub fn name(self, name: &str) -> Self {
        let at = SourceLocation::caller();
        self.pipeline.with(|dag| {
            if let Some(id) = dag.operator_of(&self.outputs, "name", at) {
                dag.set_name(id, name);
            }
        });
        self
    }

    /// Gives the operator the stable name under which its state is filed.
    #[track_caller]
    pub fn uid(self, uid: &str) -> Self {
        let at = SourceLocation::caller();
        self.pipeline.with(|dag| {
            if let Some(id) = dag.operator_of(&self.outputs, "uid", at) {
                dag.set_uid(id, uid, at);
            }
        });
        self
    }

    /// Sets how many subtasks the operator has, whatever the job's default.
    #[track_caller]
    pub fn set_parallelism(self, parallelism: u32) -> Self {
        let at = SourceLocation::caller();
        self.pipeline.with(|dag| {
            if let Some(id) = dag.operator_of(&self.outputs, "set_parallelism", at) {
                dag.set_parallelism(id, parallelism);
            }
        });
        self
    }

    /// Says between which numbers of subtasks, both included, the operator may be rescaled.
    #[track_caller]
    pub fn rescalable(self, least: u32, most: u32) -> Self {
        let at = SourceLocation::caller();
        self.pipeline.with(|dag| {
            if let Some(id) = dag.operator_of(&self.outputs, "rescalable", at) {
                dag.set_rescale_bounds(id, least, most);
            }
        });
        self
    }

    /// Passes each record through an operator.
    #[track_caller]
    pub fn process<O>(self, operator: O) -> DataStream<'p, O::Given>
    where
        O: Keyless + OperatorFields + Takes<T, O::Taken>,
    {
        let (pipeline, at) = (self.pipeline, SourceLocation::caller());
        let id = pipeline.with(|dag| dag.operator(self.outputs, &operator, at));
        DataStream::new(pipeline, id)
    }

    /// What the operator emits to a side output, as a stream of its own: it carries the operator's
    /// watermarks and barriers too.
    ///
    /// ```
    /// # use clink::prelude::*;
    /// # use clink::{Job, JobError, RunOptions};
    /// const ODD: OutputTag<u64> = OutputTag::new("odd");
    ///
    /// #[clink::operator(uid = "even")]
    /// struct Even;
    ///
    /// impl Operator for Even {
    ///     type In = u64;
    ///     type Out = u64;
    ///
    ///     fn process(&mut self, n: u64, ctx: &mut Context<'_, u64>) -> clink::Result<()> {
    ///         if n % 2 == 0 {
    ///             ctx.emit(n);
    ///             return Ok(());
    ///         }
    ///         ctx.emit_side(&ODD, n)
    ///     }
    /// }
    ///
    /// let mut odd = None;
    /// let job = Job::build("parity", |pipeline| {
    ///     let even = pipeline.generate(5, |n| n).process(Even);
    ///     odd = Some(even.side_output(&ODD).collect());
    ///     even.sink(blackhole());
    ///     Ok(())
    /// })?;
    /// job.run(&RunOptions::default())?;
    /// assert_eq!(odd.unwrap().take(), [1, 3]);
    /// # Ok::<(), JobError>(())
    /// ```
    #[track_caller]
    pub fn side_output<S: Data>(&self, tag: &OutputTag<S>) -> DataStream<'p, S> {
        let at = SourceLocation::caller();
        let read = self.pipeline.with(|dag| dag.side(&self.outputs, tag, at));
        DataStream::of(self.pipeline, read.into_iter().collect())
    }

    /// The records of both streams; their order is that of arrival.
    pub fn union(mut self, other: Self) -> Self {
        self.outputs.extend(other.outputs);
        self
    }

    /// Connects the stream with one of another type, for an operator that tells them apart.
    pub fn connect<U>(self, second: DataStream<'p, U>) -> ConnectedStreams<'p, T, U> {
        ConnectedStreams::new(self, second)
    }

    /// Connects the stream with a control stream, of which every subtask gets each record.
    pub fn connect_broadcast<C>(self, control: DataStream<'p, C>) -> BroadcastConnected<'p, T, C> {
        BroadcastConnected::new(self, control)
    }

    /// Hands the records to a sink.
    #[track_caller]
    pub fn sink<S>(self, sink: S) -> SinkHandle<'p>
    where
        S: Sink + OperatorFields + Takes<T, S::In>,
    {
        let (pipeline, at) = (self.pipeline, SourceLocation::caller());
        let id = pipeline.with(|dag| dag.sink(self.outputs, &sink, at));
        SinkHandle::new(pipeline, id)
    }
}

impl<'p, T: Data> DataStream<'p, T> {
    /// Turns each record into one other record.
    #[track_caller]
    pub fn map<U: Data>(self, apply: impl Fn(T) -> U + Send + Sync + 'static) -> DataStream<'p, U> {
        let apply = Arc::new(apply);
        self.inline("map", move || Map::new(Arc::clone(&apply)))
    }

    /// Keeps the records for which the closure says so.
    #[track_caller]
    pub fn filter(self, keep: impl Fn(&T) -> bool + Send + Sync + 'static) -> Self {
        let keep = Arc::new(keep);
        self.inline("filter", move || Filter::new(Arc::clone(&keep)))
    }

    /// Turns each record into any number of records.
    #[track_caller]
    pub fn flat_map<I>(
        self,
        apply: impl Fn(T) -> I + Send + Sync + 'static,
    ) -> DataStream<'p, I::Item>
    where
        I: IntoIterator<Item: Data, IntoIter: Send> + 'static,
    {
        let apply = Arc::new(apply);
        self.inline_stage("flat_map", move || Box::new(FlatMapStage::new(Arc::clone(&apply))))
    }

    /// Turns each record into one other record by a future, with many of them in flight at once:
    /// for look-ups and calls that take long. Results have the event times of their records; the
    /// options say in which order they leave, and what becomes of an attempt that fails. A record
    /// whose attempts have all failed is a bad record: it fails the job, or is counted or kept in a
    /// file, as `--on-bad-record` says.
    ///
    /// The subtask polls the futures itself, in its turns: a future must wait for its wake-up and
    /// not block, and there is no runtime around it. What needs one, as all input and output of
    /// tokio does, is spawned on a runtime of the author's own, and its handle is awaited. A
    /// handle that is dropped, at a timeout or a cancel, may leave its task running: say what is
    /// to become of it.
    ///
    /// Among its own metrics each subtask tells how many records are in flight, how many attempts
    /// were retries and how many took too long: `async_in_flight`, `async_retries` and
    /// `async_timeouts`.
    ///
    /// Checkpoints and the end wait until nothing is in flight, so a restart calls again for each
    /// record after the last checkpoint. Under the simulation time is virtual and passes at once
    /// where nothing is ready: a timeout comes before an answer from another thread.
    ///
    /// ```
    /// # use clink::prelude::*;
    /// # use clink::{Job, JobError, RunOptions};
    /// # use std::pin::Pin;
    /// # use std::sync::{Arc, Mutex};
    /// # use std::task::{Context as TaskContext, Poll, Waker};
    /// # /// What a runtime is for this page: a thread for each task.
    /// # struct Runtime;
    /// # struct Handle<T>(Arc<Mutex<(Option<T>, Option<Waker>)>>);
    /// # impl<T> Future for Handle<T> {
    /// #     type Output = std::result::Result<T, std::io::Error>;
    /// #     fn poll(self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<Self::Output> {
    /// #         let mut shared = self.0.lock().unwrap();
    /// #         match shared.0.take() {
    /// #             Some(value) => Poll::Ready(Ok(value)),
    /// #             None => {
    /// #                 shared.1 = Some(cx.waker().clone());
    /// #                 Poll::Pending
    /// #             }
    /// #         }
    /// #     }
    /// # }
    /// # impl Runtime {
    /// #     fn new() -> std::io::Result<Self> {
    /// #         Ok(Self)
    /// #     }
    /// #     fn spawn<T: Send + 'static>(
    /// #         &self,
    /// #         task: impl Future<Output = T> + Send + 'static,
    /// #     ) -> Handle<T> {
    /// #         let shared = Arc::new(Mutex::new((None, None::<Waker>)));
    /// #         let (handle, mut task) = (Handle(Arc::clone(&shared)), Box::pin(task));
    /// #         std::thread::spawn(move || {
    /// #             let mut cx = TaskContext::from_waker(Waker::noop());
    /// #             if let Poll::Ready(value) = task.as_mut().poll(&mut cx) {
    /// #                 let mut shared = shared.lock().unwrap();
    /// #                 shared.0 = Some(value);
    /// #                 shared.1.take().into_iter().for_each(Waker::wake);
    /// #             }
    /// #         });
    /// #         handle
    /// #     }
    /// # }
    /// async fn length(word: String) -> u64 {
    ///     word.len() as u64 // here a client of some service is asked
    /// }
    ///
    /// let runtime = Runtime::new()?; // `tokio::runtime::Runtime`, or whose ever
    /// let mut lengths = None;
    /// let job = Job::build("lengths", |pipeline| {
    ///     let words = pipeline.elements(vec!["one".to_owned(), "three".to_owned()]);
    ///     let options = AsyncOptions::ordered().capacity(32).timeout(seconds(2)).retries(3);
    ///     let asked = words.map_async(options, move |word| {
    ///         let answer = runtime.spawn(length(word));
    ///         async move { Ok(answer.await?) }
    ///     });
    ///     lengths = Some(asked.collect());
    ///     Ok(())
    /// })?;
    /// job.run(&RunOptions::default())?;
    /// assert_eq!(lengths.unwrap().take(), [3, 5]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn map_async<U: Data, Fut>(
        self,
        options: AsyncOptions,
        apply: impl Fn(T) -> Fut + Send + Sync + 'static,
    ) -> DataStream<'p, U>
    where
        Fut: Future<Output = Result<U>> + Send + 'static,
    {
        let (pipeline, at) = (self.pipeline, SourceLocation::caller());
        let id = pipeline.with(|dag| dag.map_async(self.outputs, options, apply, at));
        DataStream::new(pipeline, id)
    }

    /// Gives each record the event time that the closure reads from it (a `Timestamp`, or an
    /// `Option` whose `None` means that the record has none), and makes watermarks.
    #[track_caller]
    pub fn event_time<E: IntoEventTime + 'static>(
        self,
        of: impl Fn(&T) -> E + Send + Sync + 'static,
        strategy: WatermarkStrategy,
    ) -> Self {
        let of = Arc::new(of);
        self.inline_stage("event_time", move || {
            Box::new(EventTimeStage::new(Arc::clone(&of), strategy))
        })
    }

    /// Partitions the records by a key that is computed from each. If the key is a part of the
    /// record, [`key_by_ref`](Self::key_by_ref) saves a copy per record.
    #[track_caller]
    pub fn key_by<K: StreamKey<M>, M>(
        self,
        key: impl Fn(&T) -> K + Send + Sync + 'static,
    ) -> KeyedDataStream<'p, T, K::Checked> {
        self.keyed(TypedExtractor::<T, K>::owned(key))
    }

    /// Partitions the records by a key that is borrowed from each.
    #[track_caller]
    pub fn key_by_ref<Q>(
        self,
        key: impl Fn(&T) -> &Q + Send + Sync + 'static,
    ) -> KeyedDataStream<'p, T, Q::Owned>
    where
        Q: ToOwned<Owned: Key + Borrow<Q>> + Hash + Eq + KeyEncode + ?Sized + 'static,
    {
        self.keyed(TypedExtractor::<T, Q::Owned>::borrowed(key))
    }

    /// Keeps the records in memory, for a test that runs the job in its own process.
    ///
    /// ```
    /// # use clink::prelude::*;
    /// # use clink::{Job, JobError, RunOptions};
    /// let mut squares = None;
    /// let job = Job::build("squares", |pipeline| {
    ///     squares = Some(pipeline.generate(4, |n| n).map(|n| n * n).collect());
    ///     Ok(())
    /// })?;
    /// job.run(&RunOptions::default())?;
    /// assert_eq!(squares.unwrap().take(), [0, 1, 4, 9]);
    /// # Ok::<(), JobError>(())
    /// ```
    #[track_caller]
    pub fn collect(self) -> Collected<T> {
        let collected = Collected::default();
        let (records, at) = (collected.clone(), SourceLocation::caller());
        let make = move || -> Box<dyn Stage> {
            Box::new(SinkStage::inline(Collect::new(records.clone())))
        };
        self.pipeline.with(|dag| dag.inline_sink::<T>("collect", self.outputs, make, at));
        collected
    }

    /// Sends each record to the branch whose number the closure names: the first is 0. The names
    /// of the branches are for people; every branch must be read.
    ///
    /// ```
    /// # use clink::prelude::*;
    /// # use clink::{Job, JobError, RunOptions};
    /// let mut odd = None;
    /// let job = Job::build("parity", |pipeline| {
    ///     let numbers = pipeline.generate(5, |n| n);
    ///     let [evens, odds] = numbers.split(["even", "odd"], |n| u32::from(n % 2 == 1));
    ///     evens.sink(blackhole());
    ///     odd = Some(odds.collect());
    ///     Ok(())
    /// })?;
    /// job.run(&RunOptions::default())?;
    /// assert_eq!(odd.unwrap().take(), [1, 3]);
    /// # Ok::<(), JobError>(())
    /// ```
    #[track_caller]
    pub fn split<const N: usize>(
        self,
        branches: [&str; N],
        select: impl Fn(&T) -> u32 + Send + Sync + 'static,
    ) -> [Self; N] {
        let (pipeline, at) = (self.pipeline, SourceLocation::caller());
        let names = branches.iter().map(|name| (*name).to_owned()).collect();
        let read = pipeline.with(|dag| dag.split(self.outputs, names, select, at));
        let mut read = read.into_iter();
        std::array::from_fn(|_| Self::of(pipeline, read.by_ref().take(1).collect()))
    }

    /// Holds back the records until the stream has ended, then gives them out in their order: what
    /// is before and what is behind are two stages of a batch job. What does not fit in memory
    /// waits in a file. Such a job takes no checkpoints.
    #[track_caller]
    pub fn blocking_exchange(self, options: ExchangeOptions) -> Self {
        let (pipeline, at) = (self.pipeline, SourceLocation::caller());
        let id = pipeline.with(|dag| dag.exchange::<T>(self.outputs, options, at));
        Self::new(pipeline, id)
    }

    /// Lets records go round. `body` gets the stream of new records and of those that are fed back;
    /// it gives the stream of those to feed back, and the output of the iteration.
    ///
    /// When the input has ended, the iteration ends exactly when nothing is left in it. Watermarks
    /// of the input pass through the body, and its end of time last; what is fed back may be late
    /// to them. What is on its way back is saved in checkpoints, under the
    /// [`uid`](IterationConfig::uid) of the iteration.
    ///
    /// ```
    /// # use clink::prelude::*;
    /// # use clink::{IterationConfig, Job, JobError, RunOptions};
    /// let mut halved = None;
    /// let job = Job::build("halve", |pipeline| {
    ///     let numbers = pipeline.elements(vec![40_u64, 6]);
    ///     let odd = numbers.iterate(IterationConfig::new().uid("again"), |numbers| {
    ///         let [even, odd] = numbers.split(["even", "odd"], |n| u32::from(n % 2 == 1));
    ///         (even.map(|n| n / 2), odd)
    ///     });
    ///     halved = Some(odd.collect());
    ///     Ok(())
    /// })?;
    /// job.run(&RunOptions::default())?;
    /// let mut halved = halved.unwrap().take();
    /// halved.sort();
    /// assert_eq!(halved, [3, 5]);
    /// # Ok::<(), JobError>(())
    /// ```
    #[track_caller]
    pub fn iterate<U>(
        self,
        config: IterationConfig,
        body: impl FnOnce(Self) -> (Self, DataStream<'p, U>),
    ) -> DataStream<'p, U> {
        let (pipeline, at) = (self.pipeline, SourceLocation::caller());
        let iteration = pipeline.with(|dag| dag.iterate_head::<T>(self.outputs, config, at));
        let (feedback, output) = body(Self::new(pipeline, iteration.head().to_owned()));
        pipeline.with(|dag| dag.iterate_tail::<T>(iteration, feedback.outputs, at));
        output
    }

    fn keyed<K: Key, C>(self, extractor: TypedExtractor<T, K>) -> KeyedDataStream<'p, T, C> {
        KeyedDataStream::new(self, Arc::new(extractor))
    }

    #[track_caller]
    fn inline<O: Operator<In = T>>(
        self,
        kind: &str,
        make: impl Fn() -> O + Send + Sync + 'static,
    ) -> DataStream<'p, O::Out> {
        self.inline_stage(kind, move || Box::new(OperatorStage::inline(make())))
    }

    #[track_caller]
    pub(super) fn inline_stage<Out: Data>(
        self,
        kind: &str,
        make: impl Fn() -> Box<dyn Stage> + Send + Sync + 'static,
    ) -> DataStream<'p, Out> {
        let (pipeline, at) = (self.pipeline, SourceLocation::caller());
        let add = |dag: &mut clink_runtime::dag::Dag| {
            dag.inline_stage::<T, Out>(kind, self.outputs, make, at)
        };
        DataStream::new(pipeline, pipeline.with(add))
    }
}

impl<T> std::fmt::Debug for DataStream<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "DataStream of {}", self.outputs.join(", "))
    }
}
