//! Which settings hold for which mail, written as an operator writes them: a configuration, an
//! envelope, what follows.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::path::Path;

use linkmilter::config::{self, Sources};
use linkmilter::engine::outcome::{Disposition, Reason, Verdict};
use linkmilter::engine::policy::{
    LinkAction, Linkify, MessageAction, Mode, RestrictionLevel, Signed,
};
use linkmilter::engine::{Answers, Facts, Message, inspect};
use linkmilter::policy::{self, Envelope, Policies, Profile, Selection};
use linkmilter::tld;

fn policies(file: &str) -> Policies {
    let dir = tempfile::tempdir().unwrap();
    policies_at(dir.path(), file)
}

fn policies_at(dir: &Path, file: &str) -> Policies {
    let path = dir.join("linkmilter.toml");
    std::fs::write(&path, file).unwrap();
    let sources = Sources { file: Some(path), ..Sources::default() };
    let config = config::load(&sources).unwrap_or_else(|errors| panic!("{errors}"));
    config.settings().unwrap_or_else(|errors| panic!("{errors}")).policies
}

/// An envelope from outside for these recipients.
fn inbound(recipients: &[&str]) -> Envelope {
    Envelope {
        sender: "mallory@example.net".to_owned(),
        recipients: recipients.iter().map(|recipient| (*recipient).to_owned()).collect(),
        client: Some("203.0.113.9".parse().unwrap()),
        ..Envelope::default()
    }
}

fn profiles(selection: &Selection) -> Vec<(&str, Profile)> {
    selection.applied.iter().map(|applied| (applied.rule.as_str(), applied.profile)).collect()
}

const REJECT: MessageAction = MessageAction::Dispose(Disposition::Reject);
const QUARANTINE: MessageAction = MessageAction::Dispose(Disposition::Quarantine);

#[test]
fn without_a_configuration_unsafe_links_are_edited_and_no_mail_is_lost() {
    let selection =
        config::builtin().unwrap().settings().unwrap().policies.select(&inbound(&["a@b.example"]));
    let policy = &selection.policy;
    assert_eq!((policy.mode, policy.rule.as_str()), (Mode::Enforce, "default"));
    assert_eq!(policy.exempt, None);
    assert!(policy.message_actions.is_empty());
    for disposition in [policy.on_error, policy.on_limit, policy.on_opaque] {
        assert_eq!(disposition, Disposition::Accept);
    }
    // Held, not lost: nobody read the rest of it.
    assert_eq!(policy.on_exhausted, Disposition::Quarantine);
}

#[test]
fn the_first_rule_by_priority_then_name_decides() {
    let policies = policies(
        "[rules.b]\nrecipients = [\"example.com\"]\nprofile = \"strict\"\n\
         [rules.a]\nrecipients = [\"example.com\"]\nprofile = \"report-only\"\n\
         [rules.z]\npriority = 1\nrecipients = [\"boss@example.com\"]\nprofile = \"exempt\"\n",
    );
    for (recipient, expected) in [
        ("ann@example.com", ("a", Profile::ReportOnly)),
        ("Boss@Example.com", ("z", Profile::Exempt)),
        ("ann@sub.example.com", ("a", Profile::ReportOnly)),
        ("ann@example.org", ("default", Profile::Enforce)),
    ] {
        assert_eq!(profiles(&policies.select(&inbound(&[recipient]))), [expected], "{recipient}");
    }
}

