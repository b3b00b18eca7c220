//! Blanks out what is not code, so that a search for a word finds code only.
//!
//! Shape: the result has the length and the lines of the source; what is blanked out is spaces.

/// A source file in the forms that rules look at.
pub(crate) struct Masked {
    /// Without comments and without the contents of strings and characters.
    pub(crate) code: String,
    /// Comments only.
    pub(crate) comments: String,
}

/// What the lexer stands in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Code,
    Comment,
    Literal,
}

/// Splits a source into code and comments.
pub(crate) fn mask(source: &str) -> Masked {
    let bytes = source.as_bytes();
    let mut parts = vec![Part::Code; bytes.len()];
    let mut at = 0;
    while at < bytes.len() {
        let (end, part) = next_part(bytes, at);
        parts[at..end].fill(part);
        at = end;
    }
    let keep = |wanted: Part| {
        let kept = bytes
            .iter()
            .zip(&parts)
            .map(|(byte, part)| if *byte == b'\n' || *part == wanted { *byte } else { b' ' });
        String::from_utf8_lossy(&kept.collect::<Vec<u8>>()).into_owned()
    };
    Masked { code: keep(Part::Code), comments: keep(Part::Comment) }
}

/// Where the part that starts at `at` ends, and what it is.
fn next_part(bytes: &[u8], at: usize) -> (usize, Part) {
    let rest = &bytes[at..];
    if rest.starts_with(b"//") {
        let line = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
        return (at + line, Part::Comment);
    }
    if rest.starts_with(b"/*") {
        return (block_comment_end(bytes, at), Part::Comment);
    }
    let word_before = at > 0 && is_word(bytes[at - 1]);
    if !word_before && let Some(end) = raw_string_end(bytes, at) {
        return (end, Part::Literal);
    }
    match bytes[at] {
        b'"' => (quoted_end(bytes, at, b'"'), Part::Literal),
        b'\'' => character_end(bytes, at).map_or((at + 1, Part::Code), |end| (end, Part::Literal)),
        _ => (at + 1, Part::Code),
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

fn block_comment_end(bytes: &[u8], at: usize) -> usize {
    let mut depth = 0_usize;
    let mut end = at;
    while end < bytes.len() {
        let rest = &bytes[end..];
        if rest.starts_with(b"/*") {
            depth += 1;
            end += 2;
        } else if rest.starts_with(b"*/") {
            depth -= 1;
            end += 2;
            if depth == 0 {
                return end;
            }
        } else {
            end += 1;
        }
    }
    bytes.len()
}

/// The end of `r"…"`, `r#"…"#`, `br"…"`, `cr"…"`; `None` if no raw string starts here.
fn raw_string_end(bytes: &[u8], at: usize) -> Option<usize> {
    let prefix = match bytes[at..] {
        [b'r', ..] => 1,
        [b'b' | b'c', b'r', ..] => 2,
        _ => return None,
    };
    let hashes = bytes[at + prefix..].iter().take_while(|byte| **byte == b'#').count();
    let open = at + prefix + hashes;
    if bytes.get(open) != Some(&b'"') {
        return None;
    }
    let close: Vec<u8> = std::iter::once(b'"').chain(std::iter::repeat_n(b'#', hashes)).collect();
    let body = &bytes[open + 1..];
    let length = body.windows(close.len()).position(|window| window == close);
    Some(length.map_or(bytes.len(), |length| open + 1 + length + close.len()))
}

fn quoted_end(bytes: &[u8], at: usize, quote: u8) -> usize {
    let mut end = at + 1;
    while end < bytes.len() {
        match bytes[end] {
            b'\\' => end += 2,
            byte if byte == quote => return end + 1,
            _ => end += 1,
        }
    }
    bytes.len()
}

/// The end of a character literal; `None` for a lifetime.
fn character_end(bytes: &[u8], at: usize) -> Option<usize> {
    match bytes.get(at + 1)? {
        b'\\' => Some(quoted_end(bytes, at, b'\'')),
        first => {
            let width = match first {
                0..=0x7f => 1,
                0x80..=0xdf => 2,
                0xe0..=0xef => 3,
                _ => 4,
            };
            (bytes.get(at + 1 + width) == Some(&b'\'')).then_some(at + 2 + width)
        }
    }
}

/// Where `word` stands in `text` as a whole word.
pub(crate) fn words<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = usize> + 't {
    let edge = |byte: Option<&u8>| byte.is_none_or(|byte| !is_word(*byte));
    text.match_indices(word).map(|(at, _)| at).filter(move |at| {
        let bytes = text.as_bytes();
        let before = at.checked_sub(1).and_then(|before| bytes.get(before));
        let starts = !is_word(word.as_bytes()[0]) || edge(before);
        let ends = !is_word(word.as_bytes()[word.len() - 1]) || edge(bytes.get(at + word.len()));
        starts && ends
    })
}

/// The end of the item that starts at `at`: after its `;`, or after its last brace.
pub(crate) fn item_end(code: &str, at: usize) -> usize {
    let mut depth = 0_usize;
    for (offset, byte) in code.bytes().enumerate().skip(at) {
        match byte {
            b'{' | b'(' | b'[' => depth += 1,
            b'}' | b')' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 && byte == b'}' {
                    return offset + 1;
                }
            }
            b';' if depth == 0 => return offset + 1,
            _ => {}
        }
    }
    code.len()
}

#[test]
fn comments_strings_and_characters_are_told_from_code() {
    let masked = mask("let a = \"dbg!\"; // todo!\nlet b = r#\"x\"y\"#; let c: &'a u8 = '\\'';");
    assert_eq!(masked.code, "let a =       ;         \nlet b =         ; let c: &'a u8 =     ;",);
    assert_eq!(masked.comments.trim(), "// todo!");
}

#[test]
fn words_are_whole() {
    let found: Vec<usize> = words("unsafe_code unsafe {} x.unsafe", "unsafe").collect();
    assert_eq!(found, [12, 24]);
}
