struct MeanDelay {
    flights: ValueState<u64>,
    seen: Counter,
}
::core::compile_error! {
    "operator `MeanDelay` has no uid [M0101]\n  help: write `#[clink::operator(uid = \"mean-delay\")]`; its state is filed under the uid, which therefore outlives every renaming of the struct"
}
::core::compile_error! {
    "`thirty days` is not a duration [M0106]\n  help: a duration is a whole number above zero and one of ms, s, m, h, d, w: `30d`"
}
::core::compile_error! {
    "`#[metric]` is not available yet in this release [M0108]\n  help: remove the field, or mark it `#[transient]` until it is"
}
const _: () = {
    use ::clink::__private as __clink;
    #[automatically_derived]
    impl __clink::OperatorFields for MeanDelay {
        const DESCRIPTOR: __clink::OperatorDescriptor = __clink::OperatorDescriptor {
            type_name: "",
            uid: "",
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
            _: &mut __clink::Params,
        ) -> __clink::core::result::Result<(), __clink::ParamError> {
            __clink::core::unreachable!()
        }
        fn from_params(
            _: &__clink::Params,
        ) -> __clink::core::result::Result<Self, __clink::ParamError> {
            __clink::core::unreachable!()
        }
        fn visit_state(
            &mut self,
            _: &mut dyn __clink::StateVisitor,
        ) -> __clink::core::result::Result<(), __clink::StateError> {
            __clink::core::unreachable!()
        }
    }
};