#[test]
fn every_condition_must_hold() {
    let file = "[exempt]\nauthenticated = false\nnetworks = [\"198.51.100.0/24\"]\n\
        [rules.bounce]\nsenders = [\"<>\"]\nprofile = \"report-only\"\n\
        [rules.list]\nlist_mail = true\nprofile = \"report-only\"\n\
        [rules.local]\ndirection = \"local\"\nprofile = \"exempt\"\n\
        [rules.net]\nnetworks = [\"192.0.2.0/24\"]\nsenders = [\"example.org\"]\nprofile = \"strict\"\n\
        [rules.user]\nauthenticated = true\nprofile = \"strict\"\n\
        [rules.zout]\ndirection = \"outbound\"\nprofile = \"report-only\"\n";
    let policies = policies(file);
    let rule = |change: &dyn Fn(&mut Envelope)| {
        let mut envelope = inbound(&["a@b.example"]);
        change(&mut envelope);
        policies.select(&envelope).applied[0].rule.clone()
    };
    assert_eq!(rule(&|_| ()), "default");
    assert_eq!(rule(&|envelope| envelope.sender.clear()), "bounce");
    assert_eq!(rule(&|envelope| envelope.observe("List-Id", "<x.example>")), "list");
    assert_eq!(rule(&|envelope| envelope.path = policy::Path::NonSmtpd), "local");
    assert_eq!(rule(&|envelope| envelope.authenticated = Some("ann".into())), "user");
    assert_eq!(rule(&|envelope| envelope.client = "198.51.100.7".parse().ok()), "zout");
    // A network alone is not enough, nor the sender alone.
    assert_eq!(rule(&|envelope| envelope.client = "192.0.2.1".parse().ok()), "default");
    assert_eq!(rule(&|envelope| envelope.sender = "a@example.org".into()), "default");
    let both = |envelope: &mut Envelope| {
        envelope.client = "192.0.2.1".parse().ok();
        envelope.sender = "a@example.org".into();
    };
    assert_eq!(rule(&both), "net");
}

#[test]
fn a_rule_lays_its_settings_over_the_default() {
    let policies = policies(
        "[policy]\nlevel = \"single-script\"\nsigned = \"report\"\n\
         [policy.actions]\nunsafe = \"punycode\"\nuserinfo = \"unlink\"\n\
         [rules.x]\nrecipients = [\"example.com\"]\nlevel = \"ascii-only\"\nsubject_tag = \"[!]\"\n\
         [rules.x.actions]\nunsafe = \"unlink\"\nnumeric-host = \"defang\"\n",
    );
    let policy = policies.select(&inbound(&["a@example.com"])).policy;
    assert_eq!(policy.level, RestrictionLevel::AsciiOnly);
    assert_eq!(policy.signed, Signed::Report);
    assert_eq!(policy.subject_tag, "[!]");
    assert_eq!(policy.link_actions.by_verdict.get(&Verdict::Unsafe), Some(&LinkAction::Unlink));
    assert_eq!(policy.link_actions.by_reason.get(&Reason::Userinfo), Some(&LinkAction::Unlink));
    assert_eq!(policy.link_actions.by_reason.get(&Reason::NumericHost), Some(&LinkAction::Defang));
    let other = policies.select(&inbound(&["a@example.org"])).policy;
    assert_eq!(other.link_actions.by_verdict.get(&Verdict::Unsafe), Some(&LinkAction::Punycode));
}

// ---- recipients who disagree --------------------------------------------------------------

const DISAGREE: &str = "\
    [policy]\nlinkify = \"html\"\n\
    [policy.message_actions]\nunsafe = \"reject\"\ninvalid = \"subject-tag\"\n\
    [rules.careful]\nrecipients = [\"careful.example\"]\nprofile = \"strict\"\nlevel = \"ascii-only\"\nlinkify = \"off\"\n\
    [rules.quiet]\nrecipients = [\"quiet.example\"]\nprofile = \"report-only\"\n\
    [rules.same]\nrecipients = [\"same.example\"]\n\
    [rules.hold]\nrecipients = [\"hold.example\"]\n\
    [rules.hold.message_actions]\nunsafe = \"quarantine\"\n\
    [rules.soft]\nrecipients = [\"soft.example\"]\n\
    [rules.soft.actions]\nunsafe = \"leave\"\nmixed-script = \"punycode\"\n";

