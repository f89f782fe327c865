//! Nothing left to click: after every link of a message is defanged, other people's link finders
//! find no live form of one.
//!
//! The `linkify` crate reads the text, `lol_html` and `url` the attributes. Seven more link finders read
//! the same texts in `tests/run clients`, through the lines that `LINKMILTER_LIVE_DUMP` makes this test
//! write; mail programs are shown the messages in `tests/run mail-programs`, from the folder that
//! `LINKMILTER_LIVE_MAIL` names. Exceptions stand in `tests/data/mail-exceptions.tsv` under `live`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod common;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use linkify::{LinkFinder, LinkKind};
use linkmilter::engine::outcome::Done;
use linkmilter::engine::policy::{Defang, HeaderFields};
use linkmilter::engine::trace::trace;
use linkmilter::engine::{Answers, Facts, Message, Policy, TldTable, inspect, mime, splice};
use linkmilter::tld;

/// A part of an edited message, as others read it.
struct Part {
    text: String,
    attributes: Vec<(String, String)>,
}

/// What became of a message.
struct Edited {
    /// Hosts of edited links: as spelled, in ASCII and in Unicode; lower case.
    hosts: BTreeSet<String>,
    parts: Vec<Part>,
    /// The message as it goes on.
    message: Vec<u8>,
}

#[test]
fn the_finders_see_live_links() {
    // The proof below is worth something only if the tools do find links.
    let hosts = BTreeSet::from(["example.com".to_owned()]);
    let part = |html: &str| {
        let (text, attributes) = html_as_others_read_it(html);
        Part { text, attributes }
    };
    for html in [
        "see http://example.com/x",
        "see example.com",
        "mail a@example.com",
        "<a href='http://example.com'>",
        "<a href=mailto:a@example.com>",
        "<img src=//example.com/x>",
        "x?u=http://example.com",
    ] {
        assert!(live(&part(html), &hosts).is_some(), "{html}");
    }
    for html in [
        "see hxxp://example[.]com/x",
        "mail a[@]example[.]com",
        "<a data-unsafe-href='http://example.com'>",
        "<form action='about:invalid'>",
    ] {
        assert_eq!(live(&part(html), &hosts), None, "{html}");
    }
}

