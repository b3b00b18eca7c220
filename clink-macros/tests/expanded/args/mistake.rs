struct Input(String);
::core::compile_error! {
    "Args cannot be derived on a struct whose fields have no names [M0401]\n  help: use a struct with named fields: each field is a flag"
}
const _: () = {
    use ::clink::__private as __clink;
    #[automatically_derived]
    impl __clink::clap::FromArgMatches for Input {
        fn from_arg_matches(
            _: &__clink::clap::ArgMatches,
        ) -> __clink::core::result::Result<Self, __clink::clap::Error> {
            __clink::core::unreachable!()
        }
        fn update_from_arg_matches(
            &mut self,
            _: &__clink::clap::ArgMatches,
        ) -> __clink::core::result::Result<(), __clink::clap::Error> {
            __clink::core::unreachable!()
        }
    }
    #[automatically_derived]
    impl __clink::clap::Args for Input {
        fn augment_args(_: __clink::clap::Command) -> __clink::clap::Command {
            __clink::core::unreachable!()
        }
        fn augment_args_for_update(_: __clink::clap::Command) -> __clink::clap::Command {
            __clink::core::unreachable!()
        }
    }
};
