//! Who rewrites links, and how. Written by hand from the services' documentation and their links;
//! `vectors.tsv` has at least one link for each row. Services whose links are tokens (SendGrid,
//! Mailchimp, HubSpot, lnkd.in) have none: only they know where such a link leads.

/// How a rewritten link contains its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WrappedForm {
    /// This parameter of the query is the URL, sometimes without a scheme, or only the host; with
    /// an empty name, the whole query.
    Query(&'static str),
    /// This parameter is the URL in base64, perhaps after `a1`.
    Base64(&'static str),
    /// A segment of the path is the URL, percent-encoded.
    Segment,
    /// A segment of the path is the URL in base64.
    Base64Segment,
    /// The rest of the path is the URL, from its scheme on.
    Rest,
    /// A segment of the path is the URL behind this label, percent-encoded.
    #[cfg(feature = "senders")]
    Labelled(&'static str),
    /// A segment of the path is JSON in base64, perhaps with a signature behind a dot, and has the
    /// URL in this string.
    #[cfg(feature = "senders")]
    JsonSegment(&'static str),
    /// The path has the URL between `___` and `___`.
    Between,
    Proofpoint,
    Mandrill,
    Amp,
    /// The first label is the host, with hyphens for dots and two for one.
    #[cfg(feature = "senders")]
    Hyphenated,
    /// Only the service knows.
    Token,
}

/// A service: its name, which includes all names below it, the beginning of the path, the form.
pub(super) type Row = (&'static str, &'static str, WrappedForm);

use WrappedForm::{
    Amp, Base64, Base64Segment, Between, Mandrill, Proofpoint, Query, Rest, Segment, Token,
};

const COUNT: usize = if cfg!(feature = "senders") { 154 } else { 107 };

/// Sorted by name. Networks that advertise are asked for in mail alone, which has their links.
pub(super) const ROWS: [Row; COUNT] = [
    // ActiveCampaign.
    #[cfg(feature = "senders")]
    ("acemlna.com", "/Prod/link-tracker", Base64("redirectUrl")),
    #[cfg(feature = "senders")]
    ("acemlnb.com", "/Prod/link-tracker", Base64("redirectUrl")),
    #[cfg(feature = "senders")]
    ("acemlnc.com", "/Prod/link-tracker", Base64("redirectUrl")),
    #[cfg(feature = "senders")]
    ("acemlnd.com", "/Prod/link-tracker", Base64("redirectUrl")),
    #[cfg(feature = "senders")]
    ("ad.admitad.com", "", Query("ulp")),
    #[cfg(feature = "senders")]
    ("anrdoezrs.net", "", Query("url")),
    #[cfg(feature = "senders")]
    ("anrdoezrs.net", "/links/", Rest),
    // Darktrace: `us01.l.antigena.com`, `eu01.z.antigena.com`.
    #[cfg(feature = "senders")]
    ("antigena.com", "/l/", Token),
    ("atpscan.global.hornetsecurity.com", "", Query("u")),
    #[cfg(feature = "senders")]
    ("awin1.com", "", Query("ued")),
    #[cfg(feature = "senders")]
    ("awin1.com", "", Query("p")),
    // Amazon SES: click tracking.
    ("awstrack.me", "/L0/", Segment),
    ("awstrack.me", "/CL0/", Segment),
    ("bing.com", "/aclick", Base64("u")),
    #[cfg(feature = "senders")]
    ("bing.com", "/alink/link", Query("url")),
    ("bing.com", "/ck/", Base64("u")),
    #[cfg(feature = "senders")]
    ("calendly.com", "/url", Query("q")),
    ("cdn.ampproject.org", "", Amp),
    ("checklink.mail.ru", "", Query("url")),
    #[cfg(feature = "senders")]
    ("ck.jp.ap.valuecommerce.com", "", Query("vc_url")),
    #[cfg(feature = "senders")]
    ("click.linksynergy.com", "", Query("murl")),
    ("click.mail.ru", "", Query("u")),
    // Symantec, Broadcom Email Security.
    ("clicktime.cloud.postoffice.net", "", Query("u")),
    ("clicktime.symantec.com", "", Query("u")),
    #[cfg(feature = "senders")]
    ("clk.tradedoubler.com", "", Query("url")),
    // Exclaimer, in signatures.
    #[cfg(feature = "senders")]
    ("content.exclaimer.net", "", Query("url")),
    // Kit, formerly ConvertKit.
    ("convertkit-mail2.com", "", Base64Segment),
    ("convertkit-mail4.com", "", Base64Segment),
    ("csdn.net", "", Query("target")),
    // Barracuda Link Protection.
    ("cudasvc.com", "", Query("a")),
    // Customer.io.
    #[cfg(feature = "senders")]
    ("customeriomail.com", "/e/c/", WrappedForm::JsonSegment("href")),
    ("deref-gmx.com", "", Query("redirectUrl")),
    ("deref-gmx.net", "", Query("redirectUrl")),
    ("deref-mail.com", "", Query("redirectUrl")),
    ("deref-web-02.de", "", Query("redirectUrl")),
    ("deref-web.de", "", Query("redirectUrl")),
    #[cfg(feature = "senders")]
    ("digidip.net", "/visit", Query("url")),
    ("disq.us", "/url", Query("url")),
    ("douban.com", "/link2/", Query("url")),
    ("doubleclick.net", "", Query("adurl")),
    #[cfg(feature = "senders")]
    ("doubleclick.net", "/ddm/clk/", Query("")),
    #[cfg(feature = "senders")]
    ("dpbolvw.net", "", Query("url")),
    #[cfg(feature = "senders")]
    ("dpbolvw.net", "/links/", Rest),
    ("duckduckgo.com", "/l/", Query("uddg")),
    #[cfg(feature = "senders")]
    ("e.mail.ru", "/redirect", Query("u")),
    // Libraesva.
    ("esvalabs.com", "", Query("u")),
    // SoundCloud.
    #[cfg(feature = "senders")]
    ("exit.sc", "", Query("url")),
    ("facebook.com", "/flx/warn", Query("u")),
    ("facebook.com", "/l.php", Query("u")),
    #[cfg(feature = "senders")]
    ("go.skimresources.com", "", Query("url")),
    ("google.com", "/amp/", Amp),
    ("google.com", "/url", Query("q")),
    ("google.com", "/url", Query("url")),
    ("google.com", "/aclk", Query("adurl")),
    ("google.com", "/travel/clk", Query("pcurl")),
    ("googleadservices.com", "", Query("adurl")),
    ("govdelivery.com", "/CL0/", Segment),
    #[cfg(feature = "senders")]
    ("hb.afl.rakuten.co.jp", "", Query("pc")),
    ("href.li", "", Query("")),
    ("instagram.com", "/linkshim", Query("u")),
    #[cfg(feature = "senders")]
    ("isolate.menlosecurity.com", "/1/", Rest),
    #[cfg(feature = "senders")]
    ("jdoqocy.com", "", Query("url")),
    #[cfg(feature = "senders")]
    ("jdoqocy.com", "/links/", Rest),
    ("kit-mail2.com", "", Base64Segment),
    ("kit-mail3.com", "", Base64Segment),
    #[cfg(feature = "senders")]
    ("kqzyfj.com", "", Query("url")),
    #[cfg(feature = "senders")]
    ("kqzyfj.com", "/links/", Rest),
    ("l.facebook.com", "", Query("u")),
    ("l.instagram.com", "", Query("u")),
    ("l.messenger.com", "", Query("u")),
    ("l.threads.com", "", Query("u")),
    ("l.threads.net", "", Query("u")),
    ("l.wl.co", "", Query("u")),
    ("l.workplace.com", "", Query("u")),
    ("link.edgepilot.com", "", Query("u")),
    ("link.juejin.cn", "", Query("target")),
    ("link.zhihu.com", "", Query("target")),
    ("link.zixcentral.com", "", Query("u")),
    ("linkedin.com", "/comm/safety/go", Query("url")),
    ("linkedin.com", "/redir/", Query("url")),
    ("linkedin.com", "/safety/go", Query("url")),
    ("linklock.titanhq.com", "/analyse", Query("url")),
    ("lm.facebook.com", "", Query("u")),
    #[cfg(feature = "senders")]
    ("mail.com", "/mail/client/dereferrer", Query("redirectUrl")),
    ("mail.yandex.ru", "/re.jsx", Base64("l")),
    // Forcepoint.
    ("mailcontrol.com", "/sr/", Token),
    ("mandrillapp.com", "/track/click", Mandrill),
    ("medium.com", "/r/", Query("url")),
    ("meet.google.com", "/linkredirect", Query("dest")),
    ("menlosecurity.com", "/https://", Rest),
    ("mimecast.com", "", Query("domain")),
    ("mimecastprotect.com", "", Query("domain")),
    // Mailjet.
    ("mjt.lu", "", Base64Segment),
    ("ok.ru", "/dk", Query("st.link")),
    ("out.reddit.com", "", Query("url")),
    ("outlook.live.com", "/mail/0/safelink.html", Query("url")),
    ("outlook.live.com", "/mail/safelink.html", Query("url")),
    ("outlook.office.com", "/mail/safelink.html", Query("url")),
    ("pinterest.com", "/offsite/", Query("url")),
    #[cfg(feature = "senders")]
    ("prf.hn", "/click/", WrappedForm::Labelled("destination:")),
    // Check Point Harmony, Avanan.
    ("protect.checkpoint.com", "", Between),
    // Trellix, FireEye.
    ("protect.fireeye.com", "", Query("u")),
    ("protect2.fireeye.com", "", Query("u")),
    // Retarus.
    #[cfg(feature = "senders")]
    ("protection.retarus.com", "/v1", Query("u")),
    ("protection.sophos.com", "", Base64("u")),
    ("protection.sophos.com", "", Query("d")),
    // Postmark.
    ("pstmrk.it", "", Segment),
    #[cfg(feature = "senders")]
    ("px.a8.net", "", Query("a8ejpredirect")),
    #[cfg(feature = "senders")]
    ("pxf.io", "/c/", Query("u")),
    ("quora.com", "/_/redirect", Query("url")),
    #[cfg(feature = "senders")]
    ("r.search.yahoo.com", "", WrappedForm::Labelled("RU=")),
    #[cfg(feature = "senders")]
    ("redirect.viglink.com", "", Query("u")),
    #[cfg(feature = "senders")]
    ("rover.ebay.com", "", Query("mpre")),
    // Azure Communication Services.
    ("safelink.emails.azure.net", "", Query("destination")),
    ("safelinks.o365.us", "", Query("url")),
    ("safelinks.protection.office365.us", "", Query("url")),
    ("safelinks.protection.outlook.com", "", Query("url")),
    ("safelinks.protection.partner.outlook.cn", "", Query("url")),
    ("sba.yandex.net", "/redirect", Query("url")),
    // Trustwave.
    ("scanmail.trustwave.com", "", Query("u")),
    // Cisco Secure Email.
    ("secure-web.cisco.com", "", Segment),
    #[cfg(feature = "senders")]
    ("shareasale.com", "/r.cfm", Query("urllink")),
    ("shared.outlook.inky.com", "", Query("domain")),
    #[cfg(feature = "senders")]
    ("sjv.io", "", Query("u")),
    ("slack-redir.net", "", Query("url")),
    ("statics.teams.cdn.office.net", "/evergreen-assets/safelinks/", Query("url")),
    ("steamcommunity.com", "/linkfilter/", Query("u")),
    ("steamcommunity.com", "/linkfilter/", Query("url")),
    #[cfg(feature = "senders")]
    ("substack.com", "/redirect/", WrappedForm::JsonSegment("e")),
    ("t.umblr.com", "", Query("z")),
    ("tiktok.com", "/link/v2", Query("target")),
    #[cfg(feature = "senders")]
    ("tkqlhce.com", "", Query("url")),
    #[cfg(feature = "senders")]
    ("tkqlhce.com", "/links/", Rest),
    #[cfg(feature = "senders")]
    ("track.webgains.com", "", Query("wgtarget")),
    #[cfg(feature = "senders")]
    ("translate.goog", "", WrappedForm::Hyphenated),
    ("translate.google.com", "/translate", Query("u")),
    #[cfg(feature = "senders")]
    ("trendmicro-ctp.com", "/wis/clicktime/", Query("url")),
    ("trendmicro.com", "/wis/clicktime/", Query("url")),
    // Avanan, Check Point Harmony, SonicWall.
    ("url-protection.com", "/v1/", Query("o")),
    #[cfg(feature = "senders")]
    ("url-protection.com", "/v2/", Between),
    ("url.avanan.click", "", Between),
    ("url.emailprotection.link", "", Token),
    ("urldefense.com", "", Proofpoint),
    ("urldefense.proofpoint.com", "", Proofpoint),
    ("urldefense.us", "", Proofpoint),
    ("urlsand.com", "", Query("u")),
    // Vade, Hornetsecurity.
    ("vadesecure.com", "/safeproxy/", Query("u")),
    ("vadesecure.com", "/v4", Query("u")),
    ("vk.com", "/away", Query("to")),
    ("vk.ru", "/away", Query("to")),
    ("web.archive.org", "/web/", Rest),
    ("weibo.cn", "/sinaurl", Query("u")),
    ("wx.mail.qq.com", "/xmspamcheck/xmsafejump", Query("url")),
    ("youtube.com", "/redirect", Query("q")),
];
