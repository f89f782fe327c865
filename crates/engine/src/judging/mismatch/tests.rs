use crate::outcome::{Reason, Verdict};
use crate::{Answers, Facts, Message, Policy, TldTable};

/// The verdict of a link to `led` that is shown as `seen`, if they do not belong together.
pub(super) fn mismatch(seen: &str, led: &str) -> Option<Verdict> {
    in_page(&format!("<a href=\"https://{led}/x\">{seen}</a>"))
}

/// The verdict of a link of the page that is shown as what it does not belong to.
pub(in crate::judging) fn in_page(body: &str) -> Option<Verdict> {
    let (policy, tlds) = (
        Policy::default(),
        TldTable::new(
            "com top jp de fr in co ly tk be gl gle page biz me google microsoft ms ru cn cc net io hn gov nz es uk gd xn--p1ai"
                .split(' '),
            "",
        ),
    );
    let head = b"From: a@example.com\nContent-Type: text/html; charset=utf-8\n";
    let message = Message { head, body: body.as_bytes() };
    let outcome =
        crate::inspect(message, &Facts::default(), &policy, &tlds).resolve(&Answers::new());
    let mut findings = outcome.findings.iter();
    let differs = findings.find(|one| one.reasons.contains(Reason::TextHrefMismatch));
    differs.map(|finding| finding.verdict)
}

#[test]
fn sites_of_known_owners_are_known_in_every_country() {
    for seen in ["https://www.paypal.com", "www.amazon.co.jp", "amazon.de", "fb.com"] {
        assert_eq!(mismatch(seen, "verify.top"), Some(Verdict::Suspect), "{seen}");
    }
    for (seen, led) in [
        ("www.amazon.co.jp", "amazon.com"),
        ("amazon.de", "www.amazon.de"),
        ("fb.com", "www.facebook.com"),
        ("www.ebay.com", "www.ebay.de"),
        ("ebay.com", "pages.ebay.fr"),
    ] {
        assert_eq!(mismatch(seen, led), None, "{seen} {led}");
    }
    for (seen, led) in [("www.ebay.com", "ebay.top"), ("www.ebay.com", "ebay.tk")] {
        assert_eq!(mismatch(seen, led), Some(Verdict::Suspect), "{seen} {led}");
    }
    for (seen, led) in [("amazon.de", "amazon.fr"), ("www.fine.com", "verify.top")] {
        assert_eq!(mismatch(seen, led), Some(Verdict::Notice), "{seen} {led}");
    }
}

/// A reader takes the name of an organisation in its own letters for its site, wherever it was registered.
#[test]
fn sites_in_other_letters_are_known() {
    for (seen, own) in [
        ("https://госуслуги.рф/", "www.gosuslugi.ru"),
        ("www.сбербанк.рф", "online.sberbank.ru"),
        ("сбербанк.рф", "www.сбербанк.рф"),
        ("https://支付宝.com/x", "www.alipay.com"),
        ("https://楽天.jp", "www.rakuten.co.jp"),
    ] {
        assert_eq!(mismatch(seen, "verify.top"), Some(Verdict::Suspect), "{seen}");
        assert_eq!(mismatch(seen, own), None, "{seen}");
    }
    for seen in ["https://новости.рф/", "www.вход.рф", "https://клуб-сбербанк.рф/", "新聞.jp"]
    {
        assert_ne!(mismatch(seen, "verify.top"), Some(Verdict::Suspect), "{seen}");
    }
    let call = "<a href=tel:+19001234567>https://госуслуги.рф/</a>";
    assert_eq!(in_page(call), Some(Verdict::Suspect));
}

