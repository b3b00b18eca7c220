pub struct Latest<T: Data, const N: usize>
where
    T: Clone,
{
    default: T,
    seen: ValueState<T>,
}
const _: () = {
    use ::clink::__private as __clink;
    #[automatically_derived]
    impl<T: Data, const N: usize> __clink::OperatorFields for Latest<T, N>
    where
        T: Clone,
        T: __clink::Param,
        ValueState<T>: __clink::StateSlot,
    {
        const DESCRIPTOR: __clink::OperatorDescriptor = __clink::OperatorDescriptor {
            type_name: __clink::core::concat!(
                __clink::core::module_path!(), "::", "Latest"
            ),
            uid: "latest",
            slots: &[
                __clink::SlotDescriptor {
                    name: "seen",
                    kind: <ValueState<T> as __clink::StateSlot>::KIND,
                    keyed: <ValueState<T> as __clink::StateSlot>::KEYED,
                    version: 1,
                },
            ],
            params: &["default"],
            location: __clink::SourceLocation {
                file: __clink::core::file!(),
                line: __clink::core::line!(),
                column: __clink::core::column!(),
            },
        };
        fn type_name() -> __clink::std::string::String {
            __clink::core::convert::From::from(__clink::core::any::type_name::<Self>())
        }
        fn to_params(
            &self,
            __clink_params: &mut __clink::Params,
        ) -> __clink::core::result::Result<(), __clink::ParamError> {
            <T as __clink::Param>::write(&self.default, "default", __clink_params)?;
            __clink::core::result::Result::Ok(())
        }
        fn from_params(
            __clink_params: &__clink::Params,
        ) -> __clink::core::result::Result<Self, __clink::ParamError> {
            __clink::core::result::Result::Ok(Self {
                default: <T as __clink::Param>::read("default", __clink_params)?,
                seen: <ValueState<T> as __clink::core::default::Default>::default(),
            })
        }
        fn visit_state(
            &mut self,
            __clink_visitor: &mut dyn __clink::StateVisitor,
        ) -> __clink::core::result::Result<(), __clink::StateError> {
            <ValueState<
                T,
            > as __clink::StateSlot>::visit(&mut self.seen, "seen", __clink_visitor)?;
            __clink::core::result::Result::Ok(())
        }
    }
};
