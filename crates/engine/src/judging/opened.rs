//! URLs for programs of which a reader knows what they open, and of file servers of his own organisation.

use core::ops::Range;

use super::{HostBounds, Judge, Judged};
use crate::outcome::Verdict;
use maillinks::file_servers::{file_server, is_name_of_own_network, stays_at_home};
use maillinks::programs::{Opens, is_below, opens};
use uts58::{Target, reference};

/// Where organisations keep documents that they open in programs of Office.
const DOCUMENTS: [&str; 3] = ["sharepoint.com", "sharepoint.us", "docs.live.net"];

impl Judge<'_> {
    /// Whether a URL opens a place of its program, or a document of an organisation at a host that nothing is against: the
    /// recipients', the sender's own, a service for documents, or one of the reader's own network.
    pub(super) fn opens_what_it_says(&mut self, url: &str) -> bool {
        let document = match opens(url) {
            Some(Opens::Document(document)) => document,
            Some(Opens::OwnPlace) => return true,
            None => return false,
        };
        let mut targets = reference::parse(document, 0..document.len());
        let Some(Target::Link(link)) = targets.next() else { return false };
        let host = self.host(link.host_str(document), HostBounds::Certain);
        if link.user.is_some() || host.verdict > Verdict::Notice {
            return false;
        }
        if is_name_of_own_network(&host.ascii) {
            return true;
        }
        let scheme = reference::scheme(document).and_then(|colon| document.get(..colon));
        scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case("https"))
            && (is_below(&host.ascii, &DOCUMENTS)
                || self.is_recipients(&host.ascii)
                || self.is_senders(&host.ascii))
    }

    /// Judges a URL or a path in a file that a program follows. `None` if it reaches nothing that is not the reader's own.
    pub fn followed(&mut self, url: &str, host: Option<Range<usize>>) -> Option<Judged> {
        let is_own =
            stays_at_home(url) || self.opens_what_it_says(url) || self.reaches_own_files(url);
        (!is_own).then(|| self.dangerous(url, host))
    }

    /// Whether a URL reaches a file server of the recipient's own domain, as organisations link their plans.
    pub(super) fn reaches_own_files(&self, url: &str) -> bool {
        file_server(url).is_some_and(|server| self.is_recipients(&server.to_ascii_lowercase()))
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::to_harbour;
    use crate::{Dmarc, Verdict};
    use maillinks::programs::OFFICE;

    #[test]
    fn documents_at_the_senders_own_are_opened() {
        let judged = |from: &str, dmarc: Dmarc, url: &str| {
            let body = format!("<a href=\"{url}\">Open the file</a>");
            let outcome = to_harbour(from, "text/html", &body, dmarc);
            (outcome.verdict, !outcome.edits.is_empty())
        };
        let own = ("ann@quayside.com", "https://files.quayside.com/a/plan%202026.x");
        for scheme in OFFICE.into_iter().filter(|scheme| scheme.starts_with("ms-")) {
            for (dmarc, url) in [
                (Dmarc::Pass, own.1),
                (Dmarc::Unknown, own.1),
                (Dmarc::Unknown, "https://docs.harbour.com/x"),
                (Dmarc::Unknown, "https://harbour.sharepoint.com/x"),
                (Dmarc::Unknown, "https://sharepoint.harbour.intern/x"),
                (Dmarc::Unknown, "http://sharepoint.harbour.intern/x"),
            ] {
                let url = format!("{scheme}:ofe|u|{url}");
                let (verdict, edited) = judged(own.0, dmarc, &url);
                assert!(verdict <= Verdict::Notice && !edited, "{url} {verdict:?}");
            }
        }
        let template = "ms-word:nft|u|https://harbour.sharepoint.com/t.dotx";
        assert!(judged(own.0, Dmarc::Unknown, template) <= (Verdict::Notice, false));
        for (from, dmarc, url) in [
            (own.0, Dmarc::Pass, "nft|u|https://files.elsewhere.com/t.dotx"),
            (own.0, Dmarc::Pass, "nft|u|https://harbour.sharepoint.com/t.dotm"),
            (own.0, Dmarc::Fail, "ofe|u|https://files.quayside.com/x"),
            (own.0, Dmarc::Pass, "ofe|u|http://files.quayside.com/x"),
            (own.0, Dmarc::Pass, "ofe|u|https://files.elsewhere.com/x"),
            (own.0, Dmarc::Pass, "ofe|u|https://ann@files.quayside.com/x"),
            (own.0, Dmarc::Pass, "nft|u|https://files.quayside.com/x"),
            ("ann@gmail.com", Dmarc::Pass, "ofe|u|https://gmail.com/x"),
            ("ann@p\u{430}ypal.com", Dmarc::Pass, "ofe|u|https://p\u{430}ypal.com/x"),
        ] {
            let (verdict, edited) = judged(from, dmarc, &format!("ms-word:{url}"));
            assert!(verdict == Verdict::Unsafe && edited, "{from} {url} {verdict:?}");
        }
    }
}
