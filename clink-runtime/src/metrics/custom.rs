//! Holds the numbers that operators keep themselves: counters and gauges of an instance, and
//! accumulators that all instances of an operator share.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Counts something in one operator instance; starts from zero in each run.
#[derive(Clone, Debug, Default)]
pub struct Counter(Arc<AtomicU64>);

impl Counter {
    /// Adds to it.
    pub fn add(&self, count: u64) {
        self.0.fetch_add(count, Ordering::Relaxed);
    }

    /// What it has come to.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// A number of one operator instance that goes up and down.
#[derive(Clone, Debug, Default)]
pub struct Gauge(Arc<AtomicI64>);

impl Gauge {
    /// Replaces it.
    pub fn set(&self, value: i64) {
        self.0.store(value, Ordering::Relaxed);
    }

    /// What it is.
    pub fn get(&self) -> i64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// A sum over all instances of an operator, told at the end of the run; starts from zero in each.
#[derive(Clone, Debug, Default)]
pub struct Accumulator(Arc<AtomicI64>);

impl Accumulator {
    /// Adds to the sum; less than zero takes away. Wraps around at the ends of `i64`.
    pub fn add(&self, delta: i64) {
        self.0.fetch_add(delta, Ordering::Relaxed);
    }

    /// The sum so far.
    pub fn get(&self) -> i64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// One number of an operator instance.
#[derive(Clone, Debug)]
enum Custom {
    Counter(Counter),
    Gauge(Gauge),
}

/// The counters and gauges of one operator instance, by name.
#[derive(Debug, Default)]
pub struct CustomMetrics(Mutex<BTreeMap<String, Custom>>);

/// A name that is taken by a number of another kind.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("metric `{name}` is a {found}: give the {wanted} another name")]
pub struct MetricError {
    name: String,
    found: &'static str,
    wanted: &'static str,
}

impl CustomMetrics {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Custom>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The counter of that name.
    ///
    /// # Errors
    /// If the name is a gauge's.
    pub fn counter(&self, name: &str) -> Result<Counter, MetricError> {
        let mut all = self.lock();
        let fresh = || Custom::Counter(Counter::default());
        match all.entry(name.to_owned()).or_insert_with(fresh) {
            Custom::Counter(counter) => Ok(counter.clone()),
            Custom::Gauge(_) => {
                Err(MetricError { name: name.to_owned(), found: "gauge", wanted: "counter" })
            }
        }
    }

    /// The gauge of that name.
    ///
    /// # Errors
    /// If the name is a counter's.
    pub fn gauge(&self, name: &str) -> Result<Gauge, MetricError> {
        let mut all = self.lock();
        match all.entry(name.to_owned()).or_insert_with(|| Custom::Gauge(Gauge::default())) {
            Custom::Gauge(gauge) => Ok(gauge.clone()),
            Custom::Counter(_) => {
                Err(MetricError { name: name.to_owned(), found: "counter", wanted: "gauge" })
            }
        }
    }

    /// The counters, by name.
    pub fn counters(&self) -> Vec<(String, u64)> {
        let all = self.lock();
        let counters = all.iter().filter_map(|(name, custom)| match custom {
            Custom::Counter(counter) => Some((name.clone(), counter.get())),
            Custom::Gauge(_) => None,
        });
        counters.collect()
    }

    /// The gauges, by name.
    pub fn gauges(&self) -> Vec<(String, i64)> {
        let all = self.lock();
        let gauges = all.iter().filter_map(|(name, custom)| match custom {
            Custom::Gauge(gauge) => Some((name.clone(), gauge.get())),
            Custom::Counter(_) => None,
        });
        gauges.collect()
    }
}

/// The accumulators of a job.
#[derive(Debug, Default)]
pub struct Accumulators(Mutex<BTreeMap<(String, String), Accumulator>>);

/// What an accumulator has come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accumulated {
    /// Id of the operator in the graph.
    pub operator: String,
    /// The accumulator's name.
    pub name: String,
    /// The sum over all instances.
    pub sum: i64,
}

impl Accumulators {
    /// The accumulator of that name, of all instances of the operator.
    pub fn of(&self, operator: &str, name: &str) -> Accumulator {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.entry((operator.to_owned(), name.to_owned())).or_default().clone()
    }

    /// All of them, by operator and name.
    pub fn list(&self) -> Vec<Accumulated> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let list = all.iter().map(|((operator, name), accumulator)| Accumulated {
            operator: operator.clone(),
            name: name.clone(),
            sum: accumulator.get(),
        });
        list.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_of_one_name_share_a_number_and_kinds_do_not_mix() {
        let metrics = CustomMetrics::default();
        metrics.counter("seen").unwrap().add(2);
        metrics.counter("seen").unwrap().add(1);
        metrics.gauge("open").unwrap().set(-4);
        assert_eq!(metrics.counters(), [("seen".to_owned(), 3)]);
        assert_eq!(metrics.gauges(), [("open".to_owned(), -4)]);
        let error = metrics.gauge("seen").unwrap_err().to_string();
        assert_eq!(error, "metric `seen` is a counter: give the gauge another name");
        metrics.counter("open").unwrap_err();
    }

    #[test]
    fn an_accumulator_sums_over_the_instances_of_its_operator() {
        let all = Accumulators::default();
        all.of("a", "n").add(5);
        all.of("a", "n").add(-2);
        all.of("b", "n").add(1);
        let sums: Vec<i64> = all.list().iter().map(|accumulated| accumulated.sum).collect();
        assert_eq!(sums, [3, 1]);
    }
}
