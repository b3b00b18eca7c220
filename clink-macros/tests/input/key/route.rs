#[derive(Key)]
struct Route {
    from: String,
    to: String,
    class: Class,
}
