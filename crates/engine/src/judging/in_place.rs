//! An occurrence of a link, judged by what stands around it as well.

use super::{Judge, Judged, is_undecoded};
use crate::outcome::{Edit, Reason, Verdict};
use maillinks::file_servers::{fetches_nothing, names_file_server};
use maillinks::{Occurrence, Site, script};
use uts58::Link;

impl Judge<'_> {
    /// Judges a link by what stands around it as well. `None` if it is no link.
    pub(super) fn link_in_place(
        &mut self,
        text: &str,
        link: &Link,
        occurrence: &Occurrence,
    ) -> Option<Judged> {
        let shown = matches!(occurrence.site, Site::Text | Site::HtmlText);
        let address = if shown { self.address_beside(text, link) } else { None };
        let judged_link = address.as_ref().map_or(link, |(link, _)| link);
        let mut judged = self.link_at(text, judged_link, occurrence)?;
        if let Some((_, verdict)) = address {
            judged.add_with(Reason::Userinfo, verdict);
        }
        let host = link.host_str(text);
        if names_file_server(text, link) {
            judged.mark_file_server();
        }
        self.mark_name_before_sign(&mut judged);
        if host.is_ascii() {
            judged.downgrade_placeholder();
            self.downgrade_numbered(host, &mut judged);
            self.downgrade_inflected(text, link, &mut judged);
            self.downgrade_compound(text, link, &mut judged);
            self.downgrade_accents(host, link.kind, &mut judged);
            if shown {
                self.downgrade_bounced(link, &mut judged);
            }
        } else if judged.verdict > Verdict::Notice && host.contains(is_undecoded) {
            match self.named_without_undecoded(host, occurrence.bounds) {
                Some(named) => judged.add_decodable(named),
                // A calendar may fold a value inside a character.
                None if occurrence.site == Site::Value => {}
                None if host.contains(char::REPLACEMENT_CHARACTER) => {
                    judged.downgrade_undecoded();
                }
                None => {}
            }
        } else {
            self.downgrade_beyond_ascii(text, link, &mut judged);
        }
        self.downgrade_behind_escape(text, link, &occurrence.site, &mut judged);
        self.downgrade_own_words(host, link.kind, &mut judged);
        Self::downgrade_pasted_mark(text, link, &mut judged);
        Self::downgrade_code(text, link, &mut judged);
        Some(judged)
    }

    /// Lowers the verdict of a host beyond ASCII where what stands around it explains its letters.
    fn downgrade_beyond_ascii(&mut self, text: &str, link: &Link, judged: &mut Judged) {
        let host = link.host_str(text);
        self.downgrade_plain_reading(host, link.kind, judged);
        self.downgrade_words(host, link.kind, judged);
        self.downgrade_glued(text, link, judged);
        self.downgrade_isolated(text, link, judged);
        self.downgrade_prose(text, link, judged);
        self.downgrade_scholarly(text, link, judged);
        self.downgrade_inflected_beyond_ascii(text, link, judged);
        self.downgrade_behind_residue(text, link, judged);
        self.downgrade_misread_umlauts(text, link, judged);
        self.downgrade_accents(host, link.kind, judged);
        self.downgrade_dotless_mailbox(text, link, judged);
    }

    /// Lowers the verdict of a dangerous URL that does nothing where it stands, or what it says.
    pub(super) fn dangerous_in_place(
        &mut self,
        mut judged: Judged,
        url: &str,
        occurrence: &Occurrence,
    ) -> Judged {
        if fetches_nothing(url, occurrence)
            || self.opens_what_it_says(url)
            || self.reaches_own_files(url)
        {
            judged.edit = Edit::Inert;
            judged.verdict = judged.verdict.min(Verdict::Notice);
        } else if script::calls_page_function(url) || script::does_nothing(url) {
            judged.edit = Edit::Inert;
            judged.verdict = Verdict::Notice;
        }
        judged
    }
}
