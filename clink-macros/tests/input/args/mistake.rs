#[derive(clink::Args)]
struct Input(String);
