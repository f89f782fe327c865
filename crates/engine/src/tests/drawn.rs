use crate::outcome::{Reason, Verdict};
use crate::{Answers, Facts, Message, Policy, TldTable};

/// The worst verdict of a link to a stranger's site with this text, compared with where it leads.
fn over(text: &str) -> Option<Verdict> {
    let body = format!("<p><a href=\"https://verify.top/x\">{text}</a></p>");
    let head = b"Content-Type: text/html; charset=utf-8\n";
    let tlds = TldTable::new(["com", "top", "uk", "fr"], "");
    let message = Message { head, body: body.as_bytes() };
    let outcome = crate::inspect(message, &Facts::default(), &Policy::default(), &tlds)
        .resolve(&Answers::new());
    let findings = outcome.findings.into_iter();
    let differs = findings.filter(|one| one.reasons.contains(Reason::TextHrefMismatch));
    differs.map(|finding| finding.verdict).max()
}

#[test]
fn what_stands_for_pictures_is_read_with_the_words() {
    for text in [
        "https://www.<img src=x alt=paypal>.com",
        "www<img src=x alt='.'>paypal<img src=x alt='.'>com",
        "paypal.<img src=x alt=com>",
        "<img src=x alt='www.'><img src=x alt=paypal><img src=x alt='.com'>",
        "www.pay<img src=x alt=pal>.com",
        "www<img src=x width=4 height=4>paypal<img src=x width=4px height=4px>com",
    ] {
        assert_eq!(over(text), Some(Verdict::Suspect), "{text}");
    }
    for text in [
        "<img src=x alt=PayPal>",
        "<img src=x alt=PayPal> Log in. Now",
        "Fine<img src=x width=4 height=4>com",
        "www<img src=x width=40 height=40>paypal<img src=x width=40 height=40>com",
        "Fine <img src=x alt=logo>.com",
    ] {
        assert_ne!(over(text), Some(Verdict::Suspect), "{text}");
    }
}

/// The same of a link in a page with this style sheet.
fn under(sheet: &str, text: &str) -> Option<Verdict> {
    over(&format!(
        "</a><style>{sheet}</style><a class='X y' id=i data-x=www.paypal.com style='--t: \"paypal.com\"' href=https://verify.top/x>{text}"
    ))
}

#[test]
fn what_style_sheets_write_is_read_with_the_words() {
    for (sheet, text) in [
        ("a::before{content:'www.paypal.com'}", ""),
        ("A.x:BEFORE { color:red; content : \"www.paypal.com\" !important }", ""),
        ("p > .x::after, b{content:'pay' 'pal.com'}", ""),
        ("#i::after{content:attr(data-x)}", ""),
        (".y::after{content:var(--t)}", ""),
        (":root{--u:'www.paypal.com'} a::before{content:var(--u, '')}", ""),
        ("@media screen{.x.y::before{content:'www.paypal.'}}", "com"),
        ("a::after{content:'.com'}", "www.paypal"),
        ("b::after{content:'pal'}", "<b>pay</b>.com"),
        ("a::before{content:'\\77ww.paypal\\2e com'}", ""),
        ("*::before{content:'www.paypal.com'}", "Log in"),
        ("ul{list-style-type:'www.paypal.com'}", "<ul><li></ul>"),
        ("li::marker{content:'www.paypal.com'}", "<ul><li></ul>"),
        ("", "<ul style=\"list-style-type:'www.paypal.com'\"><li></ul>"),
        ("q{quotes:'www.paypal.com' ''}", "<q></q>"),
        ("a::after{content:var(--q, 'www.paypal.com')}", ""),
        ("a::after{content:var(--q, var(--r, 'www.paypal.com'))}", ""),
        ("@property --q{syntax:'*';initial-value:'www.paypal.com'}a::after{content:var(--q)}", ""),
        (
            "@counter-style c{system:cyclic;symbols:'www.paypal.com'}a::before{content:counter(x, C)}",
            "",
        ),
        (
            "@counter-style c{symbols:'paypal';prefix:'www.';suffix:'.com'}ul{list-style-type:c}",
            "<ul><li></ul>",
        ),
        (
            "a::before{content:url(\"data:image/svg+xml,%3Csvg%3E%3Ctext%3Ewww.paypal.com%3C/text%3E%3C/svg%3E\")}",
            "",
        ),
        (
            "a::before{content:url(data:image/svg+xml;base64,PHN2Zz48dGV4dD53d3cucGF5cGFsLmNvbTwvdGV4dD48L3N2Zz4=)}",
            "",
        ),
        (
            ".x{BACKGROUND:red url('data:image/svg+xml,<svg><text>www.paypal.com</text></svg>') no-repeat}",
            "&nbsp;",
        ),
    ] {
        assert_eq!(under(sheet, text), Some(Verdict::Suspect), "{sheet} {text}");
    }
    for (sheet, text) in [
        ("a[href]::after{content:' (' attr(href) ')'}", "Log in"),
        ("a{content:'www.paypal.com'}", ""),
        ("i::before{content:'www.paypal.com'}", "Log in"),
        (".z::before{content:'www.paypal.com'}", "Log in"),
        ("a::before{content:'\\00a0\\2022'}", "Log in"),
        ("a::before{content:'www.verify.top'}", "Log in"),
        ("ul{list-style-type:square}", "<ul><li>Log in</ul>"),
        ("@counter-style c{symbols:'www.paypal.com'}", "<ul><li>Log in</ul>"),
        ("a{--u:'Fine'}a::after{content:var(--u, 'www.paypal.com')}", ""),
        ("a{background:url('data:image/svg+xml,<svg><path d=\"m1.2.3\"/></svg>')}", "Log in"),
        ("a{background:url(https://www.paypal.com/x.png)}", "Log in"),
    ] {
        assert_ne!(under(sheet, text), Some(Verdict::Suspect), "{sheet} {text}");
    }
}

#[test]
fn sites_of_governments_and_names_that_are_cut_off_are_shown() {
    for text in [
        "gov.uk",
        "https://gov.uk/pay",
        "gouv.fr",
        "https://www.paypal.c…",
        "login.microsoftonline…",
        "https:// www . paypal . com / login",
        "www⠄paypal⠄com",
    ] {
        assert_eq!(over(text), Some(Verdict::Suspect), "{text}");
    }
    for text in ["co.uk", "Read more...", "fine.c…", "and / or . so"] {
        assert_ne!(over(text), Some(Verdict::Suspect), "{text}");
    }
}
