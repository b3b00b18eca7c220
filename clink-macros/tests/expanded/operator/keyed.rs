/// Mean departure delay per carrier, so far.
struct MeanDelay {
    only_above: Option<i64>,
    flights: ValueState<u64>,
    minutes: ValueState<i64>,
    scratch: String,
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
    impl __ClinkParam<0usize> for MeanDelay {
        type Type = Option<i64>;
    }
    #[automatically_derived]
    impl __ClinkSlot<1usize> for MeanDelay {
        type Type = ValueState<u64>;
    }
    #[automatically_derived]
    impl __ClinkSlot<2usize> for MeanDelay {
        type Type = ValueState<i64>;
    }
    #[automatically_derived]
    impl __clink::OperatorFields for MeanDelay {
        const DESCRIPTOR: __clink::OperatorDescriptor = __clink::OperatorDescriptor {
            type_name: __clink::core::concat!(
                __clink::core::module_path!(), "::", "MeanDelay"
            ),
            uid: "mean-delay",
            slots: &[
                __clink::SlotDescriptor {
                    name: "flights",
                    kind: <Self as __ClinkSlot<1usize>>::KIND,
                    version: 1,
                },
                __clink::SlotDescriptor {
                    name: "minutes",
                    kind: <Self as __ClinkSlot<2usize>>::KIND,
                    version: 1,
                },
            ],
            params: &["only_above"],
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
            <Self as __ClinkParam<
                0usize,
            >>::set(&self.only_above, "only_above", __clink_params)?;
            __clink::core::result::Result::Ok(())
        }
        fn from_params(
            __clink_params: &__clink::Params,
        ) -> __clink::core::result::Result<Self, __clink::ParamError> {
            __clink::core::result::Result::Ok(Self {
                only_above: <Self as __ClinkParam<
                    0usize,
                >>::get("only_above", __clink_params)?,
                flights: <Self as __ClinkSlot<1usize>>::fresh(),
                minutes: <Self as __ClinkSlot<2usize>>::fresh(),
                scratch: <String as __clink::core::default::Default>::default(),
            })
        }
        fn visit_state(
            &mut self,
            __clink_visitor: &mut dyn __clink::StateVisitor,
        ) -> __clink::core::result::Result<(), __clink::StateError> {
            <Self as __ClinkSlot<
                1usize,
            >>::visit(&mut self.flights, "flights", __clink_visitor)?;
            <Self as __ClinkSlot<
                2usize,
            >>::visit(&mut self.minutes, "minutes", __clink_visitor)?;
            __clink::core::result::Result::Ok(())
        }
    }
    #[allow(unused_imports)]
    use __clink::ProbeFallback as _;
    __clink::inventory::submit! {
        { let __clink_entry0 = __clink::single_kind("MeanDelay", [__clink::Probe:: <
        MeanDelay > ::SOURCE, __clink::Probe:: < MeanDelay > ::OPERATOR, __clink::Probe::
        < MeanDelay > ::KEYED_OPERATOR, __clink::Probe:: < MeanDelay > ::SINK,]); let
        __clink_entry0 = __clink::keyed_only(__clink_entry0, "flights"); let
        __clink_entry0 = __clink::keyed_only(__clink_entry0, "minutes"); __clink_entry0 }
    }
};
