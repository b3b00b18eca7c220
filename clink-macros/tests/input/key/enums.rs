#[derive(Key)]
enum Class {
    First,
    #[data(rename = "2nd")]
    Second,
}
#[derive(Key)]
#[data(crate = sdk::streams)]
enum Place {
    Nowhere,
    Gate(char, u16),
    Other { name: String },
}
