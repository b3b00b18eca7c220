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
    trait __ClinkParam<const FIELD: usize> {
        type Type: __clink::Param;
        fn set(
            value: &Self::Type,
            name: &str,
            params: &mut __clink::Params,
        ) -> __clink::core::result::Result<(), __clink::ParamError> {
            __clink::set_param(params, name, value)
        }
        fn get(
            name: &str,
            params: &__clink::Params,
        ) -> __clink::core::result::Result<Self::Type, __clink::ParamError> {
            __clink::get_param(params, name)
        }
    }
    trait __ClinkSlot<const FIELD: usize> {
        type Type: __clink::StateSlot;
        const KIND: &'static str = <Self::Type as __clink::StateSlot>::KIND;
        fn fresh() -> Self::Type {
            <Self::Type as __clink::core::default::Default>::default()
        }
        fn visit(
            slot: &mut Self::Type,
            name: &'static str,
            visitor: &mut dyn __clink::StateVisitor,
        ) -> __clink::core::result::Result<(), __clink::StateError> {
            __clink::StateSlot::visit(slot, name, visitor)
        }
    }
    #[automatically_derived]
    impl __ClinkParam<0usize> for r#match {
        type Type = u8;
    }
    #[cfg(feature = "x")]
    #[automatically_derived]
    impl __ClinkSlot<1usize> for r#match {
        type Type = ValueState<u8>;
    }
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
                    kind: <Self as __ClinkSlot<1usize>>::KIND,
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
            <Self as __ClinkParam<0usize>>::set(&self.r#type, "type", __clink_params)?;
            __clink::core::result::Result::Ok(())
        }
        fn from_params(
            __clink_params: &__clink::Params,
        ) -> __clink::core::result::Result<Self, __clink::ParamError> {
            __clink::core::result::Result::Ok(Self {
                r#type: <Self as __ClinkParam<0usize>>::get("type", __clink_params)?,
                #[cfg(feature = "x")]
                r#async: <Self as __ClinkSlot<1usize>>::fresh(),
            })
        }
        fn visit_state(
            &mut self,
            __clink_visitor: &mut dyn __clink::StateVisitor,
        ) -> __clink::core::result::Result<(), __clink::StateError> {
            #[cfg(feature = "x")]
            <Self as __ClinkSlot<
                1usize,
            >>::visit(&mut self.r#async, "async", __clink_visitor)?;
            __clink::core::result::Result::Ok(())
        }
    }
    #[allow(unused_imports)]
    use __clink::ProbeFallback as _;
    __clink::inventory::submit! {
        { let __clink_entry0 = __clink::single_kind("match", [__clink::Probe:: < r#match
        > ::SOURCE, __clink::Probe:: < r#match > ::OPERATOR, __clink::Probe:: < r#match >
        ::KEYED_OPERATOR, __clink::Probe:: < r#match > ::SINK,]); #[cfg(feature = "x")]
        let __clink_entry0 = __clink::keyed_only(__clink_entry0, "async"); __clink_entry0
        }
    }
};
