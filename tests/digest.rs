//! The digest: printed from the journal, and mailed through every transport. The SMTP server is a
//! script of the test that writes down what it hears.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

#[path = "common/daemon.rs"]
#[allow(dead_code)]
mod daemon;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::process::{Command, Output};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::SystemTime;

use daemon::{PATIENCE, Site, binary, clean};
use linkmilter::config::{self, Sources};
use linkmilter::daemon::digest::mail_route;
use linkmilter::daemon::mailer::{Encryption, Transport};
use linkmilter::daemon::seal::Seal;
use linkmilter::engine::outcome::Verdict;
use linkmilter::engine::{Answers, Facts, Message, Policy, inspect};
use linkmilter::record::event::{Action, Event, HostDone, HostEntry};
use linkmilter::record::journal::{EventJournal, JournalBounds};
use linkmilter::record::time::Timestamp;
use linkmilter::tld;

/// A site whose journal holds one edited and one exempted message of this hour.
fn site(settings: &str) -> Site {
    let site = Site::new(&format!("server.host_name = \"mx.example\"\n{settings}"));
    let mut journal =
        EventJournal::open(&site.path("state/journal"), JournalBounds::default()).unwrap();
    let edited = Event {
        v: 1,
        time: Timestamp::of(SystemTime::now()),
        queue_id: "4DIGEST".into(),
        verdict: Verdict::Unsafe,
        action: Action::Edited,
        sender: "sender.example".into(),
        links: 3,
        edited: 1,
        reasons: [("mixed-script".to_owned(), 1)].into(),
        hosts: vec![HostEntry {
            host: "xn--pypal-4ve.com".into(),
            verdict: Verdict::Unsafe,
            reasons: vec!["mixed-script".into()],
            target: Some("paypal.com".into()),
            lists: Vec::new(),
            done: HostDone::Edited,
            count: 1,
        }],
        ..Event::default()
    };
    let exempted = Event {
        queue_id: "4EXEMPT".into(),
        action: Action::Exempted,
        exempt: Some("authenticated".into()),
        ..edited.clone()
    };
    journal.record(&edited).unwrap();
    journal.record(&exempted).unwrap();
    site
}

