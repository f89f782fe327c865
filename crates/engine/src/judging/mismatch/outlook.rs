//! What a link shows in Outlook, which reads pages as Word does.

use super::tests::in_page;
use crate::outcome::Verdict;

/// Outlook reads what is inside conditional comments, and the anchor goes on behind one.
#[test]
fn anchors_of_outlook_are_compared() {
    let verdict =
        |page: &str, led: &str| in_page(&page.replace("{X}", &format!("https://{led}/x")));
    for page in [
        "<!--[if mso]><a href=\"{X}\"><![endif]-->www.paypal.com<!--[if mso]></a><![endif]-->",
        "<!--[if mso]><a href=\"{X}\"><![endif]--> <b>www.paypal.com</b></a>",
        "<!--[if !mso]><!--><a href=\"https://www.paypal.com/\"><!--<![endif]-->\
         <!--[if mso]><a href=\"{X}\"><![endif]-->www.paypal.com</a>",
        "<!--[if mso]><v:rect href=\"{X}\"><![endif]--> <p>www.paypal.com</p>\
         <!--[if mso]></v:rect><![endif]-->",
        "<a href=\"{X}\">x<!--[if !mso]><!--></a><!--<![endif]--> paypal.com",
        "<a href=\"{X}\">x <!--[if !mso]><!--> </a><!--<![endif]--> paypal.com",
        "<a href=\"{X}\">x <!--[if !mso]><!--> </a><a href=https://www.paypal.com/> \
         <!--<![endif]--> www.paypal.com</a>",
        "<a href=\"{X}\"><!--[if mso]>https://www.paypal.com/signin<![endif]--></a>",
        "<a href=\"{X}\"><!--[if mso]>www.paypal&#46;com<![endif]--></a>",
        "<a href=\"{X}\"><span><!--[if gte mso 9]><b>www.paypal.com</b><![endif]--></span></a>",
        "<a href=\"{X}\"><!--[if mso]><img alt=www.paypal.com><![endif]--></a>",
        "<!--[if mso]><a href=\"{X}\"><![endif]--><a href=https://www.paypal.com/>\
         www.paypal.com</a><!--[if mso]></a><![endif]-->",
        "<!--[if mso]><v:rect href=\"{X}\"><![endif]--><a href=https://www.paypal.com/>\
         www.paypal.com</a><!--[if mso]></v:rect><![endif]-->",
    ] {
        assert_eq!(verdict(page, "verify.top"), Some(Verdict::Suspect), "{page}");
        assert_eq!(verdict(page, "www.paypal.com"), None, "{page}");
    }
    let button = "<!--[if mso]><v:rect href=\"{X}\"><![endif]--><a href=\"{X}\">go</a>\
                  <!--[if mso]></v:rect><![endif]-->www.paypal.com";
    assert_eq!(verdict(button, "verify.top"), None);
    // Beside a link of Outlook's that has nothing to do with it.
    for fine in [
        "<a href=\"{X}\"><!--[if mso]>&nbsp;<![endif]-->Log in</a> www.paypal.com",
        "<!--[if mso]><a href=\"{X}\">Log in<![endif]--><a href=https://www.paypal.com/>\
         www.paypal.com</a>",
    ] {
        assert_eq!(verdict(fine, "verify.top"), None, "{fine}");
    }
    let piece = "<a href=\"{X}\">https://www.paypal<!--[if !mso]><!-->-x<!--<![endif]-->.com/</a>";
    assert_eq!(verdict(piece, "verify.top"), Some(Verdict::Suspect));
}

/// Word's marks of fields, and a style with one.
#[test]
fn fields_of_word_are_compared() {
    let span = |mark: &str| format!("<span style='mso-element:{mark}'></span>");
    let [begin, separator, end] = ["field-begin", "field-separator", "field-end"].map(span);
    let only = |inner: &str| format!("<!--[if supportFields]>{inner}<![endif]-->");
    let code = " HYPERLINK \"https://{L}/x\" ";
    let marked = format!("{begin}{code}{separator}");
    let (text, open) = ("https://www.paypal.com/signin", only(&marked));
    let hidden = format!("<span style='mso-hide:all;display:none'>{code}</span>");
    for page in [
        format!("{open}{text}{}", only(&end)),
        format!("{open}<b>{text}</b>{}", only(&end)),
        format!("{marked}{text}{end}"),
        format!("{begin}{hidden}{separator}{text}{end}"),
        format!("{open}{text}").replace("mso-element", "mso-&#101;lement"),
        format!("{open}{text}").replace("mso-element", "Mso-eLEMENT"),
        format!("{open}<a href='https://www.paypal.com/'>{text}</a>{}", only(&end)),
        format!(
            "<span style='mso-field-code:\" HYPERLINK \\0022https\\:\\/\\/{{L}}\\/x\\0022 \"'>{text}</span>"
        ),
    ] {
        let to = |led: &str| in_page(&page.replace("{L}", led));
        assert_eq!(to("verify.top"), Some(Verdict::Suspect), "{page}");
        assert_eq!(to("www.paypal.com"), None, "{page}");
    }
    for fine in [
        format!("{open}{text}{}", only(&end)).replace("HYPERLINK", "INCLUDEPICTURE"),
        format!("{open}Log in{} {text}", only(&end)),
        format!("{begin} PAGE {separator}1{end} {text}"),
    ] {
        assert_eq!(in_page(&fine.replace("{L}", "verify.top")), None, "{fine}");
    }
}
