//! An engine that fails, inside the filter.

use std::path::Path;
use std::sync::Arc;

use linkmilter::config::Sources;
use linkmilter::daemon::filter::Filter;
use linkmilter::daemon::journal::Recorder;
use linkmilter::daemon::metrics::Metrics;
use linkmilter::daemon::report::Reporter;
use linkmilter::daemon::settings::{self, Loaded};
use linkmilter::daemon::tlds::Tlds;
use linkmilter::engine::{Case, Inspect, Inspection, inspect_case};
use linkmilter::milter::session::Origin;
use linkmilter::milter::wire::Actions;
use linkmilter::milter::{Answer, Ending, Handler, HeaderChange, Mail};
use linkmilter::tld::store::TldStore;

fn panics(_: Case<'_>) -> Inspection<'_> {
    panic!("an engine that fails")
}

fn sleeps(case: Case<'_>) -> Inspection<'_> {
    std::thread::sleep(std::time::Duration::from_secs(5));
    inspect_case(case)
}

/// Works until it is told to stop.
fn looks_for_the_flag(case: Case<'_>) -> Inspection<'_> {
    let stopped = || case.stop.is_some_and(|stop| stop.load(std::sync::atomic::Ordering::Relaxed));
    while !stopped() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    inspect_case(case)
}

/// What the filter answers with an engine that panics, and its metrics.
fn answer(settings: &str, body: Vec<u8>) -> (Answer, String) {
    answer_by(panics, settings, body)
}

fn answer_by(engine: Inspect, settings: &str, body: Vec<u8>) -> (Answer, String) {
    answer_to(engine, settings, mail(body))
}

fn answer_to(engine: Inspect, settings: &str, message: Mail) -> (Answer, String) {
    let dir = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let loaded = loaded(dir.path(), settings);
        let metrics = Arc::new(Metrics::new());
        let filter = filter(dir.path(), loaded, &metrics, engine);
        let answer = filter.message(Arc::new(message), filter.begin()).await;
        (answer, metrics.text(std::time::SystemTime::now()))
    })
}

fn loaded(dir: &Path, settings: &str) -> Loaded {
    let file = dir.join("linkmilter.toml");
    let state = dir.display();
    std::fs::write(&file, format!("server.state_dir = \"{state}\"\n{settings}\n")).unwrap();
    std::fs::write(dir.join("allowed.txt"), "\u{440}\u{430}ypal.com\n").unwrap();
    settings::load(&Sources::new(Some(file))).unwrap()
}

fn filter(dir: &Path, loaded: Loaded, metrics: &Arc<Metrics>, engine: Inspect) -> Filter {
    let recorder = Recorder::off(Arc::clone(metrics));
    let reporter = Reporter::new(Arc::clone(metrics), recorder, Arc::default());
    let tlds = Arc::new(Tlds::open(TldStore::new(dir)));
    Filter::new(loaded, tlds, reporter).with_engine(engine)
}

/// What the filter needs to edit.
const EDITING: Actions =
    Actions::CHANGE_BODY.with(Actions::CHANGE_HEADERS).with(Actions::ADD_HEADERS);

fn mail(body: Vec<u8>) -> Mail {
    Mail {
        sender: b"ann@example.com".to_vec(),
        head: b"X-Linkmilter: forged\r\nSubject: x\r\n".to_vec(),
        body,
        actions: EDITING.with(Actions::QUARANTINE),
        ..Mail::default()
    }
}

/// Sleeps over one message.
fn sleeps_over_z(case: Case<'_>) -> Inspection<'_> {
    if case.message.body.starts_with(b"z") { sleeps(case) } else { inspect_case(case) }
}

#[test]
fn waiting_for_a_turn_is_no_try_and_a_reload_gives_the_engine_more_memory() {
    let dir = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let setting = |memory: &str| {
            format!(
                "server.message_timeout = \"300ms\"\nserver.max_memory = \"{memory}\"\n\
                 server.max_message = \"1MiB\"\ndns.deadline = \"50ms\""
            )
        };
        let narrow = loaded(dir.path(), &setting("1MiB"));
        let wide = loaded(dir.path(), &setting("512MiB"));
        let filter = Arc::new(filter(dir.path(), narrow, &Arc::new(Metrics::new()), sleeps_over_z));
        let sleeper = Arc::clone(&filter);
        let sleeping = Arc::new(mail(vec![b'z'; 32 << 10]));
        tokio::spawn(async move { sleeper.message(sleeping, sleeper.begin()).await });
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        let waits = || filter.message(Arc::new(mail(vec![b'x'; 32 << 10])), filter.begin());
        for time in 0..5 {
            let answer = waits().await;
            assert!(matches!(answer.ending, Ending::Tempfail(_)), "{time}: {:?}", answer.ending);
        }
        filter.set_memory(&wide.config);
        assert_eq!(waits().await.ending, Ending::Accept);
    });
}

