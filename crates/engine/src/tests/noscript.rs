use crate::outcome::{Reason, Verdict};
use crate::{Answers, Facts, Message, Policy, TldTable};

/// The verdict of a link of the page that shows another, and how many links the page has.
fn differs(page: &str) -> (Option<Verdict>, usize) {
    let message = Message { head: b"Content-Type: text/html\n", body: page.as_bytes() };
    let tlds = TldTable::new(["com", "top"], "");
    let (facts, policy) = (Facts::default(), Policy::default());
    let outcome = crate::inspect(message, &facts, &policy, &tlds).resolve(&Answers::new());
    let mut findings = outcome.findings.iter();
    let found = findings.find(|one| one.reasons.contains(Reason::TextHrefMismatch));
    (found.map(|one| one.verdict), outcome.links)
}

#[test]
fn a_link_that_only_one_reading_has_is_compared() {
    let link = "<a href={X}>https://www.paypal.com/signin</a>";
    for page in [
        "<noscript><p title=\"</noscript>{L}\"></noscript>",
        "<noscript><style></noscript>{L}</style></noscript>",
        "<noscript><!--</noscript>{L}--></noscript>",
        "<noscript><textarea></noscript>{L}</textarea></noscript>",
        "<noscript><title></noscript>{L}</title></noscript>",
        "<noscript><xmp></noscript>{L}</xmp></noscript>",
        "<noscript><img alt=x></noscript><noscript><iframe></noscript>{L}</iframe></noscript>",
        "<a href={X}><noscript></a></noscript>https://www.paypal.com/signin</a>",
        "<a href={X}><noscript><a href=https://www.paypal.com/><img src=x></a></noscript>www.paypal.com</a>",
        "<a href={X}>www.pay<noscript> or </noscript>pal.com</a>",
        "<noscript><base href=https://www.paypal.com/></noscript><base href={X}><a href=x>www.paypal.com</a>",
        // As markup.
        "<noscript>{L}</noscript>",
        "<noscript><a href={X}></noscript>https://www.paypal.com/signin</a>",
    ] {
        let to = |host: &str| {
            let url = format!("https://{host}/x");
            differs(&page.replace("{L}", link).replace("{X}", &url)).0
        };
        assert_eq!(to("verify.top"), Some(Verdict::Suspect), "{page}");
        assert_ne!(to("www.paypal.com"), Some(Verdict::Suspect), "{page}");
    }
}

#[test]
fn letters_of_shops_are_as_they_were() {
    let shop = "<p><a href=https://www.fine.com/a>www.fine.com</a></p>";
    for page in [
        "<noscript><img src=https://count.top/1 width=1></noscript>{S}",
        "<!--[if mso]><noscript><xml><o:x/></xml></noscript><![endif]-->{S}",
        "{S}<noscript><p>Turn on scripts.</p></noscript>",
        "{S}<noscript><a href=https://www.fine.com/b>PayPal</a></noscript>{S}",
        "{S}<noscript><div><a href=https://www.fine.com/b><img src=x></a></div></noscript>",
    ] {
        let (found, links) = differs(&page.replace("{S}", shop));
        assert_eq!(found, None, "{page}");
        let without = page.replace("<noscript>", "<i>").replace("</noscript>", "</i>");
        assert_eq!(links, differs(&without.replace("{S}", shop)).1, "{page}");
    }
}
