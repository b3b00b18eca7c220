#[derive(Data, Clone)]
pub struct Pair<T, const N: usize> {
    left: T,
    right: Option<T>,
}
