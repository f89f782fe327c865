//! The table of TLDs on a machine: the commands, and the refresh against a local TLS server.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod common;
#[path = "common/mirror.rs"]
mod mirror;

use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use linkmilter::daemon::tlds::Tlds;
use linkmilter::fetch::{Fetch, FetchError};
use linkmilter::tld::refresh::{RefreshError, Refreshed, refresh};
use linkmilter::tld::store::{LIST_FILE, TableOrigin, TldStore};
use mirror::{Mirror, Reply};

// ---- the refresh --------------------------------------------------------------------------

#[test]
fn a_newer_table_replaces_the_old_one_and_requests_are_conditional() {
    let mirror = Mirror::start(vec![
        Reply::list(&real_list("2026112000", &["newtld"])).with("ETag", "\"one\""),
        Reply::status("304 Not Modified"),
        Reply::list(&real_list("2026112100", &["newtld", "newer"])).with("ETag", "\"two\""),
    ]);
    let place = Rig::new(&mirror);
    let Refreshed::Replaced { table, added, removed } = place.refresh().unwrap() else {
        panic!("nothing new")
    };
    assert_eq!((table.version.as_str(), added, removed), ("2026112000", s(&["newtld"]), vec![]));
    let stored = place.store.load();
    assert_eq!(stored.origin, TableOrigin::File(place.dir.path().join("tld").join(LIST_FILE)));
    assert!(stored.table.contains("newtld"));
    assert_eq!(stored.age(place.now), Duration::ZERO);

    let later = place.now + Duration::from_secs(86_400);
    assert!(matches!(refresh(&place.fetch, &place.store, later), Ok(Refreshed::Unchanged)));
    assert_eq!(place.store.load().age(later), Duration::ZERO, "a 304 is a good check");

    let Refreshed::Replaced { added, .. } = place.refresh().unwrap() else { panic!() };
    assert_eq!(added, s(&["newer"]));
    let requests = mirror.requests();
    assert!(!requests[0].contains("if-none-match"), "{}", requests[0]);
    assert!(requests[1].contains("if-none-match: \"one\""), "{}", requests[1]);
    assert!(requests[2].contains("if-none-match: \"one\""), "{}", requests[2]);
    assert!(requests.iter().all(|request| request.contains("user-agent: linkmilter/")));
}

#[test]
fn on_any_error_the_last_good_table_stays() {
    let good = real_list("2026112000", &[]);
    let few: String = good.lines().take(900).map(|line| format!("{line}\n")).collect();
    let gone = good.replace("\nMUSEUM\n", "\n");
    let many_gone: String = good
        .lines()
        .enumerate()
        .filter(|(index, line)| {
            *index < 1 || index % 15 != 0 || ["COM", "NET", "ORG"].contains(line)
        })
        .map(|(_, line)| format!("{line}\n"))
        .collect();
    let cases = [
        (Reply::list("<html>log in to the hotel's network</html>"), "expected a first line"),
        (Reply::list(""), "expected a first line"),
        (Reply::list(&few), "expected 1000 to 20000 names"),
        (Reply::list(&good.replace("\nORG\n", "\n")), "expected .org among the names"),
        (Reply::list(&many_gone), "expected at most 5 % of the"),
        (Reply::list(&good.replace("2026112000", "2026111900")), "expected a version not older"),
        (Reply::list(&format!("{good}{}", "#".repeat(300_000))), "limit"),
        (Reply::list(&good.replace("\nMUSEUM\n", "\nMUSE UM\n")), "expected a top-level domain"),
        (Reply::status("404 Not Found"), "expected status 200 or 304, found 404"),
        (Reply::status("500 Internal Server Error"), "found 500"),
        (Reply::status("302 Found").with("Location", "http://127.0.0.1:1/"), ""),
        (Reply::list(&good).cut_at(5_000), ""),
        // 1,400 of 1,437 names: by its names alone it would be a good table.
        (Reply::list(&good).broken_off_at(good.len() - 400), "the connection broke off"),
        (Reply::list("\u{FEFF}# Version 2026112100\n").raw(vec![0xFF, 0xFE, 0]), ""),
    ];
    let mirror = Mirror::start(vec![Reply::list(&gone.replace("2026112000", "2026111950"))]);
    let place = Rig::new(&mirror);
    place.refresh().unwrap();
    let before = std::fs::read(place.store.path()).unwrap();
    for (reply, expected) in cases {
        let shown = reply.head.clone();
        mirror.queue(reply);
        let error = place.refresh().expect_err(&shown).to_string();
        assert!(error.contains(expected), "{shown}: {error}");
        assert_eq!(std::fs::read(place.store.path()).unwrap(), before, "{shown}");
        assert_eq!(place.store.load().origin, TableOrigin::File(place.store.path()));
    }
    // Then it recovers.
    mirror.queue(Reply::list(&good));
    assert!(matches!(place.refresh(), Ok(Refreshed::Replaced { .. })));
    assert_eq!(std::fs::read_dir(place.dir.path().join("tld")).unwrap().count(), 2, "no leftovers");
}

