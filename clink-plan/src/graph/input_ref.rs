//! Reads the references by which an operator names its inputs.
//!
//! Shape:  `id`, `id.N` (branch `N` of a split) or `id::tag` (a side output).

use std::fmt;

/// Which output of an operator is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Port<'a> {
    /// The main output.
    Main,
    /// One branch of a split main output.
    Branch(u32),
    /// The side output with this tag.
    Side(&'a str),
}

/// One input of an operator: which operator it reads, and which of its outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InputRef<'a> {
    /// The id of the operator that is read.
    pub operator: &'a str,
    /// The output that is read.
    pub port: Port<'a>,
}

impl<'a> InputRef<'a> {
    /// Reads a reference; every text is one.
    ///
    /// The first `::` ends the id of a side reference, an empty tag meaning the main output. Else
    /// digits after the last dot are a branch, if they fit a `u32`. Else the whole text is the id.
    pub fn parse(text: &'a str) -> InputRef<'a> {
        if let Some((operator, tag)) = text.split_once("::") {
            let port = if tag.is_empty() { Port::Main } else { Port::Side(tag) };
            return InputRef { operator, port };
        }
        if let Some((operator, digits)) = text.rsplit_once('.')
            && !digits.is_empty()
            && digits.bytes().all(|byte| byte.is_ascii_digit())
            && let Ok(branch) = digits.parse()
        {
            return InputRef { operator, port: Port::Branch(branch) };
        }
        InputRef { operator: text, port: Port::Main }
    }
}

impl fmt::Display for InputRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.port {
            // `a.1` alone is branch 1 of `a`; with an empty tag it is an operator of that name.
            Port::Main if InputRef::parse(self.operator) != *self => {
                write!(f, "{}::", self.operator)
            }
            Port::Main => f.write_str(self.operator),
            Port::Branch(branch) => write!(f, "{}.{branch}", self.operator),
            Port::Side(tag) => write!(f, "{}::{tag}", self.operator),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, operator: &str, port: Port<'_>) {
        let read = InputRef::parse(text);
        assert_eq!(read, InputRef { operator, port }, "{text}");
        assert_eq!(InputRef::parse(&read.to_string()), read, "{text}");
    }

    #[test]
    fn the_three_forms_and_their_edges() {
        check("parse", "parse", Port::Main);
        check("v1.parse", "v1.parse", Port::Main);
        check("parse.0", "parse", Port::Branch(0));
        check("v1.parse.2", "v1.parse", Port::Branch(2));
        check("parse.", "parse.", Port::Main);
        check("parse.-1", "parse.-1", Port::Main);
        check("parse.+1", "parse.+1", Port::Main);
        check("parse::late", "parse", Port::Side("late"));
        check("parse::a::b", "parse", Port::Side("a::b"));
        check("parse.1::late", "parse.1", Port::Side("late"));
        check("parse::", "parse", Port::Main);
        check("parse.4294967295", "parse", Port::Branch(u32::MAX));
        check("parse.4294967296", "parse.4294967296", Port::Main);
        check("", "", Port::Main);
    }
}
