//! Finds the paths that a file names: in `use` lines, groups resolved, and in line.

use crate::lexer::words;
use crate::workspace::Source;

/// A path that a file names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Named {
    /// Its segments, from its first word on: `["crate", "state", "Key"]`.
    pub(crate) segments: Vec<String>,
    /// Where it stands.
    pub(crate) line: usize,
}

/// Every path of at least two segments in the code that users get.
pub(crate) fn named(source: &Source) -> Vec<Named> {
    let mut code = source.product.clone();
    let mut found = Vec::new();
    let uses: Vec<usize> = words(&source.product, "use").collect();
    for at in uses {
        let rest = &source.product[at..];
        // `use<'a>` in a type is not an import.
        let Some(length) = rest.find(';').filter(|_| !rest.starts_with("use<")) else { continue };
        let tree = &source.product[at + "use".len()..at + length];
        let line = source.line(at);
        expand(&mut Tokens::of(tree, line), &[], &mut found);
        let blank: String =
            rest[..length].bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }).collect();
        code.replace_range(at..at + length, &blank);
    }
    let mut tokens = Tokens::of(&code, 1);
    while let Some((segments, line)) = tokens.path() {
        if segments.len() > 1 {
            found.push(Named { segments, line });
        }
    }
    found
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The words and signs of a stretch of code, with their lines.
struct Tokens {
    tokens: Vec<(String, usize)>,
    at: usize,
}

impl Tokens {
    fn of(code: &str, first_line: usize) -> Self {
        let mut tokens = Vec::new();
        let (mut rest, mut line) = (code, first_line);
        while let Some(first) = rest.chars().next() {
            let length = if is_word(first) {
                rest.find(|c| !is_word(c)).unwrap_or(rest.len())
            } else if rest.starts_with("::") {
                2
            } else {
                first.len_utf8()
            };
            let (token, after) = rest.split_at(length);
            if token == "\n" {
                line += 1;
            }
            if !token.trim().is_empty() {
                tokens.push((token.to_owned(), line));
            }
            rest = after;
        }
        Self { tokens, at: 0 }
    }

    fn peek(&self) -> Option<&str> {
        self.tokens.get(self.at).map(|(token, _)| token.as_str())
    }

    fn starts_word(&self, at: usize) -> bool {
        let token = self.tokens.get(at);
        token.and_then(|(token, _)| token.chars().next()).is_some_and(is_word)
    }

    /// The next `a::b::c` and its line.
    fn path(&mut self) -> Option<(Vec<String>, usize)> {
        while !self.starts_word(self.at) {
            self.tokens.get(self.at)?;
            self.at += 1;
        }
        let line = self.tokens.get(self.at)?.1;
        let mut segments = Vec::new();
        loop {
            segments.extend(self.peek().map(str::to_owned));
            self.at += 1;
            if self.peek() != Some("::") || !self.starts_word(self.at + 1) {
                break;
            }
            self.at += 1;
        }
        Some((segments, line))
    }
}

/// Resolves one branch of a `use` tree.
fn expand(tokens: &mut Tokens, prefix: &[String], found: &mut Vec<Named>) {
    let mut segments = prefix.to_vec();
    let mut line = tokens.tokens.get(tokens.at).map_or(1, |(_, line)| *line);
    loop {
        match tokens.peek() {
            Some("{") => {
                tokens.at += 1;
                while tokens.peek().is_some_and(|token| token != "}") {
                    expand(tokens, &segments, found);
                    if tokens.peek() == Some(",") {
                        tokens.at += 1;
                    }
                }
                tokens.at += 1;
                return;
            }
            Some("as") => tokens.at += 2,
            Some("::") => tokens.at += 1,
            Some("," | "}") | None => break,
            Some(token) => {
                line = tokens.tokens[tokens.at].1;
                segments.push(token.to_owned());
                tokens.at += 1;
            }
        }
    }
    found.push(Named { segments, line });
}

#[test]
fn groups_are_resolved_and_inline_paths_found() {
    let mut found = Vec::new();
    let tree = "crate::{a::{self, B as C},\n d::*}";
    expand(&mut Tokens::of(tree, 7), &[], &mut found);
    let paths: Vec<String> =
        found.iter().map(|named| format!("{} {}", named.segments.join("::"), named.line)).collect();
    assert_eq!(paths, ["crate::a::self 7", "crate::a::B 7", "crate::d::* 8"]);
    let mut inline = Tokens::of("fn f(x: crate::a::B<u8>) -> u8 { y::<u8>() }", 1);
    let mut paths = Vec::new();
    while let Some((segments, _)) = inline.path() {
        paths.push(segments.join("::"));
    }
    assert_eq!(paths, ["fn", "f", "x", "crate::a::B", "u8", "u8", "y", "u8"]);
}
