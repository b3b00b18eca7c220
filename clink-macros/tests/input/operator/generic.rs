#[clink::operator(uid = "latest")]
pub struct Latest<T: Data, const N: usize>
where
    T: Clone,
{
    default: T,
    #[state]
    seen: ValueState<T>,
}
