//! What anchors show in pieces: elements in a word, blocks side by side, boxes in another order.

use super::tests::{in_page, mismatch};
use crate::outcome::Verdict;

/// A reader sees a gap where the text has none: `paypal.com  Login`.
#[test]
fn a_host_may_end_where_an_element_does() {
    for shown in [
        "www.paypal.com<span style='margin-left:9px'>Login</span>",
        "paypal.com<sup>1</sup>",
        "www.paypal.com<sup>TM</sup>",
        "https://www.paypal.com<small>secure</small>",
        "<b>Visit</b><span style='padding-left:1em'>paypal.com</span>",
        "<span style='display:flex;gap:9px'><b>paypal.com</b><b>Login</b></span>",
        "<i>Go</i><b>www.</b><b>paypal</b><b>.com</b><i>now</i>",
        "See <i>1</i>pay<b>pal.com</b><i>2</i> and more",
    ] {
        assert_eq!(mismatch(shown, "verify.top"), Some(Verdict::Suspect), "{shown}");
        assert_ne!(mismatch(shown, "www.paypal.com"), Some(Verdict::Suspect), "{shown}");
    }
    for fine in [
        "www.paypal.com<wbr>.verify.top",
        "paypal.com<b>.fine.top</b>",
        "paypal.com<b>-fine.top</b>",
        "paypal.comLogin",
        "fine.com<sup>1</sup>",
        "PayPal<sup>1</sup>Login",
    ] {
        assert_ne!(mismatch(fine, "verify.top"), Some(Verdict::Suspect), "{fine}");
    }
    let outside = "www.paypal.com<sup>1</sup> <a href=https://verify.top/x>Login</a>";
    assert_eq!(in_page(outside), None);
}

/// What stands side by side is read as one word, whatever blocks and tables are in the boxes.
#[test]
fn blocks_in_boxes_side_by_side_are_read_together() {
    for (row, one, next) in [
        ("<table><tr>{}</tr></table>", "<td><p>", "</p></td>"),
        ("<table><tr>{}</table>", "<td>\n<div>", "</div>\n</td>\n"),
        ("<table><tr>{}</table>", "<td><center><h2>", "</h2></center></td>"),
        ("<table><tr>{}</table>", "<td><table><tr><td>", "</td></tr></table></td>"),
        ("{}", "<table align=left><tr><td>", "</td></tr></table>\n"),
        ("{}", "<table style='float:left'><tr><td><p>", "</p></td></tr></table>"),
        ("{}", "<table style='display:inline-table'><tr><td>", "</table>"),
        ("{}", "<div style='float:left'><p>", "</p></div>"),
        (
            "{}",
            "<!--[if mso]><td><![endif]--><div style='font-size:0;display:inline-block'><table><tbody><tr><td><div style='font-size:13px'>",
            "</div></td></tr></tbody></table></div><!--[if mso]></td><![endif]-->",
        ),
        ("<div style='columns:2'>{}</div>", "<div>", "</div>"),
        ("<div style='column-count:2'>{}</div>", "<p>", "</p>"),
    ] {
        let box_of = |text: &str| [one, text, next].concat();
        for split in ["www.pay|pal.com", "paypal|.com", "www.|paypal|.com", "pay|pal.com"] {
            let boxes: String = split.split('|').map(box_of).collect();
            let shown = row.replace("{}", &boxes);
            assert_eq!(mismatch(&shown, "verify.top"), Some(Verdict::Suspect), "{shown}");
            let anchor = |text: &str| box_of(&format!("<a href={{X}}>{text}</a>"));
            let anchors: String = split.split('|').map(anchor).collect();
            let page = row.replace("{}", &anchors);
            let to = |led: &str| in_page(&page.replace("{X}", &format!("https://{led}/x")));
            assert_eq!(to("verify.top"), Some(Verdict::Suspect), "{page}");
            assert_ne!(to("www.paypal.com"), Some(Verdict::Suspect), "{page}");
        }
    }
}

#[test]
fn what_stands_below_is_another_word() {
    for fine in [
        "<table><tr><td><p>pay</p></td></tr><tr><td><p>pal.com</p></td></tr></table>",
        "<table><tr><td><p>pay</p><p>pal.com</p></td></tr></table>",
        "<table><tr><td><p>pay</p><td></td></tr><tr><td><p>pal.com</p></table>",
        "<table><tr><td><p>pay</p></td></tr></table><table><tr><td><p>pal.com</p></td></tr></table>",
        "<div style='float:left'><p>pay</p></div><p>pal.com</p>",
        "<table><tr><td><p>pay</p></td><td><br>pal.com</td></tr></table>",
        "<table><tr><td><p>pay</p></td><td>x</td><td><p>pal.com</p></td></tr></table>",
        "<table align=left><tr><td>pay</td></tr></table><br><table align=left><tr><td>pal.com</td></tr></table>",
    ] {
        assert_ne!(mismatch(fine, "verify.top"), Some(Verdict::Suspect), "{fine}");
    }
}

/// Boxes in another order keep the dots at their edges.
#[test]
fn boxes_in_reverse_order_are_read_as_they_stand() {
    for pieces in
        [".com|paypal|www.", ".com|dhl", "pal.com|www.pay", "/login|.com|netflix|www.|https://"]
    {
        for (row, one) in [
            ("<span style='display:flex;flex-direction:row-reverse'>{}</span>", "<span>"),
            ("<span style='display:inline-flex'>{}</span>", "<span style='order:3'>"),
            ("{}", "<span style='float:right'>"),
            ("<span dir=rtl>{}</span>", "<span style='display:inline-block'>"),
        ] {
            let boxes: String =
                pieces.split('|').map(|piece| [one, piece, "</span>"].concat()).collect();
            let shown = row.replace("{}", &boxes);
            assert_eq!(mismatch(&shown, "verify.top"), Some(Verdict::Suspect), "{shown}");
        }
    }
    let table = |text: &str| format!("<table align=right><tr><td>{text}</td></tr></table>");
    let shown = [".com", "paypal", "www."].map(table).concat();
    assert_eq!(mismatch(&shown, "verify.top"), Some(Verdict::Suspect), "{shown}");
}
