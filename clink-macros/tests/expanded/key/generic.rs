struct Pair<T: Clone, const N: usize>(T, Option<T>);
const _: () = {
    use ::clink::__private as __clink;
    trait __ClinkFields: __clink::core::marker::Sized {
        type F0: __clink::KeyEncode;
        type F1: __clink::KeyEncode;
        fn parts(&self) -> __ClinkParts<'_, Self>;
    }
    enum __ClinkParts<'parts, S: __ClinkFields> {
        V0(&'parts S::F0, &'parts S::F1),
        __Never(__clink::core::convert::Infallible, &'parts S),
    }
    #[automatically_derived]
    impl<T: Clone, const N: usize> __ClinkFields for Pair<T, N>
    where
        T: __clink::Key,
        T: __clink::Key,
        Option<T>: __clink::Key,
    {
        type F0 = T;
        type F1 = Option<T>;
        #[inline]
        fn parts(&self) -> __ClinkParts<'_, Self> {
            match *self {
                Self { 0: ref f0, 1: ref f1 } => __ClinkParts::V0(f0, f1),
            }
        }
    }
    #[inline]
    fn __clink_encode<
        S: __ClinkFields,
        W: __clink::KeyWrite + ?__clink::core::marker::Sized,
    >(key: &S, out: &mut W) {
        match __ClinkFields::parts(key) {
            __ClinkParts::V0(f0, f1) => {
                __clink::encode_part(f0, out);
                __clink::KeyEncode::encode(f1, out);
            }
            __ClinkParts::__Never(never, _) => match never {}
        }
    }
    trait __ClinkKey: __clink::Data + __clink::core::cmp::Eq + __clink::core::hash::Hash {}
    #[automatically_derived]
    impl<T: Clone, const N: usize> __ClinkKey for Pair<T, N>
    where
        T: __clink::Key,
        T: __clink::Key,
        Option<T>: __clink::Key,
    {}
    #[automatically_derived]
    impl<T: Clone, const N: usize> __clink::KeyEncode for Pair<T, N>
    where
        T: __clink::Key,
        T: __clink::Key,
        Option<T>: __clink::Key,
    {
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