fn run(site: &Site, args: &[&str]) -> Output {
    let mut command = Command::new(binary());
    clean(&mut command);
    command.args(args).arg("--config").arg(site.path("linkmilter.toml")).output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn in_print() {
    let site = site("");
    let output = run(&site, &["digest", "--since", "24h"]);
    assert!(output.status.success(), "{}", said(&output));
    let text = String::from_utf8(output.stdout).unwrap();
    for line in [
        "2  messages with 6 links",
        "1  delivered with links edited",
        "1  exempt from edits",
        "xn--pypal-4ve[.]com",
        "reads as paypal[.]com",
        "U+0430 CYRILLIC SMALL LETTER A (Russian",
        "sender[.]example",
        "1  authenticated",
    ] {
        assert!(text.contains(line), "{line} in\n{text}");
    }
    let output = run(&site, &["digest", "--since", "yesterday"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("found \"yesterday\""), "{}", said(&output));
}

#[test]
fn why_answers_with_exit_codes() {
    let site = site("");
    let output = run(&site, &["why", "4DIGEST"]);
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stdout).contains("links were edited"));
    let output = run(&site, &["why", "--json", "4DIGEST"]);
    let event: Event = serde_json::from_slice(output.stdout.trim_ascii()).unwrap();
    assert_eq!(event.queue_id, "4DIGEST");
    let output = run(&site, &["why", "4NOBODY"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("reaches back to"), "{}", said(&output));
}

/// The questions of an operator, of a daemon that has just filtered mail.
#[test]
fn find_and_why_answer_by_host_domain_and_message() {
    let site = Site::new("");
    let command = site.serve_at_socket();
    let mut served = daemon::start(command);
    let mut stream = daemon::connect(&site.socket());
    daemon::negotiate(&mut stream);
    let header = [("From", "ann@sender.example"), ("Message-ID", "<17.ann@sender.example>")];
    let lying = "https://www.p\u{430}ypal.com/secret http://news.example.com/\r\n";
    daemon::deliver(&mut stream, "4FIND1", &header, lying.as_bytes());
    let fine = (0..100).map(|number| format!("http://h{number}.example.org/\r\n"));
    let fine: String = fine.collect();
    daemon::deliver(&mut stream, "4FIND2", &[("From", "a@b.example")], fine.as_bytes());
    let long = "Q".repeat(100);
    daemon::deliver(&mut stream, &long, &[("From", "a@b.example")], b"no link\r\n");
    drop(stream);
    // What waits for the disk is written at the end.
    served.end();

    let ids = |args: &[&str]| {
        let output = run(&site, args);
        let lines = String::from_utf8(output.stdout.clone()).unwrap();
        let ids: Vec<String> =
            lines.lines().map(|line| line.split(' ').nth(1).unwrap().to_owned()).collect();
        (output.status.code(), ids, said(&output), lines)
    };
    for host in [
        "www.p\u{430}ypal.com", "xn--pypal-4ve[.]com", "hxxp://example[.]com/x", "news.example.com",
    ] {
        let (code, found, said, lines) = ids(&["find", host]);
        assert_eq!((code, found), (Some(0), vec!["4FIND1".to_owned()]), "{host}: {said}");
        assert!(
            !lines.contains("secret") && !lines.contains("ann") && lines.contains("[.]"),
            "{lines}"
        );
    }
    // Hosts of fine links beyond those that are kept: it is said that some are missing.
    let (code, found, error, _) = ids(&["find", "h1.example.org", "--since", "1h"]);
    assert_eq!((code, found), (Some(0), vec!["4FIND2".to_owned()]));
    assert!(error.is_empty(), "{error}");
    let (code, _, error, _) = ids(&["find", "h99.example.org"]);
    assert_eq!(code, Some(1));
    assert!(
        error.contains("1 message had more hosts") && error.contains("reaches back to"),
        "{error}"
    );
    // Who got a link to hosts that are to be recalled, on standard output; what is not known beside it.
    let output = run(&site, &["recall", "h1.example.org", "example.com", "nobody.example.net"]);
    assert_eq!(
        String::from_utf8(output.stdout.clone()).unwrap(),
        "the journal knows 1 message with a link to h1[.]example[.]org, to recipient[.]example\n\
         the journal knows 1 message with a link to example[.]com, to recipient[.]example\n"
    );
    assert!(said(&output).contains("no link to nobody[.]example[.]net"), "{}", said(&output));
    let all = ["4FIND1", "4FIND2", &long[..64]].map(str::to_owned).to_vec();
    assert_eq!(ids(&["find", "--recipient-domain", "recipient.example"]).1, all);
    assert_eq!(ids(&["find", "--recipient-domain", "EXAMPLE"]).1, all);
    assert_eq!(ids(&["find", "--since", "24h"]).1, all);
    assert_eq!(ids(&["find", "--recipient-domain", "other.example"]).0, Some(1));
    assert_eq!(ids(&["find", "example.com", "--recipient-domain", "other.example"]).0, Some(1));
    assert_eq!(ids(&["find"]).0, Some(2));
    assert_eq!(ids(&["find", "no host"]).0, Some(2));
    let output = run(&site, &["find", "--json", "example.com"]);
    let event: Event = serde_json::from_slice(output.stdout.trim_ascii()).unwrap();
    assert_eq!(
        (event.queue_id.as_str(), event.passed),
        ("4FIND1", vec!["news.example.com".to_owned()])
    );

    for id in ["<17.ann@sender.example>", "17.ann@sender.example", " 4FIND1 "] {
        let output = run(&site, &["why", id]);
        let text = String::from_utf8(output.stdout.clone()).unwrap();
        assert!(text.starts_with("4FIND1 at "), "{id}: {text}{}", said(&output));
        assert!(text.contains("ok: news[.]example[.]com\n") && !text.contains("17.ann"), "{text}");
    }
    assert_eq!(run(&site, &["why", "18.ann@sender.example"]).status.code(), Some(1));
    // A queue id longer than is recorded, as it stands in the log of the MTA.
    let output = run(&site, &["why", &long]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    // Addresses of the header are no links.
    for host in ["sender.example", "b.example"] {
        assert_eq!(ids(&["find", host]).0, Some(1), "{host}");
    }

    // Over a typing error the filter runs on the last good configuration, and so do the answers.
    site.configure("policy.profil = 1");
    for (args, expected) in [
        (&["why", "4FIND1"][..], 0),
        (&["find", "news.example.com"], 0),
        (&["digest", "--since", "1h"], 0),
        (&["find", "nothing.example"], 1),
    ] {
        let output = run(&site, args);
        let error = said(&output);
        assert_eq!(output.status.code(), Some(expected), "{args:?}: {error}");
        assert!(error.contains("policy.profil: ") && error.contains("the last good"), "{error}");
    }
    std::fs::remove_file(site.path("state/last-good.json")).unwrap();
    assert_eq!(run(&site, &["why", "4FIND1"]).status.code(), Some(2));
}

#[test]
fn as_a_file_sealed_and_without_a_live_link() {
    let site = site("digest = { to = [\"ops@bücher.example\"], transport = \"file\" }");
    let seal = Seal::load_or_create(&site.path("state/seal.key")).unwrap();
    let output = run(&site, &["digest", "--send"]);
    assert!(output.status.success(), "{}", said(&output));
    let files: Vec<_> = std::fs::read_dir(site.path("state/digests")).unwrap().collect();
    assert_eq!(files.len(), 1);
    let mail = std::fs::read(files[0].as_ref().unwrap().path()).unwrap();
    assert!(mail.is_ascii());
    let text = String::from_utf8(mail.clone()).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    for field in [
        "To: ops@xn--bcher-kva.example",
        "From: linkmilter@mx.example",
        "Auto-Submitted: auto-generated",
        "Subject: linkmilter on mx.example: 2 messages, links edited in 1",
        "Content-Transfer-Encoding: 7bit",
    ] {
        assert!(head.lines().any(|line| line == field), "{field} in\n{head}");
    }
    let head = format!("{head}\r\n");
    assert!(seal.is_own(head.as_bytes(), body.as_bytes()));
    assert!(!seal.is_own(head.as_bytes(), format!("{body}https://evil.example/").as_bytes()));
    // Even a filter that does not know the seal finds nothing to do.
    let message = Message { head: head.as_bytes(), body: body.as_bytes() };
    let outcome = inspect(message, &Facts::default(), &Policy::default(), &tld::builtin())
        .resolve(&Answers::new());
    assert!(outcome.edits.is_empty(), "{:?}", outcome.findings);
}

#[test]
fn through_a_sendmail_command() {
    use std::os::unix::fs::PermissionsExt;
    let script = "#!/bin/sh\nprintf '%s\\n' \"$@\" >\"$0.args\"; cat >\"$0.mail\"\n";
    let site = site("");
    let path = site.path("sendmail");
    std::fs::write(&path, script).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    let settings = format!(
        "server.host_name = \"mx.example\"\n[digest]\nto = [\"-oQ/tmp@example.org\"]\ntransport = \"sendmail\"\nsendmail = {path:?}"
    );
    site.configure(&settings);
    let output = run(&site, &["digest", "--send"]);
    assert!(output.status.success(), "{}", said(&output));
    let args = std::fs::read_to_string(site.path("sendmail.args")).unwrap();
    // An address that looks like an option stands behind the end of options.
    let args: Vec<&str> = args.lines().collect();
    let end = args.iter().position(|arg| *arg == "--").expect("-- before recipients");
    assert_eq!(args[end + 1..], ["-oQ/tmp@example.org"]);
    assert!(std::fs::read_to_string(site.path("sendmail.mail")).unwrap().contains("2 messages"));
}

/// What a scripted server offers.
#[derive(Clone, Default)]
struct Offer {
    extensions: Vec<&'static str>,
    tls: Option<Arc<rustls::ServerConfig>>,
}

/// A server for one session; it returns the lines that it heard.
fn server(offer: Offer) -> (u16, JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let heard = std::thread::spawn(move || {
        listener.set_nonblocking(true).unwrap();
        let begun = std::time::Instant::now();
        let stream = loop {
            match listener.accept() {
                Ok((stream, _)) => break stream,
                // Nobody comes when the client refuses before it connects.
                Err(_) if begun.elapsed() > std::time::Duration::from_secs(5) => return Vec::new(),
                Err(_) => std::thread::sleep(std::time::Duration::from_millis(10)),
            }
        };
        stream.set_nonblocking(false).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut heard = Vec::new();
        (&stream).write_all(b"220 mx.example ESMTP\r\n").unwrap();
        if session(stream.try_clone().unwrap(), &offer, &mut heard) == Some(Upgrade) {
            let tls = rustls::ServerConnection::new(offer.tls.clone().unwrap()).unwrap();
            let offer = Offer { tls: None, ..offer };
            heard.push("<TLS>".to_owned());
            session(rustls::StreamOwned::new(tls, stream), &offer, &mut heard);
        }
        heard
    });
    (port, heard)
}

#[derive(PartialEq)]
struct Upgrade;

fn session<S: Read + Write>(stream: S, offer: &Offer, heard: &mut Vec<String>) -> Option<Upgrade> {
    let mut stream = BufReader::new(stream);
    let mut in_data = false;
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).unwrap_or(0) == 0 {
            return None;
        }
        let line = line.trim_end_matches("\r\n").to_owned();
        heard.push(line.clone());
        let answer = match line.split([' ', ':']).next().unwrap() {
            _ if in_data && line != "." => continue,
            _ if in_data => {
                in_data = false;
                "250 taken\r\n".to_owned()
            }
            "EHLO" => {
                let mut extensions = offer.extensions.clone();
                extensions.extend(offer.tls.as_ref().map(|_| "STARTTLS"));
                let lines: String =
                    extensions.iter().map(|name| format!("250-{name}\r\n")).collect();
                format!("250-mx.example\r\n{lines}250 HELP\r\n")
            }
            "STARTTLS" => {
                stream.get_mut().write_all(b"220 go ahead\r\n").unwrap();
                return Some(Upgrade);
            }
            "AUTH" => "235 welcome\r\n".to_owned(),
            "DATA" => {
                in_data = true;
                "354 go on\r\n".to_owned()
            }
            "QUIT" => "221 bye\r\n".to_owned(),
            _ => "250 fine\r\n".to_owned(),
        };
        stream.get_mut().write_all(answer.as_bytes()).unwrap();
        stream.get_mut().flush().unwrap();
    }
}