#[test]
fn a_server_without_a_valid_certificate_is_refused() {
    let mirror = Mirror::start(vec![Reply::list(&real_list("2026112000", &[]))]);
    let mut place = Rig::new(&mirror);
    // Trust only the built-in roots.
    let ca_file = place.fetch.ca_file.take();
    assert!(matches!(place.refresh(), Err(RefreshError::Fetch(FetchError::Transport { .. }))));
    // Trust the right root, but for another name.
    place.fetch.ca_file = ca_file;
    place.fetch.url = place.fetch.url.replace("localhost", "127.0.0.1");
    assert!(matches!(place.refresh(), Err(RefreshError::Fetch(FetchError::Transport { .. }))));
    // Without TLS.
    place.fetch.url = place.fetch.url.replace("https://127.0.0.1", "http://localhost");
    assert!(matches!(place.refresh(), Err(RefreshError::Fetch(FetchError::Transport { .. }))));
    assert_eq!(place.store.load().origin, TableOrigin::Builtin);
    assert!(mirror.requests().is_empty());
}

#[test]
fn a_certificate_file_without_certificates_is_reported() {
    let mirror = Mirror::start(vec![]);
    let mut place = Rig::new(&mirror);
    let path = place.dir.path().join("empty.pem");
    std::fs::write(&path, "nothing").unwrap();
    place.fetch.ca_file = Some(path.clone());
    let error = place.refresh().unwrap_err().to_string();
    assert_eq!(error, format!("{}: expected certificates in PEM: found none", path.display()));
    place.fetch.ca_file = Some(PathBuf::from("/nonexistent/ca.pem"));
    assert!(place.refresh().unwrap_err().to_string().starts_with("/nonexistent/ca.pem: "));
}

#[test]
fn a_silent_server_costs_the_timeout_and_nothing_more() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let mirror = Mirror::start(vec![]);
    let mut place = Rig::new(&mirror);
    place.fetch.url = format!("https://localhost:{}/", listener.local_addr().unwrap().port());
    place.fetch.timeout = Duration::from_millis(200);
    assert!(matches!(place.refresh(), Err(RefreshError::Fetch(FetchError::Transport { .. }))));
}

#[test]
fn nothing_is_unchanged_where_nothing_was() {
    let mirror = Mirror::start(vec![Reply::status("304 Not Modified")]);
    let error = Rig::new(&mirror).refresh().unwrap_err().to_string();
    assert!(error.contains("expected status 200, found 304"), "{error}");
}

#[test]
fn another_url_is_fetched_without_the_validators_of_the_first() {
    let list = real_list("2026112000", &[]);
    let first = Mirror::start(vec![Reply::list(&list).with("ETag", "\"first\"")]);
    let second = Mirror::start(vec![Reply::list(&list)]);
    let mut place = Rig::new(&first);
    place.refresh().unwrap();
    let other = Rig::new(&second);
    place.fetch = other.fetch.clone();
    assert!(matches!(place.refresh(), Ok(Refreshed::Replaced { .. })));
    assert!(!second.requests()[0].contains("if-none-match"));
}

#[test]
fn a_list_older_than_the_builtin_table_is_not_stored() {
    let mirror = Mirror::start(vec![Reply::list(&real_list("2026103100", &[]))]);
    let place = Rig::new(&mirror);
    let error = place.refresh().unwrap_err().to_string();
    assert!(error.contains("expected a version not older than \"built-in"), "{error}");
    assert!(!place.store.path().exists());
}

