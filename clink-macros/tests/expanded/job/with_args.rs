pub fn r#try(pipeline: &Pipeline, Input { input }: Input) -> clink::Result<()> {
    pipeline.source(files::csv::<Flight>(&input)).sink(print());
    Ok(())
}
const _: () = {
    use ::clink::__private as __clink;
    fn __clink_arguments(
        __clink_command: __clink::clap::Command,
    ) -> __clink::clap::Command {
        <Input as __clink::JobArgs>::augment(__clink_command)
    }
    fn __clink_build(
        __clink_pipeline: &__clink::Pipeline,
        __clink_matches: &__clink::clap::ArgMatches,
    ) -> __clink::core::result::Result<(), __clink::Error> {
        let _ = __clink_matches;
        let __clink_job: fn(&__clink::Pipeline, Input) -> _ = r#try;
        __clink::JobEntry::returned(
            __clink_job(
                __clink_pipeline,
                <Input as __clink::JobArgs>::parse(__clink_matches)?,
            ),
        )
    }
    __clink::inventory::submit! {
        __clink::JobEntry { name : "delays", version : "1.0.0", description : "Delays",
        location : __clink::SourceLocation { file : __clink::core::file!(), line :
        __clink::core::line!(), column : __clink::core::column!(), }, arguments :
        __clink_arguments, build : __clink_build, }
    }
};
