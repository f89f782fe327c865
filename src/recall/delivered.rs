//! What a recall makes of a message: bytes in, bytes out, no I/O.
//!
//! A recall puts its header fields above all others: `X-Linkmilter` with `recall=HOSTS`, and the
//! undo recipe. Fields that the filter wrote at delivery stay below them, so that both can be
//! undone.

use std::sync::Arc;

use crate::engine::host::Names;
use crate::engine::lists::Lists;
use crate::engine::outcome::{Bypass, Outcome, Reason, Verdict};
use crate::engine::policy::{
    Actions, Banner, Defang, HeaderFields, LinkAction, Linkify, Mode, OnAmbiguous,
};
use crate::engine::splice::fields::check_seal;
use crate::engine::splice::undo::{RECIPES, restore_one};
use crate::engine::splice::{RestoreError, SealedBy, is_ours, note};
use crate::engine::whole::Whole;
use crate::engine::{Answers, Case, Facts, Message, Policy, TldSet, examine, inspect_case};
use crate::policy::is_below;
use crate::record::printable::defanged;

use super::header::{LastRecall, RECALL, recalls};

/// Defangs links to some hosts, and changes nothing else.
#[derive(Debug)]
pub struct Recall {
    policy: Policy,
    facts: Facts,
    hosts: Vec<String>,
}

/// Why a message that was asked for stays as it is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecallError {
    #[error("expected to be able to undo the change, found that it could not be undone")]
    NotReversible,
    #[error("expected only hosts that were named in its recall, found {0} as well")]
    OtherHosts(String),
    #[error(
        "expected a recall of these hosts as the last one, found a later one of {0}: undo that one first"
    )]
    LaterRecall(String),
    #[error("expected to read all of it, found {0}")]
    NotReadToEnd(Bypass),
    #[error(transparent)]
    Restore(#[from] RestoreError),
}

/// The new version of a message: links defanged, or restored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recalled {
    pub bytes: Vec<u8>,
    /// Links that were defanged.
    pub links: usize,
    /// Why the change is not complete: a part was not read and may have live links to the hosts, or
    /// an earlier recall was not undone.
    pub incomplete: Option<RecallError>,
}

