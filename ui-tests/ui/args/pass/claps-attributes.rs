// clap's attributes work without a dependency on clap.
/// Where the flights are.
#[derive(clink::Args)]
#[group(id = "input")]
struct Input {
    /// The file.
    #[arg(long, short, default_value = "flights.csv.gz", value_parser = not_empty)]
    input: String,
    #[arg(long, conflicts_with = "input")]
    url: Option<String>,
    #[arg(long, value_delimiter = ',')]
    columns: Vec<u32>,
    #[arg(long)]
    verbose: bool,
    #[command(flatten)]
    more: More,
}

#[derive(clink::Args, Default)]
struct More {
    #[arg(long, default_value_t = 4)]
    depth: usize,
}

#[derive(clink::Args)]
struct Nothing {}

fn not_empty(text: &str) -> Result<String, String> {
    if text.is_empty() { Err("empty".to_owned()) } else { Ok(text.to_owned()) }
}

fn read(input: Input) {
    let Input { input, url, columns, verbose, more } = input;
    let _ = (input, url, columns, verbose, more.depth);
}

fn main() {}
