//! What a message becomes: pure, bytes in and bytes out.
//!
//! A recall puts fields of ours in front of all others: `X-Linkmilter` with `recall=HOSTS`, and the
//! recipe. Fields that the filter wrote at delivery stay behind them, so that both can be undone.

use std::sync::Arc;

use crate::engine::host::Names;
use crate::engine::lists::Lists;
use crate::engine::outcome::{Bypass, Outcome, Reason, Verdict};
use crate::engine::policy::{Banner, Defang, HeaderFields, LinkAction, Linkify, Mode, OnAmbiguous};
use crate::engine::splice::fields::{SUMMARY, UNDO, check_seal, header_fields};
use crate::engine::splice::undo::{RECIPES, restore_one};
use crate::engine::splice::{RestoreError, Seal, is_ours, note};
use crate::engine::whole::Whole;
use crate::engine::{Answers, Case, Facts, Message, Policy, TldSet, examine, inspect_case};
use crate::policy::is_below;
use crate::record::printable::defanged;

/// Names a recall in the summary.
const RECALL: &str = "recall=";

/// Takes links to some hosts apart, and nothing else.
#[derive(Debug)]
pub struct Recall {
    policy: Policy,
    facts: Facts,
    hosts: Vec<String>,
}

/// Why a message stays as it is, though it is one of those that are looked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Left {
    #[error("expected to be able to undo the change, found that it could not be undone")]
    NoWayBack,
    #[error("expected all hosts of its recall, found it was of {0} as well")]
    Others(String),
    #[error(
        "expected a recall of these hosts in front, found a later one of {0}: give that back first"
    )]
    Buried(String),
    #[error("expected to read all of it, found {0}")]
    Unread(Bypass),
    #[error(transparent)]
    Restore(#[from] RestoreError),
}

/// A message with its links taken apart, or as it was before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recalled {
    pub bytes: Vec<u8>,
    /// Links that were taken apart.
    pub links: usize,
    /// Why a part of it stays as it was: it was not read, and links to the hosts may live there, or an
    /// earlier recall is not given back.
    pub left: Option<Left>,
}

impl Recall {
    /// `hosts` in lower-case A-labels; all below them count as well. Of `policy` the seal, the notice
    /// and the limits hold: the words on top were written at delivery, lists and a defanging of every link
    /// are about other hosts, and without header fields there would be no way back. Where it is used nobody keeps a recipe elsewhere: all of it goes into the
    /// header.
    pub fn new(hosts: Vec<String>, policy: &Policy, facts: Facts) -> Recall {
        let policy = Policy {
            mode: Mode::Enforce,
            exempt: None,
            blocked: Arc::new(Names::new(hosts.iter().cloned())),
            allowed: Arc::default(),
            lists: Lists::default(),
            banner: Banner::default(),
            defang: Defang::Judged,
            header_fields: HeaderFields::Add,
            verdict_actions: Verdict::ALL.map(|verdict| (verdict, LinkAction::Leave)).into(),
            reason_actions: [(Reason::Listed, LinkAction::Defang)].into(),
            message_actions: Default::default(),
            reason_message_actions: Default::default(),
            linkify: Linkify::Off,
            on_ambiguous: OnAmbiguous::Accept,
            undo_header_bytes: None,
            ..policy.clone()
        };
        Recall { policy, facts, hosts }
    }

