//! Files of programs that some mail program labels as a text: what looks like a host in them is chance, and an edit
//! would break the file.

use linkmilter::engine::Finding;

use super::{Fate, Verdict, base64, fate, judge};

const LABELS: [&str; 8] = [
    "text/plain",
    "text/plain; charset=utf-8",
    "text/plain; charset=us-ascii; name=\"x.dat\"",
    "text/plain; charset=windows-1251; name=\"x.gpg\"",
    "text/plain; charset=iso-8859-1",
    "text/html",
    "text/csv; name=x.csv",
    "text/x-log; charset=koi8-r",
];

/// The same bytes for the same seed: encrypted and compressed files look so.
fn random(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    std::iter::repeat_with(&mut next).take(length).collect()
}

fn message(label: &str, bytes: &[u8]) -> Vec<u8> {
    let head = format!(
        "From: a@example.org\r\nContent-Type: {label}\r\nContent-Transfer-Encoding: base64\r\n\r\n"
    );
    (head + &base64(bytes)).into_bytes()
}

#[test]
fn hosts_that_are_chance_are_a_notice() {
    for label in LABELS {
        for seed in 1..=12 {
            let outcome = judge(&message(label, &random(seed, 1 << 17)));
            assert_eq!(outcome.edits, [], "{label}, {seed}");
            let reported = |finding: &&Finding| finding.verdict > Verdict::Notice;
            let reported: Vec<&Finding> = outcome.findings.iter().filter(reported).collect();
            assert!(reported.is_empty(), "{label}, {seed}: {reported:#?}");
        }
    }
}

/// Whoever puts data round a lie does not hide it: what a client opens by its scheme, and the name of somebody.
#[test]
fn lies_among_data_are_edited() {
    for lie in ["http://p\u{430}y.example.com/", "www.p\u{430}ypal.com", "p\u{430}ypal.com"] {
        for label in ["text/plain; charset=utf-8", "text/html; charset=utf-8"] {
            let mut bytes = random(3, 2_000);
            bytes.extend(format!(" {lie} ").as_bytes());
            bytes.extend(random(4, 2_000));
            assert_eq!(fate(&message(label, &bytes)), Fate::Caught, "{lie} in {label}");
        }
    }
}
