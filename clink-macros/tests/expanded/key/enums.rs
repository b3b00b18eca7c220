enum Class {
    First,
    #[data(rename = "2nd")]
    Second,
}
const _: () = {
    use ::clink::__private as __clink;
    trait __ClinkFields: __clink::core::marker::Sized {
        fn parts(&self) -> __ClinkParts<'_, Self>;
    }
    enum __ClinkParts<'parts, S: __ClinkFields> {
        V0(),
        V1(),
        __Never(__clink::core::convert::Infallible, &'parts S),
    }
    #[automatically_derived]
    impl __ClinkFields for Class {
        #[inline]
        fn parts(&self) -> __ClinkParts<'_, Self> {
            match *self {
                Self::First {} => __ClinkParts::V0(),
                Self::Second {} => __ClinkParts::V1(),
            }
        }
    }
    #[inline]
    fn __clink_encode<
        S: __ClinkFields,
        W: __clink::KeyWrite + ?__clink::core::marker::Sized,
    >(key: &S, out: &mut W) {
        match __ClinkFields::parts(key) {
            __ClinkParts::V0() => {
                __clink::KeyEncode::encode("First", out);
            }
            __ClinkParts::V1() => {
                __clink::KeyEncode::encode("2nd", out);
            }
            __ClinkParts::__Never(never, _) => match never {}
        }
    }
    trait __ClinkKey: __clink::Data + __clink::core::cmp::Eq + __clink::core::hash::Hash {}
    #[automatically_derived]
    impl __ClinkKey for Class {}
    #[automatically_derived]
    impl __clink::KeyEncode for Class {
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
#[data(crate = sdk::streams)]
enum Place {
    Nowhere,
    Gate(char, u16),
    Other { name: String },
}
const _: () = {
    use sdk::streams::__private as __clink;
    trait __ClinkFields: __clink::core::marker::Sized {
        type F0: __clink::KeyEncode;
        type F1: __clink::KeyEncode;
        type F2: __clink::KeyEncode;
        fn parts(&self) -> __ClinkParts<'_, Self>;
    }
    enum __ClinkParts<'parts, S: __ClinkFields> {
        V0(),
        V1(&'parts S::F0, &'parts S::F1),
        V2(&'parts S::F2),
        __Never(__clink::core::convert::Infallible, &'parts S),
    }
    #[automatically_derived]
    impl __ClinkFields for Place {
        type F0 = char;
        type F1 = u16;
        type F2 = String;
        #[inline]
        fn parts(&self) -> __ClinkParts<'_, Self> {
            match *self {
                Self::Nowhere {} => __ClinkParts::V0(),
                Self::Gate { 0: ref f0, 1: ref f1 } => __ClinkParts::V1(f0, f1),
                Self::Other { name: ref f0 } => __ClinkParts::V2(f0),
            }
        }
    }
    #[inline]
    fn __clink_encode<
        S: __ClinkFields,
        W: __clink::KeyWrite + ?__clink::core::marker::Sized,
    >(key: &S, out: &mut W) {
        match __ClinkFields::parts(key) {
            __ClinkParts::V0() => {
                __clink::KeyEncode::encode("Nowhere", out);
            }
            __ClinkParts::V1(f0, f1) => {
                __clink::encode_part("Gate", out);
                __clink::encode_part(f0, out);
                __clink::KeyEncode::encode(f1, out);
            }
            __ClinkParts::V2(f0) => {
                __clink::encode_part("Other", out);
                __clink::KeyEncode::encode(f0, out);
            }
            __ClinkParts::__Never(never, _) => match never {}
        }
    }
    trait __ClinkKey: __clink::Data + __clink::core::cmp::Eq + __clink::core::hash::Hash {}
    #[automatically_derived]
    impl __ClinkKey for Place {}
    #[automatically_derived]
    impl __clink::KeyEncode for Place {
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
