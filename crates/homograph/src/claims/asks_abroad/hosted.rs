//! A known name that is no word as the label that a hoster of pages gives to whoever asks first: `paypal.web.app`,
//! `metamaskextension.webflow.io`.
//!
//! Pupils and programmers name pages after whom they are about, so the label alone is a notice. What is documented or
//! kept as code there is its maker's, and such hosts (`github.io`, `readthedocs.io`) are none of these.

use super::amid::OF_PROGRAMS;
use super::{HostReader, Judgement, Word};
use crate::hosts::host_words::{ASKING, SEPARATORS, spelled};
use crate::lists::by_letter::{WordsByLetter, count};
use crate::protected::name::Name;
use crate::protected::names::Names;
use crate::verdict::Verdict;

/// Where anybody makes a page in a browser for nothing, by hand; sorted.
#[rustfmt::skip]
const OF_PAGES: [&str; 34] = [
    "bio.link", "brizy.site", "carrd.co", "framer.ai", "framer.app", "framer.media", "framer.website", "glide.page",
    "godaddysites.com", "hostingersite.com", "jimdofree.com", "jimdosite.com", "mailchimpsites.com", "my.canva.site",
    "mystrikingly.com", "simdif.com", "site123.me", "softr.app", "square.site", "start.page", "tilda.ws",
    "typedream.app", "ubpages.com", "ukit.me", "w3spaces.com", "webador.com", "webflow.io", "webnode.page",
    "weebly.com", "weeblysite.com", "wixsite.com", "wixstudio.com", "yolasite.com", "zyrosite.com",
];

/// Where programmers show what they make, and manuals stand as well: also hosts that are given to machines at home and
/// ends of tunnels, by hand; sorted.
#[rustfmt::skip]
const OF_PROGRAMMERS: [&str; 47] = [
    "000webhostapp.com", "atwebpages.com", "base44.app", "bolt.host", "bubbleapps.io", "ddns.net", "deno.dev",
    "duckdns.org", "dynu.net", "firebaseapp.com", "fly.dev", "freemyip.com", "gitbook.io", "glitch.me", "herokuapp.com",
    "hopto.org", "infinityfreeapp.com", "loca.lt", "lovable.app", "mooo.com", "myftp.org", "netlify.app",
    "ngrok-free.app", "ngrok-free.dev", "ngrok.app", "ngrok.dev", "ngrok.io", "on-fleek.app", "ondigitalocean.app",
    "onrender.com", "pages.dev", "replit.app", "replit.dev", "rf.gd", "serveftp.com", "servehttp.com", "serveo.net",
    "streamlit.app", "surge.sh", "sytes.net", "tiiny.site", "trycloudflare.com", "up.railway.app", "vercel.app",
    "web.app", "workers.dev", "zapto.org",
];

const LISTS: [&[&str]; 2] = [&OF_PAGES, &OF_PROGRAMMERS];

static HOSTERS: WordsByLetter<{ count(&LISTS) }> = WordsByLetter::of(&LISTS);

/// Labels of the longest of these hosters.
const LABELS: usize = 3;

/// What lures have beside a name there, and pages about it have not. By hand.
const PRODUCTS: [&str; 7] = ["extension", "home", "mail", "start", "wallet", "wallets", "webmail"];

/// Words of a path that ask, beside [`ASKING`].
const ASKING_PATHS: [&str; 6] = ["confirm", "log-in", "logon", "recovery", "sign-in", "validation"];

/// The known name that a host is called after which a hoster of pages gave away, in ASCII form, and what that is worth.
pub fn at_hoster<'n>(host: &Judgement, protected: &'n Names) -> Option<(&'n str, Verdict)> {
    // A host of two labels is below no hoster. Hosts are short: a loop is faster than a search.
    if host.ascii.bytes().filter(|byte| *byte == b'.').count() < 2 {
        return None;
    }
    let dots = host.ascii.bytes().enumerate().rev().filter(|(_, byte)| *byte == b'.');
    let hosted = dots.take(LABELS).skip(1).find_map(|(at, _)| {
        let (front, below) = (host.ascii.get(..at)?, host.ascii.get(at + 1..)?);
        let is_hoster = HOSTERS.hold(below);
        is_hoster.then(|| (front, OF_PAGES.binary_search(&below).is_ok()))
    });
    let (front, of_pages) = hosted?;
    let table = protected.organisations()?;
    let reader = HostReader { protected, table, ascii: &host.ascii };
    let label = front.rsplit('.').next()?;
    let (name, beside) = reader.hosted(label)?;
    let found = &*name.ascii;
    let is_theirs = protected.covers(&host.ascii) || table.is_one_owner(&host.ascii, found);
    let verdict = match of_pages && PRODUCTS.contains(&beside) {
        true => Verdict::Suspect,
        false => Verdict::Notice,
    };
    (!is_theirs).then_some((found, verdict))
}