fn smtp(port: u16, more: &str) -> String {
    format!(
        "[digest]\ntransport = \"smtp\"\nsmtp_host = \"localhost\"\nsmtp_port = {port}\nsmtp_timeout = \"20s\"\n{more}\n"
    )
}

fn commands(heard: &[String], verb: &str) -> Vec<String> {
    let end = heard.iter().position(|line| line == "DATA").unwrap_or(heard.len());
    heard[..end].iter().filter(|line| line.starts_with(verb)).cloned().collect()
}

#[test]
fn over_smtp() {
    let (port, server) = server(Offer::default());
    let site = site(&smtp(
        port,
        "smtp_tls = \"none\"\nto = [\"ops@example.org\", \"sec@bücher.example\"]",
    ));
    let output = run(&site, &["digest", "--send"]);
    assert!(output.status.success(), "{}", said(&output));
    let heard = server.join().unwrap();
    // The domain has an ASCII form, so no SMTPUTF8 is needed.
    assert_eq!(commands(&heard, "MAIL"), ["MAIL FROM:<linkmilter@mx.example>"]);
    assert_eq!(
        commands(&heard, "RCPT"),
        ["RCPT TO:<ops@example.org>", "RCPT TO:<sec@xn--bcher-kva.example>"]
    );
    assert!(heard.iter().any(|line| line.contains("2  messages with 6 links")));
}

