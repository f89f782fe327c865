//! What a link shows by the parsers of HTML, which read sloppy tags in their own ways.

use super::tests::{in_page, lures, mismatch};
use crate::outcome::Verdict;

/// Parsers drop `</a>` in a table, and `</button>` without a button: the link goes on.
#[test]
fn links_that_an_end_tag_does_not_end_are_compared() {
    let text = "https://www.paypal.com/login";
    for page in [
        "<a href={X}></button>{T}</a>",
        "<a href={X}></v:roundrect>{T}</a>",
        "<a href={X}></v:rect>{T}</a>",
        "<a href={X}></math>{T}</a>",
        "<a href={X}><button>x</button>{T}</a>",
        "<a href={X}><math><mi>x</mi></math>{T}</a>",
        "<a href={X}><table><tr><td></a>{T}</td></tr></table>",
        "<a href={X}><table></a></table>{T}</a>",
        "<a href={X}><table><caption></a>{T}</caption></table>",
        "<a href={X}><table><th></a><td></a>{T}</table>",
        "<a href={X}><marquee></a>{T}</marquee>",
        "<a href={X}><object></a></object>{T}</a>",
        "<a href={X}><applet></a>{T}</applet>",
        "<a href={X}><template></a></template>{T}</a>",
        "<a href={X}><select></a><select>{T}</a>",
        "<a href={X}><svg><foreignObject></a>{T}</foreignObject></svg>",
        "<a href={X}><svg><desc></a></desc></svg>{T}",
        "<a href={X}><math><mi></a>{T}</mi></math>",
        "<a href={X}><math><annotation-xml></a>{T}</annotation-xml></math>",
        "<a href={X}><table><td><a href=https://fine.com/>x</a> {T}</td></table></a>",
        "<a href={X}><table><td><table><td></a></td></table>{T}</td></table></a>",
        "<a href={X}><table><td></a><img alt='{T}'></td></table>",
        "<table><a href={X}><tr><td></a></td></tr></table>{T}",
        "<table><td></a><a href=login></button>{T}</a></table><base href={X}>",
    ] {
        let page = page.replace("{T}", text);
        lures(&[&page]);
    }
    lures(&["<a href={X}></button>www.pay<img>pal.com</a>"]);
    for fine in [
        "<a href={E}>x</a><button></button>{T}",
        "<a href={E}><table><td></a></td></table></a>{T}",
        "<a href={E}><table><td>x</td></table></a>{T}",
        "<table><td><a href={E}>x</td><td></a>{T}</td></table>",
        "<table><td><a href={E}>x</a><td>{T}<td><a href={E}>y</a></table>{T}",
        "<table><td><a href={E}><object></a></object><td>{T}</table>",
        "<a href={E}></button>x<a href=https://fine.com/>y</a>{T}",
        "<a href={E}><svg><text>x</text></svg></a>{T}",
        "<a href={E}></button>https://www.fine.com/</a>",
    ] {
        let fine = fine.replace("{E}", "https://verify.top/x").replace("{T}", text);
        assert_eq!(in_page(&fine), None, "{fine}");
    }
    let nested = "<a href={X}><table><td></a>".repeat(600);
    lures(&[&format!("{nested}{text}")]);
}

/// Every shape of VML may have an address.
#[test]
fn links_that_outlook_draws_are_compared() {
    for shape in ["arc", "curve", "group", "image", "line", "oval", "polyline", "roundrect"] {
        lures(&[&format!(
            "<v:{shape} href={{X}}><v:rect><v:textbox>www.paypal.com</v:textbox></v:rect></v:{shape}>"
        )]);
    }
}

/// What is shown while the pointer is on a link.
#[test]
fn the_nearest_title_around_a_link_is_compared() {
    lures(&[
        "<table><tr><td title='https://www.paypal.com/a'><a href={X}>Log in</a></td></table>",
        "<div title=www.paypal.com><div>x</div><p><a href={X}>Log in</a></div>",
        "<b title=x><i title='at paypal.com'><a href={X}>Log in</a></i></b>",
        "<form action={X} title='log in: www.paypal.com'><button>Log in</button></form>",
        "<b title=www.paypal.com><i title=x>y</i><a href={X}>Log in</a></b>",
    ]);
    for fine in [
        "<td title=www.paypal.com>x</td><a href=https://verify.top/>Log in</a>",
        "<b title=www.paypal.com>x</b><a href=https://verify.top/>Log in</a>",
        "<b title=www.paypal.com><i title=x><a href=https://verify.top/>Log in</a></i></b>",
        "<b title=www.paypal.com><a title=x href=https://verify.top/>Log in</a></b>",
        "<b title=www.fine.com><a href=https://verify.top/>Log in</a></b>",
        "<img title=www.paypal.com><a href=https://verify.top/>Log in</a>",
    ] {
        assert_eq!(in_page(fine), None, "{fine}");
    }
}