#[test]
fn the_stricter_wins_for_edits_and_the_header_says_so() {
    let policies = policies(DISAGREE);
    for order in [["a@any.example", "b@careful.example"], ["b@careful.example", "a@any.example"]] {
        let policy = policies.select(&inbound(&order)).policy;
        assert_eq!(policy.mode, Mode::Strict);
        assert_eq!(policy.level, RestrictionLevel::AsciiOnly);
        assert_eq!(policy.linkify, Linkify::Off, "nobody gets anchors unasked");
        assert_eq!(policy.rule, "careful+default");
    }
    let quiet = policies.select(&inbound(&["a@any.example", "c@quiet.example"])).policy;
    assert_eq!(quiet.mode, Mode::Enforce, "one body for all");
    assert_eq!(quiet.rule, "default+quiet");
    let one = policies.select(&inbound(&["a@any.example", "b@any.example"])).policy;
    assert_eq!(one.rule, "default");
    let said = |recipients: &[&str]| {
        let policy = policies.select(&inbound(recipients)).policy;
        let message = Message { head: b"Subject: x\r\n", body: b"text\r\n" };
        let (facts, tlds) = (Facts::default(), tld::builtin());
        let outcome = inspect(message, &facts, &policy, &tlds).resolve(&Answers::new());
        outcome.fields[0].value.replace("\n ", " ")
    };
    let both = said(&["a@any.example", "b@careful.example"]);
    assert!(both.ends_with("; rules=careful+default"), "{both}");
    assert!(!said(&["a@any.example", "b@any.example"]).contains("rules="));
}

#[test]
fn a_lenient_recipient_does_not_soften_the_others() {
    let policies = policies(DISAGREE);
    let soft = policies.select(&inbound(&["a@soft.example"])).policy;
    assert_eq!(soft.link_actions.by_verdict.get(&Verdict::Unsafe), Some(&LinkAction::Leave));
    let both = policies.select(&inbound(&["a@soft.example", "b@any.example"])).policy;
    assert_eq!(both.link_actions.by_verdict.get(&Verdict::Unsafe), Some(&LinkAction::Defang));
    assert_eq!(
        both.link_actions.by_reason.get(&Reason::MixedScript),
        None,
        "the verdict is as strict"
    );
}

#[test]
fn what_loses_a_message_needs_them_all() {
    let policies = policies(DISAGREE);
    let action = |recipients: &[&str]| {
        let policy = policies.select(&inbound(recipients)).policy;
        policy
            .message_actions
            .by_verdict
            .get(&Verdict::Unsafe)
            .copied()
            .unwrap_or(MessageAction::Header)
    };
    assert_eq!(action(&["a@any.example"]), REJECT);
    assert_eq!(action(&["a@any.example", "b@same.example"]), REJECT);
    assert_eq!(action(&["a@hold.example"]), QUARANTINE);
    assert_eq!(action(&["a@any.example", "b@hold.example"]), MessageAction::Header);
    assert_eq!(action(&["a@any.example", "b@quiet.example"]), MessageAction::Header);
    assert_eq!(action(&["a@any.example", "abuse@any.example"]), MessageAction::Header);
}

#[test]
fn a_tag_is_an_edit_and_one_who_asks_is_enough() {
    let policies = policies(DISAGREE);
    let policy = policies.select(&inbound(&["a@any.example", "b@quiet.example"])).policy;
    assert_eq!(
        policy.message_actions.by_verdict.get(&Verdict::Invalid),
        Some(&MessageAction::SubjectTag)
    );
}

#[test]
fn agreement_holds_across_verdicts_and_reasons() {
    let policies = policies(
        "[policy.message_actions]\nmixed-script = \"reject\"\n\
         [rules.all]\nrecipients = [\"all.example\"]\n\
         [rules.all.message_actions]\nunsafe = \"reject\"\n",
    );
    let policy = policies.select(&inbound(&["a@all.example", "b@any.example"])).policy;
    assert_eq!(policy.message_actions.by_reason.get(&Reason::MixedScript), Some(&REJECT));
    assert_ne!(policy.message_actions.by_verdict.get(&Verdict::Unsafe), Some(&REJECT));
}

// ---- who is exempt ------------------------------------------------------------------------

#[test]
fn abuse_and_postmaster_see_what_is_complained_about() {
    let policies = policies(
        "[policy]\nprofile = \"strict\"\non_error = \"reject\"\n[policy.message_actions]\nunsafe = \"reject\"\n",
    );
    for recipient in ["abuse@any.example", "Postmaster@any.example", "postmaster"] {
        let selection = policies.select(&inbound(&[recipient]));
        assert_eq!(selection.policy.mode, Mode::ReportOnly, "{recipient}");
        assert!(selection.policy.message_actions.is_empty());
        assert_eq!(selection.policy.on_error, Disposition::Accept);
        assert_eq!(selection.applied[0].profile, Profile::ReportOnly);
    }
    let policy = policies.select(&inbound(&["abusebox@any.example"])).policy;
    assert_eq!(policy.mode, Mode::Strict);
}

