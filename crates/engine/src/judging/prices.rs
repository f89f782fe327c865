//! How many steps reading and judging cost. The prices follow what is read and judged, so that the work of one step
//! is bounded.

use super::judged::Judged;
use homograph::claims::{LABEL_WORDS, SHOWN, may_ask};
use homograph::{HostBounds, Judgement, Label, LinkJudgement, Rejected, Verdict};
use mailsplice::mime::Charset;
use uts58::unicode::hosts::{is_mark, is_settled_label};
use uts58::unicode::is_dot_to_somebody;
use uts58::{Kind, Link, begins_with_www};

/// Steps of each usual reading of a part, whatever its length.
const READING_STEPS: u64 = 320;

/// Texts of a part in honest mail: by its charset label, as UTF-8, by a guessed charset. Each may be read as several
/// kinds of content.
const USUAL_TEXTS: usize = 3;

/// Steps of each byte of text whose characters have two bytes or more, each converted by itself, with its place in the
/// map back.
const CONVERTED_READING_STEPS_PER_BYTE: u64 = 2;

/// Steps of each byte of text in a charset with shift states or wide units: each character is decoded by itself, and
/// has its own place in the map back to the bytes, in which every link is looked up.
const SHIFTED_READING_STEPS_PER_BYTE: u64 = 4;

/// Steps of each reading of a further text, and of each of its bytes. Rare encodings and charsets take more work.
const RARE_READING_STEPS: u64 = 640;
const RARE_READING_STEPS_PER_BYTE: u64 = 24;

/// Steps for each byte that the charset detector is given: it compares each with some forty charsets.
const DETECTION_STEPS_PER_BYTE: u64 = 52;

/// Steps of each further text in a reading, whatever its length: a calendar property, a document in an attribute.
/// It is searched by itself, and its offsets are mapped back through those of the reading.
pub const LAYER_STEPS: u64 = 256;

/// Steps of a link to a host that the message has had before: what stands around it is read anew.
pub const KNOWN_HOST_STEPS: u64 = 64;

/// Steps of judging a plain ASCII host that is not in memory: a base, and more for each byte of its spelling.
const PLAIN_HOST_STEPS: u64 = 32;
const PLAIN_HOST_STEPS_PER_BYTE: u64 = 4;

/// The same for a host with other letters, or one that is similar to a known name. The steps are for each place
/// where it may begin and end, and each label adds more.
const OTHER_HOST_STEPS: u64 = 44;
const OTHER_HOST_STEPS_PER_BYTE: u64 = 5;
const LABEL_STEPS: u64 = 10;

/// Labels of which hosts that are registered have no more, and steps of each further one of a harmless host of ASCII that is
/// similar to a known name: each is compared with names.
const REGISTERED_LABELS: u64 = 2;
const COMPARED_LABEL_STEPS: u64 = 880;

/// Steps of asking whom a plain host names beside the names in its letters, and of each label of more than most hosts have.
const NAMED_HOST_STEPS: u64 = 64;
const NAMED_LABELS: usize = 4;
const NAMED_LABEL_STEPS: u64 = 80;

/// Added for a plain host of several words: each may be a name, or what an office asks; for one of ASCII that is similar to a
/// known name: each is compared with names; and for a harmless one with other letters.
const PARTED_HOST_STEPS: u64 = 256;
const COMPARED_WORDS_STEPS: u64 = 480;
const OTHER_WORDS_STEPS: u64 = 80;

/// Words between hyphens that few honest hosts have more of, and steps of each further one: each may be a name, or what an
/// office asks, alone or with those beside it. Numbers are neither.
const USUAL_WORDS: usize = 2;
const FURTHER_WORD_STEPS: u64 = 160;

/// Added for each word between hyphens of a host in which one asks: names are looked for in all that stands beside it.
const ASKED_WORD_STEPS: u64 = 380;

/// Labels of which hosts that are reported, and hosts of ASCII, have no more. For each further one these steps are added,
/// and its bytes count twice: with few labels the prices of the host are more than their work.
const USUAL_LABELS: u64 = 5;
const FURTHER_LABEL_STEPS: u64 = 1_140;

/// Added for a harmless host with other letters, or one of ASCII that is similar to a known name, and once more if it may
/// begin or end elsewhere, so that it is judged again. Others pay more for their report.
const HARMLESS_HOST_STEPS: u64 = 284;
const HARMLESS_BOUNDS_STEPS: u64 = 692;

