//! What `tests/run clients` asks of Rust, thousands of times in one process: `clients rewrite
//! [--defang-all]` answers each message as `linkmilter rewrite --no-header` would, `clients links` each
//! text with the links that the `linkify` crate finds, as a JSON array.
//!
//! A message, a text, an answer: four bytes of length (big-endian), then so many bytes.
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::io::{self, BufReader, BufWriter, Read, Write};

use linkify::{LinkFinder, LinkKind};
use linkmilter::engine::policy::{Defang, HeaderFields};
use linkmilter::engine::{Answers, Facts, Message, Policy, TldTable, inspect, splice};
use linkmilter::tld;

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["rewrite"] => {
            let filter = Filter::new(Defang::Judged);
            each(|message| filter.rewrite(message))
        }
        ["rewrite", "--defang-all"] => {
            let filter = Filter::new(Defang::All);
            each(|message| filter.rewrite(message))
        }
        ["links"] => each(links),
        _ => panic!("expected rewrite, rewrite --defang-all or links, found {arguments:?}"),
    }
}

/// Answers every frame of standard input.
fn each(answer: impl Fn(&[u8]) -> Vec<u8>) -> io::Result<()> {
    let mut input = BufReader::new(io::stdin().lock());
    let mut out = BufWriter::new(io::stdout().lock());
    let mut length = [0; 4];
    while input.read_exact(&mut length).is_ok() {
        let mut frame = vec![0; u32::from_be_bytes(length) as usize];
        input.read_exact(&mut frame)?;
        let answered = answer(&frame);
        let length = u32::try_from(answered.len()).expect("an answer below 4 GiB");
        out.write_all(&length.to_be_bytes())?;
        out.write_all(&answered)?;
    }
    out.flush()
}

struct Filter {
    policy: Policy,
    tlds: TldTable,
}

impl Filter {
    fn new(defang: Defang) -> Filter {
        let policy = Policy {
            defang,
            header_fields: HeaderFields::Omit,
            undo_header_bytes: None,
            ..Policy::default()
        };
        Filter { policy, tlds: tld::builtin() }
    }

    fn rewrite(&self, bytes: &[u8]) -> Vec<u8> {
        // The first empty line parts header and body.
        let mut head = bytes.len();
        let mut body = bytes.len();
        let mut at = 0;
        for line in bytes.split_inclusive(|c| *c == b'\n') {
            if matches!(line, b"\n" | b"\r\n") {
                head = at;
                body = at + line.len();
                break;
            }
            at += line.len();
        }
        let message = Message { head: &bytes[..head], body: &bytes[body..] };
        let facts = Facts { host_name: "localhost".to_owned(), ..Facts::default() };
        let outcome = inspect(message, &facts, &self.policy, &self.tlds).resolve(&Answers::new());
        let mut out = splice::apply_head(message.head, &outcome.head_edits);
        out.extend_from_slice(&bytes[head..body]);
        out.extend(splice::apply(message.body, &outcome.edits).flatten());
        out
    }
}

fn links(text: &[u8]) -> Vec<u8> {
    let text = str::from_utf8(text).expect("a text in UTF-8");
    let mut finder = LinkFinder::new();
    finder
        .url_must_have_scheme(false)
        .url_can_be_iri(true)
        .kinds(&[LinkKind::Url, LinkKind::Email]);
    let found: Vec<String> = finder
        .links(text)
        .map(|link| match link.kind() {
            LinkKind::Email => format!("mailto:{}", link.as_str()),
            _ if link.as_str().contains("://") => link.as_str().to_owned(),
            _ => format!("http://{}", link.as_str()),
        })
        .collect();
    serde_json::to_vec(&found).expect("strings")
}