// ---- the store ----------------------------------------------------------------------------

#[test]
fn a_bad_file_is_not_used_and_the_reason_is_reported() {
    let dir = tempfile::tempdir().unwrap();
    let store = TldStore::new(dir.path());
    assert!(store.load().file_error.is_none(), "no file is no trouble");
    for (text, why) in [
        ("".to_owned(), "expected a first line"),
        ("# Version 2026112000\nCOM\nNET\nORG\n".to_owned(), "expected 1000 to 20000 names"),
        (real_list("2020010100", &[]), "is older than the built-in table"),
    ] {
        std::fs::write(store.path(), text).unwrap();
        let stored = store.load();
        assert_eq!(stored.origin, TableOrigin::Builtin);
        assert!(stored.table.contains("com"));
        let said = stored.file_error.unwrap().to_string();
        assert!(said.contains(why) && said.contains(LIST_FILE), "{said}");
    }
}

#[test]
fn the_table_in_force_is_exchanged_as_a_whole() {
    let mirror = Mirror::start(vec![Reply::list(&real_list("2026112000", &["newtld"]))]);
    let place = Rig::new(&mirror);
    let tlds = Tlds::open(place.store.clone());
    let before = tlds.table();
    tlds.refresh(&place.fetch).unwrap();
    assert!(!before.contains("newtld"), "a message keeps the table that it began with");
    assert!(tlds.table().contains("newtld"));
}

#[test]
fn ianas_names_of_the_test_data_are_the_builtin_table() {
    let Some(path) = common::testdata("idn/tlds-iana-20261101.txt", "the built-in TLDs") else {
        return;
    };
    let text = std::fs::read_to_string(path).unwrap();
    let mut names: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    names.sort_unstable();
    assert_eq!(linkmilter::tld::builtin().sorted(), names);
}

// ---- the commands -------------------------------------------------------------------------

#[test]
fn tld_says_what_it_knows_and_where_from() {
    let place = Rig::new(&Mirror::start(vec![]));
    let out = place.run(&[]);
    assert!(
        out.contains("version:  built-in tld ") && out.contains("from:     the program"),
        "{out}"
    );
    let list = place.run(&["list"]);
    assert!(list.lines().any(|line| line == "com") && list.lines().count() > 1_400);
}

#[test]
fn tld_check_answers_for_every_name() {
    let place = Rig::new(&Mirror::start(vec![]));
    place.command(&["check", "com", "рф", "www.example.中国", "ORG."]).assert().code(0).stdout(
        "com: in the table\nрф (xn--p1ai): in the table\n\
             www.example.中国 (xn--fiqs8s): in the table\nORG. (org): in the table\n",
    );
    place.command(&["check", "com", "nosuchtld", "c0m", "x-y"]).assert().code(1).stdout(
        "com: in the table\nnosuchtld: not in the table\nc0m: cannot be a top-level domain\n\
         x-y: cannot be a top-level domain\n",
    );
}

#[test]
fn tld_update_fetches_and_says_what_changed() {
    let mirror = Mirror::start(vec![
        Reply::list(&real_list("2026112000", &["newtld"])).with("ETag", "\"one\""),
        Reply::status("304 Not Modified"),
        Reply::status("503 Service Unavailable"),
    ]);
    let place = Rig::new(&mirror);
    let out = place.run(&["update"]);
    assert!(out.contains("version: 2026112000\n") && out.contains("added:   newtld\n"), "{out}");
    assert_eq!(place.run(&["update"]), "2026112000 is the newest\n");
    place.command(&["check", "newtld"]).assert().code(0).stdout("newtld: in the table\n");
    let failed = place.command(&["update"]).assert().code(2).stdout("");
    let said = String::from_utf8(failed.get_output().stderr.clone()).unwrap();
    assert!(said.contains("is unchanged") && said.contains("found 503"), "{said}");
}

