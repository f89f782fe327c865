//! What is kept, whatever happens meanwhile: a message its settings, the state directory its files, the
//! operator the word of what was lost. Each is a daemon of its own.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

#[path = "common/daemon.rs"]
#[allow(dead_code)]
mod daemon;

use std::fs;
use std::io::Write;
use std::os::unix::net::UnixStream;
use std::process::Stdio;

use daemon::{
    DECEPTIVE, Daemon, HEADER, Manager, Site, answer, connect, deliver, negotiate, packet, ready,
    replies, wait_for,
};

fn stop(mut daemon: Daemon, manager: &Manager) {
    daemon.end();
    fs::remove_file(&manager.path).unwrap();
}

fn reload(daemon: &Daemon, manager: &Manager) {
    assert_eq!(daemon.reload(manager)[0], "READY=1");
}

/// Whether the daemon edits a deceptive link now.
fn edits(site: &Site, id: &str) -> bool {
    edits_text(site, id, DECEPTIVE)
}

fn edits_text(site: &Site, id: &str, text: &str) -> bool {
    let mut session = connect(&site.socket());
    negotiate(&mut session);
    deliver(&mut session, id, HEADER, text.as_bytes()).contains(&b'b')
}

/// The packets of a message, one stage after the other. Everything before the first is a session.
fn stages(body: &str) -> [Vec<u8>; 6] {
    [
        packet(b'M', b"<ann@sender.example>\0"),
        packet(b'R', b"<bob@recipient.example>\0"),
        packet(b'L', b"Content-Type\0 text/plain; charset=utf-8\0"),
        packet(b'N', b""),
        packet(b'B', body.as_bytes()),
        packet(b'E', b""),
    ]
}

/// Reads to the end of a message; whether its body was replaced, and the bytes of it.
fn body_of(stream: &mut UnixStream) -> Option<String> {
    let mut body = None;
    loop {
        let (command, data) = answer(stream);
        match command {
            b'b' => body.get_or_insert_with(Vec::new).extend(data),
            b'a' | b'c' | b'd' | b'r' | b't' | b'y' => break,
            _ => {}
        }
    }
    body.map(|body| String::from_utf8(body).unwrap())
}

/// The body after a message during which the daemon is reloaded, once so many stages are through.
fn across_a_reload(
    site: &Site,
    (daemon, manager): (&Daemon, &Manager),
    (before, after): (&str, &str),
    done: usize,
    body: &str,
) -> Option<String> {
    site.configure(before);
    reload(daemon, manager);
    let mut session = connect(&site.socket());
    negotiate(&mut session);
    let stages = stages(body);
    stages[..done].iter().for_each(|packet| session.write_all(packet).unwrap());
    // What was sent is read when something that was sent later is answered: on another connection the order is not
    // certain, so give the daemon the time.
    std::thread::sleep(std::time::Duration::from_millis(300));
    site.configure(after);
    reload(daemon, manager);
    stages[done..].iter().for_each(|packet| session.write_all(packet).unwrap());
    body_of(&mut session)
}

#[test]
fn a_message_keeps_the_settings_of_its_beginning_whatever_is_reloaded_meanwhile() {
    let site = Site::new("");
    fs::write(site.path("words.toml"), "[en]\nnotice = \"words of before\"\n").unwrap();
    fs::write(site.path("listed.txt"), "blocked.example\n").unwrap();
    let (daemon, manager) = ready(&site);
    let running = (&daemon, &manager);
    let edited = |body: Option<String>| body.is_some();
    let report = "policy.profile = \"report-only\"";
    for done in 0..=5 {
        let began = done > 0;
        let through = |settings| across_a_reload(&site, running, settings, done, DECEPTIVE);
        assert_eq!(edited(through(("", report))), began, "to report-only after {done}");
        assert_eq!(edited(through((report, ""))), !began, "to enforce after {done}");
    }
    // Lists, words and feeds are settings as well.
    let listed = "see https://blocked.example/ and more\r\n";
    for lists in [
        "lists.blocked_file = \"listed.txt\"",
        "[feeds.local]\nfile = \"listed.txt\"\nformat = \"plain\"\nverdict = \"unsafe\"",
    ] {
        let through = |settings| across_a_reload(&site, running, settings, 5, listed);
        site.configure(lists);
        reload(&daemon, &manager);
        // A feed is read soon after.
        wait_for("the list", || edits_text(&site, "4LIST", listed).then_some(()));
        assert!(edited(through((lists, ""))), "{lists}");
        assert!(!edited(through(("", lists))), "{lists}");
    }
    let words = "policy.notice = \"inline\"\npolicy.language = \"en\"";
    let own = format!("{words}\npolicy.words_file = \"words.toml\"");
    let body = across_a_reload(&site, running, (&own, words), 3, DECEPTIVE).unwrap();
    assert!(body.contains("words of before"), "{body}");
    // A message that is given up takes its settings along.
    site.configure("");
    reload(&daemon, &manager);
    let mut session = connect(&site.socket());
    negotiate(&mut session);
    stages(DECEPTIVE)[..4].iter().for_each(|packet| session.write_all(packet).unwrap());
    session.write_all(&packet(b'A', b"")).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(300));
    site.configure(report);
    reload(&daemon, &manager);
    assert!(!deliver(&mut session, "4NEXT", HEADER, DECEPTIVE.as_bytes()).contains(&b'b'));
}

