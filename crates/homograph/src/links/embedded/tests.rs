use super::*;
use crate::links::carried::tests::{blocking, url};
use crate::verdict::Verdict;

/// A link is as bad as the worst host inside it, however wrapped.
#[test]
fn urls_inside_urls_are_judged() {
    for text in [
        "https://example.com/?u=https%3A%2F%2Fраypal.com%2F",
        "https://example.com/?u=https%253A%252F%252Fxn--ypal-43d9g.com",
        "https://example.com/#HTTPS://раypal.com",
        "https://example.com/seehttp:\\\\a@раypal.com:99999?x",
        "https://example.com/http:раypal.com/x",
        "https://example.com/http:раypal.com@x",
        "https://example.com/#www.раypal.com",
        "https://example.com/?u=hxxp://раypal.com",
        "https://example.com/bob@раypal.com",
        "https://example.com/?u=bob%40xn--ypal-43d9g.com",
        "https://example.com/a?раypal.com.",
        "https://example.com/?u=https://example.org\\@раypal.com&x",
        "https://example.com/?u=https://раypal.com@example.org/",
        "https://eur.safelinks.protection.outlook.com/?url=https%3A%2F%2Fxn--ypal-43d9g.com%2F&d=1",
        "https://urldefense.proofpoint.com/v2/url?u=https-3A__xn-2D-2Dypal-2D43d9g.com_x&d=1",
        "https://urldefense.com/v3/__https://xn--ypal-43d9g.com/__;!!a$",
        "https://protect-us.mimecast.com/s/x?domain=xn--ypal-43d9g.com",
        "https://www.google.com/url?q=a.co&url=https://xn--ypal-43d9g.com/",
        "https://www.google.com\\url?q=https%3A%2F%2Fxn--ypal-43d9g.com%2F",
        "https://www.google.com/url?q=a.co%2F%3Fu%3Dhttps%253A%252F%252Fxn--ypal-43d9g.com",
        "https://l.facebook.com/l.php?u=a.co&h=https%3A%2F%2Fxn--ypal-43d9g.com",
        "https://www.bing.com/ck/a?u=a1aHR0cHM6Ly9hLmNvLz91PWh0dHBzOi8veG4tLXlwYWwtNDNkOWcuY29t",
        "https://eur.safelinks.protection.outlook.com/?url=https%3A%2F%2Furldefense.com%2Fv3%2F__https%3A%2F%2Fxn--ypal-43d9g.com%2F__%3B!!a%24",
    ] {
        let link = url(text);
        assert_eq!(link.verdict, Verdict::Unsafe, "{text}");
        assert_eq!(link.target(), Some("paypal.com"), "{text}");
    }
}

/// A spelling that was judged as something else and dropped is still judged as a host.
#[test]
fn a_host_is_judged_whatever_else_its_spelling_was() {
    for text in [
        "https://redir.example/?u=https://bad.org@bad.org/",
        "https://redir.example/?u=https%3A%2F%2Fbad.org%40bad.org%2F",
        "https://redir.example/?a=https://bad.org@x.org/&u=https://bad.org/",
        "https://redir.example/bad.org?u=https%3A%2F%2Fbad.org",
        "https://redir.example/?u=http:bad.org&v=https%3A%2F%2Fbad.org",
    ] {
        let link = blocking(text, "bad.org");
        assert!(link.inner.iter().any(|host| host.ascii == "bad.org"), "{text}");
        assert!(link.reasons.contains(Reason::Listed), "{text}");
        assert_eq!(link.verdict, Verdict::Unsafe, "{text}");
    }
    for text in [
        "https://redir.example/ü/example.org?u=https%3A%2F%2Fexample.org",
        "https://redir.example/ü/example.org/https:example.org?u=https%253A%252F%252Fexample.org",
    ] {
        let link = url(text);
        assert!(link.inner.iter().any(|host| host.ascii == "example.org"), "{text}");
    }
}

