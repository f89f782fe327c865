//! Which text of a link a reader sees, and which elements conceal it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod common;

use linkmilter_engine::Reason;

/// Whether a page has a link that shows another host than that to which it leads.
fn deceives(html: &str) -> bool {
    let body = format!("{html}\r\n");
    let outcome = common::outcome("Content-Type: text/html; charset=utf-8", body.as_bytes());
    let reasons =
        |finding: &linkmilter_engine::Finding| finding.reasons.contains(Reason::TextHrefMismatch);
    outcome.findings.iter().any(reasons)
}

/// A link to one host that shows another.
const LURE: &str = "<a href=\"https://tools.example/login\">https://www.paypal.com/</a>";

#[track_caller]
fn shown(pages: &[&str]) {
    for page in pages {
        assert!(deceives(&page.replace("{}", LURE)), "{page}");
    }
}

#[track_caller]
fn hidden(pages: &[&str]) {
    for page in pages {
        assert!(!deceives(&page.replace("{}", LURE)), "{page}");
    }
}

/// A link to one host whose text is the piece.
#[track_caller]
fn shown_in_link(pieces: &[&str]) {
    for piece in pieces {
        assert!(
            deceives(&format!("<a href=\"https://tools.example/login\">{piece}</a>")),
            "{piece}"
        );
    }
}

#[test]
fn sizes_and_visibility_are_set_again_inside() {
    shown(&[
        "<td style=\"font-size:0px\"><div style=\"font-size:13px\">{}</div></td>",
        "<table><tr><td style=\"font-size:0px;padding:10px 25px\"><div style=\"font-size:13px\">{}</div></td></tr></table>",
        "<div style=\"font-size:1px\"><p style=\"font:bold 13px/1.2 Arial\">{}</p></div>",
        "<div style=\"font-size:0\"><font size=2>{}</font></div>",
        "<div style=\"font-size:0\"><div style=\"font-size:small\"><div style=\"font-size:1em\">{}</div></div></div>",
        "<div style=\"font-size:0\"><table><tr><td>{}</td></tr></table></div>",
        "<div style=\"visibility:hidden\"><b style=\"visibility:visible\">{}</b></div>",
        "<div style=\"font-size:0\"><i>x</i><b style=\"font-size:9pt\">{}</b></div>",
    ]);
    hidden(&[
        "<div style=\"font-size:0\">{}</div>",
        "<div style=\"font-size:0\"><div style=\"font-size:2em\">{}</div></div>",
        "<div style=\"font-size:0\"><div style=\"font-size:13px\">x</div>{}</div>",
        "<div style=\"font-size:0;display:none\"><div style=\"font-size:13px\">{}</div></div>",
        "<div style=\"opacity:0\"><div style=\"opacity:1\">{}</div></div>",
        "<div style=\"display:none\"><div style=\"display:block\">{}</div></div>",
        "<div style=\"font-size:0\"><b style=\"font-size:9px\"><i style=\"font-size:0\">{}</i></b></div>",
        "<div style=\"visibility:hidden;font-size:0\"><b style=\"font-size:9px\">{}</b></div>",
        "<div style=\"visibility:hidden\"><b>{}</b></div>",
    ]);
    shown_in_link(&[
        "<i style=\"font-size:0\"><b style=\"font-size:16px\">pay</b>xq<b style=\"font-size:16px\">pal.com</b></i>",
        "<i style=\"visibility:hidden\"><b style=\"visibility:visible\">pay</b>xq<b style=\"visibility:visible\">pal.com</b></i>",
        "pay<i style=\"font-size:0\">xq</i>pal.com",
        "pay<i style=\"font-size:0\"><b>xq</b></i>pal.com",
        "pay<div style=\"display:none\"><span>x</div>pal.com",
        "<i style=\"font-size:0\"><b style=\"font-size:16px\">pay</b> <b style=\"font-size:16px\">pal.com</b></i>",
    ]);
}

