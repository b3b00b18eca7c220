// M0401: Args is derived on a struct with named fields.
#[derive(clink::Args)]
struct Input(String);

fn main() {}
