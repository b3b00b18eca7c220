struct Code(String);
const _: () = {
    use ::clink::__private as __clink;
    trait __ClinkFields: __clink::core::marker::Sized {
        type F0: __clink::KeyEncode;
        fn parts(&self) -> __ClinkParts<'_, Self>;
    }
    enum __ClinkParts<'parts, S: __ClinkFields> {
        V0(&'parts S::F0),
        __Never(__clink::core::convert::Infallible, &'parts S),
    }
    #[automatically_derived]
    impl __ClinkFields for Code {
        type F0 = String;
        #[inline]
        fn parts(&self) -> __ClinkParts<'_, Self> {
            match *self {
                Self { 0: ref f0 } => __ClinkParts::V0(f0),
            }
        }
    }
    #[inline]
    fn __clink_encode<
        S: __ClinkFields,
        W: __clink::KeyWrite + ?__clink::core::marker::Sized,
    >(key: &S, out: &mut W) {
        match __ClinkFields::parts(key) {
            __ClinkParts::V0(f0) => {
                __clink::KeyEncode::encode(f0, out);
            }
            __ClinkParts::__Never(never, _) => match never {}
        }
    }
    trait __ClinkKey: __clink::Data + __clink::core::cmp::Eq + __clink::core::hash::Hash {}
    #[automatically_derived]
    impl __ClinkKey for Code {}
    #[automatically_derived]
    impl __clink::KeyEncode for Code {
        #[inline]
        fn encoded_len(&self) -> usize {
            __clink::KeyLen::of(self)
        }
        #[inline]
        fn encode<__ClinkW: __clink::KeyWrite + ?__clink::core::marker::Sized>(
            &self,
            out: &mut __ClinkW,
        ) {
            __clink_encode(self, out);
        }
    }
};
