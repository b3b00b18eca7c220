// M0401: Args is derived on a struct with named fields.
#[derive(clink::Args)]
enum Input {
    A,
}

fn main() {}