    /// The message with links to the hosts taken apart; `None` when it has none that live.
    ///
    /// # Errors
    /// When what comes out could not be given back: the old copy goes, so this one has to hold it. When
    /// there is no such link in what could be read, and that was not all.
    pub fn recalled(&self, bytes: &[u8], tlds: &dyn TldSet) -> Result<Option<Recalled>, Left> {
        let message = Message::split(bytes);
        let (facts, policy) = (&self.facts, &self.policy);
        let case = Case::new(message, facts, policy, tlds);
        let mut outcome = examine(inspect_case, case, |_| Answers::new());
        let links = outcome.edited();
        let unread = unread(&outcome);
        if links == 0 || outcome.edits.is_empty() {
            return unread.map_or(Ok(None), Err);
        }
        // The message stands behind the filter: fields of our names in it are ours.
        outcome.head_edits.retain(|edit| !is_ours(edit.name.as_bytes()));
        note(&mut outcome.fields, &format!("{RECALL}{}", self.hosts.join(", ")));
        let new = outcome.apply(bytes);
        let back = self.given_back(&new).is_ok_and(|back| back.as_deref() == Some(bytes));
        if back {
            Ok(Some(Recalled { bytes: new, links, left: unread }))
        } else {
            Err(Left::NoWayBack)
        }
    }

    /// The message as it was before its last recall, when that was of these hosts.
    ///
    /// # Errors
    /// When that recall was of others as well, whose links would live again; when there are keys at hand
    /// and the recipe has no seal of them: whoever sent the message may have written it, and what it gives
    /// back; when the body was changed since, or the recipe does not hold.
    pub fn given_back(&self, bytes: &[u8]) -> Result<Option<Vec<u8>>, Left> {
        let Whole { envelope, message, separator } = Whole::split(bytes);
        let Some(last) = LastRecall::of(message.head) else { return Ok(None) };
        let others: Vec<String> = last
            .hosts
            .iter()
            .filter(|host| !self.covers(host))
            .map(|host| defanged(host))
            .collect();
        if !others.is_empty() {
            return match last.hosts.iter().any(|host| self.concerns(host)) {
                true => Err(Left::Others(others.join(", "))),
                false => Ok(None),
            };
        }
        let recipe = last.recipe.ok_or(RestoreError::NoRecipe)?;
        if self.checks_seals() && check_seal(&recipe, &self.policy.known_keys()) != Seal::Ours {
            return Err(RestoreError::Foreign.into());
        }
        let head = message.head.get(last.end..).unwrap_or_default();
        let (head, body) = restore_one(head, message.body, &recipe, |_| None)?;
        Ok(Some([envelope, &head, separator, &body].concat()))
    }

    /// The message as it was before all recalls of these hosts, the last one first; at most as many as
    /// recipes of one message are tried.
    ///
    /// # Errors
    /// As of [`Recall::given_back`] for the last one, or as [`Recall::buried`] says.
    pub fn given_back_wholly(&self, bytes: &[u8]) -> Result<Option<Recalled>, Left> {
        let Some(mut bytes) = self.given_back(bytes)? else {
            return self.buried(bytes).map_or(Ok(None), Err);
        };
        let mut left = None;
        for count in 2.. {
            left = match self.given_back(&bytes) {
                Ok(Some(_)) if count > RECIPES => Some(RestoreError::TooMany(count).into()),
                Ok(Some(before)) => {
                    bytes = before;
                    continue;
                }
                Ok(None) => self.buried(&bytes),
                Err(why) => Some(why),
            };
            break;
        }
        Ok(Some(Recalled { bytes, links: 0, left }))
    }

    /// The hosts that were named.
    pub fn hosts(&self) -> &[String] {
        &self.hosts
    }

    /// Whether the last thing that was done to a message is a recall of these hosts.
    pub fn is_last(&self, bytes: &[u8]) -> bool {
        let last = recalls(Whole::split(bytes).message.head).next();
        last.is_some_and(|hosts| hosts.iter().any(|host| self.covers(host)))
    }

    /// Whether there is a key to check a seal with.
    pub fn checks_seals(&self) -> bool {
        !self.policy.known_keys().is_empty()
    }

    /// Why [`Recall::given_back`] leaves a message that was recalled for one of the hosts: the recall
    /// that came later has to be given back first, for each holds for what it found.
    pub fn buried(&self, bytes: &[u8]) -> Option<Left> {
        let mut recalls = recalls(Whole::split(bytes).message.head);
        let last: Vec<String> = recalls.next()?.iter().map(|host| defanged(host)).collect();
        let below = recalls.any(|hosts| hosts.iter().any(|host| self.concerns(host)));
        below.then(|| Left::Buried(last.join(", ")))
    }

