//! What a link contains beside its host: what rewriters wrapped, hosts inside it, and its user part.

pub(crate) mod carried;
pub(crate) mod embedded;
pub(crate) mod userinfo;
pub(crate) mod wrappers;
