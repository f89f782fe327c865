//! Twins of known names in spellings that clients link and browsers map.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod common;

use common::{edited, untouched};

#[test]
fn twins_of_known_names() {
    for host in [
        "www.раypal－login.com",
        "https://xn－－ypal-43d9g.com/x",
        "https://APPLΕ.COM",
        "CНASE.COM",
    ] {
        for kind in ["text/plain", "text/html"] {
            let body = format!("Please log in at {host} now.\r\n");
            edited(&format!("{kind}; charset=utf-8"), body.as_bytes());
        }
    }
    for host in ["www.example.com－example.org", "https://example.com－example.org/"] {
        let body = format!("see {host} now\r\n");
        untouched("text/plain; charset=utf-8", body.as_bytes());
    }
}
