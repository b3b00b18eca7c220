#[clink::operator(uid = "split", name = "text.split", crate = sdk::clink)]
pub struct Split;
