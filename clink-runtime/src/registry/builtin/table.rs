//! Is the table of built-in operator types.

use crate::operator::stage::SPLITS;

use super::params::{Form, Parameter};
use super::{Builtin, Make, make};

const INT64: &str = "int64";
const STRING: &str = "string";
const NONE: &str = "";

const PATH: &[Parameter] = &[Parameter::required("path", Form::Path)];
const DELAY_MS: Parameter = Parameter::optional("delay_ms", Form::Count, "0");

/// The slot of every sink to files.
const FILES_SLOT: &str = "files";

/// Every type that can run.
pub(super) const TABLE: &[Builtin] = &[
    source(
        "int64_range_source",
        INT64,
        &[
            Parameter::required("count", Form::Count),
            Parameter::optional("start", Form::Int64, "1"),
            Parameter::optional("step", Form::Int64, "1"),
            DELAY_MS,
        ],
        Make::Source(make::int64_range),
    ),
    source(
        "string_lines_source",
        STRING,
        &[Parameter::required("lines", Form::Text), DELAY_MS],
        Make::Source(make::string_lines),
    ),
    source("file_text_source", STRING, PATH, Make::Source(make::file_text)),
    operator("identity_int64", INT64, INT64, &[], Make::Operator(make::identity::<i64>)),
    operator("identity_string", STRING, STRING, &[], Make::Operator(make::identity::<String>)),
    operator(
        "multiply_int64",
        INT64,
        INT64,
        &[Parameter::required("factor", Form::Int64)],
        Make::Operator(make::multiply),
    ),
    operator("even_filter_int64", INT64, INT64, &[], Make::Operator(make::even_filter)),
    operator("int64_to_string", INT64, STRING, &[], Make::Operator(make::int64_to_string)),
    operator("string_to_int64", STRING, INT64, &[], Make::Operator(make::string_to_int64)),
    sink("file_int64_sink", INT64, PATH, &[FILES_SLOT], Make::Sink(make::file_sink::<i64>)),
    sink("file_line_sink", STRING, PATH, &[FILES_SLOT], Make::Sink(make::file_sink::<String>)),
    sink("file_text_sink", STRING, PATH, &[FILES_SLOT], Make::Sink(make::file_sink::<String>)),
    sink("print", INT64, &[], &[], Make::Sink(make::print::<i64>)),
    sink("print", STRING, &[], &[], Make::Sink(make::print::<String>)),
    sink("blackhole", INT64, &[], &[], Make::Sink(make::blackhole::<i64>)),
    sink("blackhole", STRING, &[], &[], Make::Sink(make::blackhole::<String>)),
];

const fn source(
    type_name: &'static str,
    output: &'static str,
    params: &'static [Parameter],
    make: Make,
) -> Builtin {
    Builtin { type_name, input: NONE, output, params, slots: &[SPLITS.name], make }
}

const fn operator(
    type_name: &'static str,
    input: &'static str,
    output: &'static str,
    params: &'static [Parameter],
    make: Make,
) -> Builtin {
    Builtin { type_name, input, output, params, slots: &[], make }
}

const fn sink(
    type_name: &'static str,
    input: &'static str,
    params: &'static [Parameter],
    slots: &'static [&'static str],
    make: Make,
) -> Builtin {
    Builtin { type_name, input, output: NONE, params, slots, make }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Data;

    #[test]
    fn the_channels_are_those_of_the_types_that_flow() {
        assert_eq!((INT64, STRING), (&*i64::type_name(), &*String::type_name()));
    }

    #[test]
    fn the_slots_are_those_that_sinks_save() {
        use crate::operator::OperatorFields;
        use crate::operator::sink::TextSink;

        let slots = <TextSink<i64> as OperatorFields>::DESCRIPTOR.slots;
        assert_eq!(slots.iter().map(|slot| slot.name).collect::<Vec<_>>(), [FILES_SLOT]);
    }
}