#[test]
fn smtputf8_where_a_local_part_needs_it() {
    let to = "smtp_tls = \"none\"\nto = [\"почта@bücher.example\"]";
    let (port, with) = server(Offer { extensions: vec!["SMTPUTF8", "8BITMIME"], tls: None });
    let there = site(&smtp(port, to));
    let output = run(&there, &["digest", "--send"]);
    assert!(output.status.success(), "{}", said(&output));
    let heard = with.join().unwrap();
    assert!(commands(&heard, "MAIL")[0].contains(" SMTPUTF8"), "{heard:?}");
    assert!(commands(&heard, "RCPT")[0].contains("почта@"), "{heard:?}");

    let (port, without) = server(Offer::default());
    let not_there = site(&smtp(port, to));
    let output = run(&not_there, &["digest", "--send"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("SMTPUTF8"), "{}", said(&output));
    assert!(commands(&without.join().unwrap(), "MAIL").is_empty());
}

#[test]
fn a_silent_smtp_server_costs_the_timeout() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = silent.local_addr().unwrap().port();
    let settings = smtp(port, "smtp_tls = \"none\"\nto = [\"ops@example.org\"]");
    let site = site(&settings.replace("\"20s\"", "\"1s\""));
    let output = run(&site, &["digest", "--send"]);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(said(&output).contains("expected all answers within 1 s"), "{}", said(&output));
}

