//! A site and a mail address, or what somebody is called on a service, in two links side by side:
//! `<a href=…>https://www.example.com</a><a href="mailto:ann@example.com">ann@example.com</a>`.
//!
//! Each leads where its own text says, so that the two are no URL with a user in it.

use super::compared::without_www;
use super::{Anchor, HtmlReader, Occurrence, Target};
use uts58::{Kind, Link};

impl HtmlReader<'_, '_, '_> {
    /// Drops the seams between such links: nothing is read across them. Linear.
    pub(super) fn part_contacts(&self, anchors: &[Anchor], seams: &mut Vec<usize>) {
        if seams.is_empty() {
            return;
        }
        let meet = |pair: &&[Anchor]| match pair {
            [site, contact] => {
                contact.text.start == site.text.end + 1
                    && self.says_contact(contact)
                    && self.says_site(site)
            }
            _ => false,
        };
        let sites = anchors.windows(2).filter(meet).filter_map(|pair| pair.first());
        let ends: Vec<usize> = sites.map(|site| site.text.end).collect();
        seams.retain(|seam| ends.binary_search(seam).is_err());
    }

    /// The text of an anchor, and the link in its `href` with the text that it is in.
    fn said(&self, anchor: &Anchor) -> Option<(&str, &Link, &str)> {
        if anchor.resolved.is_some() || anchor.lasts {
            return None;
        }
        let Occurrence { target: Target::Link(link), seen, .. } =
            self.view.occurrences.get(anchor.occurrence?)?
        else {
            return None;
        };
        let text = self.visible.as_str().get(anchor.text.clone())?;
        Some((text, link, self.view.seen.get(*seen)?.as_str()))
    }

    /// Whether the text of an anchor is the host that it leads to, or a URL of no more.
    fn says_site(&self, anchor: &Anchor) -> bool {
        let Some((text, link, href)) = self.said(anchor) else { return false };
        let name = text.split_once("://").map_or(text, |(_, name)| name);
        let name = name.strip_suffix('/').unwrap_or(name);
        link.user.is_none()
            && link.kind != Kind::Email
            && without_www(name).eq_ignore_ascii_case(without_www(link.host_str(href)))
    }

    /// Whether the text of an anchor is the mail address that it leads to, or the end of a path at another host:
    /// `@ann.example.org` at `https://example.com/profile/ann.example.org`, `@ann@example.org` at
    /// `https://example.org/@ann`.
    fn says_contact(&self, anchor: &Anchor) -> bool {
        let text = self.visible.as_str().get(anchor.text.clone()).unwrap_or_default();
        // What most fail on.
        if !text.contains('@') {
            return false;
        }
        let Some((text, link, href)) = self.said(anchor) else { return false };
        let host = link.host_str(href);
        if link.kind == Kind::Email {
            let local = link.user.clone().and_then(|user| href.get(user));
            return text.rsplit_once('@').is_some_and(|(shown, domain)| {
                local == Some(shown) && domain.eq_ignore_ascii_case(host)
            });
        }
        let Some(handle) = text.strip_prefix('@').filter(|_| link.user.is_none()) else {
            return false;
        };
        let path = href.get(link.tail.clone()).unwrap_or_default();
        let path = path.split(['?', '#']).next().unwrap_or_default();
        let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let last = last.trim_start_matches('@');
        match handle.split_once('@') {
            Some((name, at)) => {
                last.eq_ignore_ascii_case(handle)
                    || last.eq_ignore_ascii_case(name) && at.eq_ignore_ascii_case(host)
            }
            None => {
                let is_own = host.get(host.len().saturating_sub(handle.len())..);
                last.eq_ignore_ascii_case(handle)
                    && !is_own.is_some_and(|own| own.eq_ignore_ascii_case(handle))
            }
        }
    }
}