    /// Whether the host is one of those that were named, or below one.
    fn covers(&self, host: &str) -> bool {
        self.hosts.iter().any(|wanted| is_below(host, wanted))
    }

    /// Whether links of the host can be among those that were named, or the other way round.
    fn concerns(&self, host: &str) -> bool {
        self.covers(host) || self.hosts.iter().any(|wanted| is_below(wanted, host))
    }
}

/// What kept a message from being read to its end. Parts that nobody can look into, and those that no
/// program decodes, show no link to anybody either.
fn unread(outcome: &Outcome) -> Option<Left> {
    let kept = |why: &&Bypass| matches!(why, Bypass::Limit(_) | Bypass::Panic);
    outcome.bypasses.iter().map(|(_, why)| why).find(kept).map(|why| Left::Unread(why.clone()))
}

/// The hosts of each recall that a header tells of, the last one first. Anybody may have written it.
pub fn recalls(head: &[u8]) -> impl Iterator<Item = Vec<String>> {
    header_fields(head)
        .filter(|field| field.is_named(head, SUMMARY.as_bytes()))
        .map(|field| recalled_hosts(&field.text(head)))
        .filter(|hosts| !hosts.is_empty())
}

/// The hosts of a recall, as its summary tells them.
fn recalled_hosts(summary: &str) -> Vec<String> {
    let told = summary.split("; ").find_map(|part| part.strip_prefix(RECALL));
    // A name that is too long for a line was folded.
    let plain = |host: &str| host.split_ascii_whitespace().collect::<String>();
    told.map_or_else(Vec::new, |hosts| hosts.split(',').map(plain).collect())
}

/// The fields that the last recall put in front: the recipe is the last of them.
struct LastRecall {
    hosts: Vec<String>,
    recipe: Option<String>,
    /// Bytes of the header that they take.
    end: usize,
}