#[test]
fn authenticated_clients_and_listed_networks_are_exempt_loopback_is_not() {
    let policies = policies(
        "[exempt]\nnetworks = [\"192.0.2.0/24\", \"2001:db8::/32\"]\n[policy]\nlinkify = \"html\"\n\
         [policy.message_actions]\nunsafe = \"reject\"\n",
    );
    let exempt = |change: &dyn Fn(&mut Envelope)| {
        let mut envelope = inbound(&["a@b.example"]);
        change(&mut envelope);
        let policy = policies.select(&envelope).policy;
        assert_eq!(policy.exempt.is_some(), policy.message_actions.is_empty(), "never refused");
        assert_eq!(policy.exempt.is_some(), policy.linkify == Linkify::Off, "never edited");
        policy.exempt.clone()
    };
    let client = |address: &str| {
        let address = address.parse().unwrap();
        exempt(&move |envelope: &mut Envelope| envelope.client = Some(address))
    };
    assert_eq!(client("192.0.2.77").as_deref(), Some("network"));
    assert_eq!(client("::ffff:192.0.2.77").as_deref(), Some("network"));
    assert_eq!(client("2001:db8::1").as_deref(), Some("network"));
    assert_eq!(client("127.0.0.1"), None);
    assert_eq!(client("::1"), None);
    let login = |envelope: &mut Envelope| envelope.authenticated = Some("ann".to_owned());
    assert_eq!(exempt(&login).as_deref(), Some("authenticated"));
    // The non-smtpd path has no client, whatever address somebody writes into a macro.
    let local = |envelope: &mut Envelope| {
        envelope.path = policy::Path::NonSmtpd;
        envelope.client = "192.0.2.77".parse().ok();
    };
    let mut envelope = inbound(&["a@b.example"]);
    local(&mut envelope);
    assert_eq!(policies.select(&envelope).policy.exempt, None);
}

#[test]
fn a_sender_is_exempt_only_with_a_dmarc_pass_of_our_own_server() {
    let policies = policies(
        "[exempt]\nsenders = [\"news.example\", \"ann@example.com\"]\nauthserv_id = \"mx.example.org\"\n",
    );
    let exempt = |headers: &[(&str, &str)]| {
        let mut envelope = inbound(&["a@b.example"]);
        for (name, value) in headers {
            envelope.observe(name, value);
        }
        policies.select(&envelope).policy.exempt.clone()
    };
    let from = ("From", "News <letter@news.example>");
    let pass = "mx.example.org; dmarc=pass header.from=news.example";
    assert_eq!(exempt(&[("Authentication-Results", pass), from]).as_deref(), Some("sender"));
    for (what, headers) in [
        ("no result", vec![from]),
        (
            "failed",
            vec![
                from,
                ("Authentication-Results", "mx.example.org; dmarc=fail header.from=news.example"),
            ],
        ),
        (
            "somebody else's result",
            vec![
                from,
                ("Authentication-Results", "mx.evil.example; dmarc=pass header.from=news.example"),
            ],
        ),
        (
            "for another domain",
            vec![
                from,
                ("Authentication-Results", "mx.example.org; dmarc=pass header.from=evil.example"),
            ],
        ),
        (
            "not listed",
            vec![
                ("From", "<x@other.example>"),
                ("Authentication-Results", "mx.example.org; dmarc=pass header.from=other.example"),
            ],
        ),
        (
            "two From fields",
            vec![from, ("From", "<x@evil.example>"), ("Authentication-Results", pass)],
        ),
        (
            "another address",
            vec![
                ("From", "<bob@example.com>"),
                ("Authentication-Results", "mx.example.org; dmarc=pass header.from=example.com"),
            ],
        ),
        ("the envelope only", vec![("Authentication-Results", pass)]),
    ] {
        assert_eq!(exempt(&headers), None, "{what}");
    }
    let ann = ("From", "ann@example.com");
    let pass = ("Authentication-Results", "mx.example.org; dmarc=pass header.from=example.com");
    assert_eq!(exempt(&[ann, pass]).as_deref(), Some("sender"));
}