/// At a glance accents are nothing, so that such a text also reads as a name that is known.
#[test]
fn a_host_with_accents_is_its_own_text() {
    for (seen, led) in [
        ("décathlon.fr", "décathlon.fr"),
        ("décathlon.fr", "www.xn--dcathlon-b1a.fr"),
        ("www.hermès.com", "hermès.com"),
    ] {
        assert_eq!(mismatch(seen, led), None, "{seen} {led}");
    }
    for (seen, led) in [
        ("décathlon.fr", "verify.top"),
        ("decathlon.fr", "décathlon.fr"),
        ("décathlon.fr", "décathlon.fr.verify.top"),
    ] {
        assert_ne!(mismatch(seen, led), None, "{seen} {led}");
    }
}

/// A reader takes for one word what stands side by side, and for a full stop what looks like one.
#[test]
fn what_a_glance_shows_is_compared() {
    let row = "<table><tr><td>{}</td>\n<td>{}</td></tr></table>";
    for seen in [
        "paypal<img src=cid:x>.com",
        "www.paypal<img src=cid:x width=9>.com",
        "pay<div style='display:inline-block'>pal</div><div style='display:inline'>.com</div>",
        "<table><tr><td>pay</td> <td>pal.com</td></tr></table>",
        "pay</a><a href=https://{led}/y>pal.com",
        "www.</a><a href=https://{led}/y>paypal</a><a href=https://{led}/z>.com",
        "paypal·com",
        "www‧paypal‧com",
        "https://www•paypal•com/login",
        "log in at paypal․com now",
        "paypalꓸcom",
        "&zwnj;www.paypal.com",
        "paypal.c&shy;om",
        "https://www.paypal.c\u{43e}m/signin",
        "pay<img src=cid:x>pal・com",
        "PayPal・COM業界",
        "paypal・com業界",
        "https://www.paypal・com業界",
        "paypal dot com",
        "log in at <b>www.paypal</b> (DOT) com now",
        "paypal punkt com",
        &row.replacen("{}", "pay", 1).replacen("{}", "pal.com", 1),
    ] {
        let to = |led: &str| mismatch(&seen.replace("{led}", led), led);
        assert_eq!(to("verify.top"), Some(Verdict::Suspect), "{seen}");
        assert_ne!(to("www.paypal.com"), Some(Verdict::Suspect), "{seen}");
    }
    for fine in [
        "pay<br>pal.com",
        "pay<div>pal.com</div>",
        "pay <img src=cid:x>pal.com",
        "pay</a> <a href=https://verify.top/y>pal.com",
        "pay</a><a href=https://other.top/y>ment.com",
        "<table><tr><td>pay</td></tr><tr><td>pal.com</td></tr></table>",
        "fine<img src=cid:x>.com",
        "fine·com",
        "f&shy;ine.com",
        "рестор\u{430}н.com",
        "PayPal・CO業界の動向",
        "PayPal·IN 뉴스",
        "PayPal · Shop",
        "paypal·shop",
    ] {
        assert_ne!(mismatch(fine, "verify.top"), Some(Verdict::Suspect), "{fine}");
    }
}

/// The verdicts of a page whose `{X}` leads to a host: of others it is a mismatch, of the shown one none.
#[track_caller]
pub(super) fn lures(pages: &[&str]) {
    for page in pages {
        let to = |led: &str| in_page(&page.replace("{X}", &format!("https://{led}/x")));
        assert_eq!(to("verify.top"), Some(Verdict::Suspect), "{page}");
        assert_eq!(to("www.paypal.com"), None, "{page}");
    }
}

