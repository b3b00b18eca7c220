//! Runs the job of the library beside it.
clink::main!(interval_join);
