// A generic operator is known by its concrete type and needs no registration.
use clink::prelude::*;

#[clink::operator(uid = "latest")]
#[derive(Default)]
struct Latest<T: Clone + Default + Data> {
    #[state]
    seen: ValueState<T>,
}

impl<T: Clone + Default + Data> KeyedOperator for Latest<T> {
    type Key = u64;
    type In = T;
    type Out = T;

    fn process(&mut self, value: T, ctx: &mut KeyedContext<'_, Self>) -> Result<()> {
        self.seen.set(ctx, value.clone())?;
        ctx.emit(value);
        Ok(())
    }
}

#[derive(Data, Clone)]
struct Pair<T, const N: usize> {
    left: T,
    right: Option<u8>,
}

fn is_data<T: Data>() {}

fn main() {
    is_data::<Pair<String, 3>>();
    let _ = Latest::<String>::default();
}