/// The blocks of a newsletter stay apart although the size around them is nothing.
#[test]
fn what_is_seen_again_is_separated() {
    let cell = |text: &str| {
        format!("<td style=\"font-size:0\"><div style=\"font-size:13px\">{text}</div></td>")
    };
    let page = |one: &str, other: &str| {
        format!(
            "<a href=\"https://shop.example/\"><table><tr style=\"font-size:0\">{}</tr><tr>{}</tr></table></a>",
            cell(one),
            cell(other)
        )
    };
    assert!(!deceives(&page("from paypal", ".com or so")));
    assert!(deceives(&page("see", "www.paypal.com")));
}

#[test]
fn elements_end_without_their_end_tags() {
    shown(&[
        "<table><tr><td><span style=\"display:none\">x</td></tr><tr><td>{}</td></tr></table>",
        "<table><tr><td style=\"display:none\">x<td>{}</table>",
        "<table><tr style=\"display:none\"><td>x<tr><td>{}</table>",
        "<table><tbody hidden><tr><td>x<tbody><tr><td>{}</table>",
        "<ul><li style=\"display:none\">x<li>{}</ul>",
        "<ul><li style=\"display:none\"><div>x<li>{}</ul>",
        "<dl><dt style=\"display:none\">x<dd>{}</dl>",
        "<p style=\"display:none\">x<p>{}",
        "<p style=\"display:none\">x<div>{}</div>",
        "<p style=\"display:none\"><b>x<ul><li>{}</ul>",
        "<h1 style=\"display:none\">x<h2>{}</h2>",
        "<h1 style=\"display:none\">x</h3>{}",
        "<select><option style=\"display:none\">x<option>y</select>{}",
        "<button style=\"display:none\">x<button>y</button>{}",
        "<a style=\"display:none\" href=\"#\">x{}",
        "<nobr style=\"display:none\">x<nobr>{}</nobr>",
        "<div><span style=\"display:none\">x</div>{}",
        "<table><tr><td><b style=\"display:none\">x</td><td>{}</table>",
        "<span hidden>x<div><span></div></span>{}",
        "<span hidden><option>x</span>{}",
        "<td style=\"display:none\">{}",
        "<svg><g style=\"display:none\"/></svg>{}",
        "<svg style=\"display:none\"><p>{}",
        "<svg><g style=\"display:none\"><text>x<span>{}",
    ]);
    hidden(&[
        "<p style=\"display:none\">x<b>{}</b>",
        "<div style=\"display:none\"><p>x<p>{}</div>",
        "<ul><li style=\"display:none\"><ul><li>x<li>{}</ul></ul>",
        "<table><tr><td style=\"display:none\"><table><tr><td>x<td>{}</table></table>",
        "<div><b style=\"display:none\">x</div>{}</b>",
        "<span style=\"display:none\"><div></span>{}</div></span>",
        "<span style=\"display:none\"><table><tr><td></span>{}</table></span>",
        "<span style=\"display:none\"><span>x</span>{}</span>",
        "<div style=\"display:none\"></b>{}</div>",
        "<table style=\"display:none\"><tr><td>x</td></tr><tr><td>{}</table>",
    ]);
}

/// Nobody nests as deep as this: what is there counts as seen.
#[test]
fn elements_that_conceal_are_bounded() {
    let page = |depth: usize| format!("<b hidden>{}{LURE}", "<b>".repeat(depth));
    hidden(&[&page(62)]);
    shown(&[&page(65)]);
}

#[test]
fn declarations_of_one_element() {
    let link = |style: &str| {
        format!("<a href=\"https://tools.example/login\" {style}>https://www.paypal.com/</a>")
    };
    for style in [
        "style=\"display:none;display:inline-block\"",
        "style=\"display:nonexistent\"",
        "style=\"mso-hide:all\"",
        "style=\"\" style=\"display:none\"",
        "hidden style=\"display:block\"",
        "style=\"display:block\" hidden",
        "style=\"x:';display:none;'\"",
    ] {
        assert!(deceives(&link(style)), "{style}");
    }
    for style in [
        "style=\"display:none\"",
        "style=\"display:none\" style=\"\"",
        "hidden",
        "hidden style=\"color:red\"",
        "style=\"display:block;display:none;mso-hide:all\"",
    ] {
        assert!(!deceives(&link(style)), "{style}");
    }
    shown_in_link(&["<span style=\"mso-hide:all\">https://www.paypal.com/</span>"]);
    // Some programs hide what others show: both are read.
    shown_in_link(&["pay<i style=\"mso-hide:all\">xq</i>pal.com"]);
}

