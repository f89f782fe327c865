//! Surgery against the oracle: over real mail, and over messages made up.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod common;
#[path = "mime/corpus.rs"]
mod corpus;
#[path = "mime/fuzzed.rs"]
mod fuzzed;
#[path = "mime/generate.rs"]
mod generate;
mod oracle;
#[path = "mime/prefilter.rs"]
mod prefilter;
#[path = "mime/mail_parser.rs"]
mod second_parser;
#[path = "mime/surgery.rs"]
mod surgery;
