//! URLs for programs of which a reader knows what they open, and of file servers of his own organisation.

use core::ops::Range;

use super::{HostBounds, Judge, Judged};
use crate::file_servers::{file_server, stays_at_home};
use crate::outcome::Verdict;
use crate::programs::{Opens, is_below, opens};
use uts58::{Target, reference};

/// Where organisations keep documents that they open in programs of Office.
const DOCUMENTS: [&str; 3] = ["sharepoint.com", "sharepoint.us", "docs.live.net"];

impl Judge<'_> {
    /// Whether a URL opens a place of its program, or a document of an organisation at a host that nothing is against.
    pub(super) fn opens_what_it_says(&mut self, url: &str) -> bool {
        let document = match opens(url) {
            Some(Opens::Document(document)) => document,
            Some(Opens::OwnPlace) => return true,
            None => return false,
        };
        let mut targets = reference::parse(document, 0..document.len());
        let Some(Target::Link(link)) = targets.next() else { return false };
        let host = self.host(link.host_str(document), HostBounds::Certain);
        link.user.is_none()
            && host.verdict <= Verdict::Notice
            && (is_below(&host.ascii, &DOCUMENTS) || self.is_recipients(&host.ascii))
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
