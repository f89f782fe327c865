//! Judges one target as in mail: what is found, and what would be done with it in an attribute, in running text and in
//! a calendar.
//!
//! It is read, judged and defanged by the same functions as mail, so that the answer is that of the filter.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use super::judging::{Judge, Judged, TldStatus};
use super::listed_by::{ListedBy, lists_naming};
use super::net::{self, AfterSchemes};
use super::outcome::{Done, Reason, Verdict};
use super::policy::{LinkAction, Mode, Policy};
use super::{Case, Facts, Message, TldSet, actions};
use homograph::{HostBounds, Judgement, LinkJudgement};
use maillinks::{Defanger, SeenBy};
use mailsplice::media::Media;
use uts58::{self, Target, mailto, reference, scheme};

/// What a target was read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TargetKind {
    /// A host name or an IP address, alone.
    Host,
    /// Anything with a scheme.
    Url,
    /// A mail address, `mailto:` or not.
    Address,
}

impl TargetKind {
    /// The word used in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            TargetKind::Host => "host",
            TargetKind::Url => "url",
            TargetKind::Address => "address",
        }
    }
}

/// Where in a message the target may be. A header field is judged as text, and never edited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TargetPlace {
    /// An `href`.
    Attribute,
    /// Running text.
    Text,
    /// A property of a calendar that is a URL.
    Calendar,
}

impl TargetPlace {
    /// Every place, in the order of [`Checked::fates`].
    pub const ALL: [TargetPlace; 3] =
        [TargetPlace::Attribute, TargetPlace::Text, TargetPlace::Calendar];

    /// The word used in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            TargetPlace::Attribute => "attribute",
            TargetPlace::Text => "text",
            TargetPlace::Calendar => "calendar",
        }
    }
}

/// What the filter does with the target in one place. Ordered: of several links the worst counts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fate {
    /// No client links it there.
    NoLink,
    /// A harmless link.
    Fine,
    /// A link only if this top-level domain exists in the DNS.
    Asked(String),
    /// On the allow list, or in mail that is exempt.
    Exempt,
    /// Reported in header, log and report; profile `strict` would do this with it.
    Reported(LinkAction),
    /// Edited in this way.
    Edited(LinkAction),
}

impl Fate {
    /// The word used in JSON.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Fate::NoLink => "no-link",
            Fate::Fine | Fate::Asked(_) => "leave",
            Fate::Exempt => "exempt",
            Fate::Reported(_) => "report",
            Fate::Edited(LinkAction::Leave) => "leave",
            Fate::Edited(LinkAction::PercentEncode) => "percent-encode",
            Fate::Edited(LinkAction::Punycode) => "punycode",
            Fate::Edited(LinkAction::Unlink) => "unlink",
            Fate::Edited(LinkAction::Defang) => "defang",
        }
    }
}

/// The judgement of a target.
#[derive(Clone, Debug)]
pub struct Checked {
    /// What it was read as.
    pub kind: TargetKind,
    /// The judgement of its hosts and of the rest of it.
    pub link: LinkJudgement,
    /// What would be done with it in each place, in the order of [`TargetPlace::ALL`].
    pub fates: [(TargetPlace, Fate); 3],
    /// The lists that name a host of it, or it, as keys of the configuration.
    pub lists: Vec<String>,
    /// Lists of others that name a host of it to which they do not apply.
    pub void_lists: Vec<String>,
}

/// Judges a host, a URL or a mail address as the filter would under this policy. The DNS is not asked.
pub fn check(target: &str, policy: &Policy, tlds: &dyn TldSet) -> Checked {
    let facts = Facts::default();
    let message = Message { head: b"", body: b"" };
    let case = Case::new(message, &facts, policy, tlds);
    let judge = Judge::new(case);
    let mut checker =
        Checker { policy, tlds, case, judge, seen: Merged::default(), from_net: Vec::new() };
    let target = target.trim();
    let fates = TargetPlace::ALL.map(|place| (place, checker.place(place, target)));
    if checker.seen.readings == 0 {
        checker.unlinked(target);
    }
    let Checker { mut seen, from_net, .. } = checker;
    let kind = kind(target, seen.has_address);
    from_net.into_iter().for_each(|judged| seen.add(uts58::Kind::Scheme, judged));
    let mut link = std::mem::take(&mut seen.link);
    if kind == TargetKind::Address && link.host.is_none() {
        link.add(Reason::AddressInvalid);
    }
    // The DNS is not asked here: the table decides.
    if link.host.as_ref().is_some_and(|host| host.question.is_some()) {
        link.add(Reason::TldUnknown);
    }
    let hosts = link.hosts().map(|host| host.ascii.as_str());
    let ListedBy { counting, void } = lists_naming(policy, hosts, &seen.lists);
    let lists = if link.reasons.contains(Reason::Listed) { counting } else { Vec::new() };
    Checked { kind, link, fates, lists, void_lists: void }
}

