//! Makes the instances of built-in operator types, each of parameters that fit.

use std::sync::Arc;
use std::time::Duration;

use crate::data::{Data, shown};
use crate::error::Error;
use crate::operator::filter::Filter;
use crate::operator::interleave::Interleave;
use crate::operator::map::Map;
use crate::operator::sink::{self, Line};
use crate::operator::source;
use crate::operator::stage::{OperatorStage, SinkStage, Stage};
use crate::operator::try_map::TryMap;
use crate::operator::{Operator, Params, Source};
use crate::registry::Registry;

use super::Instances;
use super::params::{Given, ParamProblem, unfit};

type Made<T> = std::result::Result<T, ParamProblem>;

/// Item `i` of `count` is `start + i × step`.
pub(super) fn int64_range(given: &Given) -> Made<Instances> {
    let (count, pause) = (given.count("count")?, pause(given)?);
    let (start, step) = (given.int64("start")?, given.int64("step")?);
    let last = i128::from(start) + i128::from(count.saturating_sub(1)) * i128::from(step);
    if i64::try_from(last).is_err() {
        let expected = format!("a count at which the last item, here {last}, has 64 bits");
        return Err(unfit("count", expected, &count.to_string(), None));
    }
    // Items lie between the first and the last, so what wraps on the way comes back.
    let item = move |index: u64| start.wrapping_add(step.wrapping_mul(index.cast_signed()));
    Ok(interleaved(count, pause, item))
}

/// The lines of a text in the graph, as a file of that text would have them.
pub(super) fn string_lines(given: &Given) -> Made<Instances> {
    let (text, pause) = (given.text("lines")?, pause(given)?);
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let count = lines.len() as u64;
    let line = move |index: u64| {
        let line = usize::try_from(index).ok().and_then(|index| lines.get(index));
        line.expect("the source counts to the number of lines").clone()
    };
    Ok(interleaved(count, pause, line))
}

pub(super) fn file_text(given: &Given) -> Made<Instances> {
    let path = given.text("path")?;
    Ok(instances(move || source::text(path.clone())))
}

pub(super) fn identity<T: Data>(_given: &Given) -> Made<Box<dyn Stage>> {
    Ok(stage(Map::new(Arc::new(|value: T| value))))
}

pub(super) fn multiply(given: &Given) -> Made<Box<dyn Stage>> {
    let factor = given.int64("factor")?;
    let apply = move |value: i64| {
        let overflow = || hopeless(format!("{value} × {factor} is no integer of 64 bits"));
        value.checked_mul(factor).ok_or_else(overflow)
    };
    Ok(stage(TryMap::new(Arc::new(apply))))
}

pub(super) fn even_filter(_given: &Given) -> Made<Box<dyn Stage>> {
    Ok(stage(Filter::new(Arc::new(|value: &i64| value % 2 == 0))))
}

pub(super) fn int64_to_string(_given: &Given) -> Made<Box<dyn Stage>> {
    Ok(stage(Map::new(Arc::new(|value: i64| value.to_string()))))
}

pub(super) fn string_to_int64(_given: &Given) -> Made<Box<dyn Stage>> {
    let apply = |text: String| {
        let found = || shown(text.as_bytes());
        text.parse::<i64>()
            .map_err(|_| hopeless(format!("expected an integer of 64 bits, found {}", found())))
    };
    Ok(stage(TryMap::new(Arc::new(apply))))
}

pub(super) fn file_sink<T: Line>(given: &Given) -> Made<Box<dyn Stage>> {
    Ok(Box::new(SinkStage::new(sink::text_sink::<T>(given.text("path")?))))
}

pub(super) fn print<T: Data>(_given: &Given) -> Made<Box<dyn Stage>> {
    Ok(Box::new(SinkStage::new(sink::print::<T>())))
}

pub(super) fn blackhole<T: Data>(_given: &Given) -> Made<Box<dyn Stage>> {
    Ok(Box::new(SinkStage::new(sink::blackhole::<T>())))
}

fn pause(given: &Given) -> Made<Duration> {
    Ok(Duration::from_millis(given.count("delay_ms")?))
}

fn interleaved<T: Data>(
    count: u64,
    pause: Duration,
    make: impl Fn(u64) -> T + Send + Sync + 'static,
) -> Instances {
    let make = Arc::new(make);
    instances(move || Interleave::new(count, pause, Arc::clone(&make)))
}

fn instances<S: Source>(make: impl Fn() -> S + Send + Sync + 'static) -> Instances {
    // The parameters are in the closure.
    Registry::inline_source(make)(Params::new())
}

fn stage<O: Operator>(operator: O) -> Box<dyn Stage> {
    Box::new(OperatorStage::inline(operator))
}

/// An error that a new attempt would only meet again: it lies in the data.
fn hopeless(message: String) -> Error {
    Error::new(message).terminal()
}