/// Every command uses the table that the daemon or `tld update` fetched.
#[test]
fn commands_judge_by_the_table_in_the_state_directory() {
    let place = Rig::new(&Mirror::start(vec![]));
    let mail = place.config_directory().join("mail.eml");
    let body = "see www.p\u{430}ypal.newtld and http://p\u{430}ypal.newtld/\r\n";
    let head = "Content-Type: text/plain; charset=utf-8\r\n\r\n";
    std::fs::write(&mail, format!("{head}{body}")).unwrap();
    let mail = mail.to_str().unwrap();
    let text = "bare example.newtld here\n";
    let outputs = || {
        [
            (vec!["check", "--json", "www.example.newtld"], ""),
            (vec!["links", "--prose"], text),
            (vec!["linkify"], text),
            (vec!["rewrite", "--no-header", mail], ""),
            (vec!["scan", mail], ""),
            (vec!["explain", mail], ""),
        ]
        .map(|(args, input)| {
            let mut command = place.any(&args);
            let output = command.write_stdin(input).output().unwrap();
            (args[0], String::from_utf8(output.stdout).unwrap())
        })
    };
    let without = outputs();
    let list = real_list("2026112000", &["newtld"]);
    place.store.replace(&list, &Default::default()).unwrap();
    for ((command, before), (_, after)) in without.iter().zip(outputs()) {
        assert_ne!(*before, after, "{command}");
    }
    assert!(without[0].1.contains("tld-unknown"), "{}", without[0].1);
}

// ---- the rig ------------------------------------------------------------------------------

/// A state directory, a configuration, and what is needed to fetch from a mirror.
struct Rig {
    dir: tempfile::TempDir,
    store: TldStore,
    fetch: Fetch,
    now: SystemTime,
}

impl Rig {
    fn new(mirror: &Mirror) -> Rig {
        let dir = tempfile::tempdir().unwrap();
        let config = tempfile::tempdir().unwrap().keep();
        let ca_file = config.join("ca.pem");
        std::fs::write(&ca_file, &mirror.ca).unwrap();
        let store = TldStore::new(dir.path().join("tld"));
        let fetch = Fetch {
            url: format!("https://localhost:{}/tlds.txt", mirror.address.port()),
            timeout: Duration::from_secs(20),
            ca_file: Some(ca_file),
        };
        // Checks are recorded in whole seconds.
        let now = UNIX_EPOCH + Duration::from_secs(1_795_000_000);
        Rig { dir, store, fetch, now }
    }

    fn refresh(&self) -> Result<Refreshed, RefreshError> {
        refresh(&self.fetch, &self.store, self.now)
    }

    /// `linkmilter tld` with these arguments.
    fn command(&self, args: &[&str]) -> assert_cmd::Command {
        self.any(&[&["tld"], args].concat())
    }

    fn any(&self, args: &[&str]) -> assert_cmd::Command {
        let file = self.config_directory().join("linkmilter.toml");
        let text = format!(
            "[server]\nstate_dir = {:?}\n[tld]\nurl = {:?}\nca_file = \"ca.pem\"\n",
            self.dir.path(),
            self.fetch.url
        );
        std::fs::write(&file, text).unwrap();
        let mut command = assert_cmd::Command::cargo_bin("linkmilter").unwrap();
        command.args(args).arg("--config").arg(file);
        command
    }

    fn run(&self, args: &[&str]) -> String {
        let assert = self.command(args).assert().code(0);
        String::from_utf8(assert.get_output().stdout.clone()).unwrap()
    }

    fn config_directory(&self) -> &Path {
        self.fetch.ca_file.as_ref().unwrap().parent().unwrap()
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        if let Some(directory) = self.fetch.ca_file.as_deref().and_then(Path::parent)
            && directory.starts_with(std::env::temp_dir())
        {
            let _ = std::fs::remove_dir_all(directory);
        }
    }
}

fn s(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// The built-in names and some more in IANA's form.
fn real_list(version: &str, more: &[&str]) -> String {
    let table = linkmilter::tld::builtin();
    let mut text = format!("# Version {version}, Last Updated Fri Nov 20 07:07:01 2026 UTC\n");
    for name in table.sorted().into_iter().chain(more.iter().copied()) {
        text.push_str(&name.to_uppercase());
        text.push('\n');
    }
    text
}