/// Share buttons put prose into a query: a URL in it ends as in running text.
#[test]
fn urls_in_prose_end_where_those_of_running_text_do() {
    for text in [
        "https://twitter.com/intent/tweet?text=See+https%3A%2F%2Fwww.paypal.com+%40PayPal",
        "https://twitter.com/intent/tweet?text=See+https%3A%2F%2Fwww.paypal.com%2C+%40PayPal",
        "https://example.com/search?q=Pay%3A+https%3A%2F%2Fpaypal.com%2C+ann%40example.org",
        "https://example.com/search?q=https%3A%2F%2Fpaypal.com%2C+ann%40example.org",
        "https://example.com/?q=see+https://paypal.com,+ann@example.org",
        "https://wa.me/?text=Visit%20https%3A%2F%2Fexample.com%E2%80%99s%20sale",
        "https://wa.me/?text=https%3A%2F%2Fexample.com%E2%84%A2%20is%20new",
        "https://wa.me/?text=%E2%80%9Chttps%3A%2F%2Fwww.example.org%E2%80%9D",
        "https://wa.me/?text=%E2%80%9Ehttps%3A%2F%2Fwww.example.org%E2%80%9C",
        "https://wa.me/?text=new+https%3A%2F%2Fexample.com+%E2%80%93+see",
        "https://example.com/?text=%E6%94%AF%EF%BC%9Ahttps%3A%2F%2Fwww.paypal.com%EF%BC%8C%E5%AE%A2%EF%BC%9Aservice%40example.org",
        "https://example.com/?text=https%3A%2F%2Fwww.paypal.com%E2%80%93%40PayPal",
        "https://example.com/?text=https%3A%2F%2Fwww.paypal.com%E2%80%A6%20%40paypal",
        "https://example.com/\u{a1}F\u{b0}\u{ea}\u{a1}Ghttps://www.example.org\u{a1}C",
        "https://example.com/\u{fffd}F\u{fffd}\u{fffd}\u{fffd}Ghttps://www.example.org\u{fffd}C",
        "mailto:?body=Visit%20https%3A%2F%2Fexample.com%E2%80%99s%20sale",
        "https://example.com/render?details=Huber%0Ahttps://www.paypal.com%0Aann@example.org",
        "https://example.com/render?details=https://paypal.com%0Aann@example.org%0Ahttps://a.org/",
        "https://example.com/?text=See%20https://paypal.com%20or%20mail:%20ann@example.org",
        "https://example.com/?query=url:https://paypal.com%20user:ann@example.org",
        "https://example.com/?site=https://www.paypal.com%26email%3Dann@example.org&x=1",
        "https://example.com/?q=https://paypal.com,+ann@example.org",
        "https://example.com/?q=https://paypal.com%2C%20ann@example.org",
        "https://example.com/?next=https%3A%2F%2Fexample.org%3Fq%3Dhttps%3A%2F%2Fpaypal.com%2520ann%40example.org",
    ] {
        let link = url(text);
        assert!(link.verdict <= Verdict::Notice, "{text}: {:?}", link.reasons);
        assert!(link.edit < Edit::Link, "{text}");
    }
    for text in [
        "https://wa.me/?text=Visit%20https%3A%2F%2Fxn--ypal-43d9g.com%E2%80%99s%20sale",
        "https://wa.me/?text=Visit+https%3A%2F%2Fxn--ypal-43d9g.com+now",
        "https://wa.me/?text=Visit+https%3A%2F%2Fwww.paypal.com%40example.org+now",
        "https://wa.me/?text=%E2%80%9Chttps%3A%2F%2Fwww.paypal.com%40example.org%2F%E2%80%9D",
        "https://example.com/?u=https://www.paypal.com+x@example.org",
        "https://example.com/?u=https%3A%2F%2Fwww.paypal.com%2Bx%40example.org",
        "https://example.com/?u=https://www.paypal.com@2130706433/",
        "https://example.com/?u=https://www.paypal.com%20@example.org",
        "https://example.com/?u=https://www.paypal.com%20x@example.org/login",
        "https://example.com/?u=https://www.paypal.com%20x@example.org%2Flogin",
        "https://example.com/?u=https://www.paypal.com%20x@example.org:8080",
        "https://example.com/?u=https://x%20www.paypal.com@example.org",
        "https://example.com/https://www.paypal.com%20x@example.org",
        "https://example.com/?https://www.paypal.com%20x@example.org",
        "https://www.google.com/url?q=https://www.paypal.com%20x@example.org",
    ] {
        assert_eq!(url(text).verdict, Verdict::Unsafe, "{text}");
    }
}

#[test]
fn embedded_urls_are_bounded() {
    let many = "https://x.org/?".to_owned() + &"u=https://a.b.example/&".repeat(10_000);
    assert!(url(&many).inner.len() <= EMBEDDED);
    let deep = "https://x.org/?u=".repeat(1000);
    assert!(url(&deep).inner.len() <= EMBEDDED);
}

/// Each URL is in the tail of every one before it: without a limit there would be as many paths
/// through them as subsets.
#[test]
fn urls_inside_urls_inside_urls_are_searched_once() {
    for unit in [
        "http://a.co/",
        "http://a.co/?u=",
        "http://a.co/%2525",
        "https://urldefense.com/v3/__",
        "https://x.safelinks.protection.outlook.com/?url=",
        "https%3A%2F%2Fx.safelinks.protection.outlook.com%2F%3Furl%3D",
    ] {
        let link = url(&format!("http://x.co/{}", unit.repeat(200)));
        assert!(!link.inner.is_empty() && link.inner.len() <= EMBEDDED, "{unit}");
    }
}

/// Neither many URLs to one host nor one that is written out hides another.
#[test]
fn a_url_behind_others_is_found() {
    let many = "http://a.co/".repeat(100);
    for text in [
        format!("http://x.co/{many}http://xn--ypal-43d9g.com/"),
        format!("http://x.co/?u={many}&v=http%3A%2F%2Fxn--ypal-43d9g.com"),
        format!("http://x.co/?u={many}&v=http%253A%252F%252Fxn--ypal-43d9g.com"),
        format!("http://x.co/?{}@xn--ypal-43d9g.com", "http:".repeat(100)),
        format!(
            "http://x.co/?u={many}&v=https://urldefense.com/v3/__https:/xn--ypal-43d9g.com/__;!!"
        ),
    ] {
        assert_eq!(url(&text).verdict, Verdict::Unsafe, "{text}");
    }
}
