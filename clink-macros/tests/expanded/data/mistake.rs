struct Borrowed<'a>(&'a str);
::core::compile_error! {
    "Data cannot borrow [M0302]\n  help: own the fields: values travel between threads and machines"
}
const _: () = {
    use ::clink::__private as __clink;
    #[automatically_derived]
    impl<'a> __clink::Required for Borrowed<'a>
    where
        'a: 'static,
    {}
    #[automatically_derived]
    impl<'a> __clink::Data for Borrowed<'a>
    where
        'a: 'static,
    {
        type Builder = __clink::StubColumn;
        type View = __clink::StubColumn;
        fn type_name() -> __clink::std::string::String {
            __clink::core::unreachable!()
        }
        fn data_type() -> __clink::DataType {
            __clink::core::unreachable!()
        }
        fn serialize<__ClinkS: __clink::Serializer>(
            &self,
            _: __ClinkS,
        ) -> __clink::core::result::Result<__ClinkS::Ok, __ClinkS::Error> {
            __clink::core::unreachable!()
        }
        fn deserialize<'__clink, __ClinkD: __clink::Deserializer<'__clink>>(
            _: __ClinkD,
        ) -> __clink::core::result::Result<Self, __ClinkD::Error> {
            __clink::core::unreachable!()
        }
        fn from_text(
            _: &[u8],
        ) -> __clink::core::result::Result<Self, __clink::TextError> {
            __clink::core::unreachable!()
        }
    }
};
