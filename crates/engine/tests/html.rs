//! HTML as mail clients and browsers read it: after the edits no deceptive host is left that a click, a fetch or a
//! reader may find, and honest markup is not changed.
//!
//! A row of `html/attacks.rs` or `html/clean.rs` is a named test. The reference (`html/browser.rs`) is a browser's
//! parser: html5ever, cssparser and `url`, none of which the engine uses on markup. `tests/run browser` loads the same
//! pages, written by `LINKMILTER_HTML_DUMP`, into Chromium.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

#[path = "html/attacks.rs"]
mod attacks;
#[path = "html/browser.rs"]
mod browser;
#[path = "html/clean.rs"]
mod clean;

use std::io::Write;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use linkmilter_engine::policy::HeaderFields;
use linkmilter_engine::{Answers, Facts, Message, Policy, TldTable, inspect, splice};

/// A deceptive host in two halves: a tag may be between them.
struct Host {
    name: &'static str,
    halves: [&'static str; 2],
}

/// Cyrillic р and а; аррӏе in Punycode.
const HOSTS: [Host; 2] = [
    Host { name: "mixed", halves: ["р\u{430}", "ypal.com"] },
    Host { name: "puny", halves: ["xn--80a", "k6aa92e.com"] },
];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut trials = vec![Trial::test("the reference sees what is live", reference)];
    for host in &HOSTS {
        for (name, html) in attacks::ATTACKS {
            let html = spelled(html, host);
            trials
                .push(Trial::test(format!("attack {name} ({})", host.name), move || attack(&html)));
        }
    }
    for (name, html) in attacks::SPELLED {
        trials.push(Trial::test(format!("attack {name}"), move || attack(html)));
    }
    for (name, html) in attacks::ELSEWHERE {
        for host in &HOSTS {
            let html = spelled(html, host);
            let name = format!("attack elsewhere {name} ({})", host.name);
            trials.push(Trial::test(name, move || elsewhere(&html)));
        }
    }
    for (name, html) in clean::CLEAN {
        trials.push(Trial::test(format!("clean {name}"), move || clean(html)));
    }
    if let Some(path) = std::env::var_os("LINKMILTER_HTML_DUMP") {
        dump(std::fs::File::create(path).unwrap());
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// `{H}` is the host, `{A}` and `{B}` its halves.
fn spelled(html: &str, host: &Host) -> String {
    let [a, b] = host.halves;
    html.replace("{H}", &[a, b].concat()).replace("{A}", a).replace("{B}", b)
}

/// The part after the filter, and how many findings there are.
fn filtered(html: &str) -> (String, usize) {
    let head = b"Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n";
    let message = Message { head, body: html.as_bytes() };
    let policy = Policy { header_fields: HeaderFields::Omit, ..Policy::default() };
    let tlds = TldTable::new(["com", "org", "net", "example"], "");
    let outcome = inspect(message, &Facts::default(), &policy, &tlds).resolve(&Answers::new());
    let after = splice::apply(message.body, &outcome.edits).to_vec();
    (String::from_utf8(after).unwrap(), outcome.findings.len())
}

/// The attack works before the edits and not after, and a second run finds nothing to edit.
fn attack(html: &str) -> Result<(), Failed> {
    if browser::live(html).is_none() {
        return Err(format!("the reference sees nothing live in {html:?}").into());
    }
    let (after, _) = filtered(html);
    if let Some(what) = browser::live(&after) {
        return Err(format!("{what}\nbefore {html:?}\nafter  {after:?}").into());
    }
    let again = filtered(&after).0;
    if again != after {
        return Err(format!("a second run\nafter {after:?}\nagain {again:?}").into());
    }
    Ok(())
}

/// Defanged although the reference finds nothing before; and nothing after.
fn elsewhere(html: &str) -> Result<(), Failed> {
    let (after, _) = filtered(html);
    if let Some(what) = browser::live(&after) {
        return Err(format!("{what}\nbefore {html:?}\nafter  {after:?}").into());
    }
    match (after == html, filtered(&after).0 == after) {
        (true, _) => Err(format!("left alone: {html:?}").into()),
        (_, false) => Err(format!("a second run finds more: {after:?}").into()),
        (false, true) => Ok(()),
    }
}

fn clean(html: &str) -> Result<(), Failed> {
    match filtered(html) {
        (after, _) if after == html => Ok(()),
        (after, _) => Err(format!("before {html:?}\nafter  {after:?}").into()),
    }
}

/// The test is worth something only if the reference finds live forms, and accepts defanged ones.
fn reference() -> Result<(), Failed> {
    for html in [
        "<a href=http://р\u{430}ypal.com>",
        "р\u{430}ypal.com",
        "<p style='x:url(//р\u{430}ypal.com)'>",
    ] {
        if browser::live(html).is_none() {
            return Err(format!("missed: {html:?}").into());
        }
    }
    for html in [
        "<a data-unsafe-href=http://р\u{430}ypal.com>hxxp://xn--ypal-43d9g[.]com</a>",
        "<form action=about:invalid>",
        "paypal.com",
    ] {
        if let Some(what) = browser::live(html) {
            return Err(format!("{what} in {html:?}").into());
        }
    }
    Ok(())
}

/// One line of JSON for each page, as it is after the filter.
fn dump(mut file: std::fs::File) {
    let mut page = |name: &str, html: &str| {
        let line = serde_json::json!({ "name": name, "before": html, "after": filtered(html).0 });
        writeln!(file, "{line}").unwrap();
    };
    for host in &HOSTS {
        for (name, html) in attacks::ATTACKS {
            page(&format!("{name} ({})", host.name), &spelled(html, host));
        }
    }
    for (name, html) in attacks::SPELLED {
        page(name, html);
    }
}
