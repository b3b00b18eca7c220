//! Makes a line of each event that is logged.

use clink_runtime::operator::place;
use clink_runtime::sys::clock::Clock;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

use super::LogFormat;
use super::event::{Fields, OURS, RUN, Said};
use super::{json, text};

/// Takes a finished line.
type Put = Box<dyn Fn(&str) + Send + Sync>;

/// Writes lines; the spans around an event are the registry's.
pub(super) struct Lines {
    format: LogFormat,
    colours: bool,
    clock: Clock,
    put: Put,
}

impl Lines {
    pub(super) fn new(format: LogFormat, colours: bool, put: Put) -> Self {
        Self { format, colours, clock: Clock::system(), put }
    }
}

impl<S: Subscriber + for<'s> LookupSpan<'s>> Layer<S> for Lines {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        span.extensions_mut().insert(fields);
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        if let Some(fields) = span.extensions_mut().get_mut::<Fields>() {
            values.record(fields);
        }
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        let (mut spans, mut around, mut run) = (Vec::new(), Vec::new(), Vec::new());
        for span in context.event_scope(event).into_iter().flat_map(|scope| scope.from_root()) {
            let extensions = span.extensions();
            let held = extensions.get::<Fields>().into_iter().flat_map(|fields| &fields.named);
            match (span.metadata().target(), span.name()) {
                (OURS, RUN) => run.extend(held.cloned()),
                // An operator's: it is told by its place, span or no span.
                (OURS, _) => {}
                (_, name) => {
                    spans.push(name);
                    around.extend(held.cloned());
                }
            }
        }
        let metadata = event.metadata();
        let (level, target) = (*metadata.level(), metadata.target());
        let at_ms = self.clock.now_ms();
        let place = place::current();
        // The span around a run is that of the thread which started it.
        if let Some(place) = place.as_ref().filter(|_| run.is_empty()) {
            run.push((RUN, place.job.as_str().into()));
        }
        let said = Said { at_ms, level, target, fields, spans, around, run, place };
        (self.put)(&match self.format {
            LogFormat::Text => text::line(&said, self.colours),
            LogFormat::Json => json::line(&said),
        });
    }
}
