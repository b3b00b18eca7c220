//! Holds an operator struct against the rules and collects every breach.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{Attribute, Fields, Meta};

use super::model::{Field, Model, Role};
use super::parse::{Written, helpers};
use crate::attr::{Known, Options, is_stable_name};
use crate::catalogue::{
    FIELD_ROLES, FIELD_UNAVAILABLE, OPERATOR_BORROWS, OPERATOR_SHAPE, OPTION_SYNTAX, TTL_MALFORMED,
    TTL_UNAVAILABLE, UID_MALFORMED, UID_MISSING,
};
use crate::emit::{cfgs, is_deprecated};
use crate::errors::Errors;
use crate::hygiene::{kebab_case, plain_name};

/// What a uid and a name are made of, as messages say it.
const STABLE_NAME: &str = "use 1 to 128 of A-Z, a-z, 0-9, `.`, `_` and `-`, and no dot in front";

/// The model, or all mistakes.
pub(super) fn check(written: Written) -> Result<Model, TokenStream> {
    let mut errors = written.errors;
    let ident = &written.target.ident;
    let uid = match written.options.get("uid") {
        Some(uid) => Some(uid),
        None => {
            let name = plain_name(ident);
            let text = format!("operator `{name}` has no uid");
            let kebab = kebab_case(&name);
            let help = format!(
                "write `#[clink::operator(uid = \"{kebab}\")]`; its state is filed under the uid, \
                 which therefore outlives every renaming of the struct"
            );
            errors.at(ident, UID_MISSING, text, &help);
            None
        }
    };
    let name = written.options.get("name");
    for (what, text) in [("uid", uid), ("name", name)] {
        if let Some(text) = text.filter(|text| !is_valid(what, &text.value())) {
            let value = text.value();
            let message = format!("`{value}` is not a {what} for an operator");
            errors.at(text, UID_MALFORMED, message, STABLE_NAME);
        }
    }
    if let Some(lifetime) = written.target.generics.lifetimes().next() {
        let text = "an operator cannot borrow";
        let help = "own the data: it is rebuilt on another machine from the job graph alone";
        errors.at(lifetime, OPERATOR_BORROWS, text, help);
    }
    let fields = match &written.fields {
        Fields::Named(fields) => fields.named.iter().map(|f| field(f, &mut errors)).collect(),
        Fields::Unit => Vec::new(),
        Fields::Unnamed(fields) => {
            let text = "the fields of an operator have names";
            let help = "a parameter is found in the job graph by its name: write `{ name: Type }`";
            errors.at(fields, OPERATOR_SHAPE, text, help);
            Vec::new()
        }
    };
    let model = uid.map(|uid| Model {
        target: written.target.clone(),
        uid: uid.value(),
        name: name.map(syn::LitStr::value),
        fields,
    });
    errors.check(model)
}

/// A name in the graph may also be a path, as the name that it stands for is.
fn is_valid(what: &str, value: &str) -> bool {
    is_stable_name(value) || (what == "name" && value.split("::").all(is_stable_name))
}

/// One field and its role; parameter, if the role is unclear.
fn field(field: &syn::Field, errors: &mut Errors) -> Field {
    let helpers = helpers(field);
    let mut role = Role::Param;
    for (index, &(name, attribute)) in helpers.iter().enumerate() {
        if index > 0 {
            let text = "a field has one role";
            let help = "it is a parameter without an attribute, or `#[state]`, or `#[transient]`";
            errors.at(attribute, FIELD_ROLES, text, help);
            continue;
        }
        role = match name {
            "state" => {
                check_state(attribute, errors);
                Role::State
            }
            "transient" => {
                check_bare(attribute, errors);
                Role::Transient
            }
            _ => {
                let text = format!("`#[{name}]` is not available yet in this release");
                let help = "remove the field, or mark it `#[transient]` until it is";
                errors.at(attribute, FIELD_UNAVAILABLE, text, help);
                Role::Transient
            }
        };
    }
    // Only named fields come here; a field without a name would have been refused before.
    let ident = field.ident.clone().unwrap_or_else(|| quote::format_ident!("unnamed"));
    Field {
        name: plain_name(&ident),
        ident,
        ty: field.ty.clone(),
        cfgs: cfgs(&field.attrs).into_iter().cloned().collect(),
        role,
        deprecated: is_deprecated(&field.attrs),
    }
}

/// `#[state]` or `#[state(ttl = "30d")]`.
fn check_state(attribute: &Attribute, errors: &mut Errors) {
    let tokens = match &attribute.meta {
        Meta::Path(_) => return,
        Meta::List(list) => list.tokens.clone(),
        Meta::NameValue(pair) => {
            let help = "write `#[state]` or `#[state(option = \"value\")]`";
            return errors.at(pair, OPTION_SYNTAX, "`state` is not an assignment", help);
        }
    };
    let options = Options::parse(tokens, Known::values(&["ttl"]), errors);
    let Some(ttl) = options.get("ttl") else {
        return;
    };
    let value = ttl.value();
    if is_duration(&value) {
        let text = "time-to-live is not available yet in this release";
        let help = "remove `ttl`: state is kept until the operator clears it";
        errors.at(ttl, TTL_UNAVAILABLE, text, help);
    } else {
        let text = format!("`{value}` is not a duration");
        let help = "a duration is a whole number above zero and one of ms, s, m, h, d, w: `30d`";
        errors.at(ttl, TTL_MALFORMED, text, help);
    }
}

/// An attribute that takes nothing.
fn check_bare(attribute: &Attribute, errors: &mut Errors) {
    if let Meta::Path(_) = &attribute.meta {
        return;
    }
    let name = attribute.path().to_token_stream();
    let text = format!("`{name}` takes no options");
    errors.at(&attribute.meta, OPTION_SYNTAX, text, &format!("write `#[{name}]`"));
}

/// A whole number above zero and a unit, which together fit 64 bits of milliseconds.
fn is_duration(text: &str) -> bool {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, unit) = text.split_at(digits);
    let millis: u64 = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        "w" => 604_800_000,
        _ => return false,
    };
    let total = number.parse().ok().and_then(|number: u64| number.checked_mul(millis));
    total.is_some_and(|total| total > 0 && i64::try_from(total).is_ok())
}

#[cfg(test)]
mod tests {
    use super::is_duration;

    #[test]
    fn durations_are_a_number_and_a_unit() {
        for good in ["1ms", "30d", "15m", "2h", "604800s", "52w"] {
            assert!(is_duration(good), "{good}");
        }
        for bad in ["", "30", "d", "0d", "-1d", "1.5h", "30 d", "30days", "30D", "é", "1é"] {
            assert!(!is_duration(bad), "{bad}");
        }
        assert!(!is_duration("99999999999999999999ms") && !is_duration("18446744073709551615w"));
    }
}