impl Recall {
    /// `hosts` are lower-case A-labels; all hosts below them count as well. Of `policy` only the
    /// seal, the notice and the limits are used. The banner was written at delivery, lists and
    /// `defang = all` are about other hosts, and header fields must be on because they hold the
    /// undo recipe. The whole recipe goes into the header: no daemon keeps it elsewhere.
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
            link_actions: Actions {
                by_verdict: Verdict::ALL.map(|verdict| (verdict, LinkAction::Leave)).into(),
                by_reason: [(Reason::Listed, LinkAction::Defang)].into(),
            },
            message_actions: Actions::default(),
            linkify: Linkify::Off,
            on_ambiguous: OnAmbiguous::Accept,
            undo_header_bytes: None,
            ..policy.clone()
        };
        Recall { policy, facts, hosts }
    }

    /// The message with links to the hosts defanged, or `None` when it has no live one.
    ///
    /// # Errors
    /// When the change could not be undone: the original is removed, so the copy must hold all of
    /// it. When no link was found, but not all of the message was read.
    pub fn recalled(
        &self,
        bytes: &[u8],
        tlds: &dyn TldSet,
    ) -> Result<Option<Recalled>, RecallError> {
        let message = Message::split(bytes);
        let (facts, policy) = (&self.facts, &self.policy);
        let case = Case::new(message, facts, policy, tlds);
        let mut outcome = examine(inspect_case, case, |_| Answers::new());
        let links = outcome.edited();
        let incomplete = incomplete_reading(&outcome);
        if links == 0 || outcome.edits.is_empty() {
            return incomplete.map_or(Ok(None), Err);
        }
        // The filter has seen this message before, so fields with our names are genuine.
        outcome.head_edits.retain(|edit| !is_ours(edit.name.as_bytes()));
        note(&mut outcome.fields, &format!("{RECALL}{}", self.hosts.join(", ")));
        let new = outcome.apply(bytes);
        let reversible = self.undo_last(&new).is_ok_and(|back| back.as_deref() == Some(bytes));
        if reversible {
            Ok(Some(Recalled { bytes: new, links, incomplete }))
        } else {
            Err(RecallError::NotReversible)
        }
    }

    /// The message as it was before its last recall, if that was for these hosts.
    ///
    /// # Errors
    /// When that recall was for other hosts as well, whose links would be live again. When keys are
    /// known and the recipe has no seal made with one of them: the sender may have written the
    /// recipe and what it restores. When the body was changed since, or the recipe is broken.
    pub fn undo_last(&self, bytes: &[u8]) -> Result<Option<Vec<u8>>, RecallError> {
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
                true => Err(RecallError::OtherHosts(others.join(", "))),
                false => Ok(None),
            };
        }
        let recipe = last.recipe.ok_or(RestoreError::NoRecipe)?;
        if self.checks_seals() && check_seal(&recipe, &self.policy.known_keys()) != SealedBy::Ours {
            return Err(RestoreError::Foreign.into());
        }
        let head = message.head.get(last.end..).unwrap_or_default();
        let (head, body) = restore_one(head, message.body, &recipe, |_| None)?;
        Ok(Some([envelope, &head, separator, &body].concat()))
    }

    /// The message as it was before all recalls of these hosts. The last one is undone first, and
    /// at most as many as [`RECIPES`].
    ///
    /// # Errors
    /// As for [`Recall::undo_last`], and as [`Recall::later_recall`] returns.
    pub fn undo_all(&self, bytes: &[u8]) -> Result<Option<Recalled>, RecallError> {
        let Some(mut bytes) = self.undo_last(bytes)? else {
            return self.later_recall(bytes).map_or(Ok(None), Err);
        };
        let mut incomplete = None;
        for count in 2.. {
            incomplete = match self.undo_last(&bytes) {
                Ok(Some(_)) if count > RECIPES => Some(RestoreError::TooMany(count).into()),
                Ok(Some(before)) => {
                    bytes = before;
                    continue;
                }
                Ok(None) => self.later_recall(&bytes),
                Err(why) => Some(why),
            };
            break;
        }
        Ok(Some(Recalled { bytes, links: 0, incomplete }))
    }

    pub fn hosts(&self) -> &[String] {
        &self.hosts
    }

    /// Whether the last change of a message is a recall of these hosts.
    pub fn is_last(&self, bytes: &[u8]) -> bool {
        let last = recalls(Whole::split(bytes).message.head).next();
        last.is_some_and(|hosts| hosts.iter().any(|host| self.covers(host)))
    }

    /// Whether there is a key to check seals with.
    pub fn checks_seals(&self) -> bool {
        !self.policy.known_keys().is_empty()
    }

    /// Why [`Recall::undo_last`] leaves a message that was recalled for one of the hosts: a later
    /// recall has to be undone first, because each recipe fits only the message that it was made
    /// for.
    pub fn later_recall(&self, bytes: &[u8]) -> Option<RecallError> {
        let mut recalls = recalls(Whole::split(bytes).message.head);
        let last: Vec<String> = recalls.next()?.iter().map(|host| defanged(host)).collect();
        let below = recalls.any(|hosts| hosts.iter().any(|host| self.concerns(host)));
        below.then(|| RecallError::LaterRecall(last.join(", ")))
    }

    /// Whether the host is one of the named hosts, or below one.
    fn covers(&self, host: &str) -> bool {
        self.hosts.iter().any(|wanted| is_below(host, wanted))
    }

    /// Whether the host is one of the named hosts, below one, or above one.
    fn concerns(&self, host: &str) -> bool {
        self.covers(host) || self.hosts.iter().any(|wanted| is_below(wanted, host))
    }
}