// ---- the path -----------------------------------------------------------------------------

#[test]
fn nothing_is_refused_outside_smtp() {
    let policies = policies(
        "[policy]\non_error = \"tempfail\"\non_limit = \"reject\"\non_exhausted = \"reject\"\non_opaque = \"quarantine\"\n\
         [policy.message_actions]\nunsafe = \"reject\"\ninvalid = \"tempfail\"\nsuspect = \"quarantine\"\nmixed-script = \"reject\"\n",
    );
    let mut envelope = inbound(&["a@b.example"]);
    let smtp = policies.select(&envelope).policy;
    assert_eq!(smtp.message_actions.by_verdict.len(), 3);
    envelope.path = policy::Path::NonSmtpd;
    let local = policies.select(&envelope).policy;
    assert_eq!(local.message_actions.by_verdict.get(&Verdict::Suspect), Some(&QUARANTINE));
    assert_eq!(
        (local.message_actions.by_verdict.len(), local.message_actions.by_reason.len()),
        (1, 0)
    );
    assert_eq!(
        [local.on_error, local.on_limit, local.on_exhausted, local.on_opaque],
        [Disposition::Accept, Disposition::Accept, Disposition::Accept, Disposition::Quarantine]
    );
}

// ---- lists --------------------------------------------------------------------------------

#[test]
fn list_files_and_inline_names_count_alike() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("allow.txt"), "# ours\nexample.com # shop\n\nbücher.example\n")
        .unwrap();
    std::fs::write(dir.path().join("blocked.txt"), "evil.example\n").unwrap();
    let policies = policies_at(
        dir.path(),
        "[lists]\nallowed = [\"more.example\"]\nprotected = [\"bank.example\"]\n",
    );
    let policy = policies.default_policy();
    for name in ["example.com", "www.example.com", "xn--bcher-kva.example", "more.example"] {
        assert!(policy.allowed.covers(name), "{name}");
    }
    assert!(!policy.allowed.covers("badexample.com"));
    assert!(policy.blocked.covers("evil.example"));
    assert!(policy.protected.covers("bank.example"));
}

#[test]
fn a_bad_line_or_a_missing_file_that_was_asked_for_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("allow.txt"), "example.com\nhttps://example.org/\na b\n")
        .unwrap();
    std::fs::write(dir.path().join("protected.txt"), "=example.com\n=a b\n").unwrap();
    let path = dir.path().join("linkmilter.toml");
    std::fs::write(
        &path,
        "[lists]\nblocked_file = \"no.txt\"\n[policy]\nseal_key_file = \"key\"\n",
    )
    .unwrap();
    std::fs::write(dir.path().join("key"), "too short").unwrap();
    let config = config::load(&Sources { file: Some(path), ..Sources::default() }).unwrap();
    let errors = config
        .settings()
        .unwrap_err()
        .to_string()
        .replace(&format!("{}/", dir.path().display()), "");
    assert_eq!(
        errors.lines().collect::<Vec<_>>(),
        [
            "allow.txt:2: expected a host or domain name, which stands for all below it as well, found \"https://example.org/\"",
            "allow.txt:3: expected a host or domain name, which stands for all below it as well, found \"a b\"",
            "protected.txt:2: expected a host or domain name, with = in front to protect it as a whole, found \"=a b\"",
            "linkmilter.toml:2: lists.blocked_file: no.txt cannot be read: no such file",
            "linkmilter.toml:4: policy.seal_key_file: expected a file of 32 to 4096 bytes at key, found 9 bytes",
        ]
    );
}

// ---- what our own servers wrote into the header ------------------------------------------------

const SPAM: &str = "\
    [rules.spam]\nwhen.header = [\"X-Spam-Flag: YES\", \"X-Spam-Score: >= 8\"]\ndefang = \"all\"\n\
    [rules.grey]\npriority = 200\nwhen.header = \"X-Spam-Level: ***\"\ndefang = \"suspect\"\n\
    [rules.board]\npriority = 300\nrecipients = [\"board.example\"]\nprofile = \"strict\"\nlevel = \"ascii-only\"\n";

