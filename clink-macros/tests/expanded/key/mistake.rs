enum Class {
    First,
    #[data(rename = "First")]
    Second,
}
::core::compile_error! {
    "there is a variant named `First` already [M0304]\n  help: give each variant a name of its own"
}
const _: () = {
    use ::clink::__private as __clink;
    #[automatically_derived]
    impl __clink::KeyEncode for Class {
        fn encoded_len(&self) -> usize {
            __clink::core::unreachable!()
        }
        fn encode<__ClinkW: __clink::KeyWrite + ?__clink::core::marker::Sized>(
            &self,
            _: &mut __ClinkW,
        ) {
            __clink::core::unreachable!()
        }
    }
};
