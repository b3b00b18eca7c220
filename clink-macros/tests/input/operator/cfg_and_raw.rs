#[cfg(unix)]
#[clink::operator(uid = "match")]
pub(crate) struct r#match {
    #[serde(skip)]
    r#type: u8,
    #[cfg(feature = "x")]
    #[state]
    r#async: ValueState<u8>,
}