/// Added for each label of a harmless host with other letters in front of what is registered: it is read and compared as a
/// domain is. Not for the `www` of a host that is announced. Beyond so many labels the work hardly grows.
const HARMLESS_LABEL_STEPS: u64 = 300;
const COMPARED_LABELS: u64 = 8;
const FURTHER_HARMLESS_LABEL_STEPS: u64 = 32;

/// Labels in ASCII in front of what is registered of which few such hosts have more (the name of a machine), and what is
/// added for each further one: it may be a known name.
const USUAL_ASCII_LABELS: u64 = 1;
const ASCII_LABEL_STEPS: u64 = 400;

/// Steps of finding a host with other letters that nothing announces, added to the bytes that the search for it reads:
/// its beginning, its end and its domain are each looked for in several ways. They are taken before it is judged,
/// since a long line is searched at once.
const FOUND_HOST_STEPS: u64 = 128;

/// Added for each byte of a host that is suspect or unsafe: its letters are compared with those of known names.
const NAME_COMPARISON_STEPS_PER_BYTE: u64 = 17;

/// Added for a host in which words are glued: it is judged once more, with hyphens between them.
pub const GLUED_HOST_STEPS: u64 = 320;

/// Added for each host that one in disguise may be read as, beside the price of that one.
pub const DISGUISE_STEPS: u64 = 160;

/// Added for each byte of a label of a harmless host in which letters and marks compose, or marks are to be ordered, or one
/// character becomes several. It is mapped, composed and taken apart, and compared in each form.
const COMPOSED_STEPS_PER_BYTE: u64 = 64;

/// The same of a label whose letters become others, as capitals do.
const MAPPED_STEPS_PER_BYTE: u64 = 8;

/// The same of either label where the host is suspect or unsafe: names are compared with both spellings. Hosts that
/// deceive have one such label, which pays for its comparison already, and once more if letters and marks compose.
const MAPPED_NAME_STEPS_PER_BYTE: u64 = 64;

/// Added once for a host that is unsafe, or suspect: the report and the replacement text are made for the first time. For
/// each byte of one that cannot exist it is found out last that its letters fit in no name.
const UNSAFE_HOST_STEPS: u64 = 1_230;
const SUSPECT_HOST_STEPS: u64 = 830;
const INVALID_HOST_STEPS_PER_BYTE: u64 = 16;

/// Labels that few hosts which deceive have more of, and steps of the edits of each further one: one of the label, and one
/// of the dot behind it.
const USUAL_EDITED_LABELS: u64 = 8;
const EDITED_LABEL_STEPS: u64 = 240;

/// Steps of comparing what a link shows with where it leads: whose both hosts are takes a dozen look-ups. Then, if they
/// are of two owners, of whether one reads as the other.
pub const COMPARISON_STEPS: u64 = 320;
pub const TWIN_COMPARISON_STEPS: u64 = 320;

/// Steps of looking for hosts inside a link (in its user part, path or query), and of each byte before or after its
/// own host: in words, in other ASCII text, and in text in which others may be.
const CARRIED_STEPS: u64 = 64;
const CARRIED_STEPS_PER_BYTE_OF_WORDS: u64 = 2;
const CARRIED_STEPS_PER_PLAIN_BYTE: u64 = 6;
const CARRIED_STEPS_PER_OTHER_BYTE: u64 = 24;

/// The same of each byte of userinfo: it is read as a host, and searched for others.
const USERINFO_STEPS_PER_BYTE: u64 = 64;

/// Steps of what is judged as a host inside a link, and is none or deceives nobody, and of each of its bytes.
const REJECTED_HOST_STEPS: u64 = 640;
const REJECTED_HOST_STEPS_PER_BYTE: u64 = 20;

/// How much more a host inside a link takes than one that the link leads to: it is searched for in the link as it is written
/// and as a link rewriter wrote it, and no memory keeps its judgement.
const JUDGEMENTS_PER_CARRIED_HOST: u64 = 3;

/// Steps of checking what a text says about its sender: a base, and more for each byte.
const SENDER_STEPS: u64 = 960;
const SENDER_STEPS_PER_BYTE: u64 = 20;