/// Why a message was not read to its end. Parts that no program can decode do not count: they show
/// no link to anybody.
fn incomplete_reading(outcome: &Outcome) -> Option<RecallError> {
    let kept = |why: &&Bypass| matches!(why, Bypass::Limit(_) | Bypass::Panic);
    outcome
        .bypasses
        .iter()
        .map(|(_, why)| why)
        .find(kept)
        .map(|why| RecallError::NotReadToEnd(why.clone()))
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
    fn links_to_the_host_and_below_it_are_defanged_and_restored() {
        let recall = recall(&["example.com"]);
        let before = message(BODY);
        let recalled = recalled(&recall, &before).unwrap();
        let text = String::from_utf8(recalled.bytes.clone()).unwrap();
        assert_eq!(recalled.links, 1);
        assert!(text.contains("hxxps://bad[.]example[.]com/one"), "{text}");
        assert!(text.contains("https://fine.example.org/"), "{text}");
        assert!(text.contains("recall=example.com"), "{text}");
        assert_eq!(recall.recalled(&recalled.bytes, &tld::builtin()), Ok(None), "once is enough");
        assert_eq!(recall.undo_last(&recalled.bytes), Ok(Some(before.clone())));
        assert_eq!(recall.undo_last(&before), Ok(None));
    }

    /// The daemon applied these settings at delivery already.
    #[test]
    fn daemon_settings_do_not_change_a_recall() {
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
    fn many_hosts_are_folded_into_short_header_lines() {
        let long = format!("{0}.{0}.{0}.example.com", "a".repeat(60));
        let mut hosts: Vec<String> = (0..100).map(|n| format!("host{n}.example.net")).collect();
        hosts.extend([long, "bad.example.com".to_owned()]);
        let recall = Recall::new(hosts, &Policy::default(), Facts::default());
        let new = recalled(&recall, &message(BODY)).unwrap().bytes;
        assert!(new.split(|byte| *byte == b'\n').all(|line| line.len() <= 78));
        assert_eq!(recall.undo_last(&new), Ok(Some(message(BODY))));
    }

    #[test]
    fn other_links_are_not_changed() {
        let misleading = message("https://www.p\u{430}ypal.com/login\nhttps://fine.example.org/\n");
        assert_eq!(recalled(&recall(&["example.com"]), &misleading), None);
    }

    #[test]
    fn only_the_last_recall_of_that_host_is_undone() {
        let (one, two) = (recall(&["bad.example.com"]), recall(&["fine.example.org"]));
        let before = message(BODY);
        let first = recalled(&one, &before).unwrap().bytes;
        let second = recalled(&two, &first).unwrap().bytes;
        assert_eq!(one.undo_last(&second), Ok(None), "the other one came later");
        assert_eq!(two.undo_last(&second), Ok(Some(first.clone())));
        assert_eq!(one.undo_last(&first), Ok(Some(before)));
    }

    #[test]
    fn a_recall_of_several_hosts_is_undone_only_for_all_of_them() {
        let hosts = ["bad.example.com", "fine.example.org"];
        let before = message(BODY);
        let both = recalled(&recall(&hosts), &before).unwrap().bytes;
        let others = |hosts: &str| Err(RecallError::OtherHosts(hosts.to_owned()));
        for (named, expected) in [
            (&["bad.example.com"][..], others("fine[.]example[.]org")),
            (&["example.com"], others("fine[.]example[.]org")),
            (&["login.bad.example.com"], others("bad[.]example[.]com, fine[.]example[.]org")),
            (&["else.example.net"], Ok(None)),
            (&["example.com", "example.org"], Ok(Some(before.clone()))),
            (&hosts, Ok(Some(before.clone()))),
        ] {
            assert_eq!(recall(named).undo_last(&both), expected, "{named:?}");
        }
    }

    #[test]
    fn a_recall_below_a_later_one_is_reported() {
        let (one, two) = (recall(&["bad.example.com"]), recall(&["fine.example.org"]));
        let first = recalled(&one, &message(BODY)).unwrap().bytes;
        let second = recalled(&two, &first).unwrap().bytes;
        let later = RecallError::LaterRecall("fine[.]example[.]org".to_owned());
        assert_eq!(one.later_recall(&second), Some(later));
        assert_eq!(
            (one.later_recall(&first), two.later_recall(&second), two.later_recall(&first)),
            (None, None, None)
        );
    }

    #[test]
    fn several_recalls_are_undone_one_after_the_other() {
        let (one, two) = (recall(&["bad.example.com"]), recall(&["fine.example.org"]));
        let both = recall(&["bad.example.com", "fine.example.org"]);
        let before = message(BODY);
        let first = recalled(&one, &before).unwrap().bytes;
        let second = recalled(&two, &first).unwrap().bytes;
        let back = |bytes: &[u8], incomplete| {
            Ok(Some(Recalled { bytes: bytes.to_vec(), links: 0, incomplete }))
        };
        assert_eq!(both.undo_all(&second), back(&before, None));
        assert_eq!(two.undo_all(&second), back(&first, None));
        assert_eq!(one.undo_all(&before), Ok(None));
        let hosts = "fine[.]example[.]org".to_owned();
        assert_eq!(one.undo_all(&second), Err(RecallError::LaterRecall(hosts)));
        // The recipe of the earlier recall was removed.
        let torn = String::from_utf8(second).unwrap();
        let at = torn.rfind("X-Linkmilter-Undo").unwrap();
        let torn = format!("{}X-Other{}", &torn[..at], &torn[at + 17..]);
        let found = both.undo_all(torn.as_bytes()).unwrap().unwrap();
        assert_eq!(found.incomplete, Some(RestoreError::NoRecipe.into()));
    }

    /// Fields with our names below the recipe came with the message.
    #[test]
    fn fields_below_the_recipe_are_not_part_of_the_recall() {
        for came in ["X-Linkmilter-Undo: v=1; z=AAAA\n", "X-Linkmilter-Link: a; verdict=ok\n"] {
            let before = [came.as_bytes(), &message(BODY)].concat();
            let recall = recall(&["bad.example.com"]);
            let new = recalled(&recall, &before).unwrap().bytes;
            assert_eq!(recall.undo_last(&new), Ok(Some(before)), "{came}");
        }
    }

    /// A sender may write what looks like a recall, with a recipe that puts links into the body.
    #[test]
    fn with_a_key_only_sealed_recipes_are_used() {
        let sealed = |key: Option<&[u8]>| {
            let policy = Policy { seal_key: key.map(Arc::from), ..Policy::default() };
            Recall::new(vec!["bad.example.com".to_owned()], &policy, Facts::default())
        };
        let (ours, theirs, nobody) = (sealed(Some(b"ours")), sealed(Some(b"theirs")), sealed(None));
        let before = message(BODY);
        let foreign = Err(RecallError::Restore(RestoreError::Foreign));
        for (writer, reader, expected) in [
            (&ours, &ours, Ok(Some(before.clone()))),
            (&theirs, &ours, foreign.clone()),
            (&nobody, &ours, foreign),
            (&theirs, &nobody, Ok(Some(before.clone()))),
        ] {
            let new = recalled(writer, &before).unwrap().bytes;
            assert_eq!(reader.undo_last(&new), expected);
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
        assert_eq!(recall.undo_last(&recalled), Ok(Some(delivered.clone())));
        assert_eq!(recall.undo_last(&delivered), Ok(None), "no recall of ours");
    }

    #[test]
    fn every_form_of_a_message_is_restored_exactly_or_left() {
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
                    assert_eq!(recall.undo_last(&new.bytes), Ok(Some(shape.into_bytes())));
                }
                other => panic!("{shape:?}: {other:?}"),
            }
        }
    }

    /// A first line that begins with a space would continue the recipe above it.
    #[test]
    fn a_recall_that_could_not_be_undone_is_not_done() {
        let bytes = b" odd: start\nSubject: a\n\nsee https://bad.example.com/one\n";
        let found = recall(&["bad.example.com"]).recalled(bytes, &tld::builtin());
        assert_eq!(found, Err(RecallError::NotReversible));
    }

    /// Most links of a long list are only counted as edited.
    #[test]
    fn links_beyond_the_limit_are_counted() {
        let mut policy = Policy::default();
        policy.limits.links = 1;
        let recall = Recall::new(vec!["bad.example.com".to_owned()], &policy, Facts::default());
        let text = "https://bad.example.com/\n".repeat(5);
        assert_eq!(recalled(&recall, &message(&text)).map(|recalled| recalled.links), Some(5));
    }

    #[test]
    fn a_message_not_read_to_its_end_is_not_clean() {
        let mut policy = Policy::default();
        policy.limits.parts = 1;
        let recall = Recall::new(vec!["bad.example.com".to_owned()], &policy, Facts::default());
        let cut = RecallError::NotReadToEnd(Bypass::Limit(Limit::Parts));
        let found = |hosts: &[&str]| {
            let parts = hosts.iter().map(|host| format!("--b\n\nsee https://{host}/\n"));
            let parts: String = parts.collect();
            let head = "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n";
            recall.recalled(format!("{head}\n{parts}--b--\n").as_bytes(), &tld::builtin())
        };
        assert_eq!(found(&["one.example.org", "two.example.org"]), Err(cut.clone()));
        // Beyond the limit of parts, the rest is read as one text.
        for first in ["one.example.org", "bad.example.com"] {
            let begun = found(&[first, "bad.example.com"]);
            assert_eq!(begun.unwrap().unwrap().incomplete, Some(cut.clone()));
        }
        assert_eq!(found(&["one.example.org"]), Ok(None));
    }

    #[test]
    fn a_message_that_was_changed_since_is_left() {
        let recall = recall(&["bad.example.com"]);
        let mut recalled = recalled(&recall, &message(BODY)).unwrap().bytes;
        recalled.extend_from_slice(b"more\n");
        assert!(recall.undo_last(&recalled).is_err());
    }

    #[test]
    fn restore_undoes_filter_and_recall() {
        let policy = Policy { defang: crate::engine::policy::Defang::Judged, ..Policy::default() };
        let misleading = "https://www.p\u{430}ypal.com/login and https://bad.example.com/\n";
        let bytes = message(misleading);
        let (facts, tlds) = (Facts::default(), tld::builtin());
        let case = Case::new(Message::split(&bytes), &facts, &policy, &tlds);
        let delivered = examine(inspect_case, case, |_| Answers::new()).apply(&bytes);
        let recalled = recalled(&recall(&["bad.example.com"]), &delivered).unwrap().bytes;
        let message = Message::split(&recalled);
        let restored =
            crate::engine::splice::restore(message.head, message.body, None, |_| None).unwrap();
        assert_eq!(restored.body, misleading.as_bytes());
    }
}