#[test]
fn injection_into_the_envelope_and_the_head() {
    for to in [
        r"ops@example.org\r\nRCPT TO:<evil@example.net>",
        r"ops@example.org>\r\nDATA",
        r"\r\nBcc: evil@example.net\r\n@example.org",
        r#"\"a\r\nBcc: evil@example.net\"@example.org"#,
        r"ops@example.org, evil@example.net",
        r"ops@example.org\u0000",
    ] {
        let (port, server) = server(Offer::default());
        let site = site(&smtp(port, &format!("smtp_tls = \"none\"\nto = [\"{to}\"]")));
        let output = run(&site, &["digest", "--send"]);
        assert_eq!(output.status.code(), Some(2), "{to}");
        let heard = server.join().unwrap();
        assert!(!heard.iter().any(|line| line.contains("evil")), "{to}: {heard:?}");
        assert!(commands(&heard, "RCPT").is_empty(), "{to}: {heard:?}");
    }
}

#[test]
fn names_in_the_journal_cannot_break_out_of_the_mail() {
    let (port, server) = server(Offer::default());
    let site = site(&smtp(port, "smtp_tls = \"none\"\nto = [\"ops@example.org\"]"));
    let mut journal =
        EventJournal::open(&site.path("state/journal"), JournalBounds::default()).unwrap();
    // As a journal that somebody else has written into.
    journal
        .record(&Event {
            v: 1,
            time: Timestamp::of(SystemTime::now()),
            verdict: Verdict::Unsafe,
            action: Action::Exempted,
            sender: "evil.example\r\n.\r\nMAIL FROM:<evil@example.net>".into(),
            exempt: Some("x\r\n.\r\nRCPT TO:<evil@example.net>".into()),
            reasons: [("made\r\n.\r\nup".to_owned(), 1)].into(),
            bypasses: [("opaque\r\n.\r\nDATA".to_owned(), 1)].into(),
            ..Event::default()
        })
        .unwrap();
    let output = run(&site, &["digest", "--send"]);
    assert!(output.status.success(), "{}", said(&output));
    let heard = server.join().unwrap();
    let data = heard.iter().position(|line| line == "DATA").unwrap();
    let end = data + heard[data..].iter().position(|line| line == ".").unwrap();
    assert!(
        heard[end + 1..].iter().all(|line| line == "QUIT" || line == "RSET"),
        "{:?}",
        &heard[end..]
    );
}

