// What clap refuses, it refuses at the author's tokens.
#[derive(clink::Args)]
struct Input {
    #[arg(lnog)]
    value: String,
}

fn main() {}
