//! Lists every mistake the macros can name: its code and the rule that it breaks.
//!
//! A code is for ever; a message may get better. `ui-tests` holds at least one file per code, and
//! the book's error page is made from this table.

/// One rule of the grammar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rule {
    /// The code, as the message ends with it.
    pub(crate) code: &'static str,
    /// The rule, as the book states it.
    pub(crate) text: &'static str,
}

/// Declares each rule and the list of all.
macro_rules! rules {
    ($($name:ident = $code:literal, $text:literal;)*) => {
        $(pub(crate) const $name: Rule = Rule { code: $code, text: $text };)*

        /// Every rule, in the order of the codes.
        #[cfg(test)]
        pub(crate) const ALL: &[Rule] = &[$($name),*];
    };
}

rules! {
    // Options of any macro.
    UNKNOWN_OPTION = "M0001", "an option has one of the names that the macro knows";
    REPEATED_OPTION = "M0002", "an option is given once";
    OPTION_VALUE = "M0003", "an option has a string literal as its value, or none if it is a flag";
    OPTION_SYNTAX = "M0004", "options are `name = \"value\"` pairs, separated by commas";

    // #[clink::operator]
    UID_MISSING = "M0101", "an operator has a uid";
    UID_MALFORMED = "M0102", "a uid or name has 1 to 128 of A-Z a-z 0-9 . _ - and no dot in front";
    OPERATOR_SHAPE = "M0103", "an operator is a struct with named fields or none";
    OPERATOR_BORROWS = "M0104", "an operator owns its fields";
    FIELD_ROLES = "M0105", "a field is one of parameter, state and transient";
    TTL_MALFORMED = "M0106", "a time to live is a number and a unit";
    TTL_UNAVAILABLE = "M0107", "time to live is not available yet";
    FIELD_UNAVAILABLE = "M0108", "side outputs and metrics are not available yet";

    // #[clink::job]
    JOB_NAME_MISSING = "M0201", "a job has a name";
    JOB_VERSION_MISSING = "M0202", "a job has a version";
    JOB_VERSION_MALFORMED = "M0203", "a job's version has the form 1.2.3";
    JOB_SHAPE = "M0204", "a job is a plain function";
    JOB_PARAMETERS = "M0205", "a job takes the pipeline and, if it has any, its arguments";
    JOB_RESULT = "M0206", "a job returns a result";

    // #[derive(Data)]
    DATA_SHAPE = "M0301", "Data is derived on a struct with fields, or on an enum without any";
    DATA_BORROWS = "M0302", "Data owns its fields";
    DATA_COLUMNS = "M0303", "each field of Data has a column of its own, with a name";
    VARIANT_NAMES = "M0304", "each variant of Data or of a key has a name of its own";
    DATA_EPOCH = "M0305", "an epoch is counted in `s`, `ms` or `us`";
    DATA_FORM = "M0306", "a field of Data has one form";
    DATA_FIELD = "M0307", "a form belongs to a column, a default to a field that has a name";

    // #[derive(clink::Args)]
    ARGS_SHAPE = "M0401", "Args is derived on a struct with named fields";
    ARGS_GENERIC = "M0402", "the arguments of a job are one concrete type";

    // #[derive(Key)]
    KEY_SHAPE = "M0501", "Key is derived on a struct or an enum";
}

#[cfg(test)]
mod tests {
    use super::ALL;

    #[test]
    fn codes_are_unique_and_in_order() {
        assert!(ALL.is_sorted_by(|a, b| a.code < b.code));
    }

    #[test]
    fn every_rule_is_a_sentence_without_its_stop() {
        for rule in ALL {
            assert!(!rule.text.is_empty() && !rule.text.ends_with('.'), "{}", rule.code);
        }
    }
}
