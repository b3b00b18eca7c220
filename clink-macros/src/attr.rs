//! Reads the options of a macro: `name = "value"` pairs and flags, each known and given once.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream, Parser};
use syn::{Attribute, Expr, ExprLit, Ident, Lit, LitStr, Meta, Path, Token};

use crate::catalogue::{OPTION_SYNTAX, OPTION_VALUE, REPEATED_OPTION, UNKNOWN_OPTION};
use crate::errors::Errors;

/// The option that says where clink is, known to every macro.
const CRATE: &str = "crate";

/// The names of the options of one place, besides `crate`.
#[derive(Clone, Copy)]
pub(crate) struct Known<'a> {
    /// Those with a value.
    pub(crate) values: &'a [&'a str],
    /// Those that stand alone.
    pub(crate) flags: &'a [&'a str],
}

impl<'a> Known<'a> {
    /// Options with values only.
    pub(crate) const fn values(values: &'a [&'a str]) -> Self {
        Self { values, flags: &[] }
    }

    fn all(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.values.iter().chain(self.flags).copied()
    }
}

/// The options that were given, by name.
#[derive(Default)]
pub(crate) struct Options {
    given: Vec<(String, LitStr)>,
    flags: Vec<Ident>,
    clink: Option<Path>,
}

impl Options {
    /// Reads `tokens`, whose options may be those of `known` and `crate`.
    pub(crate) fn parse(tokens: TokenStream, known: Known<'_>, errors: &mut Errors) -> Self {
        let mut options = Self::default();
        let pairs = |input: ParseStream<'_>| Ok(options.pairs(input, known, errors));
        match pairs.parse2(tokens) {
            Ok(Ok(())) => {}
            Ok(Err(error)) | Err(error) => {
                let help = "options are `name = \"value\"` pairs, separated by commas";
                errors.at_span(error.span(), OPTION_SYNTAX, error.to_string(), help);
            }
        }
        options
    }

    fn pairs(
        &mut self,
        input: ParseStream<'_>,
        known: Known<'_>,
        errors: &mut Errors,
    ) -> syn::Result<()> {
        while !input.is_empty() {
            let pair: Pair = match input.parse() {
                Ok(pair) => pair,
                // What follows cannot be told apart any more; it is not reported a second time.
                Err(error) => return drain(input, Err(error)),
            };
            self.take(pair, known, errors);
            if !input.is_empty()
                && let Err(error) = input.parse::<Token![,]>()
            {
                return drain(input, Err(error));
            }
        }
        Ok(())
    }

    /// Keeps one pair, or says what is wrong with it.
    fn take(&mut self, pair: Pair, known: Known<'_>, errors: &mut Errors) {
        let name = pair.name.unraw().to_string();
        if name != CRATE && !known.all().any(|option| option == name) {
            let text = format!("unknown option `{name}`");
            return errors.at(&pair.name, UNKNOWN_OPTION, text, &suggestion(&name, known));
        }
        if self.has(&name) {
            let text = format!("option `{name}` is given twice");
            return errors.at(&pair.name, REPEATED_OPTION, text, "remove one of the two");
        }
        if name == CRATE {
            let path = match &pair.value {
                Some(Expr::Path(path)) if path.qself.is_none() => Some(path.path.clone()),
                value => literal(value.as_ref()).and_then(|path| path.parse().ok()),
            };
            let help = "write the path under which clink is known here: `crate = my_sdk::clink`";
            match path {
                Some(path) => self.clink = Some(path),
                None => errors.at(&pair, OPTION_VALUE, "`crate` wants a path", help),
            }
            return;
        }
        if known.flags.contains(&name.as_str()) {
            if pair.value.is_some() {
                let text = format!("`{name}` takes no value");
                errors.at(&pair, OPTION_VALUE, text, &format!("write `{name}` alone"));
            }
            return self.flags.push(pair.name);
        }
        match literal(pair.value.as_ref()) {
            Some(value) => self.given.push((name, value)),
            None => {
                let text = format!("`{name}` wants a string literal");
                errors.at(&pair, OPTION_VALUE, text, &format!("write `{name} = \"…\"`"));
            }
        }
    }

    fn has(&self, name: &str) -> bool {
        (name == CRATE && self.clink.is_some())
            || self.given.iter().any(|(had, _)| had == name)
            || self.flag(name).is_some()
    }

    /// A flag that was given.
    pub(crate) fn flag(&self, name: &str) -> Option<&Ident> {
        self.flags.iter().find(|flag| flag.unraw() == name)
    }

    /// The value of an option.
    pub(crate) fn get(&self, name: &str) -> Option<&LitStr> {
        let found = self.given.iter().find(|(had, _)| had == name);
        found.map(|(_, value)| value)
    }