/// Whether a path asks a reader to prove who he is.
pub fn asks_in_path(path: &str) -> bool {
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let asks = |segment: &str| {
        ASKING_PATHS.iter().any(|asking| segment.eq_ignore_ascii_case(asking))
            || segment
                .split(|c: char| !c.is_ascii_alphabetic())
                .any(|word| ASKING.iter().any(|asking| word.eq_ignore_ascii_case(asking)))
    };
    path.split('/').any(|segment| asks(segment.split('.').next().unwrap_or_default()))
}

impl<'n> HostReader<'n, '_> {
    /// The name that is no word which a label is, with at most one word beside it, and that word.
    fn hosted<'l>(&self, label: &'l str) -> Option<(&'n Name, &'l str)> {
        let counts = |name: &Name| name.is_no_word() && self.means_one(name);
        if let Some(name) = spelled(label, self.protected).filter(|name| counts(name)) {
            return Some((name, ""));
        }
        let mut named = self.begun_by(label).chain(self.ended_by(label));
        named.find_map(|(name, beside)| {
            let word = beside.trim_matches(SEPARATORS);
            let is_beside = !OF_PROGRAMS.contains(&word)
                && (PRODUCTS.contains(&word) || self.glued_as(word, false) > Word::Other);
            (is_beside && counts(name)).then_some((name, word))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge;
    use uts58::tlds::TldTable;

    #[test]
    fn names_at_hosters_of_pages() {
        let (names, none) = (Names::builtin(), Names::default());
        let tlds = TldTable::new(["com", "app", "dev", "io", "co", "org", "me"], "");
        let named = |host: &str| {
            let judged = judge(host, &crate::tests::context(&names, &none, &tlds));
            at_hoster(&judged, &names)
        };
        for (host, name) in [
            ("metamaskextension.webflow.io", "metamask.io"),
            ("metamask-extension.webflow.io", "metamask.io"),
            ("coinbase-start.webflow.io", "coinbase.com"),
            ("coinbasewallet.weebly.com", "coinbase.com"),
            ("metamaskhome.webflow.io", "metamask.io"),
        ] {
            assert_eq!(named(host), Some((name, Verdict::Suspect)), "{host}");
        }
        for (host, name) in [
            ("paypal.web.app", "paypal.com"),
            ("www.paypal.web.app", "paypal.com"),
            ("coinbase.gitbook.io", "coinbase.com"),
            ("netflix.pages.dev", "netflix.com"),
            ("paypal-us.webflow.io", "paypal.com"),
            ("x.paypal.workers.dev", "paypal.com"),
            ("paypal.ngrok-free.app", "paypal.com"),
            ("netflix-login.ddns.net", "netflix.com"),
            ("metamaskextension.gitbook.io", "metamask.io"),
        ] {
            assert_eq!(named(host), Some((name, Verdict::Notice)), "{host}");
        }
        for host in [
            // Code, manuals, firms that have a site for themselves, words, short names, other words, programs.
            "paypal.github.io",
            "microsoft.github.io",
            "cloudflare.github.io",
            "netflix.readthedocs.io",
            "microsoft.notion.site",
            "microsoft.azurewebsites.net",
            "paypal.s3.amazonaws.com",
            "paypal.blogspot.com",
            "apple.web.app",
            "discover.pages.dev",
            "dhl.web.app",
            "netflix-clone.web.app",
            "netflix-clone.vercel.app",
            "microsoft-fans.weebly.com",
            "paypal-sdk.vercel.app",
            "paypal.harbour.web.app",
            "paypals.web.app",
            "web.app",
            "harbour.web.app",
        ] {
            assert_eq!(named(host), None, "{host}");
        }
    }

    #[test]
    fn paths_that_ask() {
        for path in ["/signin", "/en/login.php", "/account-verify/", "/Sign-In?x", "/a/LOGIN#y"] {
            assert!(asks_in_path(path), "{path}");
        }
        for path in
            ["", "/", "/docs", "/__/auth/action?mode=verify", "/blogins", "/?login", "/a#login"]
        {
            assert!(!asks_in_path(path), "{path}");
        }
    }

    #[test]
    fn the_lists_are_sorted() {
        for list in [&OF_PAGES[..], &OF_PROGRAMMERS] {
            assert!(list.is_sorted());
            assert!(list.iter().all(|hoster| hoster.split('.').count() <= LABELS));
        }
    }
}
