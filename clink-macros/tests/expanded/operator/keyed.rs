/// Mean departure delay per carrier, so far.
struct MeanDelay {
    only_above: Option<i64>,
    flights: ValueState<u64>,
    minutes: ValueState<i64>,
    scratch: String,
}
const _: () = {
    use ::clink::__private as __clink;
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
                    kind: <ValueState<u64> as __clink::StateSlot>::KIND,
                    keyed: <ValueState<u64> as __clink::StateSlot>::KEYED,
                    version: 1,
                },
                __clink::SlotDescriptor {
                    name: "minutes",
                    kind: <ValueState<i64> as __clink::StateSlot>::KIND,
                    keyed: <ValueState<i64> as __clink::StateSlot>::KEYED,
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
            <Option<
                i64,
            > as __clink::Param>::write(&self.only_above, "only_above", __clink_params)?;
            __clink::core::result::Result::Ok(())
        }
        fn from_params(
            __clink_params: &__clink::Params,
        ) -> __clink::core::result::Result<Self, __clink::ParamError> {
            __clink::core::result::Result::Ok(Self {
                only_above: <Option<
                    i64,
                > as __clink::Param>::read("only_above", __clink_params)?,
                flights: <ValueState<u64> as __clink::core::default::Default>::default(),
                minutes: <ValueState<i64> as __clink::core::default::Default>::default(),
                scratch: <String as __clink::core::default::Default>::default(),
            })
        }
        fn visit_state(
            &mut self,
            __clink_visitor: &mut dyn __clink::StateVisitor,
        ) -> __clink::core::result::Result<(), __clink::StateError> {
            <ValueState<
                u64,
            > as __clink::StateSlot>::visit(
                &mut self.flights,
                "flights",
                __clink_visitor,
            )?;
            <ValueState<
                i64,
            > as __clink::StateSlot>::visit(
                &mut self.minutes,
                "minutes",
                __clink_visitor,
            )?;
            __clink::core::result::Result::Ok(())
        }
    }
    #[allow(unused_imports)]
    use __clink::ProbeFallback as _;
    __clink::inventory::submit! {
        { let __clink_entry = __clink::single_kind("MeanDelay", [__clink::Probe:: <
        MeanDelay > ::SOURCE, __clink::Probe:: < MeanDelay > ::OPERATOR, __clink::Probe::
        < MeanDelay > ::KEYED_OPERATOR, __clink::Probe:: < MeanDelay > ::CO_OPERATOR,
        __clink::Probe:: < MeanDelay > ::KEYED_CO_OPERATOR, __clink::Probe:: < MeanDelay
        > ::SINK,]); let __clink_entry = __clink::keyed_only(__clink_entry, "flights");
        let __clink_entry = __clink::keyed_only(__clink_entry, "minutes"); __clink_entry
        }
    }
};
