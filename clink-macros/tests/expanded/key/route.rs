struct Route {
    from: String,
    to: String,
    class: Class,
}
const _: () = {
    use ::clink::__private as __clink;
    trait __ClinkFields: __clink::core::marker::Sized {
        type F0: __clink::KeyEncode;
        type F1: __clink::KeyEncode;
        type F2: __clink::KeyEncode;
        fn parts(&self) -> __ClinkParts<'_, Self>;
    }
    enum __ClinkParts<'parts, S: __ClinkFields> {
        V0(&'parts S::F0, &'parts S::F1, &'parts S::F2),
        __Never(__clink::core::convert::Infallible, &'parts S),
    }
    #[automatically_derived]
    impl __ClinkFields for Route {
        type F0 = String;
        type F1 = String;
        type F2 = Class;
        #[inline]
        fn parts(&self) -> __ClinkParts<'_, Self> {
            match *self {
                Self { from: ref f0, to: ref f1, class: ref f2 } => {
                    __ClinkParts::V0(f0, f1, f2)
                }
            }
        }
    }
    #[inline]
    fn __clink_encode<
        S: __ClinkFields,
        W: __clink::KeyWrite + ?__clink::core::marker::Sized,
    >(key: &S, out: &mut W) {
        match __ClinkFields::parts(key) {
            __ClinkParts::V0(f0, f1, f2) => {
                __clink::encode_part(f0, out);
                __clink::encode_part(f1, out);
                __clink::KeyEncode::encode(f2, out);
            }
            __ClinkParts::__Never(never, _) => match never {}
        }
    }
    trait __ClinkKey: __clink::Data + __clink::core::cmp::Eq + __clink::core::hash::Hash {}
    #[automatically_derived]
    impl __ClinkKey for Route {}
    #[automatically_derived]
    impl __clink::KeyEncode for Route {
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