/// A reader sees one URL, and clicks on a part of it.
#[test]
fn urls_of_which_a_part_is_the_anchor_are_compared() {
    lures(&[
        "go to https://paypal.com/<a href={X}>account?step=2</a> now",
        "go to <a href={X}>http://</a>paypal.com/",
        "www.payp<a href={X}>al</a>.com",
        "<i>www</i>.<a href={X}>paypal</a><i>.com</i>",
        "<a href={X}>paypal</a>.com",
        "<a href={X}>https://</a>www.paypal.com/",
    ]);
    let two = "<a href=https://a.top/>www.pay</a><a href=https://b.top/>pal.com</a>";
    assert_eq!(in_page(two), Some(Verdict::Suspect));
    for fine in [
        "https://www.paypal.com/ <a href=https://verify.top/x>login</a>",
        "https://www.paypal.com/<br><a href=https://verify.top/x>login</a>",
        "https://www.paypal.com/?q=<a href=https://verify.top/x>https://verify.top/x</a>",
        "https://www.paypal.com/?q=<a href=https://www.verify.top>verify.top</a>",
        "ann@<a href=https://verify.top/x>paypal.com</a>",
        "www.paypal.com (<a href=https://verify.top/x>here</a>)",
        "www.paypal.com,<a href=https://verify.top/x>here</a>",
        "www.fine.com/<a href=https://verify.top/x>here</a>",
        "<a href=https://verify.top/x>here</a>www.paypal.com",
        "<a href=https://verify.top/x>Click here.</a>PayPal.com",
    ] {
        let fine =
            fine.replace("ann@<a href=https://verify.top/x>", "ann@<a href=mailto:a@paypal.com>");
        assert_ne!(in_page(&fine), Some(Verdict::Suspect), "{fine}");
    }
}

/// What a page hides or no program draws stands in the word of an anchor.
#[test]
fn anchors_are_compared_without_what_is_not_drawn_in_them() {
    for style in [
        "font:0px a",
        "font:bold 1px a",
        "font-size:2%",
        "font-size:.1em",
        "font-size:calc(1px - 1px)",
        "display:inline-block;overflow:hidden;width:0",
        "display:inline-block;overflow:hidden;max-width:0px",
        "display:block;max-height:0;overflow:hidden",
        "position:absolute;left:-5000px",
        "position:absolute;clip:rect(0,0,0,0)",
        "text-indent:-999em;display:inline-block",
        "clip-path:inset(50%)",
        "zoom:0",
        "letter-spacing:-1em",
    ] {
        let piece = format!("<span style='{style}'> or </span>");
        lures(&[&format!("<a href={{X}}>www{piece}.paypal{piece}.com</a>")]);
        let in_front = format!("<b style='{style}'>x</b>paypal.com");
        assert_eq!(mismatch(&in_front, "verify.top"), Some(Verdict::Suspect), "{style}");
    }
    for element in [
        "audio", "video", "canvas", "progress", "meter", "noembed", "noframes", "datalist", "rp",
        "dialog", "b popover", "iframe", "title", "desc", "annotation", "mphantom", "details",
    ] {
        let name = element.split(' ').next().unwrap_or_default();
        lures(&[&format!("<a href={{X}}>paypal<{element}>: or </{name}>.com</a>")]);
    }
    lures(&["<style>i{font-size:0}</style><a href={X}>paypal<i>, </i>.com</a>"]);
    lures(&["<a href={X}>www.<i style='font-size:2px'> </i>paypal.com.<i hidden>x</i></a>"]);
    for fine in [
        "paypal<b> or </b>.com",
        "<b style='font-size:0'>paypal</b>fine.com",
        "paypal<sup style='font-size:60%'>1</sup>.com",
    ] {
        assert_ne!(mismatch(fine, "verify.top"), Some(Verdict::Suspect), "{fine}");
    }
}