/// The envelope of a message with this header.
fn with_header(policies: &Policies, recipient: &str, head: &[(&str, &str)]) -> Envelope {
    let fields = head.iter().map(|(name, value)| (name.as_bytes(), value.as_bytes()));
    Envelope {
        trusted_fields: policies.trusted_fields(fields, "mx.example.org"),
        ..inbound(&[recipient])
    }
}

#[test]
fn a_mark_of_the_spam_filter_selects_the_rule() {
    use linkmilter::engine::policy::Defang;
    let policies = policies(SPAM);
    let received = ("Received", " from a by evil.example; x");
    for (head, rule, mode, defang) in [
        (&[("X-Spam-Flag", " YES"), received][..], "spam", Mode::Strict, Defang::All),
        (&[("x-spam-score", " 8.5\n")], "spam", Mode::Strict, Defang::All),
        (&[("X-Spam-Flag", "NO"), ("X-Spam-Flag", "YES")], "spam", Mode::Strict, Defang::All),
        (&[("X-Spam-Level", "****")], "grey", Mode::Strict, Defang::Judged),
        (&[("X-Spam-Level", "**")], "default", Mode::Enforce, Defang::Judged),
        (&[received, ("X-Spam-Flag", "YES")], "default", Mode::Enforce, Defang::Judged),
        (&[], "default", Mode::Enforce, Defang::Judged),
    ] {
        let policy = policies.select(&with_header(&policies, "a@b.example", head)).policy;
        let found = (policy.rule.as_str(), policy.mode, policy.defang);
        assert_eq!(found, (rule, mode, defang), "{head:?}");
    }
}

#[test]
fn a_field_that_a_stranger_can_write_makes_nothing_milder() {
    let file = format!(
        "{SPAM}[rules.forged]\nwhen.header = \"X-Ham: YES\"\nlevel = \"unrestricted\"\n\
        defang = \"unsafe\"\n[rules.forged.actions]\nunsafe = \"leave\"\n"
    );
    let above = policies(&file);
    let select = |policies: &Policies| {
        policies.select(&with_header(policies, "a@board.example", &[("X-Ham", "YES")])).policy
    };
    let policy = select(&above);
    assert_eq!((policy.mode, policy.level), (Mode::Strict, RestrictionLevel::AsciiOnly));
    assert_eq!(policy.link_actions.by_verdict.get(&Verdict::Unsafe), Some(&LinkAction::Defang));
    // The operator's word that strangers cannot write it.
    let stripped = policies(&format!("[upstream]\nfields = \"anywhere\"\n{file}"));
    let policy = select(&stripped);
    assert_eq!((policy.mode, policy.level), (Mode::Enforce, RestrictionLevel::Unrestricted));
    assert_eq!(policy.link_actions.by_verdict.get(&Verdict::Unsafe), Some(&LinkAction::Leave));
}

#[test]
fn a_field_that_a_stranger_can_write_lets_nothing_through() {
    use linkmilter::engine::outcome::Disposition::{Quarantine, Reject};
    use linkmilter::engine::policy::{MessageAction, OnAmbiguous};
    // What holds without the mark, what the marked rule says, what holds with the mark.
    let dispose = MessageAction::Dispose;
    for (without, marked, unsafe_mail) in [
        ("unsafe = \"reject\"", "", dispose(Reject)),
        ("unsafe = \"reject\"", "unsafe = \"quarantine\"", dispose(Reject)),
        ("unsafe = \"reject\"", "unsafe = \"header\"", dispose(Reject)),
        ("unsafe = \"subject-tag\"", "unsafe = \"quarantine\"", dispose(Quarantine)),
        ("", "unsafe = \"quarantine\"", dispose(Quarantine)),
        ("mixed-script = \"reject\"", "unsafe = \"subject-tag\"", MessageAction::SubjectTag),
    ] {
        for trust in ["above-received", "anywhere"] {
            let policies = policies(&format!(
                "[upstream]\nfields = {trust:?}\n\
                 [policy]\non_opaque = \"quarantine\"\non_ambiguous = \"quarantine\"\n\
                 [rules.marked]\nwhen.header = \"X-Spam-Flag: YES\"\nprofile = \"strict\"\n\
                 [rules.marked.message_actions]\n{marked}\n\
                 [rules.tenant]\npriority = 200\nrecipients = [\"b.example\"]\n\
                 [rules.tenant.message_actions]\n{without}\n"
            ));
            let mail = with_header(&policies, "a@b.example", &[("X-Spam-Flag", "YES")]);
            let policy = policies.select(&mail).policy;
            assert_eq!(policy.rule, "marked");
            assert_eq!(policy.on_opaque, Quarantine);
            assert_eq!(policy.on_ambiguous, OnAmbiguous::Quarantine);
            if trust == "anywhere" {
                continue;
            }
            let action = policy.message_actions.by_verdict.get(&Verdict::Unsafe);
            assert_eq!(action, Some(&unsafe_mail), "{without} and {marked}");
            if without.contains("mixed-script") {
                let action = policy.message_actions.by_reason.get(&Reason::MixedScript);
                assert_eq!(action, Some(&dispose(Reject)));
            }
        }
    }
}

