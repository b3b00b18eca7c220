struct Point(f64, #[data(rename = "north")] f64);
const _: () = {
    use ::clink::__private as __clink;
    trait __ClinkFields: __clink::core::marker::Sized {
        type F0: __clink::Data;
        type F1: __clink::Data;
        fn refs(&self) -> (&Self::F0, &Self::F1);
        fn whole(fields: (Self::F0, Self::F1)) -> Self;
    }
    #[automatically_derived]
    impl __ClinkFields for Point {
        type F0 = f64;
        type F1 = f64;
        #[inline]
        fn refs(&self) -> (&Self::F0, &Self::F1) {
            (&self.0, &self.1)
        }
        #[inline]
        fn whole((f0, f1): (Self::F0, Self::F1)) -> Self {
            Self { 0: f0, 1: f1 }
        }
    }
    struct __ClinkColumns<S: __ClinkFields> {
        f0: <S::F0 as __clink::Data>::Builder,
        f1: <S::F1 as __clink::Data>::Builder,
        rows: __clink::StructRows,
    }
    #[automatically_derived]
    impl<S: __ClinkFields> __clink::core::default::Default for __ClinkColumns<S> {
        fn default() -> Self {
            Self {
                f0: __clink::core::default::Default::default(),
                f1: __clink::core::default::Default::default(),
                rows: __clink::core::default::Default::default(),
            }
        }
    }
    #[automatically_derived]
    impl<S: __ClinkFields + __clink::Data> __clink::ColumnBuilder<S>
    for __ClinkColumns<S> {
        #[inline]
        fn append(&mut self, value: &S) {
            let (f0, f1) = __ClinkFields::refs(value);
            __clink::ColumnBuilder::append(&mut self.f0, f0);
            __clink::ColumnBuilder::append(&mut self.f1, f1);
            self.rows.append();
        }
        fn append_null(&mut self) {
            __clink::ColumnBuilder::append_null(&mut self.f0);
            __clink::ColumnBuilder::append_null(&mut self.f1);
            self.rows.append_null();
        }
        fn finish(&mut self) -> __clink::ArrayRef {
            let columns = __clink::std::vec![
                __clink::ColumnBuilder::finish(& mut self.f0),
                __clink::ColumnBuilder::finish(& mut self.f1)
            ];
            self.rows.finish::<S>(columns)
        }
    }
    struct __ClinkView<S: __ClinkFields> {
        f0: <S::F0 as __clink::Data>::View,
        f1: <S::F1 as __clink::Data>::View,
        rows: __clink::StructView,
    }
    #[automatically_derived]
    impl<S: __ClinkFields + __clink::Data> __clink::ColumnView<S> for __ClinkView<S> {
        fn of(
            array: &__clink::ArrayRef,
        ) -> __clink::core::result::Result<Self, __clink::DataError> {
            let (rows, array) = __clink::StructView::of::<S>(array)?;
            __clink::core::result::Result::Ok(Self {
                f0: __clink::StructView::field::<S::F0>(array, "0")?,
                f1: __clink::StructView::field::<S::F1>(array, "north")?,
                rows,
            })
        }
        #[inline]
        fn get(
            &self,
            row: usize,
        ) -> __clink::core::result::Result<S, __clink::DataError> {
            self.rows.check::<S>(row)?;
            __clink::core::result::Result::Ok(
                S::whole((
                    __clink::StructView::get::<S::F0>(&self.f0, "0", row)?,
                    __clink::StructView::get::<S::F1>(&self.f1, "north", row)?,
                )),
            )
        }
    }
    struct __ClinkParts<S: __ClinkFields> {
        f0: __clink::core::option::Option<S::F0>,
        f1: __clink::core::option::Option<S::F1>,
    }
    #[automatically_derived]
    impl<S: __ClinkFields> __clink::core::default::Default for __ClinkParts<S> {
        #[inline]
        fn default() -> Self {
            Self {
                f0: __clink::core::option::Option::None,
                f1: __clink::core::option::Option::None,
            }
        }
    }
    #[automatically_derived]
    impl<S: __ClinkFields + __clink::Data> __clink::StructParts for __ClinkParts<S> {
        type Whole = S;
        const NAME: &'static str = "Point";
        #[inline]
        fn index(name: &str) -> __clink::core::option::Option<usize> {
            match name {
                "0" => __clink::core::option::Option::Some(0usize),
                "north" => __clink::core::option::Option::Some(1usize),
                _ => __clink::core::option::Option::None,
            }
        }
        #[inline]
        fn read<'de, A: __clink::MapAccess<'de>>(
            &mut self,
            index: usize,
            map: &mut A,
        ) -> __clink::core::result::Result<(), A::Error> {
            match index {
                0usize => __clink::take_field(&mut self.f0, "0", map),
                1usize => __clink::take_field(&mut self.f1, "north", map),
                _ => __clink::core::result::Result::Ok(()),
            }
        }
        #[inline]
        fn finish<E: __clink::DeserializeError>(
            self,
        ) -> __clink::core::result::Result<S, E> {
            __clink::core::result::Result::Ok(
                S::whole((
                    __clink::missing_or_absent(self.f0, "0")?,
                    __clink::missing_or_absent(self.f1, "north")?,
                )),
            )
        }
    }
    fn __clink_fields<S: __ClinkFields>() -> __clink::std::vec::Vec<__clink::Field> {
        __clink::std::vec![
            __clink::Field::new("0", < S::F0 as __clink::Data > ::data_type(), < S::F0 as
            __clink::Data > ::nullable(),), __clink::Field::new("north", < S::F1 as
            __clink::Data > ::data_type(), < S::F1 as __clink::Data > ::nullable(),)
        ]
    }
    #[inline]
    fn __clink_serialize<S: __ClinkFields, W: __clink::Serializer>(
        value: &S,
        serializer: W,
    ) -> __clink::core::result::Result<W::Ok, W::Error> {
        let (f0, f1) = value.refs();
        let mut out = __clink::Serializer::serialize_tuple(serializer, 2usize)?;
        __clink::serialize_element(&mut out, f0)?;
        __clink::serialize_element(&mut out, f1)?;
        __clink::SerializeTuple::end(out)
    }
    #[inline]
    fn __clink_from_row<
        S: __ClinkFields,
        R: __clink::Row + ?__clink::core::marker::Sized,
    >(row: &R) -> __clink::core::result::Result<S, __clink::RowError> {
        __clink::core::result::Result::Ok(
            S::whole((
                __clink::field_from_row::<S::F0, R>(row, 0usize, "0")?,
                __clink::field_from_row::<S::F1, R>(row, 1usize, "north")?,
            )),
        )
    }
    #[automatically_derived]
    impl __clink::Required for Point {}
    #[automatically_derived]
    impl __clink::Data for Point {
        type Builder = __clink::BoxedColumn<Self, __ClinkColumns<Self>>;
        type View = __ClinkView<Self>;
        const SPREAD: bool = true;
        fn type_name() -> __clink::std::string::String {
            __clink::core::convert::From::from(
                __clink::core::concat!(__clink::core::module_path!(), "::", "Point"),
            )
        }
        fn data_type() -> __clink::DataType {
            __clink::DataType::Struct(
                __clink::core::convert::From::from(__clink_fields::<Self>()),
            )
        }
        fn field_names() -> &'static [&'static str] {
            &["0", "north"]
        }
        fn fields() -> __clink::std::vec::Vec<__clink::Field> {
            __clink_fields::<Self>()
        }
        #[inline]
        fn serialize<__ClinkS: __clink::Serializer>(
            &self,
            serializer: __ClinkS,
        ) -> __clink::core::result::Result<__ClinkS::Ok, __ClinkS::Error> {
            __clink_serialize(self, serializer)
        }
        #[inline]
        fn deserialize<'__clink, __ClinkD: __clink::Deserializer<'__clink>>(
            deserializer: __ClinkD,
        ) -> __clink::core::result::Result<Self, __ClinkD::Error> {
            __clink::deserialize_tuple_struct::<
                __ClinkParts<Self>,
                __ClinkD,
            >(deserializer)
        }
        fn from_text(
            cell: &[u8],
        ) -> __clink::core::result::Result<Self, __clink::TextError> {
            __clink::core::result::Result::Err(__clink::TextError::nested(cell))
        }
        #[inline]
        fn from_row<__ClinkR: __clink::Row + ?__clink::core::marker::Sized>(
            row: &__ClinkR,
        ) -> __clink::core::result::Result<Self, __clink::RowError> {
            __clink_from_row(row)
        }
    }
};
struct Code(String);
const _: () = {
    use ::clink::__private as __clink;
    #[automatically_derived]
    impl __clink::Newtype for Code {
        type Inner = String;
        #[inline]
        fn inner(&self) -> &Self::Inner {
            &self.0
        }
        #[inline]
        fn wrap(inner: Self::Inner) -> Self {
            Self { 0: inner }
        }
    }
    #[automatically_derived]
    impl __clink::Required for Code
    where
        for<'__clink> <Self as __clink::Newtype>::Inner: __clink::Required,
    {}
    #[automatically_derived]
    impl __clink::Data for Code {
        type Builder = __clink::BoxedColumn<Self, __clink::NewtypeColumn<Self>>;
        type View = __clink::NewtypeView<Self>;
        const SPREAD: bool = __clink::Through::<Self>::SPREAD;
        fn type_name() -> __clink::std::string::String {
            __clink::core::convert::From::from(
                __clink::core::concat!(__clink::core::module_path!(), "::", "Code"),
            )
        }
        fn data_type() -> __clink::DataType {
            __clink::Through::<Self>::data_type()
        }
        fn nullable() -> bool {
            __clink::Through::<Self>::nullable()
        }
        fn field_names() -> &'static [&'static str] {
            __clink::Through::<Self>::field_names()
        }
        fn fields() -> __clink::std::vec::Vec<__clink::Field> {
            __clink::Through::<Self>::fields()
        }
        #[inline]
        fn serialize<__ClinkS: __clink::Serializer>(
            &self,
            serializer: __ClinkS,
        ) -> __clink::core::result::Result<__ClinkS::Ok, __ClinkS::Error> {
            __clink::Through::serialize(self, serializer)
        }
        #[inline]
        fn deserialize<'__clink, __ClinkD: __clink::Deserializer<'__clink>>(
            deserializer: __ClinkD,
        ) -> __clink::core::result::Result<Self, __ClinkD::Error> {
            __clink::Through::deserialize(deserializer)
        }
        fn absent() -> __clink::core::option::Option<Self> {
            __clink::Through::absent()
        }
        fn has_default(field: usize) -> bool {
            __clink::Through::<Self>::has_default(field)
        }
        fn from_text(
            cell: &[u8],
        ) -> __clink::core::result::Result<Self, __clink::TextError> {
            __clink::Through::from_text(cell)
        }
        #[inline]
        fn from_row<__ClinkR: __clink::Row + ?__clink::core::marker::Sized>(
            row: &__ClinkR,
        ) -> __clink::core::result::Result<Self, __clink::RowError> {
            __clink::Through::from_row(row)
        }
    }
};
enum Class {
    First,
    #[data(rename = "2nd")]
    Second,
}
const _: () = {
    use ::clink::__private as __clink;
    #[automatically_derived]
    impl __clink::Word for Class {
        const EXPECTED: &'static str = "one of `First`, `2nd`";
        #[inline]
        fn with_word<__ClinkR>(
            &self,
            take: impl __clink::core::ops::FnOnce(&str) -> __ClinkR,
        ) -> __ClinkR {
            take(
                match self {
                    Self::First {} => "First",
                    Self::Second {} => "2nd",
                },
            )
        }
        fn from_word(word: &str) -> __clink::core::option::Option<Self> {
            match word {
                "First" => __clink::core::option::Option::Some(Self::First {}),
                "2nd" => __clink::core::option::Option::Some(Self::Second {}),
                _ => __clink::core::option::Option::None,
            }
        }
    }
    #[automatically_derived]
    impl __clink::Required for Class {}
    #[automatically_derived]
    impl __clink::Data for Class {
        type Builder = __clink::WordColumn<Self>;
        type View = __clink::WordView<Self>;
        fn type_name() -> __clink::std::string::String {
            __clink::core::convert::From::from(
                __clink::core::concat!(__clink::core::module_path!(), "::", "Class"),
            )
        }
        fn data_type() -> __clink::DataType {
            __clink::DataType::Utf8
        }
        #[inline]
        fn serialize<__ClinkS: __clink::Serializer>(
            &self,
            serializer: __ClinkS,
        ) -> __clink::core::result::Result<__ClinkS::Ok, __ClinkS::Error> {
            __clink::serialize_word(self, serializer)
        }
        #[inline]
        fn deserialize<'__clink, __ClinkD: __clink::Deserializer<'__clink>>(
            deserializer: __ClinkD,
        ) -> __clink::core::result::Result<Self, __ClinkD::Error> {
            __clink::deserialize_word(deserializer)
        }
        fn from_text(
            cell: &[u8],
        ) -> __clink::core::result::Result<Self, __clink::TextError> {
            __clink::word_from_text(cell)
        }
    }
};