/// More for each word, at which a name that is claimed may begin.
const CLAIM_STEPS_PER_WORD: u64 = 100;

/// Steps of a reading of the part's `count`-th text.
pub fn reading_steps(count: usize, charset: Charset, text: &str) -> u64 {
    let is_converted = || charset.has_wide_characters() && !text.is_ascii();
    let (each, per_byte) = match count <= USUAL_TEXTS {
        true if is_converted() => (READING_STEPS, CONVERTED_READING_STEPS_PER_BYTE),
        true if charset.keeps_ascii() => (READING_STEPS, 1),
        true => (READING_STEPS, SHIFTED_READING_STEPS_PER_BYTE),
        false => (RARE_READING_STEPS, RARE_READING_STEPS_PER_BYTE),
    };
    each + per_byte * text.len() as u64
}

/// Steps of detecting the charset of this many bytes.
pub fn detection_steps(bytes: usize) -> u64 {
    DETECTION_STEPS_PER_BYTE * bytes as u64
}

/// Steps of finding a link in a text, beside those of its bytes.
pub fn found_steps(text: &str, link: &Link) -> u64 {
    let is_other = matches!(link.kind, Kind::Bare | Kind::Www) && !link.host_str(text).is_ascii();
    if is_other { FOUND_HOST_STEPS } else { 0 }
}

/// Whether a host was judged in one pass: of ASCII, and similar to no known name.
fn is_plain(spelling: &str, judgement: &Judgement) -> bool {
    spelling.is_ascii() && judgement.labels.is_empty()
}

/// Steps of judging a host within these bounds.
pub fn host_steps(spelling: &str, bounds: HostBounds, judgement: &Judgement) -> u64 {
    let plain = is_plain(spelling, judgement);
    let (host, mut byte) = if plain {
        (PLAIN_HOST_STEPS, PLAIN_HOST_STEPS_PER_BYTE)
    } else {
        (OTHER_HOST_STEPS, OTHER_HOST_STEPS_PER_BYTE)
    };
    let report = match judgement.verdict {
        Verdict::Ok | Verdict::Notice => 0,
        Verdict::Suspect => SUSPECT_HOST_STEPS,
        Verdict::Unsafe => UNSAFE_HOST_STEPS,
        Verdict::Invalid => {
            SUSPECT_HOST_STEPS + INVALID_HOST_STEPS_PER_BYTE * spelling.len() as u64
        }
    };
    let comparison = if report > 0 { NAME_COMPARISON_STEPS_PER_BYTE } else { 0 };
    byte += comparison;
    // One character may become several.
    let bytes = spelling.len().max(judgement.unicode.len()) as u64;
    let labels = judgement.labels.len() as u64;
    let is_harmless = report == 0 && !plain;
    // Whatever its dots are, a host in ASCII is compared label by label.
    let is_ascii = judgement.unicode.is_ascii();
    let further = match is_harmless && !is_ascii {
        true => {
            let www = bounds == HostBounds::Certain && begins_with_www(spelling);
            harmless_label_steps(labels.saturating_sub(www.into()))
        }
        false => {
            labels.saturating_sub(USUAL_LABELS)
                * (FURTHER_LABEL_STEPS + byte * bytes / labels.max(1))
        }
    };
    let mapped = mapped_steps(&judgement.labels, report > 0);
    let compared = match is_ascii && is_harmless {
        true => COMPARED_LABEL_STEPS * labels.saturating_sub(REGISTERED_LABELS),
        false => 0,
    };
    let in_ascii = match is_harmless && (!is_ascii || labels == 0) {
        true => ASCII_LABEL_STEPS * ascii_labels(judgement).saturating_sub(USUAL_ASCII_LABELS),
        false => 0,
    };
    let steps = host + byte * bytes + LABEL_STEPS * labels + further + mapped + compared + in_ascii;
    let base = if is_harmless { HARMLESS_HOST_STEPS } else { report };
    let again = u64::from(is_harmless && judgement.more_bounds > 0) * HARMLESS_BOUNDS_STEPS;
    // Shorter candidates for the same host take less work to judge.
    steps + steps * judgement.more_bounds as u64 / 4 + base + again
}