#[test]
fn a_second_mark_takes_nothing_from_the_first() {
    use linkmilter::engine::policy::Defang;
    let policies =
        policies(&format!("[rules.ham]\npriority = 50\nwhen.header = \"X-Ham: YES\"\n{SPAM}"));
    let both = [("X-Ham", "YES"), ("X-Spam-Flag", "YES")];
    let policy = policies.select(&with_header(&policies, "a@b.example", &both)).policy;
    assert_eq!((policy.rule.as_str(), policy.defang), ("ham", Defang::All));
    let policy = policies.select_by_header(&with_header(&policies, "", &both));
    assert_eq!((policy.rule.as_str(), policy.defang), ("ham", Defang::All));
}

/// What the header alone decides is the same for the daemon and for a command on one message.
#[test]
fn without_an_envelope_the_header_decides_as_with_one() {
    let policies = policies(
        "[exempt]\nauthserv_id = \"mx.example.org\"\nsenders = [\"partner.example\"]\n\
         [rules.board]\nrecipients = [\"board.example\"]\nprofile = \"report-only\"\n\
         [rules.lists]\npriority = 200\nlist_mail = true\nprofile = \"report-only\"\n\
         [rules.spam]\npriority = 300\nwhen.header = \"X-Spam-Flag: YES\"\ndefang = \"all\"\n",
    );
    let partner = ("From", "Ann <ann@partner.example>");
    let pass = ("Authentication-Results", "mx.example.org; dmarc=pass header.from=partner.example");
    for (head, rule, mode, exempt) in [
        (&[("List-Id", "<l.example>")][..], "lists", Mode::ReportOnly, None),
        (&[("Precedence", "list"), ("X-Spam-Flag", "YES")], "lists", Mode::ReportOnly, None),
        (&[("X-Spam-Flag", "YES")], "spam", Mode::Strict, None),
        (&[partner, pass], "default", Mode::Enforce, Some("sender")),
        (&[partner], "default", Mode::Enforce, None),
        (&[], "default", Mode::Enforce, None),
    ] {
        let mut envelope = with_header(&policies, "a@b.example", head);
        head.iter().for_each(|(name, value)| envelope.observe(name, value));
        let alone = Envelope { recipients: Vec::new(), sender: String::new(), ..envelope.clone() };
        for policy in [policies.select(&envelope).policy, policies.select_by_header(&alone)] {
            let found = (policy.rule.as_str(), policy.mode, policy.exempt.as_deref());
            assert_eq!(found, (rule, mode, exempt), "{head:?}");
        }
    }
}

#[test]
fn recipients_of_one_rule_keep_what_each_has_without_the_mark() {
    let policies = policies(SPAM);
    for order in [["a@b.example", "x@board.example"], ["x@board.example", "a@b.example"]] {
        let envelope = Envelope {
            recipients: order.map(str::to_owned).to_vec(),
            ..with_header(&policies, "", &[("X-Spam-Level", "***")])
        };
        let selection = policies.select(&envelope);
        assert_eq!(selection.policy.level, RestrictionLevel::AsciiOnly, "{order:?}");
        assert_eq!(selection.policy.rule, "grey", "{order:?}");
        assert!(selection.applied.iter().all(|applied| applied.rule == "grey"));
    }
}

