struct Flight {
    carrier: String,
    dep_delay: Option<i64>,
    #[data(rename = "type")]
    r#kind: u8,
}
const _: () = {
    use ::clink::__private as __clink;
    trait __ClinkFields: __clink::core::marker::Sized {
        type F0: __clink::Data;
        type F1: __clink::Data;
        type F2: __clink::Data;
        fn refs(&self) -> (&Self::F0, &Self::F1, &Self::F2);
        fn whole(fields: (Self::F0, Self::F1, Self::F2)) -> Self;
    }
    #[automatically_derived]
    impl __ClinkFields for Flight {
        type F0 = String;
        type F1 = Option<i64>;
        type F2 = u8;
        #[inline]
        fn refs(&self) -> (&Self::F0, &Self::F1, &Self::F2) {
            (&self.carrier, &self.dep_delay, &self.r#kind)
        }
        #[inline]
        fn whole((f0, f1, f2): (Self::F0, Self::F1, Self::F2)) -> Self {
            Self {
                carrier: f0,
                dep_delay: f1,
                r#kind: f2,
            }
        }
    }
    struct __ClinkColumns<S: __ClinkFields> {
        f0: <S::F0 as __clink::Data>::Builder,
        f1: <S::F1 as __clink::Data>::Builder,
        f2: <S::F2 as __clink::Data>::Builder,
        rows: __clink::StructRows,
    }
    #[automatically_derived]
    impl<S: __ClinkFields> __clink::core::default::Default for __ClinkColumns<S> {
        fn default() -> Self {
            Self {
                f0: __clink::core::default::Default::default(),
                f1: __clink::core::default::Default::default(),
                f2: __clink::core::default::Default::default(),
                rows: __clink::core::default::Default::default(),
            }
        }
    }
    #[automatically_derived]
    impl<S: __ClinkFields + __clink::Data> __clink::ColumnBuilder<S>
    for __ClinkColumns<S> {
        #[inline]
        fn append(&mut self, value: &S) {
            let (f0, f1, f2) = __ClinkFields::refs(value);
            __clink::ColumnBuilder::append(&mut self.f0, f0);
            __clink::ColumnBuilder::append(&mut self.f1, f1);
            __clink::ColumnBuilder::append(&mut self.f2, f2);
            self.rows.append();
        }
        fn append_null(&mut self) {
            __clink::ColumnBuilder::append_null(&mut self.f0);
            __clink::ColumnBuilder::append_null(&mut self.f1);
            __clink::ColumnBuilder::append_null(&mut self.f2);
            self.rows.append_null();
        }
        fn finish(&mut self) -> __clink::ArrayRef {
            let columns = __clink::std::vec![
                __clink::ColumnBuilder::finish(& mut self.f0),
                __clink::ColumnBuilder::finish(& mut self.f1),
                __clink::ColumnBuilder::finish(& mut self.f2)
            ];
            self.rows.finish::<S>(columns)
        }
    }
    struct __ClinkView<S: __ClinkFields> {
        f0: <S::F0 as __clink::Data>::View,
        f1: <S::F1 as __clink::Data>::View,
        f2: <S::F2 as __clink::Data>::View,
        rows: __clink::StructView,
    }
    #[automatically_derived]
    impl<S: __ClinkFields + __clink::Data> __clink::ColumnView<S> for __ClinkView<S> {
        fn of(
            array: &__clink::ArrayRef,
        ) -> __clink::core::result::Result<Self, __clink::DataError> {
            let (rows, array) = __clink::StructView::of::<S>(array)?;
            __clink::core::result::Result::Ok(Self {
                f0: __clink::StructView::field::<S::F0>(array, "carrier")?,
                f1: __clink::StructView::field::<S::F1>(array, "dep_delay")?,
                f2: __clink::StructView::field::<S::F2>(array, "type")?,
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
                    __clink::StructView::get::<S::F0>(&self.f0, "carrier", row)?,
                    __clink::StructView::get::<S::F1>(&self.f1, "dep_delay", row)?,
                    __clink::StructView::get::<S::F2>(&self.f2, "type", row)?,
                )),
            )
        }
    }
    struct __ClinkParts<S: __ClinkFields> {
        f0: __clink::core::option::Option<S::F0>,
        f1: __clink::core::option::Option<S::F1>,
        f2: __clink::core::option::Option<S::F2>,
    }
    #[automatically_derived]
    impl<S: __ClinkFields> __clink::core::default::Default for __ClinkParts<S> {
        #[inline]
        fn default() -> Self {
            Self {
                f0: __clink::core::option::Option::None,
                f1: __clink::core::option::Option::None,
                f2: __clink::core::option::Option::None,
            }
        }
    }
    #[automatically_derived]
    impl<S: __ClinkFields + __clink::Data> __clink::StructParts for __ClinkParts<S> {
        type Whole = S;
        const NAME: &'static str = "Flight";
        #[inline]
        fn index(name: &str) -> __clink::core::option::Option<usize> {
            match name {
                "carrier" => __clink::core::option::Option::Some(0usize),
                "dep_delay" => __clink::core::option::Option::Some(1usize),
                "type" => __clink::core::option::Option::Some(2usize),
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
                0usize => __clink::take_field(&mut self.f0, "carrier", map),
                1usize => __clink::take_field(&mut self.f1, "dep_delay", map),
                2usize => __clink::take_field(&mut self.f2, "type", map),
                _ => __clink::core::result::Result::Ok(()),
            }
        }
        #[inline]
        fn finish<E: __clink::DeserializeError>(
            self,
        ) -> __clink::core::result::Result<S, E> {
            __clink::core::result::Result::Ok(
                S::whole((
                    __clink::missing_or_absent(self.f0, "carrier")?,
                    __clink::missing_or_absent(self.f1, "dep_delay")?,
                    __clink::missing_or_absent(self.f2, "type")?,
                )),
            )
        }
    }
    fn __clink_fields<S: __ClinkFields>() -> __clink::std::vec::Vec<__clink::Field> {
        __clink::std::vec![
            __clink::Field::new("carrier", < S::F0 as __clink::Data > ::data_type(), <
            S::F0 as __clink::Data > ::nullable(),), __clink::Field::new("dep_delay", <
            S::F1 as __clink::Data > ::data_type(), < S::F1 as __clink::Data >
            ::nullable(),), __clink::Field::new("type", < S::F2 as __clink::Data >
            ::data_type(), < S::F2 as __clink::Data > ::nullable(),)
        ]
    }
    #[inline]
    fn __clink_serialize<S: __ClinkFields, W: __clink::Serializer>(
        value: &S,
        serializer: W,
    ) -> __clink::core::result::Result<W::Ok, W::Error> {
        let (f0, f1, f2) = value.refs();
        let mut out = __clink::Serializer::serialize_struct(
            serializer,
            "Flight",
            3usize,
        )?;
        __clink::serialize_field(&mut out, "carrier", f0)?;
        __clink::serialize_field(&mut out, "dep_delay", f1)?;
        __clink::serialize_field(&mut out, "type", f2)?;
        __clink::SerializeStruct::end(out)
    }
    #[inline]
    fn __clink_from_row<
        S: __ClinkFields,
        R: __clink::Row + ?__clink::core::marker::Sized,
    >(row: &R) -> __clink::core::result::Result<S, __clink::RowError> {
        __clink::core::result::Result::Ok(
            S::whole((
                __clink::field_from_row::<S::F0, R>(row, 0usize, "carrier")?,
                __clink::field_from_row::<S::F1, R>(row, 1usize, "dep_delay")?,
                __clink::field_from_row::<S::F2, R>(row, 2usize, "type")?,
            )),
        )
    }
    #[automatically_derived]
    impl __clink::Required for Flight {}
    #[automatically_derived]
    impl __clink::Data for Flight {
        type Builder = __clink::BoxedColumn<Self, __ClinkColumns<Self>>;
        type View = __ClinkView<Self>;
        const SPREAD: bool = true;
        fn type_name() -> __clink::std::string::String {
            __clink::core::convert::From::from(
                __clink::core::concat!(__clink::core::module_path!(), "::", "Flight"),
            )
        }
        fn data_type() -> __clink::DataType {
            __clink::DataType::Struct(
                __clink::core::convert::From::from(__clink_fields::<Self>()),
            )
        }
        fn field_names() -> &'static [&'static str] {
            &["carrier", "dep_delay", "type"]
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