/// A server certificate for localhost and its PEM form.
fn certificate() -> (Arc<rustls::ServerConfig>, String) {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let key = rustls::pki_types::PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .unwrap();
    (Arc::new(config), made.cert.pem())
}

#[test]
fn starttls_and_a_login() {
    let (tls, pem) = certificate();
    let (port, server) = server(Offer { extensions: vec!["AUTH PLAIN LOGIN"], tls: Some(tls) });
    let site = site(&smtp(
        port,
        "smtp_tls = \"starttls\"\nto = [\"ops@example.org\"]\nsmtp_user = \"digest\"\nsmtp_password_file = \"password\"\nsmtp_ca_file = \"ca.pem\"",
    ));
    std::fs::write(site.path("password"), "geheim\nnot this\n").unwrap();
    std::fs::write(site.path("ca.pem"), pem).unwrap();
    let output = run(&site, &["digest", "--send"]);
    assert!(output.status.success(), "{}", said(&output));
    let heard = server.join().unwrap();
    let tls = heard.iter().position(|line| line == "<TLS>").expect("STARTTLS");
    assert!(!heard[..tls].iter().any(|line| line.starts_with("AUTH") || line.starts_with("MAIL")));
    // "\0digest\0geheim" in base64: the first line of the file, no line end.
    assert_eq!(commands(&heard, "AUTH"), ["AUTH PLAIN AGRpZ2VzdABnZWhlaW0="]);
}

#[test]
fn without_starttls_no_mail() {
    let (port, server) = server(Offer::default());
    let site = site(&smtp(port, "smtp_tls = \"starttls\"\nto = [\"ops@example.org\"]"));
    let output = run(&site, &["digest", "--send"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("STARTTLS"), "{}", said(&output));
    let heard = server.join().unwrap();
    assert!(commands(&heard, "MAIL").is_empty() && commands(&heard, "AUTH").is_empty());
}

#[test]
fn an_unknown_authority_gets_no_mail() {
    let (tls, _) = certificate();
    let (port, server) = server(Offer { extensions: vec![], tls: Some(tls) });
    let site = site(&smtp(port, "smtp_tls = \"starttls\"\nto = [\"ops@example.org\"]"));
    let output = run(&site, &["digest", "--send"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(commands(&server.join().unwrap(), "MAIL").is_empty());
}

#[test]
fn by_default_to_this_host_without_and_to_any_other_with_encryption() {
    let (port, server) = server(Offer::default());
    let site = site(&smtp(port, "to = [\"ops@example.org\"]"));
    let output = run(&site, &["digest", "--send"]);
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(commands(&server.join().unwrap(), "MAIL").len(), 1);

    let plan = |host: &str| {
        let settings = format!("digest = {{ to = [\"a@example.org\"], smtp_host = \"{host}\" }}");
        let file = site.path("other.toml");
        std::fs::write(&file, settings).unwrap();
        let config = config::load(&Sources { file: Some(file), ..Sources::default() }).unwrap();
        mail_route(&config, "mx.example.org").unwrap().transport
    };
    for (host, expected) in [
        ("localhost", Encryption::None),
        ("127.0.0.1", Encryption::None),
        ("mail.example.org", Encryption::Starttls),
        ("192.0.2.25", Encryption::Starttls),
    ] {
        let Transport::Smtp(smtp) = plan(host) else { panic!("smtp is the default") };
        assert_eq!((smtp.encryption, smtp.port), (expected, 25), "{host}");
    }
}

#[test]
fn a_password_never_goes_out_in_the_clear() {
    let site = site(
        "[digest]\nto = [\"ops@example.org\"]\ntransport = \"smtp\"\nsmtp_host = \"mail.invalid\"\nsmtp_tls = \"none\"\nsmtp_user = \"digest\"\nsmtp_password_file = \"password\"",
    );
    std::fs::write(site.path("password"), "geheim\n").unwrap();
    let output = run(&site, &["digest", "--send"]);
    assert_eq!(output.status.code(), Some(2));
    let said = said(&output);
    assert!(said.contains("encryption") || said.contains("smtp_tls"), "{said}");
}
