struct Payment {
    #[data(epoch = "s")]
    at: Timestamp,
    #[data(decimal)]
    amount: Option<String>,
    #[data(default)]
    note: String,
    #[data(rename = "settled", epoch = "us", default)]
    settled_at: Option<Timestamp>,
}
const _: () = {
    use ::clink::__private as __clink;
    trait __ClinkFields: __clink::core::marker::Sized {
        type F0: __clink::InForm<__clink::EpochSeconds>;
        type F1: __clink::InForm<__clink::Decimal>;
        type F2: __clink::Data + __clink::core::default::Default;
        type F3: __clink::InForm<__clink::EpochMicros> + __clink::core::default::Default;
        fn refs(&self) -> (&Self::F0, &Self::F1, &Self::F2, &Self::F3);
        fn whole(fields: (Self::F0, Self::F1, Self::F2, Self::F3)) -> Self;
    }
    #[automatically_derived]
    impl __ClinkFields for Payment {
        type F0 = Timestamp;
        type F1 = Option<String>;
        type F2 = String;
        type F3 = Option<Timestamp>;
        #[inline]
        fn refs(&self) -> (&Self::F0, &Self::F1, &Self::F2, &Self::F3) {
            (&self.at, &self.amount, &self.note, &self.settled_at)
        }
        #[inline]
        fn whole((f0, f1, f2, f3): (Self::F0, Self::F1, Self::F2, Self::F3)) -> Self {
            Self {
                at: f0,
                amount: f1,
                note: f2,
                settled_at: f3,
            }
        }
    }
    struct __ClinkColumns<S: __ClinkFields> {
        f0: <S::F0 as __clink::Data>::Builder,
        f1: <S::F1 as __clink::Data>::Builder,
        f2: <S::F2 as __clink::Data>::Builder,
        f3: <S::F3 as __clink::Data>::Builder,
        rows: __clink::StructRows,
    }
    #[automatically_derived]
    impl<S: __ClinkFields> __clink::core::default::Default for __ClinkColumns<S> {
        fn default() -> Self {
            Self {
                f0: __clink::core::default::Default::default(),
                f1: __clink::core::default::Default::default(),
                f2: __clink::core::default::Default::default(),
                f3: __clink::core::default::Default::default(),
                rows: __clink::core::default::Default::default(),
            }
        }
    }
    #[automatically_derived]
    impl<S: __ClinkFields + __clink::Data> __clink::ColumnBuilder<S>
    for __ClinkColumns<S> {
        #[inline]
        fn append(&mut self, value: &S) {
            let (f0, f1, f2, f3) = __ClinkFields::refs(value);
            __clink::ColumnBuilder::append(&mut self.f0, f0);
            __clink::ColumnBuilder::append(&mut self.f1, f1);
            __clink::ColumnBuilder::append(&mut self.f2, f2);
            __clink::ColumnBuilder::append(&mut self.f3, f3);
            self.rows.append();
        }
        fn append_null(&mut self) {
            __clink::ColumnBuilder::append_null(&mut self.f0);
            __clink::ColumnBuilder::append_null(&mut self.f1);
            __clink::ColumnBuilder::append_null(&mut self.f2);
            __clink::ColumnBuilder::append_null(&mut self.f3);
            self.rows.append_null();
        }
        fn finish(&mut self) -> __clink::ArrayRef {
            let columns = __clink::std::vec![
                __clink::ColumnBuilder::finish(& mut self.f0),
                __clink::ColumnBuilder::finish(& mut self.f1),
                __clink::ColumnBuilder::finish(& mut self.f2),
                __clink::ColumnBuilder::finish(& mut self.f3)
            ];
            self.rows.finish::<S>(columns)
        }
    }
    struct __ClinkView<S: __ClinkFields> {
        f0: <S::F0 as __clink::Data>::View,
        f1: <S::F1 as __clink::Data>::View,
        f2: __clink::core::option::Option<<S::F2 as __clink::Data>::View>,
        f3: __clink::core::option::Option<<S::F3 as __clink::Data>::View>,
        rows: __clink::StructView,
    }
    #[automatically_derived]
    impl<S: __ClinkFields + __clink::Data> __clink::ColumnView<S> for __ClinkView<S> {
        fn of(
            array: &__clink::ArrayRef,
        ) -> __clink::core::result::Result<Self, __clink::DataError> {
            let (rows, array) = __clink::StructView::of::<S>(array)?;
            __clink::core::result::Result::Ok(Self {
                f0: __clink::StructView::field::<S::F0>(array, "at")?,
                f1: __clink::StructView::field::<S::F1>(array, "amount")?,
                f2: __clink::StructView::field_if_any::<S::F2>(array, "note")?,
                f3: __clink::StructView::field_if_any::<S::F3>(array, "settled")?,
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
                    __clink::StructView::get::<S::F0>(&self.f0, "at", row)?,
                    __clink::StructView::get::<S::F1>(&self.f1, "amount", row)?,
                    __clink::StructView::get_or_default::<
                        S::F2,
                    >(self.f2.as_ref(), "note", row)?,
                    __clink::StructView::get_or_default::<
                        S::F3,
                    >(self.f3.as_ref(), "settled", row)?,
                )),
            )
        }
    }
    struct __ClinkParts<S: __ClinkFields> {
        f0: __clink::core::option::Option<S::F0>,
        f1: __clink::core::option::Option<S::F1>,
        f2: __clink::core::option::Option<S::F2>,
        f3: __clink::core::option::Option<S::F3>,
    }
    #[automatically_derived]
    impl<S: __ClinkFields> __clink::core::default::Default for __ClinkParts<S> {
        #[inline]
        fn default() -> Self {
            Self {
                f0: __clink::core::option::Option::None,
                f1: __clink::core::option::Option::None,
                f2: __clink::core::option::Option::None,
                f3: __clink::core::option::Option::None,
            }
        }
    }
    #[automatically_derived]
    impl<S: __ClinkFields + __clink::Data> __clink::StructParts for __ClinkParts<S> {
        type Whole = S;
        const NAME: &'static str = "Payment";
        #[inline]
        fn index(name: &str) -> __clink::core::option::Option<usize> {
            match name {
                "at" => __clink::core::option::Option::Some(0usize),
                "amount" => __clink::core::option::Option::Some(1usize),
                "note" => __clink::core::option::Option::Some(2usize),
                "settled" => __clink::core::option::Option::Some(3usize),
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
                0usize => {
                    __clink::take_field_in::<
                        __clink::EpochSeconds,
                        _,
                        _,
                    >(&mut self.f0, "at", map)
                }
                1usize => {
                    __clink::take_field_in::<
                        __clink::Decimal,
                        _,
                        _,
                    >(&mut self.f1, "amount", map)
                }
                2usize => __clink::take_field(&mut self.f2, "note", map),
                3usize => {
                    __clink::take_field_in::<
                        __clink::EpochMicros,
                        _,
                        _,
                    >(&mut self.f3, "settled", map)
                }
                _ => __clink::core::result::Result::Ok(()),
            }
        }
        #[inline]
        fn finish<E: __clink::DeserializeError>(
            self,
        ) -> __clink::core::result::Result<S, E> {
            __clink::core::result::Result::Ok(
                S::whole((
                    __clink::missing_or_absent(self.f0, "at")?,
                    __clink::missing_or_absent(self.f1, "amount")?,
                    self.f2.unwrap_or_default(),
                    self.f3.unwrap_or_default(),
                )),
            )
        }
    }
    fn __clink_fields<S: __ClinkFields>() -> __clink::std::vec::Vec<__clink::Field> {
        __clink::std::vec![
            __clink::Field::new("at", < S::F0 as __clink::Data > ::data_type(), < S::F0
            as __clink::Data > ::nullable(),), __clink::Field::new("amount", < S::F1 as
            __clink::Data > ::data_type(), < S::F1 as __clink::Data > ::nullable(),),
            __clink::Field::new("note", < S::F2 as __clink::Data > ::data_type(), < S::F2
            as __clink::Data > ::nullable(),), __clink::Field::new("settled", < S::F3 as
            __clink::Data > ::data_type(), < S::F3 as __clink::Data > ::nullable(),)
        ]
    }
    #[inline]
    fn __clink_serialize<S: __ClinkFields, W: __clink::Serializer>(
        value: &S,
        serializer: W,
    ) -> __clink::core::result::Result<W::Ok, W::Error> {
        let (f0, f1, f2, f3) = value.refs();
        let mut out = __clink::Serializer::serialize_struct(
            serializer,
            "Payment",
            4usize,
        )?;
        __clink::serialize_field_in::<__clink::EpochSeconds, _, _>(&mut out, "at", f0)?;
        __clink::serialize_field_in::<__clink::Decimal, _, _>(&mut out, "amount", f1)?;
        __clink::serialize_field(&mut out, "note", f2)?;
        __clink::serialize_field_in::<
            __clink::EpochMicros,
            _,
            _,
        >(&mut out, "settled", f3)?;
        __clink::SerializeStruct::end(out)
    }
    #[inline]
    fn __clink_from_row<
        S: __ClinkFields,
        R: __clink::Row + ?__clink::core::marker::Sized,
    >(row: &R) -> __clink::core::result::Result<S, __clink::RowError> {
        __clink::core::result::Result::Ok(
            S::whole((
                __clink::field_from_row_in::<
                    __clink::EpochSeconds,
                    S::F0,
                    R,
                >(row, 0usize, "at")?,
                __clink::field_from_row_in::<
                    __clink::Decimal,
                    S::F1,
                    R,
                >(row, 1usize, "amount")?,
                __clink::or_default(
                    row,
                    2usize,
                    "note",
                    __clink::field_from_row::<S::F2, R>,
                )?,
                __clink::or_default(
                    row,
                    3usize,
                    "settled",
                    __clink::field_from_row_in::<__clink::EpochMicros, S::F3, R>,
                )?,
            )),
        )
    }
    #[automatically_derived]
    impl __clink::Required for Payment {}
    #[automatically_derived]
    impl __clink::Data for Payment {
        type Builder = __clink::BoxedColumn<Self, __ClinkColumns<Self>>;
        type View = __ClinkView<Self>;
        const SPREAD: bool = true;
        fn type_name() -> __clink::std::string::String {
            __clink::core::convert::From::from(
                __clink::core::concat!(__clink::core::module_path!(), "::", "Payment"),
            )
        }
        fn data_type() -> __clink::DataType {
            __clink::DataType::Struct(
                __clink::core::convert::From::from(__clink_fields::<Self>()),
            )
        }
        fn field_names() -> &'static [&'static str] {
            &["at", "amount", "note", "settled"]
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
        fn has_default(field: usize) -> bool {
            __clink::core::matches!(field, 2usize | 3usize)
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
struct Reading<T>(#[data(epoch = "ms")] Timestamp, #[data(decimal)] Option<T>);
const _: () = {
    use ::clink::__private as __clink;
    trait __ClinkFields: __clink::core::marker::Sized {
        type F0: __clink::InForm<__clink::EpochMillis>;
        type F1: __clink::InForm<__clink::Decimal>;
        fn refs(&self) -> (&Self::F0, &Self::F1);
        fn whole(fields: (Self::F0, Self::F1)) -> Self;
    }
    #[automatically_derived]
    impl<T> __ClinkFields for Reading<T>
    where
        T: __clink::Data,
        Option<T>: __clink::InForm<__clink::Decimal>,
    {
        type F0 = Timestamp;
        type F1 = Option<T>;
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
                f1: __clink::StructView::field::<S::F1>(array, "1")?,
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
                    __clink::StructView::get::<S::F1>(&self.f1, "1", row)?,
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
        const NAME: &'static str = "Reading";
        #[inline]
        fn index(name: &str) -> __clink::core::option::Option<usize> {
            match name {
                "0" => __clink::core::option::Option::Some(0usize),
                "1" => __clink::core::option::Option::Some(1usize),
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
                0usize => {
                    __clink::take_field_in::<
                        __clink::EpochMillis,
                        _,
                        _,
                    >(&mut self.f0, "0", map)
                }
                1usize => {
                    __clink::take_field_in::<
                        __clink::Decimal,
                        _,
                        _,
                    >(&mut self.f1, "1", map)
                }
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
                    __clink::missing_or_absent(self.f1, "1")?,
                )),
            )
        }
    }
    fn __clink_fields<S: __ClinkFields>() -> __clink::std::vec::Vec<__clink::Field> {
        __clink::std::vec![
            __clink::Field::new("0", < S::F0 as __clink::Data > ::data_type(), < S::F0 as
            __clink::Data > ::nullable(),), __clink::Field::new("1", < S::F1 as
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
        __clink::serialize_element_in::<__clink::EpochMillis, _, _>(&mut out, f0)?;
        __clink::serialize_element_in::<__clink::Decimal, _, _>(&mut out, f1)?;
        __clink::SerializeTuple::end(out)
    }
    #[inline]
    fn __clink_from_row<
        S: __ClinkFields,
        R: __clink::Row + ?__clink::core::marker::Sized,
    >(row: &R) -> __clink::core::result::Result<S, __clink::RowError> {
        __clink::core::result::Result::Ok(
            S::whole((
                __clink::field_from_row_in::<
                    __clink::EpochMillis,
                    S::F0,
                    R,
                >(row, 0usize, "0")?,
                __clink::field_from_row_in::<
                    __clink::Decimal,
                    S::F1,
                    R,
                >(row, 1usize, "1")?,
            )),
        )
    }
    #[automatically_derived]
    impl<T> __clink::Required for Reading<T>
    where
        T: __clink::Data,
        Option<T>: __clink::InForm<__clink::Decimal>,
    {}
    #[automatically_derived]
    impl<T> __clink::Data for Reading<T>
    where
        T: __clink::Data,
        Option<T>: __clink::InForm<__clink::Decimal>,
    {
        type Builder = __clink::BoxedColumn<Self, __ClinkColumns<Self>>;
        type View = __ClinkView<Self>;
        const SPREAD: bool = true;
        fn type_name() -> __clink::std::string::String {
            __clink::std::format!(
                "{}<{}>", __clink::core::concat!(__clink::core::module_path!(), "::",
                "Reading"), [< T as __clink::Data > ::type_name()].join(",")
            )
        }
        fn data_type() -> __clink::DataType {
            __clink::DataType::Struct(
                __clink::core::convert::From::from(__clink_fields::<Self>()),
            )
        }
        fn field_names() -> &'static [&'static str] {
            &["0", "1"]
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
