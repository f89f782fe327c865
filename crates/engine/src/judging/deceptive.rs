//! Links that only some programs find. Honest mail has such links too, so that they count only if they are deceptive.

use super::{Judge, Judged, same_domain};
use crate::outcome::{Reason, Verdict};
use homograph::{HostBounds, Judgement, Section, registrable, spelled_host};
use maillinks::file_servers::stays_at_home;
use maillinks::{
    FirstSign, Holds, LONGEST_HOST, Occurrence, SeenBy, Site, pieces_between_signs,
    sites_between_signs,
};
use uts58::unicode::Class;
use uts58::{Link, Target, begins_with_www, percent};

/// Whether some programs open a link that others do not find: one of text, a call of a program, and what the strings of a
/// script come to.
pub fn is_opened_by_some(occurrence: &Occurrence) -> bool {
    match occurrence.seen_by {
        SeenBy::Glance => false,
        SeenBy::Called => true,
        SeenBy::Lenient if is_script(&occurrence.site) => true,
        _ => occurrence.site == Site::HtmlText,
    }
}

/// Whether a script is there.
fn is_script(site: &Site) -> bool {
    matches!(site, Site::Attribute { holds: Holds::Script, .. })
}

impl Judge<'_> {
    /// Whether an occurrence is to be judged at all: one that is no lure asks the DNS nothing.
    pub fn may_be_deceptive(&mut self, text: &str, occurrence: &Occurrence) -> bool {
        match (&occurrence.target, occurrence.seen_by) {
            (Target::Link(link), SeenBy::AcrossSigns(first)) => {
                self.is_lure_with_signs(text, link, first)
            }
            (_, SeenBy::Called) => self.defuses(occurrence),
            (Target::Link(link), SeenBy::Glance) => {
                self.is_seen_at_a_glance(text, link, occurrence.bounds)
            }
            // Word writes the path of its own files into a sheet.
            (Target::Dangerous { span, .. }, _) if occurrence.site == Site::Style => {
                !text.get(span.clone()).is_some_and(stays_at_home)
            }
            _ => true,
        }
    }

    /// Whether a host with signs reads as a protected name, or such a name is next to a sign in a host of others.
    fn is_lure_with_signs(&mut self, text: &str, link: &Link, first: FirstSign) -> bool {
        self.is_lure_across_signs(&spelled_host(text, link), first)
    }

    /// The same for a host as it is spelled.
    pub fn is_lure_across_signs(&mut self, spelling: &str, first: FirstSign) -> bool {
        let seen = spelling.chars().filter(|c| !Class::of(*c).is_ignored()).map(char::len_utf8);
        if seen.sum::<usize>() > LONGEST_HOST {
            return false;
        }
        if first == FirstSign::EndsHost && self.is_list_of_sites(spelling) {
            return false;
        }
        let host = self.host_in_question(spelling);
        if host.verdict < Verdict::Suspect || self.is_protected(&host.ascii) {
            return false;
        }
        let is_twin = |host: &Judgement| {
            host.verdict == Verdict::Unsafe && host.reasons.contains(Reason::TargetLookalike)
        };
        // Nobody separates names with an escape, so that one may be inside as in an attribute.
        let names = host.reasons.contains(Reason::NameInHost);
        is_twin(&host)
            || first == FirstSign::Escaped && names
            || first != FirstSign::EndsHost
                && (self.has_protected_piece(spelling) || self.reads_as_named(spelling))
    }

    /// Whether a protected name is in the host if its dashes are hyphens: `www.exam–ple.com.attack.example`.
    fn reads_as_named(&mut self, spelling: &str) -> bool {
        let read = spelling.replace(homograph::claims::reads_as_hyphen, "-");
        read != spelling && self.host_in_question(&read).reasons.contains(Reason::NameInHost)
    }

    /// Whether signs stand between whole hosts of a list, each harmless and unlike any known name. Each of them is judged
    /// once per message. A site behind a sign begins with `www.`, or is that before it, so that no label is read across
    /// the sign.
    pub fn is_list_of_sites(&mut self, spelling: &str) -> bool {
        if spelling.contains('%') {
            return false;
        }
        let mut before: Option<&str> = None;
        sites_between_signs(spelling).all(|site| {
            let is_apart =
                before.is_none_or(|before| begins_with_www(site) || same_domain(before, site));
            before = Some(site);
            if !is_apart {
                return false;
            }
            if !site.is_ascii() {
                return self.is_unknown_site(site);
            }
            if registrable(site, Section::Icann).is_none() {
                return false;
            }
            // Most are links of the text as well.
            let site =
                self.known_host(site).unwrap_or_else(|| self.host(site, HostBounds::Certain));
            self.names_nobody_known(&site)
        })
    }

    /// The same of a site in other letters: what a list has of its mail address need not be judged again behind `www.`.
    fn is_unknown_site(&mut self, site: &str) -> bool {
        let behind_www = if begins_with_www(site) { site.get(4..) } else { None };
        let known = self.known_host(site).or_else(|| self.known_host(behind_www?));
        let host = known.unwrap_or_else(|| self.host_in_question(site));
        registrable(&host.ascii, Section::Icann).is_some() && self.names_nobody_known(&host)
    }

    /// Whether a protected name, or what looks like one, is a piece between signs.
    fn has_protected_piece(&mut self, spelling: &str) -> bool {
        let decoded = percent::decode_text(spelling).to_lowercase();
        pieces_between_signs(&decoded).any(|piece| {
            // What it resembles is found by its label.
            let name = format!("{piece}.com");
            self.is_protected(&name) || self.is_label_of_name(piece) || {
                let host = self.host_in_question(&name);
                host.verdict >= Verdict::Unsafe && host.target.is_some()
            }
        })
    }

    /// Whether a link of this text leads to a deceptive host. A scheme that runs code is not enough.
    pub fn is_deceptive(&self, text: &str, occurrence: &Occurrence, judged: &Judged) -> bool {
        let Target::Link(link) = &occurrence.target else { return false };
        match occurrence.seen_by {
            SeenBy::Continued { end } => {
                let name = text.get(link.host.start..end).unwrap_or_default();
                let rest = text.get(end..link.host.end).unwrap_or_default();
                let rest = rest.trim_start_matches(|c: char| !c.is_alphanumeric());
                // In a list of sites each is known, or somebody's own.
                let is_known = |host: &str| self.is_protected(host) || self.is_authors(host);
                self.is_protected(&name.to_ascii_lowercase())
                    && !is_known(&rest.to_ascii_lowercase())
            }
            SeenBy::Glance | SeenBy::Called => false,
            // It is a lure, or it was not judged.
            SeenBy::AcrossSigns(_) => judged.verdict >= Verdict::Suspect,
            SeenBy::AcrossBlanks => {
                judged.verdict >= Verdict::Unsafe
                    || judged.verdict >= Verdict::Suspect
                        && judged.reasons.contains(Reason::NameInHost)
            }
            SeenBy::Greedy => judged.verdict >= Verdict::Unsafe && self.has_protected_user(judged),
            // What the strings of a script come to is opened as they are.
            SeenBy::Lenient if is_script(&occurrence.site) => judged.verdict >= Verdict::Suspect,
            _ => judged.verdict >= Verdict::Unsafe,
        }
    }

    /// Whether a protected name, or what looks like one, stands before the `@`, and none after it: most mail addresses
    /// are at a few hosts that are protected themselves.
    fn has_protected_user(&self, judged: &Judged) -> bool {
        let is_protected = |ascii: &str| self.is_protected(ascii);
        judged.reasons.contains(Reason::Userinfo)
            && !judged.host.as_ref().is_some_and(|host| is_protected(&host.ascii))
            && judged.inner.iter().any(|host| host.target.is_some() || is_protected(&host.ascii))
    }
}

