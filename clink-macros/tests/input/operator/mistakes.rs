#[clink::operator(name = "mean")]
struct MeanDelay {
    #[state(ttl = "thirty days")]
    flights: ValueState<u64>,
    #[metric]
    seen: Counter,
}
