pub struct Split;
const _: () = {
    use sdk::clink::__private as __clink;
    #[automatically_derived]
    impl __clink::OperatorFields for Split {
        const DESCRIPTOR: __clink::OperatorDescriptor = __clink::OperatorDescriptor {
            type_name: "text.split",
            uid: "split",
            slots: &[],
            params: &[],
            location: __clink::SourceLocation {
                file: __clink::core::file!(),
                line: __clink::core::line!(),
                column: __clink::core::column!(),
            },
        };
        fn to_params(
            &self,
            __clink_params: &mut __clink::Params,
        ) -> __clink::core::result::Result<(), __clink::ParamError> {
            __clink::core::result::Result::Ok(())
        }
        fn from_params(
            __clink_params: &__clink::Params,
        ) -> __clink::core::result::Result<Self, __clink::ParamError> {
            __clink::core::result::Result::Ok(Self {})
        }
        fn visit_state(
            &mut self,
            __clink_visitor: &mut dyn __clink::StateVisitor,
        ) -> __clink::core::result::Result<(), __clink::StateError> {
            __clink::core::result::Result::Ok(())
        }
    }
    #[allow(unused_imports)]
    use __clink::ProbeFallback as _;
    __clink::inventory::submit! {
        { let __clink_entry = __clink::single_kind("Split", [__clink::Probe:: < Split >
        ::SOURCE, __clink::Probe:: < Split > ::OPERATOR, __clink::Probe:: < Split >
        ::KEYED_OPERATOR, __clink::Probe:: < Split > ::CO_OPERATOR, __clink::Probe:: <
        Split > ::KEYED_CO_OPERATOR, __clink::Probe:: < Split > ::SINK,]); __clink_entry
        }
    }
};