#[cfg(test)]
mod tests {
    use crate::{Answers, Facts, Message, Policy, TldTable, Verdict, inspect};

    fn verdict(text: &str) -> Verdict {
        let head = b"Content-Type: text/plain; charset=utf-8\n";
        let message = Message { head, body: text.as_bytes() };
        let tlds = TldTable::new(["com", "example"], "");
        let (facts, policy) = (Facts::default(), Policy::default());
        inspect(message, &facts, &policy, &tlds).resolve(&Answers::new()).verdict
    }

    /// Some programs link to the blank, others end the link at the sign.
    #[test]
    fn a_sign_that_reads_as_a_dot_ends_no_known_name() {
        for dot in ["\u{2027}", "•", "\u{2e31}", "\u{2e33}", "\u{16eb}", "\u{970}", "\u{2024}", "–"]
        {
            for lure in [
                "https://www.paypal_com.a.example/x",
                "https://paypal_com.a.example",
                "www.paypal_com.a.example",
            ] {
                let text = format!("sign in at {} now", lure.replace('_', dot));
                assert!(verdict(&text) >= Verdict::Suspect, "{text}");
            }
            for lure in ["https://www.paypal.com_evil.example/x", "www.paypal.com_evil.example/x"] {
                let text = format!("sign in at {} now", lure.replace('_', dot));
                // A dash stands between names, and a ring reads as none.
                let reads_as_dot = !["–", "\u{970}"].contains(&dot);
                assert_eq!(verdict(&text) >= Verdict::Suspect, reads_as_dot, "{text}");
            }
            for honest in [
                "www.facebook.com_amazon.com/x",
                "www.a.example_b.example/x",
                "www.paypal.com_www.b.example/x",
                "https://www.a.example_https://www.b.example",
                "www.a.example_www.b.example",
                "www.paypal.com_www.b.example",
                "bob@a.example_www.a.example",
                "see www.a.example_x",
            ] {
                // This one is a dot to browsers as well.
                if dot == "\u{2024}" {
                    continue;
                }
                let text = honest.replace('_', dot);
                assert!(verdict(&text) < Verdict::Suspect, "{text}");
            }
        }
    }

