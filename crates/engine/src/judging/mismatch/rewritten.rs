//! Links of services that rewrite them, where only the service knows the end.

use super::super::{Judge, Judged};
use homograph::Judgement;
use maillinks::programs::is_below;

/// Hosts of links that are tokens of services that send newsletters and count clicks.
pub(super) const COUNTERS: [&str; 20] = [
    "beehiiv.com", "bmeurl.co", "cleverreach.com", "constantcontact.com", "customeriomail.com",
    "emailsys1a.net", "exacttarget.com", "exct.net", "geteml.com", "go.pardot.com",
    "hubspotlinks.com", "klclick.com", "list-manage.com", "mailgun.org", "mjt.lu", "mlsend.com",
    "rs6.net", "sendgrid.net", "sendibm1.com", "t.eloqua.com",
];

/// The same of who shortens.
pub(super) const SHORTENERS: [&str; 4] = ["bit.ly", "hs-sites.com", "lnkd.in", "t.co"];

/// Whether the link is a token, or of a service that tells the first host alone, and that is of another service. Nobody
/// could tell a lure from what a link was before.
pub(super) fn is_end_hidden(target: &Judged) -> bool {
    let Some(own) = target.host.as_deref().map(|host| &host.ascii) else { return false };
    let named = target.destination().map(|host| &host.ascii).filter(|named| *named != own);
    let is_service = |named: &String| {
        homograph::only_rewrites(named)
            || is_below(named, &COUNTERS)
            || is_below(named, &SHORTENERS)
    };
    homograph::hides_end(own) || homograph::names_host_alone(own) && named.is_some_and(is_service)
}

impl Judge<'_> {
    /// Whether a filter at the recipients' own domain rewrote the link, and names nobody's hosts in it but those of the
    /// owner whom it shows.
    pub(super) fn is_rewritten_at_home(&self, seen: &str, target: &Judged) -> bool {
        let is_shown = |inner: &Judgement| self.are_of_one_owner(seen, &inner.ascii);
        target.destination().is_some_and(|led| self.is_recipients(&led.ascii))
            && !target.inner.is_empty()
            && target.inner.iter().all(is_shown)
    }
}

#[cfg(test)]
mod tests {
    use ::base64::prelude::{BASE64_URL_SAFE_NO_PAD, Engine as _};

    use super::super::tests::in_page;
    use crate::Dmarc;
    use crate::outcome::{Reason, Verdict};
    use crate::tests::to_harbour;

    #[test]
    fn links_with_a_readable_end_lead_there() {
        let over = |url: &str| in_page(&format!("<a href=\"https://{url}\">www.paypal.com</a>"));
        for url in [
            "protect.checkpoint.com/v2/___https://{}___.YzJlOmE6YzpvOjE",
            "eu1.trendmicro-ctp.com/wis/clicktime/v1/query?url=https%3a%2f%2f{}%2Fa&amp;umid=1",
            "www.jdoqocy.com/links/1/type/dlg/https://{}/",
            "r.search.yahoo.com/_ylt=abc/RU=https%3a%2f%2f{}%2fa/RK=0",
            "eu.content.exclaimer.net/?url=https%3A%2F%2F{}%2Fa&amp;tenantid=a&amp;signature=b",
            "checkpoint.url-protection.com/v1/r07/url?o=https%3A//{}/a&amp;g=a&amp;h=b",
            "checkpoint.url-protection.com/v2/r01/___https://{}/a___.YzJl",
            "sonicwall.url-protection.com/v1/url?o=https%3A//{}/a&amp;g=a",
            "protection.retarus.com/v1?u=https%3A%2F%2F{}%2Fa&amp;c=a&amp;s=b",
            "prf.hn/click/camref:1a/destination:https%3A%2F%2F{}%2Fa",
            "shop.pxf.io/c/1/2/3?u=https%3A%2F%2F{}%2Fa",
            "ad.doubleclick.net/ddm/clk/1;2;x?https://{}/a",
            "isolate.menlosecurity.com/1/3735928037/https://{}/a",
            "calendly.com/url?q=https%3A%2F%2F{}%2Fa",
            "navigator-lxa.mail.com/mail/client/dereferrer?redirectUrl=https%3A%2F%2F{}%2Fa",
        ] {
            assert_eq!(over(&url.replace("{}", "www.paypal.com")), None, "{url}");
            let other = over(&url.replace("{}", "verify.top"));
            assert_eq!(other, Some(Verdict::Suspect), "{url}");
        }
        for own in [
            "protect.checkpoint.com.verify.top/v2/___https://www.paypal.com___.YzJl",
            "verify.top/fmlurlsvc/?fewReq=:B:a&amp;url=https%3a%2f%2fwww.paypal.com",
            "verify.top/links/1/type/dlg/https://www.paypal.com/",
            "verify.top/RU=https%3a%2f%2fwww.paypal.com%2fa/RK=0",
            "verify.top/?url=https%3A%2F%2Fwww.paypal.com%2Fa&amp;signature=b",
            "content.exclaimer.net.verify.top/?url=https%3A%2F%2Fwww.paypal.com%2Fa",
            "eu.content.exclaimer.net/?u=https%3A%2F%2Fwww.paypal.com%2Fa",
            "url-protection.verify.top/v1/url?o=https%3A//www.paypal.com/a",
            "verify.top/CL0/https:%2F%2Fwww.paypal.com%2Fa/1/a/b",
        ] {
            assert_eq!(over(own), Some(Verdict::Suspect), "{own}");
        }
    }