#[test]
fn a_state_directory_that_is_lost_is_written_anew() {
    let site = Site::new("policy.undo_bytes = 0");
    let (daemon, manager) = ready(&site);
    let (state, moved) = (site.path("state"), site.path("moved"));
    let stored = |name: &str| fs::read(state.join(name)).ok();
    let key = stored("seal.key").unwrap();
    let good = stored("last-good.json").unwrap();
    // What is on the disk is not what is in force any more.
    let wrong = format!("{}\n[polcy]\n", fs::read_to_string(site.path("linkmilter.toml")).unwrap());
    fs::write(site.path("linkmilter.toml"), wrong).unwrap();
    // At once: the daemon may be writing into it.
    let remove_all = || {
        let gone = site.path("gone");
        fs::rename(&state, &gone).unwrap();
        wait_for("its removal", || fs::remove_dir_all(&gone).ok());
    };
    let removals: [(&str, &dyn Fn()); 4] = [
        ("the directory", &remove_all),
        ("another in its place", &|| {
            fs::rename(&state, &moved).unwrap();
            fs::create_dir(&state).unwrap();
        }),
        ("its files", &|| {
            fs::remove_file(state.join("seal.key")).unwrap();
            fs::remove_file(state.join("last-good.json")).unwrap();
        }),
        ("half of a file", &|| fs::write(state.join("last-good.json"), &good[..200]).unwrap()),
    ];
    for (number, (what, remove)) in removals.into_iter().enumerate() {
        remove();
        // At once, before anybody has looked: it is recorded, and its recipe is stored.
        let id = format!("4LOST{number}");
        assert!(edits(&site, &id), "{what}");
        wait_for("the event", || {
            let files = fs::read_dir(state.join("journal")).into_iter().flatten();
            let mut texts = files.filter_map(|file| fs::read_to_string(file.ok()?.path()).ok());
            texts.any(|text| text.contains(&id)).then_some(())
        });
        assert!(fs::read_dir(state.join("undo")).unwrap().next().is_some(), "{what}");
        wait_for(what, || {
            (stored("seal.key").as_ref() == Some(&key)
                && stored("last-good.json").as_ref() == Some(&good))
            .then_some(())
        });
    }
    let mode = |name: &str| {
        use std::os::unix::fs::PermissionsExt;
        fs::metadata(state.join(name)).unwrap().permissions().mode() & 0o777
    };
    assert_eq!((mode("seal.key"), mode("last-good.json")), (0o600, 0o600));
    let logged = site.logged();
    assert!(logged.contains("the state directory was removed or replaced"), "{logged}");
    assert!(logged.contains("last-good.json: it was gone or changed"), "{logged}");
    assert!(logged.contains("seal.key: it was gone: the key in use"), "{logged}");
    assert!(!logged.contains("cannot open it"), "{logged}");
    // A reload right after keeps the key.
    site.configure("policy.undo_bytes = 0");
    remove_all();
    reload(&daemon, &manager);
    assert_eq!(stored("seal.key").as_ref(), Some(&key));
    stop(daemon, &manager);
    // And a typing error after all that is no outage.
    site.configure("[polcy]");
    let (daemon, manager) = ready(&site);
    assert!(edits(&site, "4GOOD"));
    stop(daemon, &manager);
}

