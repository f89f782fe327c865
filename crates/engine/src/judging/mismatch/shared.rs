//! Services of well-known owners at which anybody publishes, that the public suffix list does not name or names only in
//! part: a link to one is not the owner's, and neither is it to a reader who was shown another service of theirs.

use homograph::is_or_below;

/// One service.
struct LinkService {
    /// Its hosts, at or below which anybody publishes.
    published: &'static [&'static str],
    /// Sites of the owner that a reader may be shown for it: they say what it is, and are no place to log in.
    shown: &'static [&'static str],
}

/// A service that is shown as itself only.
const fn at(published: &'static [&'static str]) -> LinkService {
    LinkService { published, shown: &[] }
}

/// One that is shown as these sites as well.
const fn shown_as(
    published: &'static [&'static str],
    shown: &'static [&'static str],
) -> LinkService {
    LinkService { published, shown }
}

/// By hand, from the documentation of each.
const SERVICES: [LinkService; 47] = [
    at(&["acrobat.adobe.com"]),
    at(&["adobeconnect.com"]),
    at(&["express.adobe.com", "spark.adobe.com"]),
    at(&["indd.adobe.com"]),
    at(&["amazonaws.com"]),
    at(&["on.aws"]),
    at(&["apps.facebook.com"]),
    at(&["cdn.discordapp.com"]),
    at(&["dropboxusercontent.com"]),
    at(&["paper.dropbox.com"]),
    at(&["gist.github.com"]),
    at(&["colab.research.google.com"]),
    shown_as(
        &["docs.google.com", "drive.google.com", "drive.usercontent.google.com"],
        &["forms.gle"],
    ),
    at(&["firebasestorage.googleapis.com", "storage.cloud.google.com", "storage.googleapis.com"]),
    shown_as(&["forms.gle"], &["docs.google.com", "forms.google.com"]),
    shown_as(&["g.page"], &["google.com", "maps.google.com"]),
    shown_as(&["goo.gl"], &["maps.google.com"]),
    at(&["googleusercontent.com"]),
    at(&["datastudio.google.com", "lookerstudio.google.com"]),
    shown_as(&["maps.app.goo.gl"], &["google.com", "maps.google.com"]),
    shown_as(&["photos.app.goo.gl"], &["photos.google.com"]),
    at(&["script.google.com", "script.googleusercontent.com"]),
    at(&["share.google"]),
    at(&["sites.google.com"]),
    shown_as(&["lnkd.in"], &["linkedin.com"]),
    at(&["cloud.mail.ru"]),
    at(&["azureedge.net"]),
    at(&["bookings.cloud.microsoft"]),
    at(&["core.windows.net"]),
    at(&["customervoice.microsoft.com"]),
    at(&["dynamics.com"]),
    at(&["forms.cloud.microsoft", "forms.microsoft.com", "forms.office.com"]),
    at(&["loop.cloud.microsoft", "loop.microsoft.com"]),
    shown_as(&["1drv.ms", "onedrive.live.com", "sharepoint.com"], &["onedrive.com"]),
    at(&["onmicrosoft.com"]),
    shown_as(&["apps.powerapps.com"], &["powerapps.com"]),
    shown_as(&["app.powerbi.com"], &["powerbi.com", "powerbi.microsoft.com"]),
    at(&["sway.cloud.microsoft", "sway.office.com"]),
    at(&["form.naver.com"]),
    at(&["oraclecloud.com"]),
    at(&["docs.qq.com"]),
    at(&["wj.qq.com"]),
    at(&["force.com"]),
    at(&["buy.stripe.com", "checkout.stripe.com", "donate.stripe.com"]),
    at(&["wordpress.com"]),
    at(&["disk.yandex.com", "disk.yandex.ru", "docs.yandex.com", "docs.yandex.ru"]),
    at(&["forms.yandex.com", "forms.yandex.ru"]),
];

/// Where people write to one another: a person's address over it is honest. What LinkedIn shortens leads anywhere.
const OF_PERSONS: [LinkService; 2] = [
    shown_as(&["groups.google.com"], &["googlegroups.com"]),
    shown_as(&["linkedin.com"], &["lnkd.in"]),
];

impl LinkService {
    fn holds(&self, host: &str) -> bool {
        self.published.iter().any(|domain| is_or_below(host, domain))
    }

    /// Whether a host says what the service is; `name` is the name that it is a national site of.
    fn is_shown_as(&self, (seen, name): (&str, Option<&str>)) -> bool {
        let bare = seen.strip_prefix("www.").unwrap_or(seen);
        let label = |host: &str| host.split('.').next().map(str::to_owned);
        let national = |site: &str| name == Some(site) && label(bare) == label(site);
        self.holds(seen) || self.shown.iter().any(|site| *site == bare || national(site))
    }
}

/// Whether anybody publishes pages at the host.
pub(super) fn is_shared(host: &str) -> bool {
    SERVICES.iter().any(|service| service.holds(host))
}

