#[cfg(unix)]
pub(crate) struct r#match {
    #[serde(skip)]
    r#type: u8,
    #[cfg(feature = "x")]
    r#async: ValueState<u8>,
}
#[cfg(unix)]
const _: () = {
    use ::clink::__private as __clink;
    #[automatically_derived]
    impl __clink::OperatorFields for r#match {
        const DESCRIPTOR: __clink::OperatorDescriptor = __clink::OperatorDescriptor {
            type_name: __clink::core::concat!(
                __clink::core::module_path!(), "::", "match"
            ),
            uid: "match",
            slots: &[
                #[cfg(feature = "x")]
                __clink::SlotDescriptor {
                    name: "async",
                    kind: <ValueState<u8> as __clink::StateSlot>::KIND,
                    keyed: <ValueState<u8> as __clink::StateSlot>::KEYED,
                    version: 1,
                },
            ],
            params: &["type"],
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
            <u8 as __clink::Param>::write(&self.r#type, "type", __clink_params)?;
            __clink::core::result::Result::Ok(())
        }
        fn from_params(
            __clink_params: &__clink::Params,
        ) -> __clink::core::result::Result<Self, __clink::ParamError> {
            __clink::core::result::Result::Ok(Self {
                r#type: <u8 as __clink::Param>::read("type", __clink_params)?,
                #[cfg(feature = "x")]
                r#async: <ValueState<u8> as __clink::core::default::Default>::default(),
            })
        }
        fn visit_state(
            &mut self,
            __clink_visitor: &mut dyn __clink::StateVisitor,
        ) -> __clink::core::result::Result<(), __clink::StateError> {
            #[cfg(feature = "x")]
            <ValueState<
                u8,
            > as __clink::StateSlot>::visit(
                &mut self.r#async,
                "async",
                __clink_visitor,
            )?;
            __clink::core::result::Result::Ok(())
        }
    }
    #[allow(unused_imports)]
    use __clink::ProbeFallback as _;
    __clink::inventory::submit! {
        { let __clink_entry = __clink::single_kind("match", [__clink::Probe:: < r#match >
        ::SOURCE, __clink::Probe:: < r#match > ::OPERATOR, __clink::Probe:: < r#match >
        ::KEYED_OPERATOR, __clink::Probe:: < r#match > ::CO_OPERATOR, __clink::Probe:: <
        r#match > ::KEYED_CO_OPERATOR, __clink::Probe:: < r#match > ::SINK,]);
        #[cfg(feature = "x")] let __clink_entry = __clink::keyed_only(__clink_entry,
        "async"); __clink_entry }
    }
};