/// The judgement of a host alone, by the same names and lists.
pub fn host(spelling: &str, policy: &Policy, tlds: &dyn TldSet) -> Arc<Judgement> {
    let facts = Facts::default();
    let case = Case::new(Message { head: b"", body: b"" }, &facts, policy, tlds);
    Judge::new(case).host(spelling, HostBounds::Certain)
}

struct Checker<'a> {
    policy: &'a Policy,
    tlds: &'a dyn TldSet,
    case: Case<'a>,
    judge: Judge<'a>,
    /// All readings of the target.
    seen: Merged,
    /// What no reading finds and the net defangs.
    from_net: Vec<Judged>,
}

impl Checker<'_> {
    /// What is done with the target in one place.
    fn place(&mut self, place: TargetPlace, target: &str) -> Fate {
        let (text, media) = match place {
            TargetPlace::Attribute => {
                let mut anchor = String::new();
                uts58::html::anchor(target, ".", &mut anchor);
                (Cow::Owned(anchor), Media::Html)
            }
            TargetPlace::Text => (Cow::Borrowed(target), Media::Plain),
            TargetPlace::Calendar => {
                (Cow::Owned(format!("URL:{}", target.replace(['\r', '\n'], " "))), Media::Calendar)
            }
        };
        // Each place is a message of its own: hosts found in another place do not count.
        self.judge = Judge::new(self.case);
        let mut fate = Fate::NoLink;
        let folding = OnceCell::new();
        for layer in maillinks::layers(&text, media) {
            let view = maillinks::read(&layer, self.tlds, self.policy.limits.links);
            let mut defanger = Defanger::new(&text, &layer, &view, self.tlds, &folding);
            for occurrence in &view.occurrences {
                let text = view.seen.get(occurrence.seen).map_or("", |seen| seen.as_str());
                let Some(judged) = self.judge.occurrence(text, occurrence) else { continue };
                if occurrence.seen_by != SeenBy::Standard
                    && !self.judge.is_deceptive(text, occurrence, &judged)
                {
                    continue;
                }
                let here = fate_of(self.policy, &judged, |action| {
                    !defanger.edits(occurrence, judged.host.as_deref(), action).is_empty()
                });
                fate = fate.max(here);
                let kind = match &occurrence.target {
                    Target::Link(link) => link.kind,
                    Target::Dangerous { .. } => uts58::Kind::Scheme,
                };
                self.seen.add(kind, judged);
            }
        }
        let AfterSchemes { mut hidden, seen } = net::after_schemes(&text, &mut self.judge);
        if !matches!(fate, Fate::Edited(_)) {
            hidden.extend(seen);
        }
        for judged in hidden {
            let here = fate_of(self.policy, &judged, |_| true);
            if matches!(here, Fate::Edited(_)) {
                fate = fate.max(here);
                self.from_net.push(judged);
            }
        }
        fate
    }

    /// Judges a target that no client links: as a mail address, or as the host of a URL.
    fn unlinked(&mut self, target: &str) {
        let slashed = format!("//{target}");
        let relative = reference::scheme(target).is_none() && !target.starts_with(['/', '#', '?']);
        let link = |target: Target| match target {
            Target::Link(link) => Some(link),
            Target::Dangerous { .. } => None,
        };
        let whole = || reference::parse(target, 0..target.len()).find_map(link);
        let address = || mailto::address(target, 0..target.len()).filter(|_| relative);
        let behind_slashes =
            || reference::parse(&slashed, 0..slashed.len()).filter(|_| relative).find_map(link);
        let (text, found) = match whole().or_else(address) {
            Some(found) => (target, Some(found)),
            None => (slashed.as_str(), behind_slashes()),
        };
        if let Some(link) = found.filter(|link| !calls_program(text, link))
            && let Some(judged) = self.judge.spelled_link(text, &link, HostBounds::Certain)
        {
            self.seen.add(link.kind, judged);
        }
    }
}

