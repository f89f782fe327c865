//! Lists of hosts and URLs that others publish: parsing them, storing the last good one, fetching a
//! newer one, and querying lists over DNS.
//!
//! | question | answered by |
//! | --- | --- |
//! | what does this line of a list contain | [`line`](mod@line) |
//! | is this a list, and how many entries does it have | [`parse`] |
//! | which list is stored on this machine | [`store`] |
//! | is there a newer one | [`refresh`] |
//! | what does the answer of a DNS block list mean | [`blocklist`] |

pub mod blocklist;
pub mod line;
pub mod parse;
pub mod refresh;
pub mod store;
mod zone;

pub use line::{EntryKind, ListFormat, ListLayout};
