use super::*;
use uts58::tlds::TldTable;

/// All stretches of a document in one view.
fn whole<'t>(html: &'t str, tlds: &TldTable) -> View<'t> {
    let mut whole = View::default();
    let capacity = Capacity { all: usize::MAX, together: usize::MAX, steps: u64::MAX };
    let _ = read((html, Document::Page), tlds, capacity, &mut |view| {
        whole.join(view);
        ControlFlow::Continue(())
    });
    whole
}

/// Stretches leave nothing out, and find links in the same places.
#[test]
fn long_documents_come_in_stretches() {
    let piece = "<p><a href='http://a.com/'>b.com</a> <img src='http://c.com/'> d.com</p> ";
    let html = piece.repeat(3 * STRETCH_LINKS);
    let tlds = TldTable::new(["com"], "");
    let capacity = Capacity { all: usize::MAX, together: usize::MAX, steps: u64::MAX };
    let mut stretches = 0;
    let _ = read((&html, Document::Page), &tlds, capacity, &mut |view| {
        stretches += usize::from(!view.occurrences.is_empty());
        assert!(view.occurrences.len() <= 2 * STRETCH_LINKS, "{}", view.occurrences.len());
        ControlFlow::Continue(())
    });
    assert!(stretches > 5, "{stretches}");
    let view = whole(&html, &tlds);
    assert_eq!(view.occurrences.len(), 4 * 3 * STRETCH_LINKS);
    for occurrence in &view.occurrences {
        let text = view.seen[occurrence.seen].as_str();
        let Target::Link(link) = &occurrence.target else { panic!("{occurrence:?}") };
        let source = view.seen[occurrence.seen].source(link.host.clone());
        assert_eq!(html[source], text[link.host.clone()]);
        let led = occurrence.anchor.target().map(|at| &view.occurrences[at]);
        let shown = &text[link.host.clone()] == "b.com";
        assert_eq!(led.is_some(), shown, "{occurrence:?}");
        if let Some(Occurrence { target: Target::Link(led), seen, .. }) = led {
            assert_eq!(&view.seen[*seen].as_str()[led.host.clone()], "a.com");
        }
    }
    // A break stops the reading.
    let mut asked = 0;
    let flow = read((&html, Document::Page), &tlds, capacity, &mut |_| {
        asked += 1;
        ControlFlow::Break(())
    });
    assert!(flow.is_break() && asked == 1);
}

/// So does one long text, as of a log in `<pre>`.
#[test]
fn a_long_text_comes_in_stretches() {
    let tlds = TldTable::new(["com"], "");
    let capacity = Capacity { all: usize::MAX, together: 8 * STRETCH_LINKS, steps: u64::MAX };
    for (before, behind) in [("<pre>", "</pre>"), ("<textarea>", "</textarea>")] {
        let html = [before, &"GET http://a.com/\n".repeat(50 * STRETCH_LINKS), behind].concat();
        let mut links = 0;
        let _ = read((&html, Document::Page), &tlds, capacity, &mut |view| {
            assert!(!view.cut, "{before}");
            links += view.occurrences.len();
            ControlFlow::Continue(())
        });
        assert_eq!(links, 50 * STRETCH_LINKS, "{before}");
        let flow = read((&html, Document::Page), &tlds, capacity, &mut |_| ControlFlow::Break(()));
        assert!(flow.is_break());
    }
}

/// Each reversed character takes memory of its own.
#[test]
fn reversed_text_is_bounded() {
    let tlds = TldTable::new(["com"], "");
    let turned = |bytes: usize| format!("<bdo dir=rtl>{}</bdo>", "moc.a ".repeat(bytes / 6));
    let (short, long) = (turned(6_000), turned(REVERSED_BYTES + 12));
    let view = whole(&short, &tlds);
    assert!(!view.cut && view.occurrences.len() == 1_000, "{}", view.occurrences.len());
    assert!(whole(&long, &tlds).cut);
}

/// Each further level would double what is to be read.
#[test]
fn entities_are_expanded_once() {
    let tlds = TldTable::new(["com"], "");
    let text = "<!ENTITY a \"<!ENTITY b &#34;x&#34;>\"><p>&a;&b;</p>";
    assert_eq!(whole(text, &tlds).documents.len(), 1);
    let capacity = Capacity { all: usize::MAX, together: usize::MAX, steps: u64::MAX };
    let _ = read((text, Document::Inner), &tlds, capacity, &mut |view| {
        assert!(view.documents.is_empty());
        ControlFlow::Continue(())
    });
}