/// Whether the link names a command of a program in the place of a host, and its scheme is not known to lead to one:
/// `whatsapp://send`.
fn calls_program(text: &str, link: &uts58::Link) -> bool {
    let name = reference::scheme(text).and_then(|length| text.get(..length));
    let is_unknown = name.is_some_and(|name| scheme::does(name).is_none());
    is_unknown && reference::may_be_command(link.host_str(text))
}

/// What the policy does with a link, if `edit` finds something to edit.
fn fate_of(policy: &Policy, judged: &Judged, mut edit: impl FnMut(LinkAction) -> bool) -> Fate {
    if let TldStatus::Asked(tld) = &judged.tld_status {
        return Fate::Asked(tld.clone());
    }
    let mut in_mode = |mode| match actions::link_in_mode(policy, mode, judged) {
        (action, Done::Edited) if edit(action) => Fate::Edited(action),
        (_, Done::Exempt) => Fate::Exempt,
        (_, Done::Reported) if judged.verdict == Verdict::Ok => Fate::Fine,
        (_, Done::Edited | Done::Reported) => Fate::Reported(LinkAction::Leave),
    };
    match in_mode(policy.mode) {
        // Most reported links stay in every mode: bare words of running text do.
        Fate::Reported(_) => Fate::Reported(match in_mode(Mode::Strict) {
            Fate::Edited(action) => action,
            _ => LinkAction::Leave,
        }),
        fate => fate,
    }
}

/// A scheme, slashes or backslashes in front make it a URL. An address is what was read as one, or has an at sign
/// before any slash. All else is a host, perhaps with port and path.
fn kind(target: &str, has_address: bool) -> TargetKind {
    if reference::scheme(target).is_some() || target.starts_with("//") || target.starts_with("\\\\")
    {
        return TargetKind::Url;
    }
    let head = target.split(['/', '?', '#']).next().unwrap_or_default();
    if has_address || head.contains('@') { TargetKind::Address } else { TargetKind::Host }
}

/// All readings merged: the worst verdict counts, the first host is the main one, and each further host is listed
/// once.
#[derive(Default)]
struct Merged {
    link: LinkJudgement,
    /// The hosts of `link`; there may be as many as in a text.
    known: HashSet<String>,
    /// The lists that name its URLs.
    lists: Vec<String>,
    readings: usize,
    has_address: bool,
}

impl Merged {
    fn add(&mut self, kind: uts58::Kind, judged: Judged) {
        let link = &mut self.link;
        link.edit = if self.readings == 0 { judged.edit } else { link.edit.max(judged.edit) };
        link.verdict = link.verdict.max(judged.verdict);
        link.reasons = link.reasons.union(judged.reasons);
        self.readings += 1;
        self.has_address |= kind == uts58::Kind::Email;
        self.lists.extend(judged.lists);
        match judged.host {
            Some(host) if link.host.is_none() => {
                self.known.insert(host.ascii.clone());
                link.host = Some(host);
            }
            Some(host) if self.known.insert(host.ascii.clone()) => {
                link.inner.push(Judgement::clone(&host));
            }
            Some(_) | None => {}
        }
        for host in judged.inner {
            if self.known.insert(host.ascii.clone()) {
                link.inner.push(host);
            }
        }
    }
}

impl Checked {
    /// What the filter would do in a message, in words. `None` if it is harmless.
    pub fn words(&self, policy: &Policy) -> Option<String> {
        let edited = self.fates.iter().any(|(_, fate)| matches!(fate, Fate::Edited(_)));
        if self.link.verdict == Verdict::Ok && !edited {
            return None;
        }
        let mut groups: Vec<(String, Vec<TargetPlace>)> = Vec::new();
        for (place, fate) in &self.fates {
            let phrase = phrase(fate, policy);
            match groups.iter_mut().find(|(known, _)| *known == phrase) {
                Some((_, places)) => places.push(*place),
                None => groups.push((phrase, vec![*place])),
            }
        }
        Some(match groups.as_slice() {
            [(phrase, _)] => format!("in a message: {phrase}"),
            several => {
                let all =
                    several.iter().map(|(phrase, places)| format!("{}: {phrase}", Within(places)));
                all.collect::<Vec<_>>().join("; ")
            }
        })
    }
}

