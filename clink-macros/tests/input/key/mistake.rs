#[derive(Key)]
enum Class {
    First,
    #[data(rename = "First")]
    Second,
}
