#[derive(Key)]
struct Pair<T: Clone, const N: usize>(T, Option<T>);