/// Tags that parsers do not know, or drop, divide no word.
#[test]
fn words_go_on_behind_tags_that_make_nothing() {
    for seen in [
        "https://www.pay<text>pal</text>.com/login",
        "https://www.pay<frameset>pal.com/login",
        "https://www.pay</frameset>pal.com/login",
    ] {
        assert_eq!(mismatch(seen, "verify.top"), Some(Verdict::Suspect), "{seen}");
        assert_eq!(mismatch(seen, "www.paypal.com"), None, "{seen}");
    }
}

#[test]
fn animated_links_lead_where_they_are_made_to_lead() {
    let drawing = |inner: &str| {
        format!("<svg><a href=https://www.paypal.com>{inner}<text>www.paypal.com</text></a></svg>")
    };
    lures(&[
        &drawing("<animate attributeName=href values='{X}'/>"),
        &drawing("<animate attributeName=xlink:href values='https://paypal.com;{X}'/>"),
        &drawing("<set attributeName=href to={X} />"),
        &drawing("<animate attributeName=href values='{X}'/>")
            .replace(" href=https://www.paypal.com", ""),
        &drawing("<set attributeName=href to={X} />").replace(" href=https://www.paypal.com", ""),
        "<svg><a><text>www.paypal.com</text><set attributeName=xlink:href to={X} /></a></svg>",
        "<a href={X}><svg><a><text>www.paypal.com</text></a></svg></a>",
    ]);
    for fine in [
        "<svg><a><text>www.paypal.com</text></a><a><set attributeName=href to=https://verify.top/ /></a></svg>",
        "<svg><a><set attributeName=href to=https://www.paypal.com/x /><text>www.paypal.com</text></a></svg>",
        "<svg><a><set attributeName=x to=https://verify.top/ /><text>www.paypal.com</text></a></svg>",
        "<svg><a><text>www.paypal.com</text></a></svg>",
    ] {
        assert_eq!(in_page(fine), None, "{fine}");
    }
    for fine in ["<animate attributeName=x values=https://verify.top/ />", "<set to=1 />"] {
        assert_eq!(in_page(&drawing(fine)), None, "{fine}");
    }
}

/// AMP for Email evaluates what is bound to an attribute after a tap.
#[test]
fn bound_links_lead_where_they_are_made_to_lead() {
    let text = "https://www.paypal.com/signin";
    for page in [
        "<a href={T} [href]=\"'{X}'\">{T}</a>",
        "<a href={T} data-amp-bind-href=\"'{X}'\">{T}</a>",
        "<a [href]=\"'{X}'\">{T}</a>",
        "<a href={T} [href]=\"s.u ? s.u : '{X}'\">{T}</a>",
        "<a href={X} [text]=\"'{T}'\">x</a>",
        "<a href={X}><b [text]=\"s.a + '{T}'\">x</b></a>",
        "<a href={X} data-amp-bind-text=\"'{T}'\">x</a>",
    ] {
        lures(&[&page.replace("{T}", text)]);
    }
    for fine in [
        "<a href={T} [href]=\"'https://www.paypal.com/' + s.page\">{T}</a>",
        "<a href={T} [class]=\"'https://verify.top/'\">{T}</a>",
        "<a [href]=\"'https://verify.top/'\">Log in</a> {T}",
        "<a href={T}>{T}</a><p [text]=\"'https://verify.top/'\">x</p>",
        "<p [text]=\"'{T}'\">x</p><a href=https://verify.top/>Log in</a>",
    ] {
        let fine = fine.replace("{T}", text);
        assert_eq!(in_page(&fine), None, "{fine}");
    }
}

/// A page that is opened from a file runs what stands in attributes of its links.
#[test]
fn handlers_that_open_a_page_lead_there() {
    let text = "https://www.paypal.com/signin";
    for page in [
        "<a href={T} onclick=\"location='{X}';return false\">{T}</a>",
        "<a href={T} onmousedown=\"this.href='{X}'\">{T}</a>",
        "<a href={T} onclick=\"window.open('{X}');return false\">{T}</a>",
        "<a href={T} onclick=\"window.location.assign('{X}')\">{T}</a>",
        "<a href={T} onclick=\"loc&#97;tion='{X}'\">{T}</a>",
        "<a href=# onclick=\"location='{X}'\">{T}</a>",
        "<svg><a href={T} onclick=\"location='{X}'\"><text>{T}</text></a></svg>",
    ] {
        lures(&[&page.replace("{T}", text)]);
    }
    for fine in [
        "<a href={T} onclick=\"location='https://www.paypal.com/x';return false\">{T}</a>",
        "<a href={T} onclick=\"log('https://stats.example.com/c')\">{T}</a>",
        "<a href={T} onmousedown=\"this.href='https://www.google.com/url?q=https%3A%2F%2Fwww.paypal.com%2Fsignin'\">{T}</a>",
        "<a href={T} onclick=\"location='/next'\">{T}</a>",
        "<a href=https://verify.top/ onclick=\"location='https://verify.top/'\">Log in</a> {T}",
    ] {
        let fine = fine.replace("{T}", text);
        assert_eq!(in_page(&fine), None, "{fine}");
    }
}