/// The links found, one per line: place, then the host (or `!scheme`), `?` for obfuscated, `^` inside an anchor.
fn found(html: &str) -> Vec<String> {
    let tlds = TldTable::new(["com", "example", "org"], "");
    let view = whole(html, &tlds);
    let linked = view.occurrences.iter().filter(|one| one.seen_by != SeenBy::Glance);
    linked
        .map(|occurrence| {
            let text = view.seen[occurrence.seen].as_str();
            let place = match &occurrence.site {
                Site::Attribute { element, attribute, .. } => format!("{element}[{attribute}]"),
                Site::Style => "style".to_owned(),
                _ => "text".to_owned(),
            };
            let host = match &occurrence.target {
                Target::Link(link) => text[link.host.clone()].to_owned(),
                Target::Dangerous { scheme, .. } => format!("!{}", &text[scheme.clone()]),
            };
            let obfuscated = if occurrence.shown == Rendering::AsWritten { "" } else { "?" };
            let anchored = if occurrence.anchor.target().is_some() { "^" } else { "" };
            format!("{place} {host}{obfuscated}{anchored}")
        })
        .collect()
}

/// White space between tags separates the same things as when it is written as references, which are text.
#[test]
fn white_space_is_text_however_it_is_written() {
    const PIECES: [&str; 12] = [
        "\u{202e}", "a.com", ".", "<b>", "</b>", "<p>", "<p hidden>", "<a href=//x.org>", "</a>",
        "<bdo dir=rtl>", "_", "|",
    ];
    for number in 0..PIECES.len().pow(4) {
        let pieces = (0..4).map(|at| PIECES[number / PIECES.len().pow(at) % PIECES.len()]);
        let html = format!("<p>\u{e9}{}.com", pieces.collect::<String>());
        let [white, written] = [[" ", "\n"], ["&#32;", "&#10;"]]
            .map(|[blank, feed]| html.replace('_', blank).replace('|', feed));
        assert_eq!(found(&white), found(&written), "{white:?}");
    }
}

#[test]
fn every_attribute_with_a_url() {
    for (html, expected) in [
        ("<a href=http://a.com>", vec!["a[href] a.com"]),
        ("<AREA HREF='//a.com/x'>", vec!["area[href] a.com"]),
        (
            "<form action=\"https:a.com\"><button formaction=http://b.com>",
            vec!["form[action] a.com", "button[formaction] b.com"],
        ),
        ("<base href=http://a.com/>", vec!["base[href] a.com"]),
        (
            "<img src=http://a.com srcset='http://b.com 1x, http://c.com 2x' lowsrc=http://d.com>",
            vec!["img[src] a.com", "img[srcset] b.com", "img[srcset] c.com", "img[lowsrc] d.com"],
        ),
        (
            "<table background=http://a.com><link href=http://b.com><object data=http://c.com><embed src=http://d.com>",
            vec![
                "table[background] a.com",
                "link[href] b.com",
                "object[data] c.com",
                "embed[src] d.com",
            ],
        ),
        ("<iframe src=http://a.com></iframe>", vec!["iframe[src] a.com"]),
        (
            "<svg><a xlink:href=http://a.com><image href=http://b.com>",
            vec!["a[href] a.com", "image[href] b.com"],
        ),
        ("<a ping='http://a.com http://b.com'>", vec!["a[ping] a.com", "a[ping] b.com"]),
        (
            "<v:roundrect href=http://a.com><v:fill src=http://b.com>",
            vec!["v:roundrect[href] a.com", "v:fill[src] b.com"],
        ),
        (
            "<meta http-equiv=Refresh content=\"0; url='http://a.com'\"><meta content='0;url=http://no.com'>",
            vec!["meta[content] a.com"],
        ),
        ("<p style=\"background:url(&quot;http://a.com/x&quot;)\">", vec!["p[style] a.com"]),
        (
            "<style>@import 'http://a.com'; b{x:url(http://b.com)}</style>",
            vec!["style a.com", "style b.com"],
        ),
        ("<img alt='see a.com' title=b.com>", vec!["img[alt] a.com", "img[title] b.com"]),
        ("<a href=mailto:x@a.com,y@b.com>", vec!["a[href] a.com", "a[href] b.com"]),
        ("<svg><set attributeName=href to=http://a.com>", vec!["set[to] a.com"]),
        ("<form action-xhr=http://a.com>", vec!["form[action-xhr] a.com"]),
        ("<meta itemprop=url content=http://a.com>", vec!["meta[content] a.com"]),
    ] {
        assert_eq!(found(html), expected, "{html}");
    }
}

