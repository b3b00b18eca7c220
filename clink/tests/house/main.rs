//! Tests the house itself: what may know what, how big things are, and that every page of prose
//! still says what the code does.
//!
//! Each test reads the workspace as text and fails with one line per place: `file:line: rule: what
//! to do`. All places are listed at once.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a test that panics says where; it reads the repository, which no clock or disk of a \
              simulation stands for"
)]

mod architecture;
mod book;
mod catalogue;
mod glossary;
mod layers;
mod lessons;
mod lexer;
mod manifests;
mod modules;
mod paths;
mod readme;
mod safety;
mod tidy;
mod workspace;