/// Places, as in `in an attribute or a calendar`.
struct Within<'a>(&'a [TargetPlace]);

impl fmt::Display for Within<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, place) in self.0.iter().enumerate() {
            out.write_str(if index == 0 { "in " } else { " or " })?;
            out.write_str(match place {
                TargetPlace::Attribute => "an attribute",
                TargetPlace::Text => "running text",
                TargetPlace::Calendar => "a calendar",
            })?;
        }
        Ok(())
    }
}

fn phrase(fate: &Fate, policy: &Policy) -> String {
    let words = match fate {
        Fate::NoLink => "no link",
        Fate::Fine | Fate::Edited(LinkAction::Leave) => "left as it is",
        Fate::Asked(tld) => return format!("left as it is, unless the DNS knows .{tld}"),
        Fate::Exempt if policy.exempt.is_some() => "left as it is: such mail is exempt",
        Fate::Exempt => "left as it is: its host is on the allow list",
        Fate::Reported(_) if policy.mode == Mode::ReportOnly => "reported, and nothing is changed",
        Fate::Reported(LinkAction::Leave) => "reported",
        Fate::Reported(LinkAction::Defang) => "reported (defanged with profile strict)",
        Fate::Reported(_) => "reported (edited with profile strict)",
        Fate::Edited(LinkAction::PercentEncode) => "its path is percent-encoded",
        Fate::Edited(LinkAction::Punycode) => "its host is shown in Punycode",
        Fate::Edited(LinkAction::Unlink) => "made no link",
        Fate::Edited(LinkAction::Defang) => "defanged",
    };
    words.to_owned()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::TldTable;
    use crate::explain;
    use homograph::Names;

    fn policy() -> Policy {
        Policy { protected: Arc::new(Names::new(["paypal.com"])), ..Policy::default() }
    }

    fn checked(target: &str) -> Checked {
        check(target, &policy(), &TldTable::new(["com", "org", "example"], ""))
    }

    fn lines(target: &str) -> Vec<String> {
        let checked = checked(target);
        let mut lines = explain::link(&checked.link);
        lines.extend(checked.words(&policy()));
        lines
    }

    #[test]
    fn a_command_of_a_program_is_no_host() {
        for target in ["whatsapp://send", "steam://run/1", "tg://resolve?domain=x"] {
            let checked = checked(target);
            assert_eq!((checked.link.verdict, checked.link.ascii()), (Verdict::Ok, ""), "{target}");
        }
        for (target, host) in [("http://send/", "send"), ("app://a.example", "a.example")] {
            assert_eq!(checked(target).link.ascii(), host);
        }
    }

    #[test]
    fn a_lookalike_in_words() {
        assert_eq!(checked("раypal.com").link.edit, crate::outcome::Edit::Anywhere);
        assert_eq!(
            lines("https://раypal.com/"),
            [
                "раypal.com is xn--ypal-43d9g.com in the DNS",
                "it reads as paypal.com, which it is not",
                "label раypal: Cyrillic (ра) and Latin (ypal) letters do not belong together (mixed-script)",
                "label раypal: it is made to be taken for another name (target-lookalike)",
                "  U+0440 CYRILLIC SMALL LETTER ER (Russian, Serbian and 22 more languages) reads as Latin p",
                "  U+0430 CYRILLIC SMALL LETTER A (Russian, Serbian and 22 more languages) reads as Latin a",
                "in a message: defanged",
            ]
        );
        assert!(lines("https://example.com/").is_empty());
    }

    /// What is said of profile strict is what it does.
    #[test]
    fn a_suspect_word_is_left_by_every_profile() {
        let strict = Policy { mode: Mode::Strict, ..policy() };
        let tlds = TldTable::new(["com"], "");
        let mut words = 0;
        for target in [
            "paypal-login.com",
            "http://paypal-login.com/",
            "www.paypal.com.evil.com",
            "paypa1.com",
            "ѕсоре.com",
            "https://ѕсоре.com",
            "0x7f.1",
            "http://0x7f.1/",
            "http://paypal-login.com/?u=paypa1.com",
        ] {
            let (now, then) = (check(target, &policy(), &tlds), check(target, &strict, &tlds));
            for ((place, fate), (_, in_strict)) in now.fates.iter().zip(&then.fates) {
                match (fate, in_strict) {
                    (Fate::Reported(said), Fate::Edited(done)) => assert_eq!(said, done),
                    (Fate::Reported(said), _) => {
                        assert_eq!(*said, LinkAction::Leave, "{target} {place:?}");
                        words += 1;
                    }
                    (same, other) => assert_eq!(same, other, "{target} {place:?}"),
                }
            }
        }
        assert!(words > 0);
    }

    #[test]
    fn reasons_besides_the_host() {
        assert_eq!(
            lines("https://paypal.com@attack.example/"),
            [
                "something stands before an at sign in front of the host (userinfo)",
                "it leads to attack.example all the same",
                "in a message: defanged",
            ]
        );
        let hidden = "  U+00AD SOFT HYPHEN is not seen".to_owned();
        assert!(lines("http://pay\u{ad}pal.com/").contains(&hidden));
        assert_eq!(
            lines("javascript:alert(1)").last().map(String::as_str),
            Some("in an attribute or a calendar: defanged; in running text: no link"),
        );
    }

    #[test]
    fn targets_are_read_as_people_write_them() {
        for (target, kind) in [
            ("example.com", TargetKind::Host),
            ("example.com:8080/path", TargetKind::Host),
            ("example.com/@user", TargetKind::Host),
            ("https://example.com", TargetKind::Url),
            ("javascript:alert(1)", TargetKind::Url),
            ("mailto:user@example.com", TargetKind::Url),
            ("//example.com", TargetKind::Url),
            ("user@example.com", TargetKind::Address),
            ("customer/department=shipping@example.com", TargetKind::Address),
            ("user@", TargetKind::Address),
            ("[2001:db8::1]", TargetKind::Host),
        ] {
            assert_eq!(checked(target).kind, kind, "{target}");
        }
    }

    #[test]
    fn hosts_of_a_line_are_listed_once_each() {
        let line: String = (0..300).map(|n| format!("a{n}.example.com ")).collect();
        assert_eq!(checked(&line).link.hosts().count(), 300);
        assert_eq!(checked(&line).link, checked(&line.repeat(2)).link);
    }

    /// RFC 3696 §3, with S16.
    #[test]
    fn addresses_have_reasons() {
        let long = format!("{}@example.com", "a".repeat(65));
        for bad in ["a..b@example.com", "a..b@x", ".a@example.com", "user@", "@", &long] {
            let link = checked(bad).link;
            assert!(link.reasons.contains(Reason::AddressInvalid), "{bad}: {link:?}");
        }
        for good in [
            "user@[192.0.2.1]",
            "user@[IPv6:2001:db8::1]",
            "mailto:user@[192.0.2.1]",
            "\"john doe\"@example.com",
            "Abc\\@def@example.com",
            "customer/department=shipping@example.com",
        ] {
            assert_eq!(checked(good).link.verdict, Verdict::Ok, "{good}: {:?}", checked(good).link);
        }
        let posing = checked("customer/department=shipping@раypal.com");
        assert_eq!((posing.kind, posing.link.verdict), (TargetKind::Address, Verdict::Unsafe));
        assert_eq!(posing.link.unicode(), "раypal.com");
    }

    /// S15.
    #[test]
    fn invisible_characters_are_reported() {
        for hidden in ["\u{AD}", "\u{200B}", "\u{2060}", "\u{E0061}", "\u{FE00}", "\u{202E}"] {
            for place in
                ["http://example.com/a{}b", "http://example.com/?a{}b", "example.com/#a{}b"]
            {
                let target = place.replace("{}", hidden);
                let reasons = checked(&target).link.reasons;
                assert!(reasons.contains(Reason::InvisibleRemoved), "{target:?}: {reasons:?}");
            }
            let link = checked(&format!("http://exa{hidden}mple.com/")).link;
            let either = [Reason::InvisibleRemoved, Reason::BidiControl];
            assert!(
                link.reasons.iter().any(|reason| either.contains(&reason)),
                "{hidden:?}: {link:?}"
            );
        }
        assert!(checked("http://ex\u{2067}a.com/").link.reasons.contains(Reason::BidiControl));
    }
}
