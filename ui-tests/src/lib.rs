//! Holds no code: `ui/` is what authors might write, `tests/` compiles it.
#![forbid(unsafe_code)]
