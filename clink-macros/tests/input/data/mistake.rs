#[derive(Data, Clone)]
struct Borrowed<'a>(&'a str);
