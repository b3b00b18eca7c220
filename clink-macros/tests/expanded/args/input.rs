/// Where the flights are.
#[serde(default)]
struct Input {
    /// The file.
    #[arg(long, default_value = "flights.csv.gz")]
    input: String,
    #[serde(skip)]
    #[command(flatten)]
    more: More,
}
const _: () = {
    use ::clink::__private as __clink;
    #[allow(unused_imports)]
    use __clink::clap;
    type __ClinkArgs = Input;
    const _: () = {
        #[allow(unused_imports)]
        use __clink::core::{
            clone::Clone, convert::From, convert::Into, default::Default,
            iter::IntoIterator, iter::Iterator, option::Option, option::Option::None,
            option::Option::Some, result::Result::Err, result::Result::Ok,
        };
        #[derive(clap::Args)]
        /// Where the flights are.
        struct Input {
            /// The file.
            #[arg(long, default_value = "flights.csv.gz")]
            input: String,
            #[command(flatten)]
            more: More,
        }
        #[automatically_derived]
        impl __clink::clap::FromArgMatches for __ClinkArgs {
            fn from_arg_matches(
                matches: &__clink::clap::ArgMatches,
            ) -> __clink::core::result::Result<Self, __clink::clap::Error> {
                let Input { input, more } = <Input as __clink::clap::FromArgMatches>::from_arg_matches(
                    matches,
                )?;
                __clink::core::result::Result::Ok(Self { input, more })
            }
            fn update_from_arg_matches(
                &mut self,
                matches: &__clink::clap::ArgMatches,
            ) -> __clink::core::result::Result<(), __clink::clap::Error> {
                *self = <Self as __clink::clap::FromArgMatches>::from_arg_matches(
                    matches,
                )?;
                __clink::core::result::Result::Ok(())
            }
        }
        #[automatically_derived]
        impl __clink::clap::Args for __ClinkArgs {
            fn group_id() -> __clink::core::option::Option<__clink::clap::Id> {
                <Input as __clink::clap::Args>::group_id()
            }
            fn augment_args(command: __clink::clap::Command) -> __clink::clap::Command {
                <Input as __clink::clap::Args>::augment_args(command)
            }
            fn augment_args_for_update(
                command: __clink::clap::Command,
            ) -> __clink::clap::Command {
                <Input as __clink::clap::Args>::augment_args_for_update(command)
            }
        }
    };
};
