//! Hosts as Turkish and Azerbaijani keyboards and programs write them: `İ` is the capital of `i`, and `ı` what programs
//! of that language make of `I`. Browsers open another host for either than the writer means.

use super::judged::Judged;
use super::{HostBounds, Judge};
use crate::outcome::{Reason, Verdict};
use homograph::{is_anybodys, without_turkish_dots};
use uts58::{Kind, Link};

/// Bytes before and behind an address in which its language is looked for.
const NEARBY: usize = 256;

impl Judge<'_> {
    /// Lowers the verdict of a host in capitals, or with a capital in front, whose `İ` is that of a harmless host:
    /// `İstanbul.com`, and, where the author is of Turkey or Azerbaijan, `WWW.NETFLİX.COM`. What browsers open then can be
    /// had below `.com`: others who write a known name so may mean that, but in an address in capitals, or where the text
    /// is of that language and the name none that is protected (`WWW.SAHİBİNDEN.COM`).
    pub(super) fn downgrade_turkish_capitals(
        &mut self,
        (text, link): (&str, &Link),
        host: &str,
        judged: &mut Judged,
    ) {
        let kind = link.kind;
        if judged.verdict <= Verdict::Notice || !judged.reasons.iter().all(is_of_dot) {
            return;
        }
        let is_known = judged.reasons.contains(Reason::TargetLookalike);
        // A click on an address opens no page.
        let in_capitals = !host.contains(char::is_lowercase);
        let is_address = kind == Kind::Email && in_capitals;
        let is_listed = in_capitals && judged.verdict <= Verdict::Suspect;
        // Programs that do not know the language make both of `İ`.
        let lowered = || {
            let lowered = (!is_known).then(|| host.replace("i\u{307}", "i"))?;
            (!lowered.contains('\u{307}')).then_some(lowered)
        };
        if let Some(meant) = meant_by_capitals(host).or_else(lowered)
            && (!is_known
                || is_address
                || self.has_turkish_author()
                || is_listed && self.is_of_turkish(text, link))
            && self.host(&meant, HostBounds::Certain).verdict <= Verdict::Notice
        {
            self.let_alone(host, kind, judged);
        }
    }

    /// Lowers the verdict of an address where everybody can have a mailbox, as a program of that language writes it in
    /// small letters: `ali@gmaıl.com`. It says nothing about whose the mailbox is.
    pub(super) fn downgrade_dotless_mailbox(
        &mut self,
        text: &str,
        link: &Link,
        judged: &mut Judged,
    ) {
        let host = link.host_str(text);
        if judged.verdict <= Verdict::Notice
            || link.kind != Kind::Email
            || !host.contains('ı')
            || !judged.inner.is_empty()
            || !judged.reasons.iter().all(is_of_dot)
        {
            return;
        }
        let meant = host.replace('ı', "i").to_ascii_lowercase();
        if is_anybodys(&meant, &self.policy.protected)
            && (self.is_in_report() || self.is_of_turkish(text, link))
        {
            self.let_alone(host, link.kind, judged);
            self.seen.absolve(host);
        }
    }

    /// Whether the author's confirmed domain is of Turkey or Azerbaijan.
    fn has_turkish_author(&self) -> bool {
        let author = self.author.as_ref().map_or("", |author| author.ascii.as_str());
        author.ends_with(".tr") || author.ends_with(".az")
    }

    /// Whether a text is of that language: by the header, the author's confirmed domain or the letters near a link.
    fn is_of_turkish(&self, text: &str, link: &Link) -> bool {
        let near = |from: usize, to: usize| {
            let from = text.ceil_char_boundary(from);
            let to = text.floor_char_boundary(to.min(text.len()));
            text.get(from..to).is_some_and(|near| near.contains(['ğ', 'Ğ', 'ş', 'Ş', 'İ']))
        };
        self.says_turkish()
            || self.has_turkish_author()
            || near(link.span.start.saturating_sub(NEARBY), link.span.start)
            || near(link.span.end, link.span.end.saturating_add(NEARBY))
    }
}

fn is_of_dot(reason: Reason) -> bool {
    reason.verdict() <= Verdict::Notice
        || matches!(reason, Reason::MarkAbuse | Reason::TargetLookalike)
}

/// The host without the dots of its capitals, if that letter stands in words of capitals or in front of small letters
/// only.
fn meant_by_capitals(host: &str) -> Option<String> {
    let meant = without_turkish_dots(host)?;
    let is_written = |word: &str| {
        let behind = word.strip_prefix('İ').or_else(|| word.strip_prefix("I\u{307}"));
        !word.contains("i\u{307}")
            && (without_turkish_dots(word).is_none()
                || !word.contains(char::is_lowercase)
                || behind.is_some_and(|rest| !rest.contains(char::is_uppercase)))
    };
    host.split(['.', '-']).all(is_written).then_some(meant)
}

#[cfg(test)]
mod tests {
    use super::meant_by_capitals;
    use crate::tests::to_harbour;
    use crate::{Dmarc, Verdict};

