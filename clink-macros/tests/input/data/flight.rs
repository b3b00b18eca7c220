#[derive(Data, Clone, Debug)]
struct Flight {
    carrier: String,
    dep_delay: Option<i64>,
    #[data(rename = "type")]
    r#kind: u8,
}
