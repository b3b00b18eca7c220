//! Asks that the inputs of a union carry one element type.

use super::report::{Context, Report};
use super::type_place::registered_as;

/// Checks P0025.
///
/// Operators that tell their two inputs apart are not unions: their factories say what they take.
pub(super) fn check(context: &Context<'_>, report: &mut Report<'_>) {
    for (op, spec) in context.specs() {
        if spec.inputs.len() < 2 || report.hides(op) || context.kind(op).has_two_inputs() {
            continue;
        }
        let Some(channels) = context.channels(op) else {
            continue;
        };
        let Some(((first, wanted), rest)) = channels.split_first() else {
            continue;
        };
        for (input, found) in rest.iter().filter(|(_, found)| found != wanted) {
            let message = format!(
                "its inputs carry different types: `{}` {wanted}, `{}` {found}",
                first.text, input.text
            );
            let registry = context.facts.registry.filter(|_| channels.len() == 2);
            let places = registry.map(|registry| registry.places(&spec.type_name));
            let help = match places {
                Some(places) if !places.is_empty() => format!(
                    "`{}` is {}; as a union it needs inputs of one type",
                    spec.type_name,
                    registered_as(&places)
                ),
                Some(_) => format!(
                    "`{}` is registered neither as a join nor as a co-operator; as a union it \
                     needs inputs of one type",
                    spec.type_name
                ),
                None => {
                    format!("a union needs inputs of one type: convert {found} to {wanted} first")
                }
            };
            report.error("P0025", op, message).help(help);
        }
    }
}
