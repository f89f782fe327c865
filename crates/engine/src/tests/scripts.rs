//! Scripts of attached pages and drawings: what their strings come to counts as the strings themselves do.

use crate::policy::Defang;
use crate::{Answers, Facts, Message, Outcome, Policy, TldTable, Verdict};
use ::base64::prelude::{BASE64_STANDARD, Engine as _};
use mailsplice::splice;

fn attached(kind: &str, script: &str, policy: &Policy) -> (Outcome, String) {
    let name = if kind == "text/html" { "a.html" } else { "a.svg" };
    let head = format!(
        "Content-Type: {kind}; charset=utf-8; name={name}\r\nContent-Disposition: attachment\r\n"
    );
    let body = match kind {
        "text/html" => format!("<html><script>{script}</script></html>"),
        _ => format!("<svg xmlns=\"http://www.w3.org/2000/svg\"><script>{script}</script></svg>"),
    };
    let message = Message { head: head.as_bytes(), body: body.as_bytes() };
    let tlds = TldTable::new(["com", "top"], "");
    let outcome =
        crate::inspect(message, &Facts::default(), policy, &tlds).resolve(&Answers::new());
    let edited = splice::apply(body.as_bytes(), &outcome.edits).to_vec();
    (outcome, String::from_utf8(edited).unwrap())
}

/// Scripts that open a URL, each in another way.
fn opening(url: &str) -> Vec<String> {
    let base64 = BASE64_STANDARD.encode(url);
    let (front, rest) = url.split_at(8);
    let codes: Vec<String> = url.chars().map(|c| u32::from(c).to_string()).collect();
    let codes = codes.join(",");
    let escaped: String = url.bytes().map(|byte| format!("%{byte:02X}")).collect();
    vec![
        format!("location='{url}'"),
        format!("location=atob(\"{base64}\")"),
        format!("location=String.fromCharCode({codes})"),
        format!("location=decodeURIComponent('{escaped}')"),
        format!("location=[\"{front}\",\"{rest}\"].join(\"\")"),
        format!("location='{front}'+\"{rest}\""),
        format!("var a='{front}',b='{rest}';location=a+b"),
        format!("const a='{front}';location=`${{a}}{rest}`"),
        format!("let a='{front}';a+='{rest}';location=a"),
    ]
}

#[test]
fn what_strings_come_to_counts_as_they_do() {
    let policy = Policy::default();
    for kind in ["text/html", "image/svg+xml"] {
        for (url, expected) in [
            ("https://www.paypal.com.verify.top/x", Verdict::Suspect),
            ("https://www.p\u{430}ypal.com/x", Verdict::Unsafe),
            ("https://www.paypal.com/signin", Verdict::Ok),
            ("https://www.example.com/a/b", Verdict::Ok),
        ] {
            for script in opening(url) {
                let (outcome, edited) = attached(kind, &script, &policy);
                assert_eq!(outcome.verdict, expected, "{kind} {script}");
                let is_edited = kind == "text/html" && expected == Verdict::Unsafe;
                assert_eq!(!outcome.edits.is_empty(), is_edited, "{script} {edited}");
            }
        }
    }
}

#[test]
fn honest_scripts_are_as_they_were() {
    for script in [
        "var gaHost=(('https:'==document.location.protocol)?'https://ssl.':'http://www.');\
         document.write(unescape(\"%3Cscript src='\"+gaHost+\"example.com/ga.js'%3E\"))",
        "var host='www.',s='https://'+host+name+'.com/'",
        "a='https://www.paypal.com';b='.verify';c=a+path+b",
        "u='https://'+sub+'.example.com/'+`${sub}.top`",
        "x='https://www.paypal.com';x=y+'.top'",
    ] {
        let (outcome, _) = attached("text/html", script, &Policy::default());
        assert_eq!(outcome.verdict, Verdict::Ok, "{script}");
    }
}

#[test]
fn all_are_dead_where_every_link_is_to_be() {
    let policy = Policy { defang: Defang::All, ..Policy::default() };
    for kind in ["text/html", "image/svg+xml"] {
        for script in opening("https://www.example.com/a/b") {
            let (outcome, edited) = attached(kind, &script, &policy);
            assert!(!outcome.edits.is_empty(), "{kind} {script}");
            let (again, _) = attached(kind, &edited, &policy);
            assert!(again.verdict <= Verdict::Notice, "{edited}");
        }
    }
}
