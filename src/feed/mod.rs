//! Lists of names that others keep: reading them, keeping the last good one, looking for a newer one.
//!
//! | question | answered by |
//! | --- | --- |
//! | what does this line of a list say | [`line`](mod@line) |
//! | is this a list, and how many entries does it have | [`parse`] |
//! | which list holds on this machine | [`store`] |
//! | is there a newer one | [`refresh`] |
//! | what does a list say that is asked by DNS | [`blocklist`] |

pub mod blocklist;
pub mod line;
pub mod parse;
pub mod refresh;
pub mod store;
mod zone;

pub use line::{Form, Format, Holds};
