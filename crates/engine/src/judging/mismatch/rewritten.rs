//! Links of services that rewrite them, where only the service knows the end.

use super::super::Judged;
use crate::programs::is_below;

/// Hosts of links that are tokens of who counts clicks and who shortens.
const CLICKS: [&str; 12] = [
    "bit.ly",
    "constantcontact.com",
    "exacttarget.com",
    "hs-sites.com",
    "hubspotlinks.com",
    "klclick.com",
    "list-manage.com",
    "lnkd.in",
    "mailgun.org",
    "rs6.net",
    "sendgrid.net",
    "t.co",
];

/// Whether the link is a token, or of a service that tells the first host alone, and that is of another service. Nobody
/// could tell a lure from what a link was before.
pub(super) fn is_end_hidden(target: &Judged) -> bool {
    let Some(own) = target.host.as_deref().map(|host| &host.ascii) else { return false };
    let named = target.destination().map(|host| &host.ascii).filter(|named| *named != own);
    let is_service = |named: &String| homograph::only_rewrites(named) || is_below(named, &CLICKS);
    homograph::hides_end(own) || homograph::names_host_alone(own) && named.is_some_and(is_service)
}

#[cfg(test)]
mod tests {
    use super::super::tests::in_page;
    use crate::outcome::Verdict;

    #[test]
    fn what_only_a_service_knows_is_a_notice() {
        let over = |url: &str| in_page(&format!("<a href=\"https://{url}\">www.paypal.com</a>"));
        for url in [
            "protect-eu.mimecast.com/s/AbC?domain=eur01.safelinks.protection.outlook.com",
            "protect-eu.mimecast.com/s/AbC?domain=shop.us1.list-manage.com",
            "www.mailcontrol.com/sr/abc==",
            "url.emailprotection.link/?babc~",
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
