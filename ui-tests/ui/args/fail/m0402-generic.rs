// M0402: the arguments of a job are one concrete type.
#[derive(clink::Args)]
struct Input<T> {
    value: T,
}

fn main() {}
