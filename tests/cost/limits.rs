//! What no family may take, and the policies that all are tried under: for the test and the fuzz target.

use linkmilter::engine::policy::{Defang, Linkify, Mode, Notice, Policy};

/// Times the message, and bytes on top, that the engine may take beside it.
pub const TIMES: usize = 6;
pub const BASE: usize = 16 << 20;

/// Times the body that comes out at most, and bytes on top.
pub const OUTPUT: usize = 3;
pub const OUTPUT_BASE: usize = 4 << 10;

pub fn policies() -> [(&'static str, Policy); 5] {
    let plain = Policy::default();
    [
        ("default", plain.clone()),
        ("report-only", Policy { mode: Mode::ReportOnly, ..plain.clone() }),
        ("strict", Policy { mode: Mode::Strict, ..plain.clone() }),
        ("defang-all", Policy { defang: Defang::All, ..plain.clone() }),
        ("linkify", Policy { linkify: Linkify::Html, notice: Notice::Inline, ..plain }),
    ]
}
