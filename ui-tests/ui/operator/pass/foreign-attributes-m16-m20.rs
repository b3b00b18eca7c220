// Attributes of others pass through, whatever they are.
use clink::prelude::*;

mod hidden {
    use super::*;

    /// Above.
    #[clink::operator(uid = "foreign")]
    /// Below.
    #[expect(dead_code, reason = "never read")]
    #[diagnostic::on_unknown_thing]
    #[allow(unknown_or_malformed_diagnostic_attributes)]
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