    #[test]
    fn capitals_and_first_letters_mean_another_host() {
        for (host, meant) in [
            ("WWW.NETFLİX.COM", Some("WWW.NETFLiX.COM")),
            ("www.NETFLI\u{307}X.com", Some("www.NETFLiX.com")),
            ("www.İstanbul-İzmir.com", Some("www.istanbul-izmir.com")),
            ("lİnkedin.com", None),
            ("Lİnkedin.com", None),
            ("İnstaGram.com", None),
            ("İnstagramİ.com", None),
            ("netfli\u{307}x.com", None),
            ("İnstagram-i\u{307}.com", None),
            ("netflix.com", None),
        ] {
            assert_eq!(meant_by_capitals(host).as_deref(), meant, "{host}");
        }
    }

    /// The verdict of a message of a text, and whether it is edited.
    fn judged(from: &str, kind: &str, text: &str) -> (Verdict, bool) {
        let outcome = to_harbour(from, &format!("{kind}; charset=utf-8"), text, Dmarc::Pass);
        (outcome.verdict, !outcome.edits.is_empty())
    }

    #[test]
    fn turkish_capitals_are_a_notice() {
        for host in [
            "WWW.NETFLİX.COM",
            "HTTPS://WWW.NETFLİX.COM/FİRMA",
            "NETFLİX.COM",
            "İnstagram.com/firma",
            "https://www.İnstagram.com/",
            "www.İstanbul.com",
            "www.i\u{307}stanbul.com",
            "WWW.SAHİBİNDEN.COM",
            "Ali@İnstagram.com",
            "ALİ@GMAİL.COM",
        ] {
            let page = format!("<p><a href=\"https://www.example.com/\">Bizi</a> {host} </p>");
            for (kind, body) in [("text/plain", format!("Bizi: {host} \r\n")), ("text/html", page)]
            {
                let (verdict, edited) = judged("a@firma.com.tr", kind, &body);
                assert!(verdict <= Verdict::Notice && !edited, "{kind} {host} {verdict:?}");
            }
        }
        for host in ["WWW.NETFLİX.COM", "https://www.İnstagram.com/"] {
            assert_eq!(judged("a@fine.com", "text/plain", host), (Verdict::Unsafe, true), "{host}");
        }
        for host in [
            "www.İstanbul.com",
            "https://i\u{307}zmir-i\u{307}stanbul.com/",
            "INFO@NETFLİX.COM",
            "ALİ@GMAİL.COM",
        ] {
            let (verdict, edited) = judged("a@fine.com", "text/plain", host);
            assert!(verdict <= Verdict::Notice && !edited, "{host} {verdict:?}");
        }
        let in_turkish = |host: &str| format!("Bütün ilanlar için {host} adresine bakınız, ığş.");
        for host in ["WWW.SAHİBİNDEN.COM", "HTTPS://SAHİBİNDEN.COM/İLAN", "WWW.GİTTİGİDİYOR.COM"]
        {
            let (verdict, edited) = judged("a@fine.com", "text/plain", &in_turkish(host));
            assert!(verdict <= Verdict::Notice && !edited, "{host} {verdict:?}");
            assert_eq!(judged("a@fine.com", "text/plain", host).0, Verdict::Suspect, "{host}");
        }
        for lie in ["WWW.PAYPAİ.COM", "WWW.NETFLİX.COM", "www.sahibi\u{307}nden.com"] {
            let (verdict, _) = judged("a@fine.com", "text/plain", &in_turkish(lie));
            assert!(verdict >= Verdict::Suspect, "{lie}");
        }
        assert!(judged("a@fine.com", "text/plain", "Ali@İnstagram.com").0 >= Verdict::Suspect);
        let anchor = |led: &str| format!("<a href=\"https://{led}/x\">WWW.LİNKEDİN.COM/X</a>");
        assert!(
            judged("a@b.com.tr", "text/html", &anchor("www.linkedin.com")).0 <= Verdict::Notice
        );
        assert!(judged("a@b.com.tr", "text/html", &anchor("evil.top")).0 >= Verdict::Suspect);
        for lure in [
            "https://lİnkedin.com/",
            "https://www.i\u{307}nstagram.com/",
            "https://İnstagr\u{430}m.com/",
            "https://İnstagram-login.com/",
            "https://lınkedın.com/",
        ] {
            assert!(judged("a@firma.com.tr", "text/plain", lure).0 >= Verdict::Suspect, "{lure}");
        }
    }

    #[test]
    fn mailboxes_without_a_dot_are_a_notice_in_turkish() {
        for (from, text, most) in [
            ("a@firma.com.tr", "E-posta: ali@gmaıl.com", Verdict::Notice),
            ("a@fine.com", "Bize ulaşın: ali@hotmaıl.com", Verdict::Notice),
            ("a@fine.com", "Write me: ali@gmaıl.com", Verdict::Unsafe),
            ("a@firma.com.tr", "E-posta: ali@lınkedın.com", Verdict::Unsafe),
            ("a@firma.com.tr", "https://gmaıl.com/", Verdict::Unsafe),
        ] {
            assert_eq!(judged(from, "text/plain", text).0, most, "{text}");
        }
        let page = "<a href=\"mailto:ali@gmaıl.com\">Bize ulaşın</a>";
        assert_eq!(judged("a@fine.com", "text/html", page), (Verdict::Unsafe, true));
        assert_eq!(judged("a@firma.com.tr", "text/html", page), (Verdict::Notice, false));
    }
}