    /// The options that were given, each with the tokens that an author looks at.
    pub(crate) fn given(&self) -> impl Iterator<Item = (String, TokenStream)> + '_ {
        let values = self.given.iter().map(|(name, value)| (name.clone(), quote!(#value)));
        let flags = self.flags.iter().map(|flag| (flag.unraw().to_string(), quote!(#flag)));
        values.chain(flags)
    }

    /// The path that `crate` gave.
    pub(crate) fn clink(&self) -> Option<&Path> {
        self.clink.as_ref()
    }
}

/// Takes what is left, so that it is not reported as unexpected.
fn drain<T>(input: ParseStream<'_>, result: syn::Result<T>) -> syn::Result<T> {
    let _rest: TokenStream = input.parse()?;
    result
}

/// The options in all `#[data(…)]` attributes of one place.
pub(crate) fn data_options(
    attributes: &[Attribute],
    known: Known<'_>,
    errors: &mut Errors,
) -> Options {
    let mut tokens = TokenStream::new();
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("data")) {
        match &attribute.meta {
            Meta::List(list) => {
                tokens.extend(list.tokens.clone());
                if list.tokens.clone().into_iter().last().is_some_and(|t| t.to_string() != ",") {
                    tokens.extend(quote!(,));
                }
            }
            other => {
                let help = "write `#[data(option = \"value\")]`";
                errors.at(other, OPTION_SYNTAX, "`data` takes options in parentheses", help);
            }
        }
    }
    Options::parse(tokens, known, errors)
}

/// One `name = value`, or a name alone.
struct Pair {
    name: Ident,
    value: Option<Expr>,
}

impl Parse for Pair {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name = input.call(Ident::parse_any)?;
        let value =
            if input.parse::<Option<Token![=]>>()?.is_some() { Some(input.parse()?) } else { None };
        Ok(Self { name, value })
    }
}

impl quote::ToTokens for Pair {
    /// The value where there is one: that is where the author looks.
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match &self.value {
            Some(value) => value.to_tokens(tokens),
            None => self.name.to_tokens(tokens),
        }
    }
}

/// A string literal, also one that came through a `macro_rules` fragment.
fn literal(value: Option<&Expr>) -> Option<LitStr> {
    match value? {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.clone()),
        Expr::Group(group) => literal(Some(&group.expr)),
        _ => None,
    }
}

/// What to write instead of an unknown option.
fn suggestion(name: &str, known: Known<'_>) -> String {
    let all: Vec<String> = known.all().chain([CRATE]).map(|k| format!("`{k}`")).collect();
    let list = format!("the options are {}", all.join(", "));
    let near = known.all().min_by_key(|option| distance(name, option));
    match near.filter(|option| distance(name, option) <= 2) {
        Some(near) => format!("did you mean `{near}`? {list}"),
        None => list,
    }
}

/// Edit distance, upper and lower case being the same.
fn distance(a: &str, b: &str) -> usize {
    let (a, b) = (a.to_lowercase(), b.to_lowercase());
    let mut row: Vec<usize> = (0..=b.chars().count()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        let mut next = vec![left];
        for (to, above) in b.chars().zip(row.iter().skip(1)) {
            left = (diagonal + usize::from(from != to)).min(left + 1).min(above + 1);
            diagonal = *above;
            next.push(left);
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

/// A name that people, files and graphs share: what a uid and a job's name may look like.
pub(crate) fn is_stable_name(text: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    (1..=128).contains(&text.len()) && !text.starts_with('.') && text.chars().all(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errors_of(tokens: &str) -> String {
        let mut errors = Errors::default();
        let known = Known { values: &["uid", "name"], flags: &["quiet"] };
        Options::parse(tokens.parse().unwrap(), known, &mut errors);
        errors.check(Some(())).err().map(|tokens| tokens.to_string()).unwrap_or_default()
    }

    #[track_caller]
    fn check(tokens: &str, code: &str, part: &str) {
        let errors = errors_of(tokens);
        assert!(errors.contains(code) && errors.contains(part), "{tokens}: {errors}");
        assert_eq!(errors.matches("compile_error").count(), 1, "{tokens}: {errors}");
    }

    #[test]
    fn good_options_are_kept() {
        let mut errors = Errors::default();
        let tokens = "uid = \"a\", quiet, crate = crate::sdk,".parse().unwrap();
        let known = Known { values: &["uid"], flags: &["quiet", "loud"] };
        let options = Options::parse(tokens, known, &mut errors);
        assert!(errors.check(Some(())).is_ok());
        assert_eq!(options.get("uid").unwrap().value(), "a");
        assert!(options.clink().is_some() && options.get("name").is_none());
        assert!(options.flag("quiet").is_some() && options.flag("loud").is_none());
    }

    #[test]
    fn typos_get_the_list_and_the_nearest_m11() {
        check(
            "uuid = \"a\"",
            "M0001",
            "did you mean `uid`? the options are `uid`, `name`, `quiet`",
        );
        check("quit", "M0001", "did you mean `quiet`?");
        check("Name = \"a\"", "M0001", "did you mean `name`?");
        check("parallelism = \"4\"", "M0001", "help: the options are");
    }

    #[test]
    fn wrong_values_point_at_themselves_m11() {
        check("uid = \"a\", uid = \"b\"", "M0002", "`uid` is given twice");
        check("quiet, quiet", "M0002", "`quiet` is given twice");
        check("uid", "M0003", "string literal");
        check("quiet = \"yes\"", "M0003", "write `quiet` alone");
        check("uid = 3", "M0003", "string literal");
        check("uid = concat!(\"a\")", "M0003", "string literal");
        check("crate = 3", "M0003", "path");
    }

    #[test]
    fn broken_lists_are_one_error_m11() {
        check("uid = \"a\" name = \"b\", nonsense", "M0004", "expected `,`");
        check("\"a\"", "M0004", "expected");
        check("uid = , name = 4", "M0004", "expected");
    }

    #[test]
    fn stable_names_are_safe_in_paths_and_graphs() {
        for good in ["a", "mean-delay", "A.b_c-9", "-", &"x".repeat(128)] {
            assert!(is_stable_name(good), "{good}");
        }
        for bad in ["", ".a", "..", "a/b", "a b", "é", "a\n", &"x".repeat(129)] {
            assert!(!is_stable_name(bad), "{bad}");
        }
    }

    #[test]
    fn distance_counts_edits() {
        assert_eq!(distance("uid", "uid"), 0);
        assert_eq!(distance("uuid", "uid"), 1);
        assert_eq!(distance("nmae", "name"), 2);
        assert_eq!(distance("", "abc"), 3);
    }
}
