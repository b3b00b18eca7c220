pub struct Pair<T, const N: usize> {
    left: T,
    right: Option<T>,
}
const _: () = {
    use ::clink::__private as __clink;
    trait __ClinkFields: __clink::core::marker::Sized {
        type F0: __clink::Data;
        type F1: __clink::Data;
        fn refs(&self) -> (&Self::F0, &Self::F1);
        fn whole(fields: (Self::F0, Self::F1)) -> Self;
    }
    #[automatically_derived]
    impl<T, const N: usize> __ClinkFields for Pair<T, N>
    where
        T: __clink::Data,
        T: __clink::Data,
        Option<T>: __clink::Data,
    {
        type F0 = T;
        type F1 = Option<T>;
        #[inline]
        fn refs(&self) -> (&Self::F0, &Self::F1) {
            (&self.left, &self.right)
        }
        #[inline]
        fn whole((f0, f1): (Self::F0, Self::F1)) -> Self {
            Self { left: f0, right: f1 }
        }
    }
    pub struct __ClinkColumns<S: __ClinkFields> {
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
    pub struct __ClinkView<S: __ClinkFields> {
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
                f0: __clink::StructView::field::<S::F0>(array, "left")?,
                f1: __clink::StructView::field::<S::F1>(array, "right")?,
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
                    __clink::StructView::get::<S::F0>(&self.f0, "left", row)?,
                    __clink::StructView::get::<S::F1>(&self.f1, "right", row)?,
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
        const NAME: &'static str = "Pair";
        #[inline]
        fn index(name: &str) -> __clink::core::option::Option<usize> {
            match name {
                "left" => __clink::core::option::Option::Some(0usize),
                "right" => __clink::core::option::Option::Some(1usize),
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
                0usize => __clink::take_field(&mut self.f0, "left", map),
                1usize => __clink::take_field(&mut self.f1, "right", map),
                _ => __clink::core::result::Result::Ok(()),
            }
        }
        #[inline]
        fn finish<E: __clink::DeserializeError>(
            self,
        ) -> __clink::core::result::Result<S, E> {
            __clink::core::result::Result::Ok(
                S::whole((
                    __clink::missing_or_absent(self.f0, "left")?,
                    __clink::missing_or_absent(self.f1, "right")?,
                )),
            )
        }
    }
    fn __clink_fields<S: __ClinkFields>() -> __clink::std::vec::Vec<__clink::Field> {
        __clink::std::vec![
            __clink::Field::new("left", < S::F0 as __clink::Data > ::data_type(), < S::F0
            as __clink::Data > ::nullable(),), __clink::Field::new("right", < S::F1 as
            __clink::Data > ::data_type(), < S::F1 as __clink::Data > ::nullable(),)
        ]
    }
    #[inline]
    fn __clink_serialize<S: __ClinkFields, W: __clink::Serializer>(
        value: &S,
        serializer: W,
    ) -> __clink::core::result::Result<W::Ok, W::Error> {
        let (f0, f1) = value.refs();
        let mut out = __clink::Serializer::serialize_struct(serializer, "Pair", 2usize)?;
        __clink::serialize_field(&mut out, "left", f0)?;
        __clink::serialize_field(&mut out, "right", f1)?;
        __clink::SerializeStruct::end(out)
    }
    #[inline]
    fn __clink_from_row<
        S: __ClinkFields,
        R: __clink::Row + ?__clink::core::marker::Sized,
    >(row: &R) -> __clink::core::result::Result<S, __clink::RowError> {
        __clink::core::result::Result::Ok(
            S::whole((
                __clink::field_from_row::<S::F0, R>(row, 0usize, "left")?,
                __clink::field_from_row::<S::F1, R>(row, 1usize, "right")?,
            )),
        )
    }
    #[automatically_derived]
    impl<T, const N: usize> __clink::Required for Pair<T, N>
    where
        T: __clink::Data,
        T: __clink::Data,
        Option<T>: __clink::Data,
    {}
    #[automatically_derived]
    impl<T, const N: usize> __clink::Data for Pair<T, N>
    where
        T: __clink::Data,
        T: __clink::Data,
        Option<T>: __clink::Data,
    {
        type Builder = __clink::BoxedColumn<Self, __ClinkColumns<Self>>;
        type View = __ClinkView<Self>;
        const SPREAD: bool = true;
        fn type_name() -> __clink::std::string::String {
            __clink::std::format!(
                "{}<{}>", __clink::core::concat!(__clink::core::module_path!(), "::",
                "Pair"), [< T as __clink::Data > ::type_name(),
                __clink::std::string::ToString::to_string(& N)].join(",")
            )
        }
        fn data_type() -> __clink::DataType {
            __clink::DataType::Struct(
                __clink::core::convert::From::from(__clink_fields::<Self>()),
            )
        }
        fn field_names() -> &'static [&'static str] {
            &["left", "right"]
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
            __clink::deserialize_struct::<__ClinkParts<Self>, __ClinkD>(deserializer)
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