#[test]
fn urls_are_decoded_as_a_browser_decodes_them() {
    for html in [
        "<a href='&#104;ttp://a&period;com'>",
        "<a href=' h\ntt\tp:/\\a&Tab;.com'>",
        "<a title=x href=\"http://a.com",
        "<a href=http://a.com",
        "<a\u{c}href\n=\nhttp://a.com>",
    ] {
        assert_eq!(found(html), ["a[href] a.com"], "{html:?}");
    }
    // What URL parsers strip is written as it is between quotes, and as an escape anywhere (CSS Syntax §4.3).
    for css in [
        "b{x:url('htt\tp://a\t.com')}",
        "@import 'ht\ttp:/\t/a.com';",
        "b{x:url(ht\\9 tp://a\\a .com)}",
        "b{x:url(\"ht\\d tp:/\\9/a.com\")}",
        "b{x:image-set('h\tttp:\\\n//a.com' 1x)}",
    ] {
        assert_eq!(found(&format!("<style>{css}</style>")), ["style a.com"], "{css:?}");
        let css = css.replace('"', "&quot;");
        let found = found(&format!("<p style=\"{css}\">"));
        assert_eq!(found, ["p[style] a.com"], "{css:?}");
    }
}

#[test]
fn dangerous_schemes_count_where_they_run() {
    assert_eq!(found("<a href=JavaScript:x()>"), ["a[href] !JavaScript"]);
    assert_eq!(found("<a href='java&#10;script:x'>"), ["a[href] !javascript"]);
    assert_eq!(found("<form action=data:text/html,x>"), ["form[action] !data"]);
    assert_eq!(found("<img src=data:image/png;base64,AAAA><img src='data:x'>"), [""; 0]);
    assert_eq!(found("<img src=file://a.com/x>"), ["img[src] !file"]);
    assert_eq!(found("<a href='\\\\a.com\\x'>"), ["a[href] !\\\\"]);
}

#[test]
fn comments_and_raw_text_are_read() {
    assert_eq!(
        found("<!--[if mso]><a href=http://a.com>b.com</a><![endif]-->"),
        ["a[href] a.com", "text b.com^"]
    );
    // Only some programs see tags in comments, and none sees text in them.
    let comment = "<!-- <a href=http://a.com>b.com</a> -->";
    assert_eq!(found(comment), ["a[href] a.com"]);
    let tlds = TldTable::new(["com"], "");
    let view = whole(comment, &tlds);
    assert!(view.occurrences.iter().all(|occurrence| occurrence.seen_by == SeenBy::Lenient));
    assert_eq!(found("<![if !mso]><a href=http://a.com><![endif]>"), ["a[href] a.com"]);
    for element in ["noscript", "xmp", "noembed", "textarea", "title", "noframes"] {
        let html = format!("<{element}>b.com <a href=http://a.com></{element}>");
        let mut found = found(&html);
        found.sort();
        assert!(found.contains(&"a[href] a.com".to_owned()), "{html}: {found:?}");
        assert!(found.iter().any(|line| line.starts_with("text b.com")), "{html}: {found:?}");
    }
}