#[test]
fn a_panic_lets_the_message_go_on_unchanged_with_the_reason_in_header_and_counter() {
    for size in [10, 1 << 20] {
        let (answer, metrics) = answer("", vec![b'x'; size]);
        assert_eq!((answer.body, answer.ending), (None, Ending::Accept));
        let [HeaderChange::Delete { .. }, HeaderChange::Insert { name, value }] =
            &answer.header[..]
        else {
            panic!("{:?}", answer.header);
        };
        assert_eq!(name, "X-Linkmilter");
        assert!(value.contains("incomplete=panic"), "{value}");
        assert!(metrics.contains("linkmilter_bypasses_total{cause=\"panic\"} 1"), "{metrics}");
    }
}

#[test]
fn an_engine_that_takes_too_long_has_the_message_put_off() {
    let setting = "server.message_timeout = \"100ms\"\ndns.deadline = \"50ms\"";
    let (answer, metrics) = answer_by(sleeps, setting, vec![b'x'; 1 << 20]);
    assert!(matches!(answer.ending, Ending::Tempfail(_)), "{:?}", answer.ending);
    let series = "linkmilter_bypasses_total{cause=\"limit:message_timeout\"} 1\n";
    assert!(metrics.contains(series), "{metrics}");
}

#[test]
fn an_engine_that_takes_too_long_lets_the_message_go_on_where_the_operator_says_so() {
    let setting = "server.message_timeout = \"100ms\"\ndns.deadline = \"50ms\"\n\
                   policy.on_exhausted = \"accept\"";
    let (answer, metrics) = answer_by(sleeps, setting, vec![b'x'; 1 << 20]);
    assert_eq!((answer.body, answer.ending), (None, Ending::Accept));
    let said = answer.header.iter().any(|change| {
        matches!(change, HeaderChange::Insert { value, .. }
            if value.contains("incomplete=limit:message_timeout"))
    });
    assert!(said, "{:?}", answer.header);
    let series = "linkmilter_bypasses_total{cause=\"limit:message_timeout\"} 1\n";
    assert!(metrics.contains(series), "{metrics}");
}

#[test]
fn an_engine_that_is_told_to_stop_answers_that_it_is_incomplete_whatever_the_size() {
    let setting = "server.message_timeout = \"100ms\"\ndns.deadline = \"50ms\"\n\
                   policy.on_exhausted = \"accept\"";
    for size in [32 << 10, 300 << 10] {
        let (answer, metrics) = answer_by(looks_for_the_flag, setting, vec![b'x'; size]);
        let said = answer.header.iter().any(|change| {
            matches!(change, HeaderChange::Insert { value, .. }
                if value.contains("verdict=suspect")
                    && value.contains("incomplete=limit:message_timeout"))
        });
        assert!(said, "{size}: {:?}", answer.header);
        let series = "linkmilter_bypasses_total{cause=\"limit:message_timeout\"} 1\n";
        assert!(metrics.contains(series), "{metrics}");
    }
}

/// It leaves the organisation with a recipe: header and counter say that no original came of it.
#[test]
fn what_takes_too_long_to_restore_says_so() {
    let setting = "server.message_timeout = \"100ms\"\ndns.deadline = \"50ms\"\n\
                   policy.on_exhausted = \"accept\"\noutbound.local_domains = [\"example.org\"]";
    let leaving = Mail {
        origin: Origin::Local,
        recipients: vec![b"far@example.net".to_vec()],
        head: b"X-Linkmilter-Undo: v=1; z=AAAA\r\nSubject: x\r\n".to_vec(),
        ..mail(b"x".to_vec())
    };
    let (answer, metrics) = answer_to(sleeps, setting, leaving);
    assert_eq!((answer.body, answer.ending), (None, Ending::Accept));
    let said = answer.header.iter().any(|change| {
        matches!(change, HeaderChange::Insert { value, .. } if value.contains("restore=unread"))
    });
    assert!(said, "{:?}", answer.header);
    assert!(metrics.contains("linkmilter_restores_total{result=\"unread\"} 1\n"), "{metrics}");
}

