/// Where the flights are.
#[derive(clink::Args)]
#[serde(default)]
struct Input {
    /// The file.
    #[arg(long, default_value = "flights.csv.gz")]
    input: String,
    #[serde(skip)]
    #[command(flatten)]
    more: More,
}