#[test]
fn text_is_joined_as_the_reader_sees_it() {
    assert_eq!(found("pay<b>pal</b>.<span>co</span>m x"), ["text paypal.com"]);
    assert_eq!(
        found("a.com<br>b.com<div>c.com</div>d.com<img>e.com"),
        ["text a.com", "text b.com", "text c.com", "text d.com", "text e.com"]
    );
    assert_eq!(found("pay<x-y>pal</x-y>.com<style>p{}</style>"), ["text paypal.com"]);
    assert_eq!(
        found("pay<div style='display:none'>x</div>pal.com"),
        ["text paypal.com?", "text pal.com"]
    );
    assert_eq!(found("<p style='display:none'>a.com<p>b.com"), ["text b.com", "text a.com"]);
    assert_eq!(
        found("<table><tr><td>a.com</td><td>b.com</td></table>"),
        ["text a.com", "text b.com"]
    );
    // Outside of a table parsers drop these tags.
    assert_eq!(found("<td>pay</td><td>pal.com</td>"), ["text paypal.com", "text pal.com"]);
    assert_eq!(found("a&period;com and b&#46;com"), ["text a.com", "text b.com"]);
    assert_eq!(
        found("<span style='display:block'>a.com</span>b.com"),
        ["text a.com", "text b.com"]
    );
}

/// S29: a client that creates links goes from text node to text node.
#[test]
fn text_is_read_node_by_node_as_well() {
    assert_eq!(found("see<b>http://a.com/x</b>!"), ["text a.com"]);
    assert_eq!(found("привет<b>раy.com</b>"), ["text приветраy.com", "text раy.com"]);
    assert_eq!(found("<b>a.com</b><!-- -->b.com"), ["text a.comb.com", "text a.com", "text b.com"]);
    assert_eq!(found("x <b>a.com</b> y"), ["text a.com"]);
}

#[test]
fn hidden_or_reversed_text_is_marked() {
    let both = ["text paypal.com?", "text pal.com"];
    assert_eq!(found("pay<span style='display:none'>.org x</span>pal.com"), both);
    assert_eq!(found("pay<i hidden>x</i>pal.com"), both);
    for turned in [
        "<b dir=rtl style='unicode-bidi:bidi-override'>moc.lapyap</b>",
        "<b style='unicode-bidi:bidi-override' dir=RTL>moc.lapyap</b>",
    ] {
        assert_eq!(found(turned), ["text paypal.com?"], "{turned}");
    }
    assert_eq!(found("<p dir=rtl>example.com</p>"), ["text example.com"]);
    assert_eq!(found("<bdo dir=rtl>moc.lapyap</bdo>"), ["text paypal.com?"]);
    assert_eq!(found("pay<wbr>pal.com"), both);
    assert_eq!(found("www.<wbr>paypal<wbr>.com"), ["text www.paypal.com"]);
    assert_eq!(found("<span style='display:none'>a.com</span>"), ["text a.com"]);
}

#[test]
fn shown_attributes_know_their_anchor() {
    let led = |html: &str| -> Vec<(String, String)> {
        let tlds = TldTable::new(["com", "test"], "");
        let view = whole(html, &tlds);
        let spelled = |at: usize| {
            let occurrence = &view.occurrences[at];
            view.seen[occurrence.seen].as_str()[occurrence.span()].to_owned()
        };
        let all = view.occurrences.iter().enumerate();
        all.filter_map(|(at, occurrence)| Some((spelled(at), spelled(occurrence.anchor.target()?))))
            .collect()
    };
    let tied = vec![("paypal.com".to_owned(), "https://x.test/".to_owned())];
    for html in [
        "<a href='https://x.test/' title='paypal.com'>x</a>",
        "<a title='paypal.com' href='https://x.test/'>x</a>",
        "<a href='https://x.test/' aria-label='Open paypal.com'>x</a>",
        "<a href='https://x.test/'><img alt='paypal.com'></a>",
        "<a href='https://x.test/'><table><tr><td title='paypal.com'>x</table></a>",
        "<map><area href='https://x.test/' alt='paypal.com'></map>",
        "<input type=submit formaction='https://x.test/' value='paypal.com'>",
        "<a title='Pay' href='https://x.test/'>paypal.com</a>",
    ] {
        assert_eq!(led(html), tied, "{html}");
    }
    let both = led("<a title='paypal.com' href='https://x.test/'>www.paypal.com</a>");
    assert!(both.iter().all(|(_, led)| led == "https://x.test/") && both.len() == 2, "{both:?}");
    for html in ["<img alt='paypal.com'>", "<a href='https://x.test/'>x</a><img alt='paypal.com'>"]
    {
        assert_eq!(led(html), [], "{html}");
    }
}

