//! `linkmilter links`.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use serde_json::json;

use super::shared::ConfigFile;
use super::{ExitStatus, done, input};
use crate::engine::link::{Confidence, Kind, Link, Linkifier, detect};
use crate::engine::tlds::TldSet;
use crate::record::json::write_line;

/// Find the links in plain text
///
/// Exactly as UTS #58 says, unless --prose is given. One link per line.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Print the text with U+2E20 and U+2E21 round each link, line by line
    #[arg(long, conflicts_with = "json")]
    mark: bool,
    /// Print one JSON object per link (docs/links.md has the schema)
    #[arg(long)]
    json: bool,
    /// Read text as people write it: words stuck to a host, quotes around a link, only existing
    /// top-level domains
    #[arg(long)]
    prose: bool,
    #[command(flatten)]
    config: ConfigFile,
    /// The text [default: standard input]
    file: Option<PathBuf>,
}

pub fn run(args: Args) -> anyhow::Result<ExitStatus> {
    let bytes = input::read(args.file.as_deref())?;
    input::warn_of_charset(&bytes);
    let tlds = super::tld::table(&args.config.clone().load()?);
    let mut out = BufWriter::new(io::stdout().lock());
    done(write(&mut out, &bytes, &args, &tlds).and_then(|()| out.flush()))
}

fn write(out: &mut impl Write, bytes: &[u8], args: &Args, tlds: &dyn TldSet) -> io::Result<()> {
    let prose = args.prose.then(|| Linkifier::new(tlds));
    for (number, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
        // Bytes that are not UTF-8 are in no link. They are copied unchanged.
        let mut column = 0;
        for chunk in line.utf8_chunks() {
            let text = chunk.valid();
            let links: Vec<Link> = match &prose {
                Some(linkifier) => linkifier.links(text).collect(),
                None => detect(text).collect(),
            };
            if args.mark {
                write_marked(out, text, &links)?;
                out.write_all(chunk.invalid())?;
            } else if args.json {
                for link in &links {
                    write_line(out, &link_json(text, link, number + 1, column))?;
                }
            } else {
                for link in &links {
                    writeln!(out, "{}", link_text(text, link))?;
                }
            }
            column += text.len() + chunk.invalid().len();
        }
    }
    Ok(())
}

fn write_marked(out: &mut impl Write, text: &str, links: &[Link]) -> io::Result<()> {
    let mut at = 0;
    for link in links {
        let before = text.get(at..link.inner).unwrap_or_default();
        write!(out, "{before}\u{2E20}{}\u{2E21}", link_text(text, link))?;
        at = link.span.end;
    }
    write!(out, "{}", text.get(at..).unwrap_or_default())
}

fn link_text<'t>(text: &'t str, link: &Link) -> &'t str {
    text.get(link.inner..link.span.end).unwrap_or_default()
}

/// Lines are counted from 1, bytes of a line from 0.
fn link_json(text: &str, link: &Link, line: usize, column: usize) -> serde_json::Value {
    json!({
        "v": 1,
        "line": line,
        "start": column + link.inner,
        "end": column + link.span.end,
        "link": link_text(text, link),
        "kind": kind(link.kind),
        "host": link.host_str(text),
        "ascii": link.ascii_host(text),
        "unicode": link.unicode_host(text),
        "href": link.href(text),
        "userinfo": link.kind != Kind::Email && link.user.is_some(),
        "defanged": link.defanged,
        "confidence": match link.confidence {
            Confidence::Sure => "sure",
            Confidence::Low => "low",
        },
    })
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Scheme => "scheme",
        Kind::Www => "www",
        Kind::Bare => "bare",
        Kind::Email => "email",
    }
}
