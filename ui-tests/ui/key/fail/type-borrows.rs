// A key owns its fields, and Data says so once.
use clink::prelude::*;

#[derive(Data, Key, Clone, PartialEq, Eq, Hash)]
struct Code<'a>(&'a str);

fn main() {}