impl LastRecall {
    fn of(head: &[u8]) -> Option<LastRecall> {
        let mut last: Option<LastRecall> = None;
        for field in header_fields(head) {
            let first = last.is_none();
            let at = last.as_ref().map_or(0, |last| last.end);
            let summary = field.is_named(head, SUMMARY.as_bytes());
            let belongs = field.line.start == at && is_ours(field.name(head)) && summary == first;
            if !belongs {
                break;
            }
            let text = field.text(head);
            let last = last.get_or_insert_with(|| LastRecall {
                hosts: recalled_hosts(&text),
                recipe: None,
                end: 0,
            });
            last.end = field.line.end;
            if field.is_named(head, UNDO.as_bytes()) {
                last.recipe = Some(text);
                break;
            }
        }
        last.filter(|last| !last.hosts.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Side;
    use crate::engine::outcome::Limit;
    use crate::engine::policy::Wording;
    use crate::tld;

    const BODY: &str = "see https://bad.example.com/one\nand https://fine.example.org/\n";

    fn recall(hosts: &[&str]) -> Recall {
        let hosts = hosts.iter().map(|&host| host.to_owned()).collect();
        Recall::new(hosts, &Policy::default(), Facts::default())
    }

    fn recalled(recall: &Recall, bytes: &[u8]) -> Option<Recalled> {
        recall.recalled(bytes, &tld::builtin()).unwrap()
    }

    fn message(body: &str) -> Vec<u8> {
        format!("Return-Path: <a@example.org>\nSubject: hi\n\n{body}").into_bytes()
    }

    #[test]
    fn links_to_the_host_and_below_it_are_taken_apart_and_given_back() {
        let recall = recall(&["example.com"]);
        let before = message(BODY);
        let recalled = recalled(&recall, &before).unwrap();
        let text = String::from_utf8(recalled.bytes.clone()).unwrap();
        assert_eq!(recalled.links, 1);
        assert!(text.contains("hxxps://bad[.]example[.]com/one"), "{text}");
        assert!(text.contains("https://fine.example.org/"), "{text}");
        assert!(text.contains("recall=example.com"), "{text}");
        assert_eq!(recall.recalled(&recalled.bytes, &tld::builtin()), Ok(None), "once is enough");
        assert_eq!(recall.given_back(&recalled.bytes), Ok(Some(before.clone())));
        assert_eq!(recall.given_back(&before), Ok(None));
    }

    /// Whatever the daemon does at delivery: it did that then.
    #[test]
    fn of_the_settings_of_the_daemon_none_adds_or_keeps_anything() {
        let plain = recalled(&recall(&["bad.example.com"]), &message(BODY));
        let policy = Policy {
            banner: Banner {
                links: Some(Wording::BuiltIn),
                external: Some(Wording::BuiltIn),
                ..Banner::default()
            },
            defang: Defang::All,
            header_fields: HeaderFields::Omit,
            ..Policy::default()
        };
        let facts = Facts { side: Side::Outside, ..Facts::default() };
        let recall = Recall::new(vec!["bad.example.com".to_owned()], &policy, facts);
        assert_eq!(recalled(&recall, &message(BODY)), plain);
    }

    #[test]
    fn many_hosts_stand_in_lines_of_a_length_that_mail_can_have() {
        let long = format!("{0}.{0}.{0}.example.com", "a".repeat(60));
        let mut hosts: Vec<String> = (0..100).map(|n| format!("host{n}.example.net")).collect();
        hosts.extend([long, "bad.example.com".to_owned()]);
        let recall = Recall::new(hosts, &Policy::default(), Facts::default());
        let new = recalled(&recall, &message(BODY)).unwrap().bytes;
        assert!(new.split(|byte| *byte == b'\n').all(|line| line.len() <= 78));
        assert_eq!(recall.given_back(&new), Ok(Some(message(BODY))));
    }

    #[test]
    fn nothing_else_is_touched() {
        let lie = message("https://www.p\u{430}ypal.com/login\nhttps://fine.example.org/\n");
        assert_eq!(recalled(&recall(&["example.com"]), &lie), None);
    }

    #[test]
    fn only_the_last_recall_of_that_host_is_undone() {
        let (one, two) = (recall(&["bad.example.com"]), recall(&["fine.example.org"]));
        let before = message(BODY);
        let first = recalled(&one, &before).unwrap().bytes;
        let second = recalled(&two, &first).unwrap().bytes;
        assert_eq!(one.given_back(&second), Ok(None), "the other one came later");
        assert_eq!(two.given_back(&second), Ok(Some(first.clone())));
        assert_eq!(one.given_back(&first), Ok(Some(before)));
    }

    #[test]
    fn links_of_others_do_not_live_again_with_those_that_were_named() {
        let hosts = ["bad.example.com", "fine.example.org"];
        let before = message(BODY);
        let both = recalled(&recall(&hosts), &before).unwrap().bytes;
        let others = |left| Err(Left::Others(left));
        for (named, expected) in [
            (&["bad.example.com"][..], others("fine[.]example[.]org".to_owned())),
            (&["example.com"], others("fine[.]example[.]org".to_owned())),
            (
                &["login.bad.example.com"],
                others("bad[.]example[.]com, fine[.]example[.]org".to_owned()),
            ),
            (&["else.example.net"], Ok(None)),
            (&["example.com", "example.org"], Ok(Some(before.clone()))),
            (&hosts, Ok(Some(before.clone()))),
        ] {
            assert_eq!(recall(named).given_back(&both), expected, "{named:?}");
        }
    }

    #[test]
    fn a_recall_under_a_later_one_is_told() {
        let (one, two) = (recall(&["bad.example.com"]), recall(&["fine.example.org"]));
        let first = recalled(&one, &message(BODY)).unwrap().bytes;
        let second = recalled(&two, &first).unwrap().bytes;
        let later = Left::Buried("fine[.]example[.]org".to_owned());
        assert_eq!(one.buried(&second), Some(later));
        assert_eq!(
            (one.buried(&first), two.buried(&second), two.buried(&first)),
            (None, None, None)
        );
    }

    #[test]
    fn several_recalls_are_given_back_one_behind_the_other() {
        let (one, two) = (recall(&["bad.example.com"]), recall(&["fine.example.org"]));
        let both = recall(&["bad.example.com", "fine.example.org"]);
        let before = message(BODY);
        let first = recalled(&one, &before).unwrap().bytes;
        let second = recalled(&two, &first).unwrap().bytes;
        let back =
            |bytes: &[u8], left| Ok(Some(Recalled { bytes: bytes.to_vec(), links: 0, left }));
        assert_eq!(both.given_back_wholly(&second), back(&before, None));
        assert_eq!(two.given_back_wholly(&second), back(&first, None));
        assert_eq!(one.given_back_wholly(&before), Ok(None));
        let hosts = "fine[.]example[.]org".to_owned();
        assert_eq!(one.given_back_wholly(&second), Err(Left::Buried(hosts)));
        // Of the earlier one somebody took the recipe away.
        let torn = String::from_utf8(second).unwrap();
        let at = torn.rfind("X-Linkmilter-Undo").unwrap();
        let torn = format!("{}X-Other{}", &torn[..at], &torn[at + 17..]);
        let found = both.given_back_wholly(torn.as_bytes()).unwrap().unwrap();
        assert_eq!(found.left, Some(RestoreError::NoRecipe.into()));
    }

    /// Fields of ours that stand behind the recipe came with the message.
    #[test]
    fn what_stands_behind_the_recipe_is_not_of_the_recall() {
        for came in ["X-Linkmilter-Undo: v=1; z=AAAA\n", "X-Linkmilter-Link: a; verdict=ok\n"] {
            let before = [came.as_bytes(), &message(BODY)].concat();
            let recall = recall(&["bad.example.com"]);
            let new = recalled(&recall, &before).unwrap().bytes;
            assert_eq!(recall.given_back(&new), Ok(Some(before)), "{came}");
        }
    }

    /// A stranger may send what looks like a recall, with a recipe that puts links into the body.
    #[test]
    fn with_a_key_at_hand_only_its_recipes_are_believed() {
        let sealed = |key: Option<&[u8]>| {
            let policy = Policy { seal_key: key.map(Arc::from), ..Policy::default() };
            Recall::new(vec!["bad.example.com".to_owned()], &policy, Facts::default())
        };
        let (ours, theirs, nobody) = (sealed(Some(b"ours")), sealed(Some(b"theirs")), sealed(None));
        let before = message(BODY);
        let foreign = Err(Left::Restore(RestoreError::Foreign));
        for (writer, reader, expected) in [
            (&ours, &ours, Ok(Some(before.clone()))),
            (&theirs, &ours, foreign.clone()),
            (&nobody, &ours, foreign),
            (&theirs, &nobody, Ok(Some(before.clone()))),
        ] {
            let new = recalled(writer, &before).unwrap().bytes;
            assert_eq!(reader.given_back(&new), expected);
        }
    }

    #[test]
    fn what_the_filter_wrote_at_delivery_stays() {
        let delivered = [
            b"X-Linkmilter: v=1; verdict=ok\nX-Linkmilter-Undo: v=1; z=AAAA\n",
            &message(BODY)[..],
        ]
        .concat();
        let recall = recall(&["bad.example.com"]);
        let recalled = recalled(&recall, &delivered).unwrap().bytes;
        assert_eq!(recall.given_back(&recalled), Ok(Some(delivered.clone())));
        assert_eq!(recall.given_back(&delivered), Ok(None), "no recall of ours");
    }

    #[test]
    fn every_shape_of_a_file_comes_back_to_the_byte_or_is_left() {
        let body = "see https://bad.example.com/one and more";
        for shape in [
            format!("Subject: a\n\n{body}"),
            format!("Subject: a\r\n\r\n{body}\r\n"),
            format!("Subject: a\n\n{body}\r\nof both\n"),
            format!("Subject: a\r\n\n{body}\nof both\r\n"),
            format!("Subject: https://bad.example.com/\nX: y\n\n{body}\n"),
            format!("From ann Thu Jan  1 00:00:00 1970\nSubject: a\n\n{body}\n"),
            format!("Content-Transfer-Encoding: quoted-printable\n\n{body} =3D=\n\n"),
            format!("{body}\n\n{body}\n"),
            format!("\n{body}\n"),
        ] {
            let recall = recall(&["bad.example.com"]);
            match recall.recalled(shape.as_bytes(), &tld::builtin()) {
                Ok(Some(new)) => {
                    assert_eq!(recall.given_back(&new.bytes), Ok(Some(shape.into_bytes())));
                }
                other => panic!("{shape:?}: {other:?}"),
            }
        }
    }

    /// A first line that begins with a blank would be one more line of the recipe in front of it.
    #[test]
    fn what_could_not_be_given_back_is_left() {
        let bytes = b" odd: start\nSubject: a\n\nsee https://bad.example.com/one\n";
        let found = recall(&["bad.example.com"]).recalled(bytes, &tld::builtin());
        assert_eq!(found, Err(Left::NoWayBack));
    }

    /// Of most links of a long list nothing is told but that they were edited.
    #[test]
    fn links_that_are_counted_only_count() {
        let mut policy = Policy::default();
        policy.limits.links = 1;
        let recall = Recall::new(vec!["bad.example.com".to_owned()], &policy, Facts::default());
        let text = "https://bad.example.com/\n".repeat(5);
        assert_eq!(recalled(&recall, &message(&text)).map(|recalled| recalled.links), Some(5));
    }

    #[test]
    fn what_was_not_read_to_its_end_does_not_count_as_clean() {
        let mut policy = Policy::default();
        policy.limits.parts = 1;
        let recall = Recall::new(vec!["bad.example.com".to_owned()], &policy, Facts::default());
        let unread = Left::Unread(Bypass::Limit(Limit::Parts));
        let found = |hosts: &[&str]| {
            let parts = hosts.iter().map(|host| format!("--b\n\nsee https://{host}/\n"));
            let parts: String = parts.collect();
            let head = "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n";
            recall.recalled(format!("{head}\n{parts}--b--\n").as_bytes(), &tld::builtin())
        };
        assert_eq!(found(&["one.example.org", "two.example.org"]), Err(unread.clone()));
        // What stands behind the last part that may be one is read as a text.
        for first in ["one.example.org", "bad.example.com"] {
            let begun = found(&[first, "bad.example.com"]);
            assert_eq!(begun.unwrap().unwrap().left, Some(unread.clone()));
        }
        assert_eq!(found(&["one.example.org"]), Ok(None));
    }

    #[test]
    fn a_message_that_was_changed_since_is_left() {
        let recall = recall(&["bad.example.com"]);
        let mut recalled = recalled(&recall, &message(BODY)).unwrap().bytes;
        recalled.extend_from_slice(b"more\n");
        assert!(recall.given_back(&recalled).is_err());
    }

    #[test]
    fn both_undone_by_restore() {
        let policy = Policy { defang: crate::engine::policy::Defang::Judged, ..Policy::default() };
        let lie = "https://www.p\u{430}ypal.com/login and https://bad.example.com/\n";
        let bytes = message(lie);
        let (facts, tlds) = (Facts::default(), tld::builtin());
        let case = Case::new(Message::split(&bytes), &facts, &policy, &tlds);
        let delivered = examine(inspect_case, case, |_| Answers::new()).apply(&bytes);
        let recalled = recalled(&recall(&["bad.example.com"]), &delivered).unwrap().bytes;
        let message = Message::split(&recalled);
        let restored =
            crate::engine::splice::restore(message.head, message.body, None, |_| None).unwrap();
        assert_eq!(restored.body, lie.as_bytes());
    }
}
