//! Compares what the macros make of `tests/input` with the formatted Rust in `tests/expanded`.
//!
//! A proc-macro crate cannot be called from an integration test, so this is a unit test.
//! `CLINK_BLESS=1 cargo test -p clink-macros golden` writes the files anew.

use std::path::{Path, PathBuf};

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{Attribute, Item, Meta};

use crate::{args, data, job, key, operator};

/// The folder of the package's tests.
fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

/// The files below `folder`, by their path in it, in order.
#[expect(clippy::disallowed_methods, reason = "golden files are read where they stand")]
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = PathBuf::from(entry.file_name());
        if entry.path().is_dir() {
            found.extend(files(&entry.path()).into_iter().map(|file| name.join(file)));
        } else {
            found.push(name);
        }
    }
    found.sort();
    found
}

/// The attribute called `name`, with or without `clink::`, taken away from `attributes`.
fn take(attributes: &mut Vec<Attribute>, name: &str) -> Option<TokenStream> {
    let is_it = |attribute: &Attribute| {
        attribute.path().segments.last().is_some_and(|segment| segment.ident == name)
    };
    let index = attributes.iter().position(is_it)?;
    Some(match attributes.remove(index).meta {
        Meta::List(list) => list.tokens,
        _ => TokenStream::new(),
    })
}

/// What the compiler would make of one item.
fn expand_item(mut item: Item) -> TokenStream {
    if let Item::Fn(function) = &mut item {
        if let Some(options) = take(&mut function.attrs, "job") {
            return job::job(options, item.into_token_stream());
        }
        return item.into_token_stream();
    }
    let mut output = TokenStream::new();
    if let Item::Struct(found) = &mut item
        && let Some(options) = take(&mut found.attrs, "operator")
    {
        return operator::operator(options, item.into_token_stream());
    }
    let derives = match &mut item {
        Item::Struct(found) => take(&mut found.attrs, "derive"),
        Item::Enum(found) => take(&mut found.attrs, "derive"),
        _ => None,
    };
    output.extend(item.to_token_stream());
    let derives = derives.unwrap_or_default().to_string();
    if derives.contains("Data") {
        output.extend(data::data(item.to_token_stream()));
    }
    if derives.contains("Key") {
        output.extend(key::key(item.to_token_stream()));
    }
    if derives.contains("Args") {
        output.extend(args::args(item.to_token_stream()));
    }
    output
}

#[test]
#[expect(clippy::disallowed_methods, reason = "golden files are written where they stand")]
fn golden_expansions_are_current() {
    let bless = std::env::var_os("CLINK_BLESS").is_some();
    let inputs = files(&tests().join("input"));
    assert!(!inputs.is_empty());
    let mut stale = Vec::new();
    for file in &inputs {
        let input = std::fs::read_to_string(tests().join("input").join(file)).unwrap();
        let input = syn::parse_file(&input).unwrap();
        let tokens: TokenStream = input.items.into_iter().map(expand_item).collect();
        let expanded = prettyplease::unparse(&syn::parse2(tokens).unwrap());
        let path = tests().join("expanded").join(file);
        if std::fs::read_to_string(&path).ok().as_ref() != Some(&expanded) {
            if bless {
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(&path, &expanded).unwrap();
            }
            stale.push(file.clone());
        }
    }
    assert_eq!(files(&tests().join("expanded")), inputs, "an expansion has no input");
    assert!(bless || stale.is_empty(), "run with CLINK_BLESS=1 and review: {stale:?}");
}