#[test]
fn the_operator_may_have_it_put_off_instead() {
    let (answer, _) = answer("policy.on_error = \"tempfail\"", b"x".to_vec());
    assert!(matches!(answer.ending, Ending::Tempfail(_)), "{:?}", answer.ending);
}

/// Mail without any link that comes to a limit is told so, by the words of the limit.
#[test]
fn what_is_held_for_a_limit_does_not_speak_of_links() {
    let limits = "limits.parts = 2";
    let part = "--b\r\nContent-Type: text/plain\r\n\r\nnothing but a few words\r\n";
    let long = || Mail {
        head: b"Content-Type: multipart/mixed; boundary=b\r\n".to_vec(),
        ..mail(part.repeat(9).into_bytes())
    };
    let held = Ending::Quarantine("not read in full (limit:parts)".to_owned());
    assert_eq!(answer_to(inspect_case, limits, long()).0.ending, held);
    let refuse = format!("policy.on_exhausted = \"reject\"\n{limits}");
    let said = "550 5.7.1 Message refused: not read in full (limit:parts)".to_owned();
    assert_eq!(answer_to(inspect_case, &refuse, long()).0.ending, Ending::Reject(said));
}

#[test]
fn what_an_mta_does_not_allow_is_said_and_counted() {
    let deceptive = || Mail {
        head: b"Content-Type: text/plain; charset=utf-8\r\n".to_vec(),
        ..mail("see http://\u{440}\u{430}ypal.com/\r\n".as_bytes().to_vec())
    };
    let said = |answer: &Answer, words: &str| {
        answer.header.iter().any(
            |change| matches!(change, HeaderChange::Insert { value, .. } if value.contains(words)),
        )
    };
    let hold = "policy.message_actions = { unsafe = \"quarantine\" }";
    let (answer, metrics) = answer_to(inspect_case, hold, deceptive());
    assert_eq!(answer.ending, Ending::Quarantine("deceptive link".to_owned()));
    assert!(answer.body.is_some());
    assert!(!said(&answer, "not-granted"), "{:?}", answer.header);
    assert!(
        !metrics
            .lines()
            .any(|line| line.starts_with("linkmilter_not_granted_total") && !line.ends_with(" 0"))
    );

    // What cannot be held is put off.
    let (answer, metrics) = answer_to(inspect_case, hold, Mail { actions: EDITING, ..deceptive() });
    assert!(matches!(answer.ending, Ending::Tempfail(_)), "{:?}", answer.ending);
    assert!(said(&answer, "quarantine=not-granted"), "{:?}", answer.header);
    let series = "linkmilter_not_granted_total{action=\"quarantine\"} 1\n";
    assert!(metrics.contains(series), "{metrics}");

    let fewer = Actions::ADD_HEADERS.with(Actions::CHANGE_HEADERS).with(Actions::QUARANTINE);
    let (answer, metrics) = answer_to(inspect_case, "", Mail { actions: fewer, ..deceptive() });
    assert_eq!((&answer.body, &answer.ending), (&None, &Ending::Accept));
    assert!(said(&answer, "edits=not-granted"), "{:?}", answer.header);
    let series = "linkmilter_not_granted_total{action=\"change-body\"} 1\n";
    assert!(metrics.contains(series), "{metrics}");
}

/// What the policy wants to be done with a message, and what was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Delivered,
    Held,
    PutOff,
    Refused,
    Discarded,
}

fn end(answer: &Answer) -> End {
    match answer.ending {
        Ending::Accept => End::Delivered,
        Ending::Quarantine(_) => End::Held,
        Ending::Tempfail(_) => End::PutOff,
        Ending::Reject(_) => End::Refused,
        Ending::Discard => End::Discarded,
    }
}