/// Only a scheme makes an address one of its own (RFC 3986 §4.2).
#[test]
fn relative_addresses_with_a_colon_lead_to_the_base() {
    const BASE: &str = "<base href=\"https://tools.example/\">";
    let text = "https://www.paypal.com/";
    for address in ["/login?t=10:30", "?a:b", "#a:b", "./a:b", "a/b:c", "1:2", "/x&#58;y", "_:x"] {
        for page in [
            format!("<a href=\"{address}\">{text}</a>"),
            format!("<svg><a xlink:href=\"{address}\"><text>{text}</text></a></svg>"),
            format!("<button formaction=\"{address}\">{text}</button>"),
            format!("<form action=\"{address}\"><button>{text}</button></form>"),
            format!("<map><area href=\"{address}\" alt=\"{text}\"></map>"),
        ] {
            assert!(deceives(&[BASE, &page].concat()), "{page}");
        }
    }
    for address in ["mailto:ann@paypal.com", "cid:x", "https://www.paypal.com/:x"] {
        assert!(!deceives(&format!("{BASE}<a href=\"{address}\">{text}</a>")), "{address}");
    }
}

#[test]
fn programs_open_encoded_urls() {
    let encoded = |host: &str| format!("https%3A%2F%2F{host}%2F");
    for url in [
        "microsoft-edge:?url={}",
        "firefox://open-url?url={}",
        "fb://webview/?url={}",
        "intent://x/#Intent;scheme=x;S.browser_fallback_url={};end",
    ] {
        let page = |host: &str| {
            let url = url.replace("{}", &encoded(host));
            format!("<a href=\"{url}\">https://www.paypal.com/</a>")
        };
        assert!(deceives(&page("tools.example")), "{url}");
        assert!(!deceives(&page("www.paypal.com")), "{url}");
    }
}

#[test]
fn directions_are_inherited() {
    let turned = "moc.lapyap.www";
    for piece in [
        "<div dir=rtl><bdo>{}</bdo></div>",
        "<bdo style=\"direction:rtl\">{}</bdo>",
        "<div style=\"direction:rtl\"><span style=\"unicode-bidi:bidi-override\">{}</span></div>",
        "<span style=\"unicode-bidi:-webkit-isolate-override;direction:rtl\">{}</span>",
    ] {
        shown_in_link(&[&piece.replace("{}", turned)]);
    }
    shown(&["<div dir=rtl><bdo dir=ltr>{}</bdo></div>"]);
    shown(&["<div dir=rtl><div dir=ltr><bdo>{}</bdo></div></div>"]);
    let outside =
        "<div dir=rtl><a href=\"https://tools.example/\"><bdo>moc.lapyap.www</bdo></a></div>";
    assert!(deceives(outside));
}

#[test]
fn disguises_are_read_in_joined_pieces() {
    shown_in_link(&[
        "р а у р а l . с о m",
        "<div style=\"display:inline-block\">pay</div><div style=\"display:inline-block\">pal.corn</div>",
    ]);
}

#[test]
fn one_disguise_hides_no_other() {
    shown_in_link(&[
        "www.rnicrosoft.corn",
        "www·micr0s0ft·com",
        "https://netfIix.c0m",
        "https://www,paypal,com∕signin",
        "www.paypal®·com",
    ]);
}

/// What owners write, and what notes are.
#[test]
fn marks_in_a_name_are_no_part_of_it() {
    shown_in_link(&[
        "PayPal<sup>®</sup>.com",
        "PayPal™.com",
        "https://www.paypal<sup>TM</sup>.com",
        "paypal(R).com",
        "www.paypal*.com",
    ]);
    shown_in_link(&["www.p a y p a l.com", "P A Y P A L.COM", "https://www.sparkasse.d…"]);
    for honest in ["Firma® (T.M.)", "T-Online* (DE)", "see (a) and (R).", "e.g. X*"] {
        assert!(!deceives(&format!("<a href=\"https://tools.example/\">{honest}</a>")), "{honest}");
    }
}
