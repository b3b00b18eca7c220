// The macros work on what a macro_rules makes, with raw names and cfgs.
use clink::prelude::*;

macro_rules! counter {
    ($name:ident, $uid:literal, $field:ident: $ty:ty, $slot:ident) => {
        #[clink::operator(uid = $uid)]
        #[derive(Default)]
        #[allow(non_camel_case_types)]
        struct $name {
            $field: $ty,
            #[cfg(any())]
            gone: Missing,
            #[cfg(any())]
            #[state]
            gone_too: Missing,
            #[state]
            $slot: ValueState<u64>,
        }

        impl KeyedOperator for $name {
            type Key = $ty;
            type In = $ty;
            type Out = $ty;

            fn process(&mut self, value: $ty, ctx: &mut KeyedContext<'_, Self>) -> Result<()> {
                ctx.emit(value);
                Ok(())
            }
        }
    };
}

counter!(Count, "count", limit: u64, seen);
counter!(r#match, "match", r#type: String, r#async);

macro_rules! job {
    ($name:ident, $title:literal, $args:ident, $field:ident) => {
        #[derive(clink::Args)]
        struct $args {
            #[arg(long, default_value = "1")]
            $field: u64,
        }

        #[clink::job(name = $title, version = "1.0.0")]
        fn $name(pipeline: &Pipeline, args: $args) -> Result<()> {
            let _ = (pipeline, args.$field);
            Ok(())
        }
    };
}

job!(count, "count", Input, limit);
job!(r#try, "try", More, r#type);

#[cfg(any())]
#[clink::operator(uid = "gone")]
struct Gone {
    x: Missing,
}

#[clink::operator(uid = "gone")]
#[cfg(any())]
struct GoneToo {
    x: Missing,
}

#[clink::job(name = "gone", version = "1.0.0")]
#[cfg(any())]
fn gone(pipeline: &Missing) -> Result<()> {}

fn main() {}