/// Spaces that hardly show, twins of letters and of endings, and boxes beside one another.
#[test]
fn what_nearly_looks_like_a_known_name_is_compared() {
    for seen in [
        "paypal&#x2009;.&#x2009;com",
        "p\u{202f}a\u{202f}y\u{202f}p\u{202f}a\u{202f}l\u{202f}.\u{202f}c\u{202f}o\u{202f}m",
        "https://www\u{2800}.paypal\u{fffc}.com/login",
        "www. paypal .com",
        "p a y p a l . c o m",
        "https://paypal.corn/login",
        "PayPal.\u{1d04}\u{1d0f}\u{1d0d}",
        "www.paypal.C0M",
        "www.p\u{332}a\u{332}y\u{332}p\u{332}a\u{332}l\u{332}.com",
        "\u{1f17f}\u{1f170}\u{1f188}\u{1f17f}\u{1f170}\u{1f17b}.\u{1f172}\u{1f17e}\u{1f17c}",
        "www.paypa|.com",
        "p@ypal.com",
        "www,paypal,com",
        "log in: paypa\u{1e37}com",
        "paypal\u{2d9}com",
        "www٠paypal٠com",
        "paypal⡀com",
        "paypal\u{323}com",
        "paypal‚com",
        "paypal.ᶜᵒᵐ",
        "<p style='display:table-cell'>www.</p><p style='display:table-cell'>paypal.com</p>",
        "<div style='display:inline-flex'><p>pay</p><p>pal</p><p>.com</p></div>",
        "<div style='display:flex;flex-direction:row-reverse'><p>.com</p><p>paypal</p></div>",
        "<table dir=rtl><tr><td>.com</td><td>pal</td><td>pay</td></tr></table>",
    ] {
        assert_eq!(mismatch(seen, "verify.top"), Some(Verdict::Suspect), "{seen}");
        assert_ne!(mismatch(seen, "www.paypal.com"), Some(Verdict::Suspect), "{seen}");
    }
    for fine in [
        "PayPal, common questions",
        "pay@pal.com",
        "fine,com",
        "fine.corn",
        "Pay pal . Com for all",
        "<div style='display:flex;flex-direction:column'><p>pay</p><p>pal.com</p></div>",
        "<table><tr><td>.com</td></tr><tr><td>paypal</td></tr></table>",
    ] {
        assert_ne!(mismatch(fine, "verify.top"), Some(Verdict::Suspect), "{fine}");
    }
    assert_ne!(in_page("<a href='mailto:p@ypal.com'>p@ypal.com</a>"), Some(Verdict::Suspect));
}

/// A browser resolves what names no scheme, or that of the base without two slashes.
#[test]
fn hosts_in_addresses_below_a_base_are_compared_with_the_base() {
    lures(&[
        "<base href={X}><a href='paypal.com/a'>paypal.com</a>",
        "<base href={X}><a href='HTTPS:www.paypal.com'>https://www.paypal.com/</a>",
        "<base href={X}><a href='https:/www.paypal.com'>www.paypal.com</a>",
        "<a href='www.paypal.com'>www.paypal.com</a><base href={X}>",
        "<base href={X}><a href='www.paypal.com'>PayPal: paypal&#46;com</a>",
        "<base href={X}><form action=login><button>www.paypal.com</button></form>",
        "<form action=login><button>www.paypal.com</button></form><base href={X}>",
        "<button form=f>www.paypal.com</button><form id=f action=a></form><base href={X}>",
        "<base href={X}><form><button formaction=login>www.paypal.com</button></form>",
        // A form without a name is no base.
        "<form id='' action=https://www.paypal.com/></form><form action=login><button>www.paypal.com</button></form><base href={X}>",
        "<base href={X}><form action=login><input type=submit value=www.paypal.com></form>",
        "<base href={X}><map name=m><area href=login alt=www.paypal.com></map>",
        "<map name=m><area href=login title=www.paypal.com></map><base href={X}>",
    ]);
    for fine in [
        "<base href=https://verify.top/><a href=https://www.paypal.com>www.paypal.com</a>",
        "<base href=https://verify.top/><a href='http:www.paypal.com'>www.paypal.com</a>",
        "<base href=https://verify.top/><a href=//www.paypal.com>www.paypal.com</a>",
        "<base href=https://verify.top/><form action=''><button>www.paypal.com</button></form>",
        "<form action=login><button>www.paypal.com</button></form>",
        "<base href=https://verify.top/><a href='https:/\\www.paypal.com'>www.paypal.com</a>",
        "<a href=www.paypal.com>www.paypal.com</a>",
        "<base href=https://verify.top/><a href=www.fine.com>www.fine.com</a>",
    ] {
        assert_eq!(in_page(fine), None, "{fine}");
    }
}

