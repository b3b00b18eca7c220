#[derive(Data, Clone)]
struct Payment {
    #[data(epoch = "s")]
    at: Timestamp,
    #[data(decimal)]
    amount: Option<String>,
    #[data(default)]
    note: String,
    #[data(rename = "settled", epoch = "us", default)]
    settled_at: Option<Timestamp>,
}

#[derive(Data, Clone)]
struct Reading<T>(#[data(epoch = "ms")] Timestamp, #[data(decimal)] Option<T>);
