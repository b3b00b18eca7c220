// Attributes of others pass through, whatever they are.
use clink::prelude::*;

mod hidden {
    use super::*;

    /// Above.
    #[clink::operator(uid = "foreign")]
    /// Below.
    #[expect(missing_docs, reason = "is documented, but expectations pass through")]
    #[allow(unfulfilled_lint_expectations)]
    #[doc(hidden)]
    #[must_use]
    #[derive(Default)]
    pub(super) struct Foreign {
        #[deprecated]
        #[allow(deprecated)]
        #[doc = "old"]
        old: u64,
    }

    impl Sink for Foreign {
        type In = u64;

        fn on_data(&mut self, value: u64) -> Result<()> {
            let _ = value;
            Ok(())
        }
    }
}

fn main() {}