#[test]
fn a_kept_configuration_that_is_damaged_is_named() {
    let site = Site::new("");
    let file = site.path("state").join("last-good.json");
    let (daemon, manager) = ready(&site);
    stop(daemon, &manager);
    let good = fs::read_to_string(&file).unwrap();
    let invalid = good.replace("dns.mode", "dns.deadline");
    assert_ne!(good, invalid);
    for (damaged, said) in [
        (&good[..200], "cannot be used: it is cut off after 200 bytes"),
        ("", "cannot be used: it is cut off after 0 bytes"),
        ("garbage", "cannot be used: it is damaged at line 1, column 1"),
        (&*good.replace("{\"v\":1", "{\"v\":7"), "cannot be used: expected format 1, found 7"),
        (&*invalid, "it does not hold either:"),
    ] {
        site.configure("[polcy]");
        fs::write(&file, damaged).unwrap();
        let manager = Manager::new(site.root.path());
        let mut command = site.serve_at_socket();
        command.env("NOTIFY_SOCKET", &manager.path).stderr(Stdio::piped());
        let output = command.output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.contains("polcy") && told.contains(said), "{damaged:.20}: {told}");
        let status = manager.notified().join("\n");
        assert!(status.contains("no last good configuration"), "{status}");
        fs::remove_file(&manager.path).unwrap();
        assert!(!told.contains("cannot be used") || told.contains("last-good.json"), "{told}");
        // With a configuration that holds, it is replaced, and that is said as well.
        if !said.starts_with("cannot") {
            continue;
        }
        fs::write(site.path("log"), "").unwrap();
        site.configure("");
        let (daemon, manager) = ready(&site);
        wait_for("the word of it", || {
            site.logged().contains("that was kept there could not be used").then_some(())
        });
        stop(daemon, &manager);
        assert!(fs::read_to_string(&file).unwrap().contains("dns.mode"));
    }
}

/// Settings, header and body; whether the body is edited, and a reply that comes.
type Row<'a> = (&'a str, &'a [(&'a str, &'a str)], &'a str, bool, u8);

#[test]
fn a_recipe_without_room_is_said_where_the_message_is_left_alone() {
    let dkim = ("DKIM-Signature", " v=1; d=sender.example; s=a; h=from; bh=AA==; b=AA==");
    let text = ("Content-Type", " text/plain; charset=utf-8");
    let signed =
        ("Content-Type", " multipart/signed; boundary=b; protocol=\"application/pgp-signature\"");
    let signed_body = format!(
        "--b\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n{DECEPTIVE}\r\n--b\r\n\
         Content-Type: application/pgp-signature\r\n\r\nx\r\n--b--\r\n"
    );
    let report = "policy.undo_lost = \"report-signed\"";
    let hold = format!("{report}\npolicy.message_actions = {{ unsafe = \"quarantine\" }}");
    let refuse = format!("{report}\npolicy.message_actions = {{ unsafe = \"reject\" }}");
    let rows: [Row<'_>; 6] = [
        ("", &[text, dkim], DECEPTIVE, true, b'a'),
        (report, &[text], DECEPTIVE, true, b'a'),
        (report, &[text, dkim], DECEPTIVE, false, b'a'),
        (report, &[signed], &signed_body, false, b'a'),
        // What should be held is held, whether it is edited or not.
        (&hold, &[text, dkim], DECEPTIVE, false, b'q'),
        // Nothing of it is delivered that could be undone: there is nothing to say.
        (&refuse, &[text, dkim], DECEPTIVE, false, b'y'),
    ];
    for (number, (settings, header, body, edited, end)) in rows.into_iter().enumerate() {
        let site = Site::new(&format!("policy.undo_bytes = 0\n{settings}"));
        // A file in the place of the directory: nobody can write there, not even root.
        fs::write(site.path("state").join("undo"), "").unwrap();
        let (_daemon, _manager) = ready(&site);
        let id = format!("4ROOM{number}");
        let mut session = connect(&site.socket());
        negotiate(&mut session);
        let all = replies(&mut session, &id, header, body.as_bytes());
        assert_eq!(all.iter().any(|(command, _)| *command == b'b'), edited, "{id}: {all:?}");
        assert!(all.iter().any(|(command, _)| *command == end), "{id}: {all:?}");
        let lost = end != b'y';
        let summary = all.iter().map(|(_, data)| String::from_utf8_lossy(data).into_owned());
        let summary = summary.filter(|data| data.contains("X-Linkmilter\0")).collect::<String>();
        assert_eq!(summary.contains("undo=lost"), lost, "{id}: {summary}");
        assert_eq!(summary.contains("edits=undo-lost"), lost && !edited, "{id}: {summary}");
        let line = wait_for("its line", || {
            let logged = site.logged();
            let line = logged.lines().find(|line| line.contains(&format!("{id}: unsafe, ")));
            line.map(str::to_owned)
        });
        assert_eq!(line.contains("; undo=lost"), lost, "{line}");
        let errors = site.logged();
        let done = match (lost, edited) {
            (false, _) => "",
            (true, true) => ": a recipe is lost: its edits cannot be undone",
            (true, false) => ": a recipe is lost: what is signed is not edited",
        };
        assert!(errors.contains(done), "{errors}");
        assert_eq!(errors.contains("a recipe is lost"), lost, "{errors}");
        if end == b'a' && !edited && header.contains(&dkim) {
            assert!(line.contains("exempt (undo-lost)"), "{line}");
        }
    }
}
