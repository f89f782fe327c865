//! Judges a host: whether it is a protected name, reads as one, or holds one.

pub(crate) mod bounds;
pub(crate) mod glued_name;
#[cfg(feature = "senders")]
pub(crate) mod government;
#[cfg(feature = "senders")]
pub(crate) mod honest_neighbours;
pub(crate) mod host_words;
pub(crate) mod judged_host;
pub(crate) mod name_in_host;
pub(crate) mod national_site;
pub(crate) mod plain;
pub(crate) mod seeming_suffix;
pub(crate) mod slip;
pub(crate) mod target;