/// Steps of asking whom a host names. Of hosts inside links nobody asks: they are judged by their letters alone.
pub fn named_steps(spelling: &str, judgement: &Judgement) -> u64 {
    if !is_plain(spelling, judgement) {
        let parted = match judgement.unicode.is_ascii() {
            // Others pay more for their report.
            _ if judgement.verdict > Verdict::Notice => 0,
            true => COMPARED_WORDS_STEPS,
            false => OTHER_WORDS_STEPS,
        };
        return word_steps(&judgement.unicode, parted);
    }
    let labels = label_count(spelling);
    NAMED_HOST_STEPS
        + NAMED_LABEL_STEPS * labels.saturating_sub(NAMED_LABELS) as u64
        + word_steps(&judgement.unicode, PARTED_HOST_STEPS)
}

fn label_count(host: &str) -> usize {
    memchr::memchr_iter(b'.', host.as_bytes()).count() + 1
}

/// Labels of ASCII in front of what is registered, without `www`. Of a host that other letters stand beside no label is told.
fn ascii_labels(judgement: &Judgement) -> u64 {
    if judgement.labels.is_empty() {
        return (label_count(&judgement.unicode) as u64).saturating_sub(REGISTERED_LABELS);
    }
    let in_front = judgement.labels.iter().rev().skip(REGISTERED_LABELS as usize);
    let is_name =
        |label: &&Label| label.spelling.is_ascii() && !label.spelling.eq_ignore_ascii_case("www");
    in_front.filter(is_name).count() as u64
}

/// Steps of the labels of a harmless host with other letters in front of what is registered.
fn harmless_label_steps(labels: u64) -> u64 {
    let in_front = labels.saturating_sub(REGISTERED_LABELS);
    let compared = in_front.min(COMPARED_LABELS);
    HARMLESS_LABEL_STEPS * compared + FURTHER_HARMLESS_LABEL_STEPS * (in_front - compared)
}

/// Steps of the words of a host, as many as are read of a label, if several cost so much more.
fn word_steps(host: &str, parted: u64) -> u64 {
    // Most hosts have no more than one in a label.
    if memchr::memchr2(b'-', b'_', host.as_bytes()).is_none() {
        return 0;
    }
    let words = host.split(['-', '_']);
    let is_word = |word: &&str| !word.bytes().all(|byte| byte.is_ascii_digit());
    let count = words.filter(is_word).take(LABEL_WORDS).count();
    let asked = if may_ask(host) { count } else { 0 };
    parted
        + FURTHER_WORD_STEPS * count.saturating_sub(USUAL_WORDS) as u64
        + ASKED_WORD_STEPS * asked as u64
}

/// Steps of the edits of a link, beside those of every link that deceives.
pub fn edited_label_steps(judged: &Judged) -> u64 {
    let labels = judged.host.as_ref().map_or(0, |host| host.labels.len() as u64);
    let is_edited = judged.verdict == Verdict::Unsafe;
    u64::from(is_edited) * EDITED_LABEL_STEPS * labels.saturating_sub(USUAL_EDITED_LABELS)
}

/// Steps of mapping the labels of a host that is reported or harmless.
fn mapped_steps(labels: &[Label], is_reported: bool) -> u64 {
    let mut before = 0;
    let steps = labels.iter().filter(|label| !label.spelling.is_ascii()).map(|label| {
        let spelling = &label.spelling;
        // The first mark is U+0300.
        let is_marked = spelling.contains(|c| c >= '\u{300}' && is_mark(c));
        let is_composed = is_marked && !is_settled_label(spelling);
        let is_mapped = is_composed || label.unicode != *spelling;
        let is_longer = label.unicode.len() > spelling.len();
        let byte = match (is_reported, is_composed || is_longer) {
            _ if !is_mapped => 0,
            (false, true) => COMPOSED_STEPS_PER_BYTE,
            (false, false) => MAPPED_STEPS_PER_BYTE,
            (true, _) if before > 0 => MAPPED_NAME_STEPS_PER_BYTE,
            (true, true) => NAME_COMPARISON_STEPS_PER_BYTE,
            (true, false) => 0,
        };
        before += u64::from(is_mapped);
        byte * spelling.len().max(label.unicode.len()) as u64
    });
    steps.sum()
}

