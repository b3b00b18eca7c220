#[derive(Key)]
struct Code(String);