/// What has a direction of its own in turned text keeps it.
#[test]
fn isolates_in_turned_text_are_read_as_they_are_shown() {
    for seen in [
        "<bdo dir=rtl>moc.<bdi>paypal</bdi></bdo>",
        "<bdo dir=rtl>moc.<bdi>paypal</bdo>",
        "<bdo dir=rtl>moc<span dir=ltr>.</span>lap<b style='unicode-bidi:isolate'>pay</b></bdo>",
        "<span style='direction:rtl;unicode-bidi:bidi-override'>moc.<i dir=auto>paypal</i></span>",
        "&#x202e;moc.&#x2066;paypal&#x2069;&#x202c;",
        "&#x202e;moc.&#x202b;paypal&#x202c;&#x202c;",
        "<bdi>www</bdi>.pay<bdo dir=ltr>pal</bdo>.com",
    ] {
        assert_eq!(mismatch(seen, "verify.top"), Some(Verdict::Suspect), "{seen}");
        let fine = mismatch(seen, "www.paypal.com");
        assert!(fine.is_none_or(|verdict| verdict == Verdict::Notice), "{seen} {fine:?}");
    }
}

/// Marks and boxes of a line from right to left, boxes that float to the right or are laid out in reverse.
#[test]
fn pieces_in_reverse_order_are_read_as_they_stand() {
    for seen in [
        "<p dir=rtl>com&rlm;.&rlm;paypal&rlm;.&rlm;www</p>",
        "<p dir=rtl>com&rlm;.paypal&rlm;.www</p>",
        "<p style='direction:rtl'>com\u{61c}.\u{61c}paypal</p>",
        "\u{2067}com\u{200f}.\u{200f}paypal\u{2069}",
        "log in: &#x202b;com&rlm;.&rlm;paypal&#x202c; now",
        "<p dir=rtl>\u{2066}com\u{2069}\u{2066}.\u{2069}\u{2066}paypal\u{2069}</p>",
        "<p dir=rtl><bdi>com</bdi><bdi>.</bdi><bdi>paypal</bdi></p>",
        "<p dir=rtl><bdi>com</bdi>.<bdi>paypal</bdi></p>",
        "<p dir=rtl><i style='unicode-bidi:isolate'>com</i><i style='unicode-bidi:isolate'>.paypal</i></p>",
        "<p dir=rtl><b style='display:inline-block'>com.</b><b style='display:inline-block'>paypal</b></p>",
        "<b style='float:right'>com</b><b style='float:right'>.</b><b style='float:right'>paypal</b>",
        "<p style='display:flex;flex-flow:row-reverse'><b>com</b><b>.</b><b>paypal</b></p>",
        "<p style='display:flex;flex-direction:row-reverse'><i>m</i><i>o</i><i>c</i><i>.</i><i>l</i><i>a</i><i>p</i><i>y</i><i>a</i><i>p</i></p>",
    ] {
        assert_eq!(mismatch(seen, "verify.top"), Some(Verdict::Suspect), "{seen}");
        assert_ne!(mismatch(seen, "www.paypal.com"), Some(Verdict::Suspect), "{seen}");
    }
    for fine in [
        "<p dir=rtl>com&rlm; . &rlm;paypal</p>",
        "<p dir=rtl>com.paypal.android&rlm; יישום</p>",
        "<p dir=rtl><bdi>verify.top</bdi>&rlm;</p>",
        "<p dir=rtl>&rlm;www.verify.top&rlm;.</p>",
        "<b style='float:left'>www.</b><b style='float:left'>verify.top</b>",
    ] {
        assert_ne!(mismatch(fine, "verify.top"), Some(Verdict::Suspect), "{fine}");
    }
}