#[test]
fn no_edited_link_is_live() {
    let Some(root) = common::testdata("mail", "nothing left to click in real mail") else { return };
    let files = common::mail::files(&root);
    let tlds = tld::builtin();
    let exceptions = common::mail::exceptions("live");
    let (next, edited) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let dump = std::env::var_os("LINKMILTER_LIVE_DUMP")
        .map(|path| Mutex::new(fs::File::create(path).unwrap()));
    let mail = std::env::var_os("LINKMILTER_LIVE_MAIL").map(|folder| Folder::new(folder.into()));
    let work = || {
        let mut wrong = Vec::new();
        while let Some(path) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            let name = path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
            let after = rewrite(path, &tlds);
            if after.hosts.is_empty() {
                continue;
            }
            edited.fetch_add(1, Ordering::Relaxed);
            if let Some(mail) = &mail {
                mail.keep(&name, &after);
            }
            for part in &after.parts {
                if let Some(what) = live(part, &after.hosts) {
                    wrong.push((name.clone(), what));
                    break;
                }
                if let Some(dump) = &dump {
                    let line = serde_json::json!({ "name": name, "text": part.text, "hosts": after.hosts });
                    writeln!(dump.lock().unwrap(), "{line}").unwrap();
                }
            }
        }
        wrong
    };
    let mut wrong: Vec<(String, String)> = std::thread::scope(|scope| {
        let threads = [scope.spawn(work), scope.spawn(work)];
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    wrong.sort();
    let found: BTreeSet<&String> = wrong.iter().map(|(name, _)| name).collect();
    let stale: Vec<&String> = exceptions.keys().filter(|name| !found.contains(name)).collect();
    let new: Vec<String> = wrong
        .iter()
        .filter(|(name, _)| !exceptions.contains_key(name))
        .map(|(name, what)| format!("{name}: {what}"))
        .collect();
    println!(
        "figure nothing_left_to_click: {} edited messages, {} exceptions",
        edited.into_inner(),
        exceptions.len()
    );
    assert!(new.is_empty(), "{} live:\n{}", new.len(), new[..new.len().min(40)].join("\n"));
    assert!(stale.is_empty(), "exceptions that hold no more: {stale:?}");
}

/// Where the edited messages are kept for others to look at.
struct Folder {
    path: PathBuf,
    index: Mutex<(usize, fs::File)>,
}

impl Folder {
    fn new(path: PathBuf) -> Folder {
        fs::create_dir_all(&path).unwrap();
        let index = Mutex::new((0, fs::File::create(path.join("index.jsonl")).unwrap()));
        Folder { path, index }
    }

    fn keep(&self, name: &str, edited: &Edited) {
        let mut index = self.index.lock().unwrap();
        index.0 += 1;
        let file = format!("{:05}.eml", index.0);
        fs::write(self.path.join(&file), &edited.message).unwrap();
        let line = serde_json::json!({ "file": file, "name": name, "hosts": edited.hosts });
        writeln!(index.1, "{line}").unwrap();
    }
}

fn rewrite(path: &Path, tlds: &TldTable) -> Edited {
    let bytes = fs::read(path).unwrap();
    let (head, body) = common::mail::split(&bytes);
    let message = Message { head, body };
    let policy =
        Policy { defang: Defang::All, header_fields: HeaderFields::Omit, ..Policy::default() };
    let seen = trace(message, &Facts::default(), &policy, tlds);
    let outcome = inspect(message, &Facts::default(), &policy, tlds).resolve(&Answers::new());
    let mut hosts = BTreeSet::new();
    for link in seen.links.iter().filter(|link| link.question.is_none()) {
        if link.finding.done == Done::Edited && link.finding.ascii.contains('.') {
            hosts.extend([link.finding.ascii.to_lowercase(), link.finding.unicode.to_lowercase()]);
        }
    }
    let head = splice::apply_head(message.head, &outcome.head_edits);
    let body = splice::apply(message.body, &outcome.edits).to_vec();
    let after = Message { head: &head, body: &body };
    let tree = mime::parse(after, &policy.limits.structure());
    let parts = (0..tree.parts.len())
        .filter_map(|part| {
            let reading = mime::readings(after, &tree, part).next()?;
            Some(match reading.media {
                mime::Media::Html => {
                    let (text, attributes) = html_as_others_read_it(reading.text.as_str());
                    Part { text, attributes }
                }
                mime::Media::Calendar => {
                    let text = reading.text.as_str().replace("\r\n ", "").replace("\n ", "");
                    Part { text, attributes: Vec::new() }
                }
                _ => Part { text: reading.text.as_str().to_owned(), attributes: Vec::new() },
            })
        })
        .collect();
    let empty: &[u8] = if head.ends_with(b"\r\n") { b"\r\n" } else { b"\n" };
    let message = [&head, empty, &body].concat();
    Edited { hosts, parts, message }
}

/// Text nodes a line each, and attributes, by lol_html.
fn html_as_others_read_it(html: &str) -> (String, Vec<(String, String)>) {
    let text = RefCell::new(String::new());
    let attributes = RefCell::new(Vec::new());
    let elements = lol_html::element!("*", |element| {
        text.borrow_mut().push('\n');
        for attribute in element.attributes() {
            attributes.borrow_mut().push((attribute.name(), unescaped(&attribute.value())));
        }
        Ok(())
    });
    let characters = lol_html::doc_text!(|chunk| {
        use lol_html::html_content::TextType;
        if !matches!(chunk.text_type(), TextType::ScriptData | TextType::RawText) {
            text.borrow_mut().push_str(&unescaped(chunk.as_str()));
        }
        if chunk.last_in_text_node() {
            text.borrow_mut().push('\n');
        }
        Ok(())
    });
    let settings = lol_html::RewriteStrSettings::new()
        .append_element_content_handler(elements)
        .append_document_content_handler(characters);
    let _ = lol_html::rewrite_str(html, settings);
    (text.into_inner(), attributes.into_inner())
}

fn unescaped(text: &str) -> String {
    let mut out = text.to_owned();
    for (name, character) in [
        ("&#46;", "."),
        ("&period;", "."),
        ("&#64;", "@"),
        ("&commat;", "@"),
        ("&nbsp;", " "),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&amp;", "&"),
    ] {
        out = out.replace(name, character);
    }
    out
}

/// The first live link to one of the hosts.
fn live(part: &Part, hosts: &BTreeSet<String>) -> Option<String> {
    let mut finder = LinkFinder::new();
    finder.url_must_have_scheme(false);
    finder.kinds(&[LinkKind::Url, LinkKind::Email]);
    for link in finder.links(&part.text) {
        let host = match link.kind() {
            LinkKind::Email => link.as_str().rsplit_once('@').map(|(_, host)| host.to_owned()),
            _ => url_host(link.as_str(), "http://"),
        };
        if let Some(host) = host.filter(|host| hosts.contains(&host.to_lowercase())) {
            return Some(format!("text {:?} leads to {host}", link.as_str()));
        }
    }
    for (name, value) in &part.attributes {
        let navigates = [
            "href", "src", "action", "formaction", "background", "poster", "data", "ping",
            "xlink:href", "lowsrc", "dynsrc", "longdesc", "cite", "codebase",
        ]
        .contains(&name.as_str());
        let host = navigates.then(|| url_host(value, "")).flatten();
        if let Some(host) = host.filter(|host| hosts.contains(&host.to_lowercase())) {
            return Some(format!("attribute {name}={value:?} leads to {host}"));
        }
    }
    None
}

/// Where a browser goes: the host of a URL in ASCII; nothing for schemes that nobody opens.
fn url_host(url: &str, implied: &str) -> Option<String> {
    let base = url::Url::parse("http://base.invalid/").unwrap();
    let url = if url.contains("://") || implied.is_empty() {
        url.to_owned()
    } else {
        format!("{implied}{url}")
    };
    let parsed = base.join(url.trim()).ok()?;
    match parsed.scheme() {
        "http" | "https" | "ftp" => parsed.host_str().map(str::to_owned),
        "mailto" => parsed.path().rsplit_once('@').map(|(_, host)| host.to_owned()),
        _ => None,
    }
}