/// Whether a link leads to where anybody publishes, and what is seen is not that service; `name` is the name that the
/// seen host is a national site of.
pub(super) fn is_anothers(seen: (&str, Option<&str>), led: &str) -> bool {
    let all = SERVICES.iter().chain(&OF_PERSONS);
    let mut services = all.filter(|service| service.holds(led)).peekable();
    services.peek().is_some() && !services.any(|service| service.is_shown_as(seen))
}

#[cfg(test)]
mod tests {
    use super::super::tests::mismatch;
    use crate::outcome::Verdict;

    #[test]
    fn where_anybody_publishes_nothing_is_the_owners() {
        for (seen, led) in [
            ("login.microsoftonline.com", "evil.sharepoint.com"),
            ("login.microsoftonline.com", "1drv.ms"),
            ("login.microsoftonline.com", "forms.microsoft.com"),
            ("outlook.office.com", "bookings.cloud.microsoft"),
            ("www.office.com", "loop.microsoft.com"),
            ("www.office.com", "apps.powerapps.com"),
            ("www.microsoft.com", "app.powerbi.com"),
            ("login.microsoftonline.com", "evil.crm4.dynamics.com"),
            ("www.amazon.com", "s3.amazonaws.com"),
            ("www.amazon.com", "ec2-1-2-3-4.compute-1.amazonaws.com"),
            ("accounts.google.com", "storage.googleapis.com"),
            ("accounts.google.com", "goo.gl"),
            ("accounts.google.com", "maps.app.goo.gl"),
            ("accounts.google.de", "maps.app.goo.gl"),
            ("accounts.google.com", "forms.gle"),
            ("accounts.google.com", "g.page"),
            ("www.google.com", "photos.app.goo.gl"),
            ("www.google.com", "share.google"),
            ("accounts.google.com", "groups.google.com"),
            ("www.google.com", "sites.google.com"),
            ("www.google.com", "9.2.0.192.bc.googleusercontent.com"),
            ("www.google.com", "x.googleusercontent.com"),
            ("www.google.com", "script.googleusercontent.com"),
            ("www.dropbox.com", "uc1.dl.dropboxusercontent.com"),
            ("www.dropbox.com", "paper.dropbox.com"),
            ("www.salesforce.com", "login.secure.force.com"),
            ("login.salesforce.com", "evil.lightning.force.com"),
            ("accounts.google.com", "firebasestorage.googleapis.com"),
            ("www.microsoft.com", "sway.office.com"),
            ("www.adobe.com", "express.adobe.com"),
            ("www.adobe.com", "evil.adobeconnect.com"),
            ("passport.yandex.ru", "disk.yandex.ru"),
            ("mail.qq.com", "docs.qq.com"),
            ("nid.naver.com", "form.naver.com"),
            ("www.microsoft.com", "lnkd.in"),
            ("login.microsoftonline.com", "www.linkedin.com"),
            ("dashboard.stripe.com", "buy.stripe.com"),
            // One service is shown, and another opened.
            ("acrobat.adobe.com", "indd.adobe.com"),
            ("acrobat.adobe.com", "express.adobe.com"),
            ("docs.google.com", "sites.google.com"),
            ("drive.google.com", "script.google.com"),
            ("onedrive.live.com", "forms.office.com"),
        ] {
            assert_eq!(mismatch(seen, led), Some(Verdict::Suspect), "{seen} {led}");
        }
        for (seen, led) in [
            ("drive.google.com", "docs.google.com"),
            ("a.sharepoint.com", "a.sharepoint.com"),
            ("www.google.com", "maps.google.com"),
            ("www.google.com/maps/x", "maps.app.goo.gl"),
            ("www.google.de/maps/x", "maps.app.goo.gl"),
            ("maps.google.com", "goo.gl"),
            ("docs.google.com/forms/x", "forms.gle"),
            ("forms.gle/x", "docs.google.com"),
            ("google.com", "g.page"),
            ("google.com", "goo.gle"),
            ("ibm.com", "ibm.biz"),
            ("www.etsy.com", "etsy.me"),
            ("www.lufthansa.com", "www.swiss.com"),
            ("www.linkedin.com", "lnkd.in"),
            ("www.linkedin.com", "de.linkedin.com"),
            ("photos.google.com", "photos.app.goo.gl"),
            ("www.youtube.com", "youtu.be"),
            ("www.taobao.com", "www.tmall.com"),
            ("www.jd.com", "3.cn"),
            ("onedrive.com", "1drv.ms"),
            ("onedrive.live.com", "1drv.ms"),
            ("www.powerbi.com", "app.powerbi.com"),
            ("acrobat.adobe.com", "acrobat.adobe.com"),
            ("forms.office.com", "forms.cloud.microsoft"),
            ("a.dynamics.com", "www.microsoft.com"),
        ] {
            assert_eq!(mismatch(seen, led), None, "{seen} {led}");
        }
    }
}