    /// A URL parser decodes the host, and programs link it up to the blank.
    #[test]
    fn an_escaped_sign_in_a_host_is_read_as_in_an_attribute() {
        for sign in
            ["%2b", "%2D", "%21", "%24", "%26", "%27", "%28", "%2A", "%2c", "%3b", "%3d", "%7e"]
        {
            for lure in ["https://www.paypal.com_.a.example/x", "www.paypal.com_.a.example/x"] {
                let text = format!("Hi\n\n{}", lure.replace('_', sign));
                assert!(verdict(&text) >= Verdict::Suspect, "{text}");
            }
        }
        assert!(verdict("https://www.paypal.com%2clogin.a.example/x") >= Verdict::Suspect);
        for honest in [
            "https://b.example/x?https://www.b.example%26x=c.example",
            "https://www.b.example%2Cc.example/x",
            "https://www.paypal.com/x%2b.a.example",
            "https://www.paypal.com%20or www.a.example",
            "bob@paypal.com%2cann.example",
            "see www.paypal.com%, a.example",
        ] {
            assert!(verdict(honest) < Verdict::Suspect, "{honest}");
        }
    }

    /// Mozilla leaves out the blanks between brackets, and opens what is then there.
    #[test]
    fn a_name_in_front_of_a_host_counts_across_a_blank() {
        for lure in [
            "<https://www.paypal.com .a.example/x>",
            "<https://www.paypal.com. a.example/x>",
            "<https://www.paypal .com.a.example/x>",
            "\"https://www.paypal.com\t.a.example/x\"",
            "<URL:https://www.paypal.com .a.example/x>",
            "<https://paypal -login.com/x>",
            "\"https://paypal -login.com/x\"",
        ] {
            assert!(verdict(lure) >= Verdict::Suspect, "{lure}");
        }
        for honest in [
            "<https://www.paypal.com or www.a.example/x>",
            "<https://www.paypal.com - www.a.example/x>",
            "\"https://www.paypal.com. a.example/x\"",
            "\"https://www.paypal.com and a.example\"",
            "<https://www .paypal.com/x>",
            "<https://www.b.com .a.example/x>",
            "<https://www.paypal.com .Then a.example>",
        ] {
            assert!(verdict(honest) < Verdict::Suspect, "{honest}");
        }
    }
}
