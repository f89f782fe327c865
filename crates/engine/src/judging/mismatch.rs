//! Whether what an anchor shows and where it leads belong to one owner.

mod about;
mod authors;
mod elsewhere;
mod headlines;
mod offices;
mod profiles;
mod rewritten;
mod shared;
mod twins;

use self::about::is_page_about;
pub use self::offices::serves_offices;
use self::rewritten::is_end_hidden;
use super::accents::reads_without_accents;
use super::prices::COMPARISON_STEPS;
use super::{Judge, Judged, TldStatus, same_domain};
use crate::outcome::{Reason, Verdict};
use homograph::claims::is_given_away;
use homograph::{HostBounds, Judgement, is_or_below, without_turkish_dots};
use uts58::Link;
use uts58::unicode::a_label;
use uts58::unicode::hosts::is_joiner;

/// How a link shows a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShownAs<'t> {
    /// As where it leads.
    Address,
    /// To a reader who does not look closely, and to no program.
    AtAGlance { tail: &'t str },
    /// Without anything that an address has, between other words.
    Word { before: &'t str, behind: &'t str },
    /// With a path, perhaps a query and a fragment.
    Page { tail: &'t str },
}

impl<'a> Judge<'a> {
    /// Compares the visible host of an anchor with its target: they should have one registrable domain (S9) or one
    /// owner. Of a known name, also by the suffix of a country, this is suspect, unless it is that of a firm in a
    /// sentence, or of a network with the author's profile; of others nothing that only a glance shows.
    pub fn compare(&mut self, visible: &Judged, target: &mut Judged, shown: ShownAs<'_>) {
        let known_only = matches!(shown, ShownAs::AtAGlance { .. });
        let (Some(seen), Some(led)) = (visible.destination(), target.destination()) else { return };
        let meant = without_turkish_dots(&seen.unicode);
        let meant = meant.map(|meant| self.host(&meant, HostBounds::Certain));
        // Who does not look closely takes it for the name that it reads as.
        let named = seen.target.as_deref().filter(|_| known_only);
        let named = named.map(|named| self.host(named, HostBounds::Certain));
        let meant = meant.or(named.filter(|named| homograph::claims::are_twin_hosts(seen, named)));
        let seen = meant.as_deref().unwrap_or(seen);
        let is_asked = matches!(visible.tld_status, TldStatus::Asked(_));
        // Between ASCII letters a reader sees no joiner, and the word without it is another occurrence.
        let mut others = seen.unicode.chars().filter(|c| !c.is_ascii()).peekable();
        let is_read_joined = others.peek().is_some() && others.all(is_joiner);
        // A link in disguise shows the name that it resembles, and is judged for that; one with accents of its language
        // shows itself.
        let resembles = known_only
            && (target.target().is_some_and(|name| *name == seen.ascii)
                || target.verdict <= Verdict::Notice
                    && reads_without_accents(&led.unicode, &seen.ascii));
        if is_asked || is_read_joined || resembles || seen.ascii == led.ascii {
            return;
        }
        self.steps += COMPARISON_STEPS;
        let name = self.named_site(seen);
        if self.is_authors(&seen.ascii) || self.is_related((&seen.ascii, name), &led.ascii) {
            return;
        }
        // Programs of one's own house write of sites that they watch, and link to what they have to say.
        let is_own = self.is_own_mail() && self.is_authors(&led.ascii);
        let protected = !is_own
            && !is_end_hidden(target)
            && !offices::leads_by_service(&seen.ascii, &led.ascii)
            && !self.is_rewritten_at_home(&seen.ascii, target)
            && !self.is_site_of_known_author(target)
            && !self.is_of_authors_owner(&seen.ascii)
            && !is_page_about(target)
            && ((self.is_protected(&seen.ascii)
                || self.is_known((seen, name), led)
                || self.shows_office(shown, &seen.ascii, &led.ascii)
                || self.writes_out_own(&seen.ascii, &led.ascii))
                && !self.names_firm(shown, &led.ascii)
                && !self.shows_profile(shown, &seen.ascii, target)
                || self.poses_as(led, seen));
        if known_only && !protected {
            return;
        }
        target.add(Reason::TextHrefMismatch);
        if protected {
            target.verdict = target.verdict.max(Verdict::Suspect);
        }
    }

    /// Whether a host that only a glance shows is one that is compared: a known name. Nothing is asked for others.
    pub fn is_seen_at_a_glance(&mut self, text: &str, link: &Link, bounds: HostBounds) -> bool {
        let spelling = homograph::spelled_host(text, link);
        // What is remembered of a plain host hides nothing from the net.
        let plain = spelling.is_ascii() && !a_label::has_a_label(spelling.as_bytes());
        let host = match plain {
            true => self.host(&spelling, bounds),
            false => self.host_in_question(&spelling),
        };
        host.question.is_none() && (self.is_site_of_known(&host) || host.target.is_some())
    }

    /// Whether a host is a protected name, its site in a country or in the letters of its language, or of an owner that
    /// is known.
    fn is_site_of_known(&self, host: &Judgement) -> bool {
        self.is_protected(&host.ascii)
            || self.named_site(host).is_some()
            || homograph::has_owner(&host.ascii, &self.policy.protected)
    }

    /// The name that a host is the site of in a country, or in the letters of its language (`сбербанк.рф`).
    fn named_site(&self, host: &Judgement) -> Option<&'a str> {
        let protected = &self.policy.protected;
        protected.national(&host.ascii).or_else(|| homograph::claims::native_site(host, protected))
    }

    /// Whether both hosts have one domain or one owner; `name` is the name that the first one is such a site of.
    fn is_related(&self, (seen, name): (&str, Option<&str>), led: &str) -> bool {
        // The suffix of a government is a site of it, and what is below it as well.
        let is_site = |site: &str| is_or_below(led, site) && self.is_protected(site);
        let is_theirs = self.are_of_one_owner(name.unwrap_or(seen), led)
            || seen.strip_prefix("www.").is_some_and(is_site)
            || name.is_some() && same_domain(seen, led)
            || self.is_national_site(led, seen);
        is_theirs && !shared::is_anothers((seen, name), led)
    }

    /// Whether a host is the site of a country of the name that another host belongs to.
    pub fn is_national_site(&self, host: &str, of: &str) -> bool {
        let name = self.policy.protected.national(host);
        name.is_some_and(|name| same_domain(name, of)) && !is_given_away(host)
    }

    /// Whether the owner of the visible host is known although the host is no protected name, and the target is not
    /// its site in another country.
    fn is_known(&self, (seen, name): (&Judgement, Option<&str>), led: &Judgement) -> bool {
        let protected = &self.policy.protected;
        match name {
            Some(_) => protected.national(&led.ascii) != name,
            None => homograph::has_owner(&seen.ascii, protected),
        }
    }

    /// Whether a link leads to the confirmed author's own site, his owner is known, and nobody else publishes there: a
    /// network for jobs or a list of passwords names other sites by their domain.
    fn is_site_of_known_author(&self, target: &Judged) -> bool {
        let author = self.author.as_ref().filter(|author| self.has_known_owner(&author.ascii));
        let is_own = |led: &Judgement| {
            author.is_some_and(|author| {
                same_domain(&author.ascii, &led.ascii)
                    || self.are_of_one_owner(&author.ascii, &led.ascii)
            })
        };
        target.destination().is_some_and(is_own) && self.leads_to_known_site(target)
    }

    /// Whether a link leads to a site that is known or the author's own, and nobody else publishes there.
    pub fn leads_to_known_site(&self, target: &Judged) -> bool {
        let is_known = |led: &Judgement| {
            self.is_authors(&led.ascii)
                || self.is_protected(&led.ascii)
                || homograph::has_owner(&led.ascii, &self.policy.protected)
        };
        let Some(led) = target.destination().filter(|_| target.inner.is_empty()) else {
            return false;
        };
        is_known(led) && !shared::is_shared(&led.ascii)
    }
}

#[cfg(test)]
mod outlook;
#[cfg(test)]
mod parsers;
#[cfg(test)]
mod pieces;

#[cfg(test)]
mod tests;