#[test]
fn mail_that_is_never_edited_is_not_edited_for_a_mark_either() {
    use linkmilter::engine::policy::Defang;
    let policies = policies(SPAM);
    let marked = |recipient| with_header(&policies, recipient, &[("X-Spam-Flag", "YES")]);
    let login = Envelope { authenticated: Some("ann".to_owned()), ..marked("a@b.example") };
    for envelope in [login, marked("abuse@b.example")] {
        let policy = policies.select(&envelope).policy;
        assert!(!policy.edits() && policy.defang == Defang::Judged, "{envelope:?}");
    }
}

#[test]
fn one_recipient_with_a_rule_for_spam_is_enough() {
    use linkmilter::engine::policy::Defang;
    let policies = policies(
        "[rules.spam]\nrecipients = [\"a.example\"]\nwhen.header = \"X-Spam-Flag: YES\"\ndefang = \"all\"\n",
    );
    let envelope = Envelope {
        recipients: vec!["x@a.example".to_owned(), "y@b.example".to_owned()],
        ..with_header(&policies, "", &[("X-Spam-Flag", "YES")])
    };
    let selection = policies.select(&envelope);
    assert_eq!(selection.policy.defang, Defang::All);
    assert_eq!(selection.policy.rule, "default+spam");
}

// ---- lists of rules ------------------------------------------------------------------------------

const TENANTS: &str = "\
    [lists]\nallowed = [\"house.example\"]\nblocked = [\"bad.example\"]\n\
    [rules.a]\nrecipients = [\"a.example\"]\nallowed = [\"xn--pypal-4ve.com\", \"shared.example\"]\n\
    blocked = [\"casino.example\"]\nprotected = [\"tenantbank.example\"]\n\
    [rules.b]\nrecipients = [\"b.example\"]\nallowed = [\"shared.example\", \"casino.example\"]\n";

/// Whether the links of a text are edited for these recipients.
fn edited(policies: &Policies, recipients: &[&str], host: &str) -> bool {
    let policy = policies.select(&inbound(recipients)).policy;
    let body = format!("See https://www.{host}/x now\r\n");
    let message =
        Message { head: b"Content-Type: text/plain; charset=utf-8\r\n", body: body.as_bytes() };
    let (facts, tlds) =
        (Facts::default(), linkmilter::engine::TldTable::new(["com", "example"], ""));
    let outcome = inspect(message, &facts, &policy, &tlds).resolve(&Answers::new());
    !outcome.edits.is_empty()
}

#[test]
fn each_tenant_has_lists_of_its_own() {
    let policies = policies(TENANTS);
    for (recipients, host, expected) in [
        (&["x@a.example"][..], "p\u{430}ypal.com", false),
        (&["x@b.example"], "p\u{430}ypal.com", true),
        (&["x@a.example"], "casino.example", true),
        (&["x@b.example"], "casino.example", false),
        (&["x@c.example"], "casino.example", false),
        (&["x@c.example"], "bad.example", true),
        // A name that reads as the tenant's own.
        (&["x@a.example"], "tenantb\u{e0}nk.com", true),
        (&["x@b.example"], "tenantb\u{e0}nk.com", false),
    ] {
        assert_eq!(edited(&policies, recipients, host), expected, "{recipients:?} {host}");
    }
}

#[test]
fn recipients_with_different_lists_get_the_stricter_edit() {
    let policies = policies(TENANTS);
    let both: &[&str] = &["x@a.example", "y@b.example"];
    for (host, expected) in [
        ("p\u{430}ypal.com", true),
        ("casino.example", true),
        ("shared.example", false),
        ("house.example", false),
        ("tenantb\u{e0}nk.com", true),
    ] {
        assert_eq!(edited(&policies, both, host), expected, "{host}");
        let turned = [both[1], both[0]];
        assert_eq!(edited(&policies, &turned, host), expected, "{host}, turned");
    }
    // One whom all settings allow nothing beside takes nothing back, but no list adds edits for a
    // recipient of whom nothing is edited.
    assert!(!edited(
        &policies,
        &["abuse@a.example", "y@b.example"],
        "p\u{440}\u{43e}\u{434}.example"
    ));
    assert!(!edited(&policies, &["abuse@a.example", "y@c.example"], "casino.example"));
}