/// Steps of looking for hosts in the text before and after a link's host, and of judging those that were found.
pub fn carried_steps(beside: [&str; 2], carried: &LinkJudgement) -> u64 {
    let bytes = beside.iter().map(|text| {
        let byte = match (are_words(text), text.is_ascii()) {
            (true, _) => CARRIED_STEPS_PER_BYTE_OF_WORDS,
            (false, true) => CARRIED_STEPS_PER_PLAIN_BYTE,
            (false, false) => CARRIED_STEPS_PER_OTHER_BYTE,
        };
        byte * text.len() as u64
    });
    let inner =
        carried.inner.iter().map(|host| host_steps(&host.unicode, HostBounds::Certain, host));
    let is_userinfo = |before: &&&str| before.ends_with('@') && before.contains("//");
    let userinfo = beside.first().filter(is_userinfo).map_or(0, |user| user.len() as u64);
    CARRIED_STEPS
        + bytes.sum::<u64>()
        + USERINFO_STEPS_PER_BYTE * userinfo
        + rejected_steps(carried.rejected)
        + JUDGEMENTS_PER_CARRIED_HOST * inner.sum::<u64>()
}

fn rejected_steps(rejected: Rejected) -> u64 {
    let (hosts, bytes) = (rejected.hosts as u64, rejected.bytes as u64);
    REJECTED_HOST_STEPS * hosts + REJECTED_HOST_STEPS_PER_BYTE * bytes
}

/// Whether nothing in a path is a host or decodes to one: no dot, nothing that is escaped, no scheme and no address.
fn are_words(text: &str) -> bool {
    !text.bytes().any(|byte| matches!(byte, b'%' | b':' | b'@' | b'\\' | b'.'))
        && !text.contains(is_dot_to_somebody)
}

/// Steps of checking what a text says about its sender. Of a long one so many characters, of four bytes at most, are
/// compared with names; beside them only what nobody sees is passed over.
pub fn sender_steps(text: &str) -> u64 {
    let compared = text.len().min(4 * SHOWN);
    SENDER_STEPS + SENDER_STEPS_PER_BYTE * compared as u64 + (text.len() - compared) as u64
}

