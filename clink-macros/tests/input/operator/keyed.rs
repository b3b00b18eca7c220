/// Mean departure delay per carrier, so far.
#[clink::operator(uid = "mean-delay")]
struct MeanDelay {
    only_above: Option<i64>,
    #[state]
    flights: ValueState<u64>,
    #[state]
    minutes: ValueState<i64>,
    #[transient]
    scratch: String,
}
