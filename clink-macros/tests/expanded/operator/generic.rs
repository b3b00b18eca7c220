pub struct Latest<T: Data, const N: usize>
where
    T: Clone,
{
    default: T,
    seen: ValueState<T>,
}
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
    impl<T: Data, const N: usize> __ClinkParam<0usize> for Latest<T, N>
    where
        T: Clone,
        T: __clink::Param,
        ValueState<T>: __clink::StateSlot,
    {
        type Type = T;
    }
    #[automatically_derived]
    impl<T: Data, const N: usize> __ClinkSlot<1usize> for Latest<T, N>
    where
        T: Clone,
        T: __clink::Param,
        ValueState<T>: __clink::StateSlot,
    {
        type Type = ValueState<T>;
    }
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
                    kind: <Self as __ClinkSlot<1usize>>::KIND,
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
            <Self as __ClinkParam<
                0usize,
            >>::set(&self.default, "default", __clink_params)?;
            __clink::core::result::Result::Ok(())
        }
        fn from_params(
            __clink_params: &__clink::Params,
        ) -> __clink::core::result::Result<Self, __clink::ParamError> {
            __clink::core::result::Result::Ok(Self {
                default: <Self as __ClinkParam<0usize>>::get("default", __clink_params)?,
                seen: <Self as __ClinkSlot<1usize>>::fresh(),
            })
        }
        fn visit_state(
            &mut self,
            __clink_visitor: &mut dyn __clink::StateVisitor,
        ) -> __clink::core::result::Result<(), __clink::StateError> {
            <Self as __ClinkSlot<
                1usize,
            >>::visit(&mut self.seen, "seen", __clink_visitor)?;
            __clink::core::result::Result::Ok(())
        }
    }
};