/// Steps of finding the name that a text claims for its sender.
pub fn claim_steps(text: &str) -> u64 {
    let is_sign = |byte: &u8| byte.is_ascii() && !byte.is_ascii_alphanumeric();
    let words = text.as_bytes().split(is_sign).filter(|word| !word.is_empty());
    sender_steps(text) + CLAIM_STEPS_PER_WORD * words.take(SHOWN).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::Stage;
    use crate::{Facts, Message, Policy, TldTable, inspect};

    #[test]
    fn words_beside_a_host_cost_as_much_as_ascii() {
        let steps = |tail: &str| carried_steps(["", tail], &LinkJudgement::default());
        for words in ["/дом/мир", "/ба-5/?q=дом&x=1#а", "/商店/图书"] {
            assert_eq!(steps(words), CARRIED_STEPS + 2 * words.len() as u64, "{words}");
        }
        for other in ["/дом.рф", "/д%20", "/д:x", "/д@x", "/д\\x", "/商店。图书", "/д․x"]
        {
            assert_eq!(steps(other), CARRIED_STEPS + 24 * other.len() as u64, "{other}");
        }
    }

    /// Steps of judging the links of a text.
    fn judging(text: &str) -> u64 {
        let message =
            Message { head: b"Content-Type: text/plain; charset=utf-8\r\n", body: text.as_bytes() };
        let tlds = TldTable::new(["com", "de"], "");
        inspect(message, &Facts::default(), &Policy::default(), &tlds).cost().of(Stage::Judging)
    }

    #[test]
    fn each_link_pays_for_the_edits_of_its_further_labels() {
        let link = |labels: usize| format!("http://{}de\r\n", "\u{430}a.".repeat(labels));
        let again = |labels: usize| judging(&link(labels).repeat(2)) - judging(&link(labels));
        let further = 20 + 1 - USUAL_EDITED_LABELS;
        assert!(again(20) >= again(4) + further * EDITED_LABEL_STEPS, "{} {}", again(4), again(20));
    }

    fn rejected(host: &str) -> u64 {
        rejected_steps(Rejected { hosts: 1, bytes: host.len() })
    }

    #[test]
    fn what_is_no_host_inside_a_link_pays_for_its_judgement() {
        let link =
            |inner: &str| judging(&format!("https://www.google.com/url?q=https%3A%2F%2F{inner}"));
        let (nothing, none) = (link(""), link("a{b.c.d.e.com"));
        assert!(none >= nothing + rejected("a{b.c.d.e.com"), "{nothing} {none}");
    }

    #[test]
    fn a_host_inside_a_link_that_deceives_nobody_pays_for_its_judgement() {
        let link = |inner: &str| judging(&format!("https://example.com/?дом=мир&a={inner}"));
        let (nothing, harmless) = (link("магазин-com"), link("магазин.com"));
        assert!(harmless >= nothing + rejected("магазин.com"), "{nothing} {harmless}");
    }

    /// However long a name is, the links behind it are judged.
    #[test]
    fn a_long_name_leaves_steps_for_the_body() {
        for (words, length) in [("PayPal paypl Bank of America ", 60_000), ("Ａ Б ", 60_000)] {
            let name = words.repeat(length / words.len());
            let head = format!("From: \"{name}\" <z@y.com>\r\nReply-To: \"{name}\" <z@x.com>\r\n");
            let body = "http://p\u{430}ypal.com/ see\r\n".as_bytes();
            let message = Message { head: head.as_bytes(), body };
            let tlds = TldTable::new(["com"], "");
            let policy = Policy::default();
            let outcome =
                inspect(message, &Facts::default(), &policy, &tlds).resolve(&crate::Answers::new());
            assert!(!outcome.edits.is_empty(), "{words}: {:?}", outcome.bypasses);
        }
    }

    #[test]
    fn words_between_hyphens_pay_for_themselves() {
        let host = |label: &str| judging(&format!("http://{label}.com/"));
        let (one, two, four) = ("bunteminigärten", "bunte-minigärten", "x-bunte-mini-gärten");
        let steps = |label: &str| word_steps(&format!("{label}.com"), PARTED_HOST_STEPS);
        let further = |count: u64| PARTED_HOST_STEPS + count * FURTHER_WORD_STEPS;
        assert_eq!([steps(one), steps(two), steps(four)], [0, further(0), further(2)]);
        assert_eq!(steps("ec2-1-2-3-a"), further(0), "numbers are no words");
        assert!(host(four) >= host(two) + 2 * FURTHER_WORD_STEPS);
        assert_eq!(steps(&"a-".repeat(100)), further(LABEL_WORDS as u64 - 2), "no more are read");
    }

    #[test]
    fn words_beside_one_that_is_similar_to_a_name_are_compared_with_names() {
        let steps = |host: &str, labels: usize| {
            let labels = vec![Label::default(); labels];
            let judgement = Judgement { unicode: host.to_owned(), labels, ..Judgement::default() };
            named_steps(host, &judgement)
        };
        // Only a host that is similar to a name is judged label by label.
        assert_eq!(steps("a-b.com", 2), COMPARED_WORDS_STEPS);
        assert_eq!(steps("a-b.com", 0), NAMED_HOST_STEPS + PARTED_HOST_STEPS);
        assert_eq!(steps("ab.com", 2), 0);
        assert_eq!(steps("ä-b.com", 2), OTHER_WORDS_STEPS);
        let (plain, parted) = (judging("http://parpil.com/"), judging("http://par-pil.com/"));
        assert!(parted >= plain + PARTED_HOST_STEPS, "{plain} {parted}");
    }

    #[test]
    fn a_link_to_a_host_that_was_there_before_pays_for_itself() {
        let links = |count: usize| judging(&"http://example.com/ ".repeat(count));
        assert!(links(3) >= links(2) + KNOWN_HOST_STEPS, "{} {}", links(2), links(3));
    }

    #[test]
    fn a_host_in_disguise_pays_for_what_it_may_be_read_as() {
        let link = |host: &str| judging(&format!("http://{host}/"));
        let price = |host: &str| {
            let judgement = Judgement { unicode: host.to_owned(), ..Judgement::default() };
            host_steps(host, HostBounds::Certain, &judgement) + named_steps(host, &judgement)
        };
        let read = ["ml-login.com", "mi-login.com"].map(|host| DISGUISE_STEPS + price(host));
        let (plain, drawn) = (link("m9-login.com"), link("m1-login.com"));
        assert!(drawn >= plain + read.iter().sum::<u64>(), "{plain} {drawn} {read:?}");
    }

    #[test]
    fn a_host_of_glued_words_pays_for_being_read_in_words() {
        let link = |host: &str| judging(&format!("http://{host}/"));
        let parted = "com-harbour1.com";
        let judgement = Judgement { unicode: parted.to_owned(), ..Judgement::default() };
        let read = GLUED_HOST_STEPS + host_steps(parted, HostBounds::Certain, &judgement);
        let (plain, glued) = (link("cxmharbour1.com"), link("comharbour1.com"));
        assert!(glued >= plain + read, "{plain} {glued} {read}");
    }

    #[test]
    fn labels_of_ascii_in_front_of_others_pay_for_each_beyond_the_first() {
        let host = |front: &str| judging(&format!("https://{front}.магазин.com/"));
        let (one, three) = (host("a"), host("a.b.c"));
        let label = HARMLESS_LABEL_STEPS + ASCII_LABEL_STEPS;
        assert!(three >= one + 2 * label, "{one} {three}");
        assert!(host("www.a.b") < host("c.a.b"));
        let beside = |host: &str| judging(&format!("\u{627}{host} "));
        let (three, five) = (beside("a1.harbour.com"), beside("a1.a.b.harbour.com"));
        assert!(five >= three + 2 * ASCII_LABEL_STEPS, "{three} {five}");
    }

    #[test]
    fn labels_of_a_plain_host_pay_for_being_asked_about() {
        let host = |front: &str| judging(&format!("http://{front}.harbour.com/"));
        let (few, many) = (host("a.b"), host("a.b.c.d.e.f"));
        assert!(many >= few + 4 * NAMED_LABEL_STEPS, "{few} {many}");
    }

    #[test]
    fn labels_that_are_compared_with_names_pay_for_each() {
        let host = |front: &str| judging(&format!("http://{front}x1.com/"));
        let (plain, spelled) = (host("paypal.amazon."), host("paypal\u{2024}amazon."));
        assert!(spelled >= plain, "{plain} {spelled}");
        // The domain is similar to a known name.
        let host = |front: &str| judging(&format!("http://{front}.x1.com/"));
        let (one, three) = (host("paypal"), host("amazon.netflix.paypal"));
        assert!(three >= one + 2 * COMPARED_LABEL_STEPS, "{one} {three}");
    }

    #[test]
    fn labels_in_front_of_what_is_registered_pay_for_each() {
        let host = |front: &str| judging(&format!("https://{front}магазин.com/"));
        let (alone, www, two) = (host(""), host("www."), host("город.отдел."));
        assert!(www < alone + HARMLESS_LABEL_STEPS, "{alone} {www}");
        assert!(two >= alone + 2 * HARMLESS_LABEL_STEPS, "{alone} {two}");
        let (many, more) = (COMPARED_LABELS + REGISTERED_LABELS, COMPARED_LABELS + 9);
        assert!(harmless_label_steps(more) < harmless_label_steps(many) + HARMLESS_LABEL_STEPS);
    }

    #[test]
    fn labels_that_are_mapped_cost_more() {
        let host = |label: &str| judging(&format!("http://{label}.com/"));
        let (plain, mapped, composed) = ("магазин", "МАГАЗИН", "и\u{306}магаз");
        assert_eq!(host(mapped) - host(plain), MAPPED_STEPS_PER_BYTE * 14);
        assert!(host(composed) >= host(plain) + COMPOSED_STEPS_PER_BYTE * 12);
    }

    #[test]
    fn detecting_the_charset_of_a_part_costs_steps() {
        let text = "Пожалуйста, подтвердите ваш адрес: http://example.com/\r\n".repeat(20);
        let (body, _, _) = encoding_rs::KOI8_R.encode(&text);
        let tlds = TldTable::new(["com"], "");
        let decoding = |label: &str| {
            let head = format!("Content-Type: text/plain{label}\r\n");
            let message = Message { head: head.as_bytes(), body: &body };
            inspect(message, &Facts::default(), &Policy::default(), &tlds)
                .cost()
                .of(Stage::Decoding)
        };
        let (labelled, guessed) = (decoding("; charset=koi8-r"), decoding(""));
        // Of the address the detector is given what is beside letters.
        let given = body.iter().filter(|byte| !byte.is_ascii()).count();
        assert!(guessed >= labelled + detection_steps(given), "{labelled}, {guessed}");
    }
}