/// Every set of grants, and every answer that a policy may want.
#[test]
fn what_needs_no_grant_is_done_and_what_should_be_held_is_never_delivered() {
    let text = "Content-Type: text/plain; charset=utf-8\r\n";
    let deceptive = "see http://\u{440}\u{430}ypal.com/\r\n".as_bytes().to_vec();
    let parts = "--b\r\nContent-Type: text/plain\r\n\r\nnothing but a few words\r\n".repeat(9);
    let mixed = "Content-Type: multipart/mixed; boundary=b\r\n";
    let two_ways = "Content-Type: text/html, x\r\n";
    let two_ways_body = "<a href=\"https://www.p\u{430}ypal.com/\">x</a>\r\n".as_bytes();
    let link = |action: &str| format!("policy.message_actions = {{ unsafe = \"{action}\" }}");
    let by_reason = "policy.message_actions = { mixed-script = \"reject\" }".to_owned();
    let limit = |action: &str| format!("policy.on_exhausted = \"{action}\"\nlimits.parts = 2");
    let ambiguous = "policy.on_ambiguous = \"quarantine\"".to_owned();
    let report = format!("policy.profile = \"report-only\"\n{}", link("reject"));
    let allowed = format!("lists.allowed_file = \"allowed.txt\"\n{}", link("reject"));
    let rows = [
        (String::new(), text, deceptive.clone(), End::Delivered),
        (link("header"), text, deceptive.clone(), End::Delivered),
        (link("subject-tag"), text, deceptive.clone(), End::Delivered),
        (link("quarantine"), text, deceptive.clone(), End::Held),
        (link("tempfail"), text, deceptive.clone(), End::PutOff),
        (link("reject"), text, deceptive.clone(), End::Refused),
        (link("discard"), text, deceptive.clone(), End::Discarded),
        (by_reason, text, deceptive.clone(), End::Refused),
        (limit("quarantine"), mixed, parts.clone().into_bytes(), End::Held),
        (limit("reject"), mixed, parts.into_bytes(), End::Refused),
        (ambiguous, two_ways, two_ways_body.to_vec(), End::Held),
        // What the policy would not do with every grant is not done without one.
        (report, text, deceptive.clone(), End::Delivered),
        (allowed, text, deceptive.clone(), End::Delivered),
        (link("reject"), text, b"see https://www.example.com/\r\n".to_vec(), End::Delivered),
    ];
    let all = [
        (Actions::ADD_HEADERS, "add-headers"),
        (Actions::CHANGE_BODY, "change-body"),
        (Actions::CHANGE_HEADERS, "change-headers"),
        (Actions::QUARANTINE, "quarantine"),
    ];
    for (settings, head, body, wanted) in rows {
        for set in 0..1_u8 << all.len() {
            let has = |bit: usize| set & 1 << bit != 0;
            let granted = all.iter().enumerate().filter(|(bit, _)| has(*bit));
            let actions =
                granted.fold(Actions::default(), |actions, (_, (action, _))| actions.with(*action));
            let message = Mail { head: head.into(), actions, ..mail(body.clone()) };
            let edits = actions.has(EDITING);
            for origin in [Origin::Smtp, Origin::Local] {
                let case = format!("{settings:?} {set:04b} {origin:?}");
                let message = Mail { origin, ..message.clone() };
                let (answer, metrics) = answer_to(inspect_case, &settings, message);
                let expected = match (wanted, origin) {
                    (End::Held, Origin::Smtp) if !has(3) => End::PutOff,
                    // Nobody can be told to try again, and nobody is refused.
                    (End::Held, Origin::Local) if !has(3) => End::Delivered,
                    (End::PutOff | End::Refused, Origin::Local) => End::Delivered,
                    (wanted, _) => wanted,
                };
                assert_eq!(end(&answer), expected, "{case}");
                assert!(edits || answer.body.is_none(), "{case}");
                let said = |words: &str| {
                    answer.header.iter().any(|change| {
                        matches!(change, HeaderChange::Insert { value, .. } if value.contains(words))
                    })
                };
                let holds = wanted == End::Held && !has(3);
                assert_eq!(said("edits=not-granted"), !edits, "{case}: {:?}", answer.header);
                assert_eq!(said("quarantine=not-granted"), holds, "{case}: {:?}", answer.header);
                for (bit, (_, word)) in all.iter().enumerate() {
                    let missing = !has(bit) && (bit != 3 || holds);
                    let line =
                        format!("not_granted_total{{action=\"{word}\"}} {}\n", u8::from(missing));
                    assert!(metrics.contains(&line), "{case}: {line}: {metrics}");
                }
            }
        }
    }
}
