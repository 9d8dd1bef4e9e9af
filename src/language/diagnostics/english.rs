//! The messages in English.
use super::{Notion, Problem};
pub fn text(p: &Problem) -> String {
    format!("{p:?}")
}
pub fn notion(n: Notion) -> &'static str {
    let _ = n;
    ""
}