/// Where such a service leads nobody can tell.
#[test]
fn shorteners_under_the_hosts_of_others_are_suspect() {
    for led in ["lnkd.in", "t.co", "bit.ly", "www.tinyurl.com"] {
        assert_eq!(mismatch("www.paypal.com", led), Some(Verdict::Suspect), "{led}");
        assert_eq!(mismatch(led, led), None, "{led}");
    }
    // Anybody shortens there what is not the owner's.
    assert_eq!(mismatch("www.vk.com", "vk.cc"), Some(Verdict::Suspect));
}

#[test]
fn links_lead_where_programs_go() {
    for page in [
        "<form id=f action={X}></form><button form=f>www.paypal.com</button>",
        "<button form=f>www.paypal.com</button><form id=f action={X}></form>",
        "<input type=submit form=f value=www.paypal.com><p>x</p><form id=f action={X}></form>",
        "<form id=f action={X}></form><form action=https://www.paypal.com/>\
         <button form=f>www.paypal.com</button></form>",
        "<button form=f formaction={X}>www.paypal.com</button>",
        "<svg><a xlink:href='https://www.paypal.com/' href={X}><text>www.paypal.com</text></a></svg>",
        "<a xlink:href='https://www.paypal.com/' href={X} title=www.paypal.com>x</a>",
        "<math href={X}><mtext>www.paypal.com</mtext></math>",
        "<math><mrow href={X}></mrow><mi>www.paypal.com</mi></math>",
        "<v:shape href={X}><v:textpath on=t string='www.paypal.com'/></v:shape>",
        "<map name=m><area href={X} alt=www.paypal.com></map>",
        "<a href={E}>www.paypal.com</a>",
    ] {
        let page = page.replace("{E}", "microsoft-edge:{L}/x");
        let to = |led: &str| {
            in_page(&page.replace("{X}", &format!("\"https://{led}/x\"")).replace("{L}", led))
        };
        assert_eq!(to("verify.top"), Some(Verdict::Suspect), "{page}");
        assert_eq!(to("www.paypal.com"), None, "{page}");
    }
    for fine in [
        "<form id=f action=https://verify.top/></form><button form=g>www.paypal.com</button>",
        "<form id=f action=https://verify.top/></form><button>www.paypal.com</button>",
        "<form id=f action=https://verify.top/>\
         <button form=f type=button>www.paypal.com</button></form>",
        "<svg><a xlink:href='https://verify.top/' href=https://www.paypal.com/>www.paypal.com</a>",
        "<math><mrow href=https://verify.top/></mrow></math>www.paypal.com",
    ] {
        assert_eq!(in_page(fine), None, "{fine}");
    }
    // A form that comes when others were long handed on.
    let form = "<form id=f action=https://verify.top/></form>";
    let button = "<button form=f>www.paypal.com</button>";
    let between = "<p><a href=https://example.com/>x</a></p>\n".repeat(5_000);
    for page in [[form, &between, button].concat(), [button, &between, form].concat()] {
        assert_eq!(in_page(&page), Some(Verdict::Suspect));
    }
}

#[test]
fn a_host_with_invisible_characters_is_what_a_reader_sees() {
    for seen in [
        "https://www.p&zwnj;aypal.com",
        "https://www.paypal.&zwnj;com",
        "https://www.p&zwnj;a&zwnj;y&zwnj;p&zwnj;a&zwnj;l&zwnj;.&zwnj;c&zwnj;o&zwnj;m",
        "pay&lrm;pal.com",
        "p&rlm;a&rlm;ypal.com",
        "https://www.paypal.&#x202d;com",
        "pay&#xE0061;pal.com",
        "paypal&#xFFF9;.com",
    ] {
        assert_eq!(mismatch(seen, "verify.top"), Some(Verdict::Suspect), "{seen}");
        // Programs that end words at them link `pal.com`.
        let fine = mismatch(seen, "www.paypal.com");
        assert!(fine.is_none_or(|verdict| verdict == Verdict::Notice), "{seen} {fine:?}");
    }
}
