//! Holds a build function against the rules and collects every breach.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{Attribute, Expr, ExprLit, FnArg, Lit, Meta, ReturnType, Signature, Type};

use super::model::Model;
use super::parse::Written;
use crate::attr::is_stable_name;
use crate::catalogue::{
    JOB_NAME_MISSING, JOB_PARAMETERS, JOB_RESULT, JOB_SHAPE, JOB_VERSION_MALFORMED,
    JOB_VERSION_MISSING, UID_MALFORMED,
};
use crate::emit::cfgs;
use crate::errors::Errors;
use crate::hygiene::{Private, kebab_case, plain_name};

/// The form of every build function, as messages say it.
const FORM: &str = "fn name(pipeline: &Pipeline) -> Result<()>` or `fn name(pipeline: &Pipeline, \
                    args: Input) -> Result<()>";

/// The model, or all mistakes.
pub(super) fn check(written: Written) -> Result<Model, TokenStream> {
    let Written { options, function, mut errors } = written;
    let signature = &function.signature;
    let plain = plain_name(&signature.ident);
    let kebab = kebab_case(&plain);
    let name = options.get("name");
    let version = options.get("version");
    if name.is_none() {
        let help = format!("write `#[clink::job(name = \"{kebab}\", version = \"…\")]`");
        let text = format!("job `{plain}` has no name");
        errors.at(&signature.ident, JOB_NAME_MISSING, text, &help);
    }
    if version.is_none() {
        let shown = name.map_or(kebab, syn::LitStr::value);
        let help = format!("write `#[clink::job(name = \"{shown}\", version = \"0.1.0\")]`");
        let text = format!("job `{plain}` has no version");
        errors.at(&signature.ident, JOB_VERSION_MISSING, text, &help);
    }
    if let Some(name) = name.filter(|name| !is_stable_name(&name.value())) {
        let text = format!("`{}` is not a name for a job", name.value());
        let help = "use 1 to 128 of A-Z, a-z, 0-9, `.`, `_` and `-`, and no dot in front";
        errors.at(name, UID_MALFORMED, text, help);
    }
    if let Some(version) = version.filter(|version| !is_version(&version.value())) {
        let text = format!("`{}` is not a version", version.value());
        let help = "write three numbers, and a suffix if need be: `1.2.3` or `1.2.3-rc.1`";
        errors.at(version, JOB_VERSION_MALFORMED, text, help);
    }
    check_qualifiers(signature, &mut errors);
    let result = check_result(signature, &mut errors);
    let arguments = check_parameters(signature, &mut errors);
    let description = options.get("description").map(syn::LitStr::value);
    let model = name.zip(version).zip(result).map(|((name, version), result)| Model {
        private: Private::below(options.clink()),
        ident: signature.ident.clone(),
        cfgs: cfgs(&function.attributes).into_iter().cloned().collect(),
        name: name.value(),
        version: version.value(),
        description: description.unwrap_or_else(|| first_paragraph(&function.attributes)),
        result,
        arguments,
    });
    errors.check(model)
}

/// A build function is called once, here, without an executor and with concrete types.
fn check_qualifiers(signature: &Signature, errors: &mut Errors) {
    let qualifiers = [
        (signature.asyncness.as_ref().map(ToTokens::to_token_stream), "async"),
        (signature.abi.as_ref().map(ToTokens::to_token_stream), "extern"),
        (unsafety(signature), "unsafe"),
    ];
    for (found, what) in qualifiers {
        if let Some(found) = found {
            let text = format!("a job is no `{what}` function");
            let help = "it only describes what is to run; remove the word";
            errors.at(found, JOB_SHAPE, text, help);
        }
    }
    if !signature.generics.params.is_empty() {
        let help = "call a generic function from it, with the types that this job means";
        errors.at(&signature.generics.params, JOB_SHAPE, "a job is not generic", help);
    }
}

/// The word `unsafe`, which is a token of its own in a signature.
fn unsafety(signature: &Signature) -> Option<TokenStream> {
    let tokens = signature.to_token_stream().into_iter();
    let mut before_name = tokens.take_while(|token| token.to_string() != "fn");
    before_name.find(|token| token.to_string() == "unsafe").map(Into::into)
}