#[test]
fn visible_text_knows_its_anchor() {
    assert_eq!(
        found("c.com <a href=http://a.com>b.com</a> d.com"),
        ["a[href] a.com", "text c.com", "text b.com^", "text d.com"]
    );
    assert_eq!(found("<a name=x>b.com</a>"), ["text b.com"]);
    assert_eq!(found("<a href=http://a.com>b.com"), ["a[href] a.com", "text b.com^"]);
}

#[test]
fn a_relative_address_leads_to_the_base() {
    assert_eq!(
        found("<base href=https://a.com/><a href=x>b.com</a><a href=#t>c.com</a>"),
        ["base[href] a.com", "text b.com^", "text c.com^"]
    );
    assert_eq!(
        found("<base href=https://a.com/><a href>b.com</a><a href=' '>c.com</a>"),
        ["base[href] a.com", "text b.com^", "text c.com^"]
    );
    // A browser takes it for a path below the base, webmail that strips the base does not.
    assert_eq!(
        found("<base href=https://a.com/><a href=https:b.com>"),
        ["base[href] a.com", "a[href] b.com"]
    );
}

#[test]
fn a_document_inside_is_read_as_one() {
    let tlds = TldTable::new(["com"], "");
    let view = whole("<iframe srcdoc='<a href=&quot;x&quot;>y</a>'></iframe>", &tlds);
    let documents: Vec<&str> = view.documents.iter().map(|seen| seen.as_str()).collect();
    assert_eq!(documents, ["<a href=\"x\">y</a>"]);
}

#[test]
fn only_a_comment_inside_a_word_is_read_in_its_place() {
    assert_eq!(found("pay<!--[if mso]>pal.com<![endif]-->"), ["text pal.com", "text paypal.com"]);
    assert_eq!(
        found("<p>x.com</p>\n<!--[if mso]>a.com<![endif]-->\n"),
        ["text x.com", "text a.com"]
    );
}

#[test]
fn script_is_searched_for_whole_urls() {
    assert_eq!(found("<script>a.com='x.com'; b='http://c.com/'</script>"), ["script[text] c.com"]);
    assert_eq!(found("<a onclick=\"open('http://c.com')\">"), ["a[on*] c.com"]);
}

#[test]
fn nothing_is_read_more_than_three_times() {
    for piece in [
        "<xmp><iframe>", "<!--[if x]>", "<a href=http://a.com ", "<span hidden>",
        "<bdo dir=rtl>a</bdo>", "<title><textarea>", "&#46;", "<style>url(", "<a style='",
        "a.com<wbr>", "<b", "<iframe srcdoc=", "<svg><style>", "<p style=display:none>",
        "x<!--[if a]>", "<style>'@import/**/",
    ] {
        let html = piece.repeat(2_000);
        let view = whole(&html, &TldTable::new(["com"], ""));
        assert!(view.steps <= 40 * html.len() as u64, "{piece}: {} steps", view.steps);
    }
}

#[test]
fn joined_words_of_other_letters_pay_for_their_likeness() {
    let tlds = TldTable::new(["com"], "");
    let steps = |letter: char| {
        let word: String = std::iter::repeat_n(letter, 60).collect();
        let link = format!("<a href=http://a.com/>{word}<b>.</b>{word}</a><p>");
        whole(&link.repeat(10), &tlds).steps
    };
    // As read from left to right, and joined.
    let (latin, han) = (steps('a'), steps('\u{4e00}'));
    assert!(han >= latin + 2 * 10 * 2 * 60 * 7, "{latin} {han}");
}

#[test]
fn stretches_take_the_steps_that_are_left_together() {
    let html = "<p>see a.com and</p>".repeat(10_000);
    let tlds = TldTable::new(["com"], "");
    let found = |steps: u64| {
        let capacity = Capacity { all: usize::MAX, together: usize::MAX, steps };
        let mut found = 0;
        let _ = read((&html, Document::Page), &tlds, capacity, &mut |view| {
            found += view.occurrences.len();
            ControlFlow::Continue(())
        });
        found
    };
    assert_eq!(found(u64::MAX), 10_000);
    assert!(found(100_000) < 5_000, "{}", found(100_000));
}

#[test]
fn each_value_that_may_be_a_url_pays_for_itself() {
    let tlds = TldTable::new(["com"], "");
    let steps = |tag: &str| whole(&tag.repeat(10), &tlds).steps;
    assert!(steps("<a href=x>") >= steps("<a name=x>") + 10 * 56);
}