    #[test]
    fn links_with_an_encoded_end_lead_there() {
        let over = |url: &str| in_page(&format!("<a href=\"https://{url}\">www.paypal.com</a>"));
        for (url, text) in [
            ("shop.lt.acemlna.com/Prod/link-tracker?redirectUrl={}&amp;sig=a", "https://HOST/a"),
            ("shop.lt.acemlnb.com/Prod/link-tracker?redirectUrl={}", "https%3A%2F%2FHOST%2Fa"),
            ("substack.com/redirect/2/{}.a-b", r#"{"e":"https://HOST/a","p":1}"#),
            ("e.customeriomail.com/e/c/{}/0a1b", r#"{"email_id":"a","href":"https://HOST/a"}"#),
        ] {
            let over = |service: &str, host: &str| {
                let token = BASE64_URL_SAFE_NO_PAD.encode(text.replace("HOST", host));
                over(&service.replace("{}", &token))
            };
            assert_eq!(over(url, "www.paypal.com"), None, "{url}");
            assert_eq!(over(url, "verify.top"), Some(Verdict::Suspect), "{url}");
            let (_, path) = url.split_once('/').unwrap();
            let other = over(&format!("verify.top/{path}"), "www.paypal.com");
            assert_eq!(other, Some(Verdict::Suspect), "{path}");
        }
    }

    #[test]
    fn a_filter_at_home_leads_where_it_says() {
        let verdict = |dmarc: Dmarc, url: &str| {
            let body = format!("<a href=\"https://{url}\">https://www.paypal.com/a</a>");
            let outcome = to_harbour("a@evil.top", "text/html", &body, dmarc);
            let mut found = outcome.findings.into_iter();
            found
                .find(|finding| finding.reasons.contains(Reason::TextHrefMismatch))
                .map(|finding| finding.verdict)
        };
        let (own, other) = ("mx.harbour.com/fmlurlsvc/?", "mx.evil.top/fmlurlsvc/?");
        let end = "a=1&amp;url=https%3a%2f%2fwww.paypal.com%2fa";
        let notice = Some(Verdict::Notice);
        assert_eq!(verdict(Dmarc::Unknown, &format!("{own}{end}")), notice);
        for (dmarc, url) in [
            (Dmarc::Unknown, format!("{other}{end}")),
            (Dmarc::Fail, format!("{own}{end}")),
            (Dmarc::Pass, format!("{own}{end}&amp;to=https://evil.top/")),
            (Dmarc::Pass, format!("{own}url=https://evil.top/")),
            (Dmarc::Pass, own.to_owned()),
        ] {
            assert_eq!(verdict(dmarc, &url), Some(Verdict::Suspect), "{url}");
        }
    }

    #[test]
    fn what_only_a_service_knows_is_a_notice() {
        let over = |url: &str| in_page(&format!("<a href=\"https://{url}\">www.paypal.com</a>"));
        for url in [
            "protect-eu.mimecast.com/s/AbC?domain=eur01.safelinks.protection.outlook.com",
            "protect-eu.mimecast.com/s/AbC?domain=shop.us1.list-manage.com",
            "www.mailcontrol.com/sr/abc==",
            "url.emailprotection.link/?babc~",
            "us01.l.antigena.com/l/AbC~d",
            "eu01.z.antigena.com/l/AbC~d",
        ] {
            assert_eq!(over(url), Some(Verdict::Notice), "{url}");
        }
        for url in [
            "protect-eu.mimecast.com/s/AbC?domain=verify.top",
            "eur01.safelinks.protection.outlook.com/?url=https%3A%2F%2Fverify.top",
            "eur01.safelinks.protection.outlook.com/?url=https%3A%2F%2Fshop.us1.list-manage.com%2Fx",
            "shop.us1.list-manage.com/track/click?u=AbC",
            "shared.outlook.inky.com/link?domain=verify.top&t=h.eJx",
            "urlsand.com/?u=https%3A%2F%2Fverify.top",
            "mailcontrol.com.verify.top/sr/abc",
            "l.antigena.com.verify.top/l/AbC~d",
            "substack.com/redirect/0a1b-2c?j=eyJ1IjoiYSJ9.b",
        ] {
            assert_eq!(over(url), Some(Verdict::Suspect), "{url}");
        }
        for url in [
            "shared.outlook.inky.com/link?domain=www.paypal.com&t=h.eJx",
            "linklock.titanhq.com/analyse?url=https%3A%2F%2Fwww.paypal.com%2Fx&data=a",
            "wx.mail.qq.com/xmspamcheck/xmsafejump?url=https%3A%2F%2Fwww.paypal.com%2Fx",
        ] {
            assert_eq!(over(url), None, "{url}");
        }
    }
}