/// The type of the result; that it is `clink::Result<()>`, the compiler checks.
fn check_result(signature: &Signature, errors: &mut Errors) -> Option<Type> {
    match &signature.output {
        ReturnType::Type(_, ty) => Some((**ty).clone()),
        ReturnType::Default => {
            let text = "a job returns a result";
            errors.at(&signature.ident, JOB_RESULT, text, &format!("write `{FORM}`"));
            None
        }
    }
}

/// The type of the arguments, if the function takes any.
fn check_parameters(signature: &Signature, errors: &mut Errors) -> Option<Type> {
    let help = format!("write `{FORM}`");
    let inputs = &signature.inputs;
    if let Some(receiver) = signature.receiver() {
        errors.at(receiver, JOB_PARAMETERS, "a job is not a method", &help);
        return None;
    }
    if inputs.is_empty() {
        let text = "a job takes the pipeline that it fills";
        errors.at(&signature.ident, JOB_PARAMETERS, text, &help);
    }
    if let Some(FnArg::Typed(first)) = inputs.first()
        && is_not_borrowed(&first.ty)
    {
        let text = "a job borrows the pipeline that it fills";
        let help = "write `pipeline: &Pipeline`";
        errors.at(&first.ty, JOB_PARAMETERS, text, help);
    }
    if let Some(third) = inputs.iter().nth(2) {
        let text = "a job takes the pipeline and one struct of arguments";
        let help = "make the arguments fields of one struct that derives `clink::Args`";
        errors.at(third, JOB_PARAMETERS, text, help);
    }
    match inputs.iter().nth(1) {
        Some(FnArg::Typed(second)) => Some((*second.ty).clone()),
        _ => None,
    }
}

/// True for what is certainly no `&Pipeline`; a macro or a type in parentheses may be one.
fn is_not_borrowed(ty: &Type) -> bool {
    match ty {
        Type::Reference(reference) => reference.mutability.is_some(),
        Type::Path(_) | Type::Tuple(_) | Type::ImplTrait(_) => true,
        _ => false,
    }
}

/// Three numbers, and what semantic versioning allows behind them.
fn is_version(text: &str) -> bool {
    let (numbers, suffix) = match text.find(['-', '+']) {
        Some(at) => text.split_at(at),
        None => (text, ""),
    };
    let numbers: Vec<&str> = numbers.split('.').collect();
    let is_number = |number: &&str| number.parse::<u64>().is_ok() && !number.starts_with('+');
    let in_suffix = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+');
    numbers.len() == 3
        && numbers.iter().all(is_number)
        && suffix.chars().all(in_suffix)
        && suffix.len() != 1
}

/// The doc comment up to its first empty line, on one line.
fn first_paragraph(attributes: &[Attribute]) -> String {
    let lines = attributes.iter().filter_map(|attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    });
    let text = lines.collect::<Vec<String>>().join("\n");
    let lines = text.lines().map(str::trim).skip_while(|line| line.is_empty());
    lines.take_while(|line| !line.is_empty()).collect::<Vec<&str>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_three_numbers() {
        for good in ["0.1.0", "1.2.3", "10.20.30", "1.2.3-rc.1", "1.2.3+build"] {
            assert!(is_version(good), "{good}");
        }
        for bad in ["", "1", "1.2", "1.2.3.4", "v1.2.3", "1.2.x", "1.2.3-", "1.2.3-ä", "1.+2.3"] {
            assert!(!is_version(bad), "{bad}");
        }
    }

    #[test]
    fn the_first_paragraph_describes_the_job() {
        let function: syn::ItemFn = syn::parse_quote! {
            /// Mean delay
            /// per carrier.
            #[allow(dead_code)]
            ///
            /// More.
            fn f() {}
        };
        assert_eq!(first_paragraph(&function.attrs), "Mean delay per carrier.");
        assert_eq!(first_paragraph(&[]), "");
    }
}
