//! Lists that others publish: fetched by HTTPS or read from a file, the last good one stored, used
//! by `check`, `explain`, `rewrite` and the daemon.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

#[path = "common/mirror.rs"]
#[allow(dead_code)]
mod mirror;

use std::path::PathBuf;
use std::time::{Duration, UNIX_EPOCH};

use linkmilter::engine::Verdict;
use linkmilter::feed::refresh::{
    Checksum, Feed, FeedError, Source, fetch_unstored, load_stored, refresh,
};
use linkmilter::feed::store::FeedStore;
use linkmilter::feed::{EntryKind, ListFormat, ListLayout};
use linkmilter::fetch::Fetch;
use mirror::{Mirror, Reply};

/// A machine with one list.
struct Rig {
    dir: tempfile::TempDir,
    store: FeedStore,
    feed: Feed,
}

impl Rig {
    fn of(source: impl FnOnce(&std::path::Path) -> Source) -> Rig {
        let dir = tempfile::tempdir().unwrap();
        let feed = Feed {
            name: "bad".to_owned(),
            source: source(dir.path()),
            layout: ListLayout {
                format: ListFormat::Plain,
                entry_kind: EntryKind::Domains,
                ..ListLayout::default()
            },
            verdict: Verdict::Unsafe,
            refresh: Duration::from_secs(3600),
            warn_age: Duration::from_secs(86_400),
            max_bytes: 1 << 20,
            max_entries: 1000,
            checksum: None,
        };
        Rig { store: FeedStore::new(dir.path().join("state/feeds")), dir, feed }
    }

    fn mirrored(mirror: &Mirror) -> Rig {
        Rig::of(|dir| Source::Url(fetch(mirror, dir, "list.txt")))
    }

    fn refresh(&self) -> Result<Option<usize>, FeedError> {
        let now = UNIX_EPOCH + Duration::from_secs(1_795_000_000);
        let held = load_stored(&self.feed, &self.store).ok().flatten();
        let loaded = refresh(&self.feed, &self.store, held.as_ref(), now)?;
        Ok(loaded.map(|loaded| loaded.listing.len()))
    }

    fn load_stored(&self) -> Option<usize> {
        load_stored(&self.feed, &self.store).unwrap().map(|loaded| loaded.listing.len())
    }
}

fn fetch(mirror: &Mirror, dir: &std::path::Path, name: &str) -> Fetch {
    let ca_file = dir.join("ca.pem");
    std::fs::write(&ca_file, &mirror.ca).unwrap();
    Fetch {
        url: format!("https://localhost:{}/{name}", mirror.address.port()),
        timeout: Duration::from_secs(20),
        ca_file: Some(ca_file),
    }
}

/// SHA-256 as sha256sum(1) prints it, in capitals.
fn sum(text: &str) -> String {
    use sha2::Digest;
    sha2::Sha256::digest(text).iter().map(|byte| format!("{byte:02X}")).collect()
}

#[test]
fn a_list_is_fetched_stored_and_fetched_again_only_when_newer() {
    let mirror = Mirror::start(vec![
        Reply::list("evil.example\nbad.example\n").with("ETag", "\"one\""),
        Reply::status("304 Not Modified"),
        Reply::list("evil.example\n").with("ETag", "\"two\""),
    ]);
    let place = Rig::mirrored(&mirror);
    assert_eq!(place.load_stored(), None);
    assert_eq!(place.refresh().unwrap(), Some(2));
    assert_eq!(place.load_stored(), Some(2));
    assert_eq!(place.refresh().unwrap(), None);
    assert_eq!(place.refresh().unwrap(), Some(1));
    let requests = mirror.requests();
    assert!(
        !requests[0].contains("if-none-match") && requests[1].contains("if-none-match: \"one\"")
    );
    assert!(requests[2].contains("if-none-match: \"one\""), "{requests:?}");
    let files = std::fs::read_dir(place.dir.path().join("state/feeds")).unwrap().count();
    assert_eq!(files, 2, "no leftovers");
}

#[test]
fn a_list_is_fetched_over_three_redirects_at_most() {
    let mirror = Mirror::start(vec![]);
    let place = Rig::mirrored(&mirror);
    let there = format!("https://localhost:{}/there", mirror.address.port());
    let redirects = ["/new/list.txt", "other.txt", &there, "/again"];
    for (count, expected) in [(3, Ok(Some(1))), (4, Err(()))] {
        for location in &redirects[..count] {
            mirror.queue(Reply::status("302 Found").with("Location", location));
        }
        if count == 3 {
            mirror.queue(Reply::list("evil.example\n"));
        }
        let found = place.refresh().map_err(|error| {
            assert!(error.to_string().contains("too many redirects"), "{error}");
        });
        assert_eq!(found, expected, "{count}");
    }
    let asked: Vec<String> = mirror
        .requests()
        .iter()
        .map(|request| request.split_whitespace().nth(1).unwrap().to_owned())
        .collect();
    assert_eq!(asked[..4], ["/list.txt", "/new/list.txt", "/new/other.txt", "/there"]);
}

#[test]
fn on_any_error_the_last_good_list_stays() {
    let mirror = Mirror::start(vec![Reply::list("evil.example\nbad.example\n")]);
    let mut place = Rig::mirrored(&mirror);
    place.refresh().unwrap();
    let many: String = (0..1_001).map(|n| format!("h{n}.example\n")).collect();
    for (reply, expected) in [
        (Reply::list("<html>\nlog in\n</html>\n"), "expected a list with at most half"),
        (Reply::list(&many), "expected at most 1000 entries"),
        (Reply::list(&"#".repeat(2 << 20)), "expected at most 1048576 bytes"),
        (Reply::status("404 Not Found"), "expected status 200 or 304, found 404"),
        (
            Reply::status("302 Found").with("Location", "file:///etc/passwd"),
            "expected a redirect to an https: URL, found \"file:///etc/passwd\"",
        ),
        (
            Reply::list("evil.example\n").with("Content-Encoding", "gzip"),
            "expected a body that is not compressed, since none was asked for, found \"gzip\"",
        ),
        (Reply::list("").raw(b"\x1F\x8B\x08\0".to_vec()), "found compressed data (gzip)"),
        (Reply::list(&many).cut_at(500), ""),
    ] {
        let shown = reply.head.clone();
        mirror.queue(reply);
        let error = place.refresh().expect_err(&shown).to_string();
        assert!(error.contains(expected), "{shown}: {error}");
        assert_eq!(place.load_stored(), Some(2), "{shown}");
    }
    // The checksum matches the stored list, but not the new one.
    let load_stored = sum("evil.example\nbad.example\n").to_ascii_lowercase();
    place.feed.checksum = Some(Checksum::Digits(load_stored.clone()));
    mirror.queue(Reply::list("new.example\n"));
    let error = place.refresh().unwrap_err().to_string();
    assert!(error.contains(&format!("expected SHA-256 {load_stored}")), "{error}");
    assert_eq!(place.load_stored(), Some(2));
    // Nothing is stored for another source.
    place.feed.source = Source::File(PathBuf::from("/nonexistent"));
    assert_eq!(place.load_stored(), None);
}

/// A list of names that readers know: refreshed like any other, but refused as a whole.
#[test]
fn names_that_readers_know_are_a_list_too() {
    use linkmilter::engine::{Policy, check::check, lists::Lists};
    let mirror = Mirror::start(vec![Reply::list("# ours\ngardening.example\n")]);
    let mut place = Rig::mirrored(&mirror);
    place.feed.layout.entry_kind = EntryKind::Names;
    assert_eq!(place.refresh().unwrap(), Some(1));
    mirror.queue(Reply::list("gardening.example\nmuseum.example\n<html>\n"));
    let error = place.refresh().unwrap_err().to_string();
    assert!(error.ends_with("line 3: expected a host name, found \"<html>\""), "{error}");
    assert_eq!(place.load_stored(), Some(1));
    let loaded = load_stored(&place.feed, &place.store).unwrap().unwrap();
    let lists = Lists { listings: std::sync::Arc::new(vec![loaded.listing]), ..Lists::default() };
    let policy = Policy { lists, ..Policy::default() };
    let tlds = linkmilter::tld::builtin();
    for (host, verdict) in [
        ("gàrdening.com", Verdict::Suspect),
        ("gardening.example", Verdict::Ok),
        ("gardening.com", Verdict::Ok),
        ("gàrden.com", Verdict::Ok),
    ] {
        assert_eq!(check(host, &policy, &tlds).link.verdict, verdict, "{host}");
    }
}

#[test]
fn the_checksum_of_a_list_must_match() {
    let sum = sum("evil.example\n");
    let mirror = Mirror::start(vec![
        Reply::list("evil.example\n"),
        Reply::list(&format!("SHA256 (list.txt) = {sum}\n")),
        Reply::list("evil.example\n"),
        Reply::list("no sum\n"),
    ]);
    let mut place = Rig::mirrored(&mirror);
    place.feed.checksum = Some(Checksum::Fetched(fetch(&mirror, place.dir.path(), "list.sha256")));
    assert_eq!(place.refresh().unwrap(), Some(1));
    let error = place.refresh().unwrap_err().to_string();
    assert!(error.ends_with("list.sha256: expected 64 hexadecimal digits"), "{error}");
}

#[test]
fn a_checksum_is_searched_in_the_beginning_of_its_file() {
    let sum = sum("evil.example\n");
    let mirror = Mirror::start(vec![]);
    let mut place = Rig::mirrored(&mirror);
    place.feed.checksum = Some(Checksum::Fetched(fetch(&mirror, place.dir.path(), "list.sha256")));
    for (before, expected) in [((64 << 10) - 64, Ok(Some(1))), ((64 << 10) - 63, Err(()))] {
        mirror.queue(Reply::list("evil.example\n"));
        mirror.queue(Reply::list(&format!("{}{sum}", "-".repeat(before))));
        let found = place.refresh().map_err(|error| {
            assert!(error.to_string().ends_with("expected 64 hexadecimal digits"), "{error}");
        });
        assert_eq!(found, expected, "{before}");
    }
}

/// A list whose stored file was changed.
#[test]
fn a_list_that_is_not_in_use_is_fetched_completely() {
    let list = "evil.example\nbad.example\n";
    for damage in ["evil.example\n", "<html>\n<body>\n", "evil.example\nbad.exampl\u{e9}\n"] {
        let mirror = Mirror::start(vec![Reply::list(list).with("ETag", "\"one\"")]);
        let place = Rig::mirrored(&mirror);
        assert_eq!(place.refresh().unwrap(), Some(2));
        let path = place.store.path("bad");
        std::fs::write(&path, damage).unwrap();
        assert!(load_stored(&place.feed, &place.store).is_err(), "{damage}");
        mirror.queue(Reply::list(list).with("ETag", "\"one\""));
        assert_eq!(place.refresh().unwrap(), Some(2), "{damage}");
        assert!(!mirror.requests()[1].contains("if-none-match"), "{damage}");
        assert_eq!(place.load_stored(), Some(2), "{damage}");
    }
}

#[test]
fn a_list_with_a_changed_layout_is_fetched_completely() {
    let mirror = Mirror::start(vec![Reply::list("evil.example\nbad.example\n").with("ETag", "1")]);
    let mut place = Rig::mirrored(&mirror);
    place.refresh().unwrap();
    place.feed.max_entries = 1;
    mirror.queue(Reply::list("evil.example\n"));
    assert_eq!(place.refresh().unwrap(), Some(1));
    assert!(!mirror.requests()[1].contains("if-none-match"));
}

#[test]
fn another_checksum_fetches_the_list_again() {
    let list = "evil.example\n";
    let mirror = Mirror::start(vec![Reply::list(list).with("ETag", "\"one\"")]);
    let mut place = Rig::mirrored(&mirror);
    place.refresh().unwrap();
    // A list whose checksum matches is used as before.
    place.feed.checksum = Some(Checksum::Digits(sum(list).to_ascii_lowercase()));
    assert_eq!(place.load_stored(), Some(1));
    mirror.queue(Reply::status("304 Not Modified"));
    assert_eq!(place.refresh().unwrap(), None);
    // A list with another checksum, or that was not compared, is not used.
    let sums = fetch(&mirror, place.dir.path(), "list.sha256");
    for checksum in [Checksum::Digits("0".repeat(64)), Checksum::Fetched(sums.clone())] {
        place.feed.checksum = Some(checksum);
        assert_eq!(place.load_stored(), None);
    }
    mirror.queue(Reply::list(list).with("ETag", "\"one\""));
    mirror.queue(Reply::list(&sum(list)));
    assert_eq!(place.refresh().unwrap(), Some(1));
    assert!(!mirror.requests()[2].contains("if-none-match"));
    assert_eq!(place.load_stored(), Some(1));
    // Nothing newer, but another checksum.
    mirror.queue(Reply::status("304 Not Modified"));
    mirror.queue(Reply::list(&"0".repeat(64)));
    let error = place.refresh().unwrap_err().to_string();
    assert!(error.contains("expected SHA-256 0000"), "{error}");
}

#[test]
fn a_silent_server_costs_the_timeout_of_a_check() {
    let list = "evil.example\n";
    let mirror = Mirror::start(vec![Reply::list(list)]);
    let mut place = Rig::mirrored(&mirror);
    place.feed.checksum = Some(Checksum::Digits(sum(list)));
    place.refresh().unwrap();
    let silent = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let mut nowhere = fetch(&mirror, place.dir.path(), "list.sha256");
    nowhere.url = format!("https://localhost:{}/", silent.local_addr().unwrap().port());
    nowhere.timeout = Duration::from_millis(200);
    // The checksum, then the list itself.
    mirror.queue(Reply::list(list));
    for source in [place.feed.source.clone(), Source::Url(nowhere.clone())] {
        place.feed.source = source;
        place.feed.checksum = Some(Checksum::Fetched(nowhere.clone()));
        let start = std::time::Instant::now();
        let error = place.refresh().unwrap_err();
        assert!(matches!(error, FeedError::Fetch(_)), "{error}");
        assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    }
    place.feed.source = Source::Url(fetch(&mirror, place.dir.path(), "list.txt"));
    place.feed.checksum = None;
    assert_eq!(place.load_stored(), Some(1), "the last good list stays");
}

#[test]
fn a_truncated_list_does_not_replace_the_stored_one() {
    let place = Rig::of(|dir| Source::File(dir.join("list.txt")));
    let path = place.dir.path().join("list.txt");
    let list =
        |entries: usize| -> String { (0..entries).map(|n| format!("h{n}.example\n")).collect() };
    std::fs::write(&path, list(9)).unwrap();
    assert_eq!(place.refresh().unwrap(), Some(9));
    for rest in ["", "# nothing\n", &list(4)] {
        std::fs::write(&path, rest).unwrap();
        let error = place.refresh().unwrap_err().to_string();
        assert!(error.contains("at least half of the 9 entries"), "{error}");
        assert_eq!(place.load_stored(), Some(9));
    }
    std::fs::write(&path, list(5)).unwrap();
    assert_eq!(place.refresh().unwrap(), Some(5));
    // Without the stored list a smaller one is accepted.
    std::fs::write(&path, "").unwrap();
    std::fs::remove_file(place.store.path("bad")).unwrap();
    assert_eq!(place.refresh().unwrap(), Some(0));
}

#[test]
fn a_list_whose_connection_breaks_off_is_no_whole_list() {
    let list: String = (0..100).map(|n| format!("h{n}.example\n")).collect();
    let half = list.len() / 2 + 60;
    let mirror = Mirror::start(vec![
        Reply::list(&list).until_closed(),
        Reply::list(&list).broken_off_at(half),
        Reply::list(&list).broken_off_at(usize::MAX),
    ]);
    let place = Rig::of(|dir| Source::Url(fetch(&mirror, dir, "list.txt")));
    assert_eq!(place.refresh().unwrap(), Some(100), "TLS says that this is the end");
    for _ in 0..2 {
        let error = place.refresh().unwrap_err().to_string();
        assert!(error.contains("the connection broke off"), "{error}");
        assert_eq!(place.load_stored(), Some(100));
    }
}

#[test]
fn a_check_without_storing_judges_like_a_refresh() {
    let mut place = Rig::of(|dir| Source::File(dir.join("list.txt")));
    let path = place.dir.path().join("list.txt");
    std::fs::write(&path, "evil.example\nbad.example\n").unwrap();
    let found = |feed: &Feed| fetch_unstored(feed, None).map(|loaded| loaded.listing.len());
    assert_eq!(found(&place.feed).unwrap(), 2);
    place.feed.checksum = Some(Checksum::Digits("0".repeat(64)));
    assert!(found(&place.feed).unwrap_err().to_string().contains("expected SHA-256 0000"));
    place.feed.checksum = None;
    place.feed.max_bytes = 14;
    assert!(found(&place.feed).unwrap_err().to_string().contains("expected at most 14 bytes"));
}

#[test]
fn a_file_is_read_when_it_changes() {
    let place = Rig::of(|dir| Source::File(dir.join("list.txt")));
    let path = place.dir.path().join("list.txt");
    assert!(place.refresh().is_err());
    std::fs::write(&path, "evil.example\n").unwrap();
    assert_eq!(place.refresh().unwrap(), Some(1));
    assert_eq!(place.refresh().unwrap(), None);
    std::fs::write(&path, "evil.example\nbad.example\n").unwrap();
    assert_eq!(place.refresh().unwrap(), Some(2));
    std::fs::write(&path, "<html>\n").unwrap();
    assert!(place.refresh().is_err());
    assert_eq!(place.load_stored(), Some(2), "a start after that has the last good one");
}

/// A configuration with these lists, and the commands that use them.
struct CommandRig {
    dir: tempfile::TempDir,
}

impl CommandRig {
    fn new(lists: &str) -> CommandRig {
        let dir = tempfile::tempdir().unwrap();
        let state = dir.path().join("state");
        std::fs::create_dir(&state).unwrap();
        let file = format!("server.state_dir = {state:?}\ntld.refresh = \"0s\"\n{lists}");
        std::fs::write(dir.path().join("linkmilter.toml"), file).unwrap();
        CommandRig { dir }
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.dir.path().join(name), text).unwrap();
    }

    /// Stores every list as the daemon does.
    fn fetch(&self) {
        let file = Some(self.dir.path().join("linkmilter.toml"));
        let sources = linkmilter::config::Sources { file, ..Default::default() };
        let config = linkmilter::config::load(&sources).unwrap();
        let store = FeedStore::new(config.feed_directory());
        for feed in config.feeds() {
            refresh(&feed, &store, None, std::time::SystemTime::now()).unwrap();
        }
    }

    fn run(&self, args: &[&str], input: &str) -> (Option<i32>, String) {
        let mut command = assert_cmd::Command::cargo_bin("linkmilter").unwrap();
        command.args(args).arg("--config").arg(self.dir.path().join("linkmilter.toml"));
        let output = command.write_stdin(input).output().unwrap();
        let text = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8(text).unwrap())
    }
}

const LISTS: &str = "\
    [feeds.malware]\nfile = \"malware.txt\"\nformat = \"hosts\"\nverdict = \"unsafe\"\n\
    [feeds.urls]\nfile = \"urls.csv\"\nformat = \"csv\"\nholds = \"urls\"\ncolumn = 2\nverdict = \"unsafe\"\n\
    [feeds.grey]\nfile = \"grey.rpz\"\nformat = \"rpz\"\n";

fn command_rig() -> CommandRig {
    let command_rig = CommandRig::new(LISTS);
    command_rig.write("malware.txt", "0.0.0.0 evil.example.com\n0.0.0.0 paypal.com\n");
    command_rig.write("urls.csv", "# id,url\n1,\"https://example.org/bad?x=1\"\n");
    command_rig.write("grey.rpz", "@ SOA a. b. 1 2 3 4 5\ngrey.example.net CNAME .\n");
    command_rig.fetch();
    command_rig
}

#[test]
fn config_check_says_what_it_read() {
    let command_rig = command_rig();
    let (code, said) = command_rig.run(&["config", "check"], "");
    assert_eq!(code, Some(0), "{said}");
    for line in
        ["malware.txt: 2 unsafe entries", "urls.csv: 1 unsafe entry", "grey.rpz: 1 suspect entry"]
    {
        assert!(said.contains(line), "{line}:\n{said}");
    }
    command_rig.write("grey.rpz", "<html>\n");
    let (_, said) = command_rig.run(&["config", "check"], "");
    assert!(said.contains("feeds.grey") && said.contains("expected a list"), "{said}");
    let (code, said) =
        CommandRig::new("[feeds.x]\nformat = \"csv\"\n").run(&["config", "check"], "");
    assert_eq!(code, Some(1));
    assert!(
        said.contains("linkmilter.toml:4: feeds.x: expected either url or file, found neither"),
        "{said}"
    );
}

#[test]
fn listed_links_are_judged_and_edited() {
    let command_rig = command_rig();
    let body = "A https://evil.example.com/x B https://sub.evil.example.com/ C https://example.org/bad?x=1#f\n\
                D https://example.org/fine E https://grey.example.net/ F https://paypal.com/ G\n";
    let message = format!("From: a@example.com\nSubject: x\n\n{body}");
    let (code, found) = command_rig.run(&["rewrite", "--no-header"], &message);
    assert_eq!(code, Some(0));
    let (_, found) = found.split_once("\n\n").unwrap();
    assert_eq!(
        found,
        "A hxxps://evil[.]example[.]com/x B https://sub.evil.example.com/ C hxxps://example[.]org/bad?x=1#f\n\
         D https://example.org/fine E https://grey.example.net/ F https://paypal.com/ G\n"
    );
    let (code, said) = command_rig.run(&["check", "https://grey.example.net/"], "");
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("suspect") && said.contains("listed"), "{said}");
    // Each says by which list, a URL as well.
    for (target, list) in [
        ("https://grey.example.net/", "feeds.grey"),
        ("evil.example.com", "feeds.malware"),
        ("https://example.org/bad?x=1#f", "feeds.urls"),
    ] {
        let (_, said) = command_rig.run(&["check", target], "");
        assert!(said.contains(&format!("in {list}\n")), "{target}: {said}");
    }
    let (_, said) = command_rig.run(&["explain"], &message);
    for list in ["feeds.malware", "feeds.urls", "feeds.grey"] {
        assert!(said.contains(&format!("    in {list}\n")), "{list}: {said}");
    }
}

/// A list of others may have a name of the operator by mistake: it is left out, and said.
#[test]
fn names_of_ours_are_taken_from_no_list() {
    let ours: Vec<String> = (0..6).map(|n| format!("own{n}.example.com")).collect();
    let rig = CommandRig::new(&format!(
        "outbound.local_domains = {ours:?}\nlists.protected = [\"=bank.example.com\"]\n\
         lists.allowed = [\"fine.example.com\"]\n\
         [feeds.malware]\nfile = \"malware.txt\"\nformat = \"hosts\"\nverdict = \"unsafe\"\n"
    ));
    let others = ["bank.example.com", "www.fine.example.com", "evil.example.com"];
    let listed: Vec<String> =
        ours.iter().map(|name| format!("www.{name}")).chain(others.map(str::to_owned)).collect();
    rig.write(
        "malware.txt",
        &listed.iter().map(|host| format!("0.0.0.0 {host}\n")).collect::<String>(),
    );
    rig.fetch();
    let (_, said) = rig.run(&["config", "check"], "");
    assert!(
        said.contains(
            "note: feeds.malware: it has names of yours, which do not count: bank.example.com, \
             fine.example.com, own0.example.com, own1.example.com, own2.example.com and 3 more\n"
        ),
        "{said}"
    );
    for host in &listed {
        let target = format!("https://{host}/");
        let counts = host == "evil.example.com";
        let (code, said) = rig.run(&["check", &target], "");
        assert_eq!(code, Some(i32::from(counts)), "{said}");
        let place = if counts { "in feeds.malware\n" } else { "in feeds.malware, in vain: " };
        assert!(said.contains(place), "{said}");
        let (_, found) = rig.run(&["rewrite", "--no-header"], &format!("Subject: x\n\n{target}\n"));
        assert_eq!(found.ends_with(&format!("{target}\n")), !counts, "{found}");
    }
}

/// What holds for a list where its section says nothing.
#[test]
fn config_print_says_what_holds_for_a_list() {
    let rig = CommandRig::new(
        "[feeds.malware]\nfile = \"malware.txt\"\nrefresh = \"2h\"\n\
         [blocklists.dbl]\nzone = \"dbl.example\"\nverdict = \"unsafe\"\n",
    );
    let (_, said) = rig.run(&["config", "print"], "");
    let of_lists = |line: &&str| line.starts_with("feeds.") || line.starts_with("blocklists.");
    let found: Vec<&str> = said.lines().filter(of_lists).collect();
    let without_place: Vec<&str> =
        found.iter().map(|line| line.split("  # ").next().unwrap()).collect();
    assert_eq!(
        without_place,
        [
            "feeds.malware.file = \"malware.txt\"",
            "feeds.malware.refresh = \"2h\"",
            "feeds.malware.format = \"plain\"",
            "feeds.malware.holds = \"domains\"",
            "feeds.malware.max_size = 67108864",
            "feeds.malware.max_entries = 2000000",
            "feeds.malware.warn_age = \"259200s\"",
            "feeds.malware.verdict = \"suspect\"",
            "blocklists.dbl.zone = \"dbl.example\"",
            "blocklists.dbl.verdict = \"unsafe\"",
            "blocklists.dbl.form = \"any\"",
        ]
    );
    // It is a configuration: what is printed holds as it stands.
    let (code, again) =
        CommandRig::new(&(without_place.join("\n") + "\n")).run(&["config", "print"], "");
    assert_eq!(code, Some(0), "{again}");
}

// ---- the daemon ----------------------------------------------------------------------------------

#[path = "common/daemon.rs"]
#[allow(dead_code)]
mod daemon;

#[test]
fn a_published_list_is_used_by_the_daemon() {
    let command_rig = daemon::Site::new("");
    let metrics = command_rig.path("metrics.sock");
    let list = command_rig.path("bad.txt");
    std::fs::write(&list, "evil.example.com\n").unwrap();
    let settings = |name: &str| {
        format!(
            "metrics.listen = \"unix:{}\"\n[feeds.{name}]\nfile = {list:?}\nverdict = \"unsafe\"\nrefresh = \"5s\"\n",
            metrics.display()
        )
    };
    command_rig.configure(&settings("bad"));
    let mut command = command_rig.serve();
    command.arg("--listen").arg(format!("unix:{}", command_rig.socket().display()));
    let running = daemon::start(command);
    let entries = |line: &str| {
        use std::io::{Read, Write};
        daemon::wait_for(line, || {
            let mut stream = std::os::unix::net::UnixStream::connect(&metrics).ok()?;
            stream.write_all(b"GET /metrics HTTP/1.0\r\n\r\n").ok()?;
            let mut text = String::new();
            stream.read_to_string(&mut text).ok()?;
            text.lines().any(|found| found == line).then_some(())
        });
    };
    let edited = |id: &str| {
        let mut session = daemon::connect(&command_rig.socket());
        daemon::negotiate(&mut session);
        let header = [("Content-Type", " text/plain; charset=utf-8"), ("Subject", " x")];
        let body = b"See https://evil.example.com/x now\r\n";
        daemon::deliver(&mut session, id, &header, body).contains(&b'b')
    };
    entries("linkmilter_list_entries{list=\"bad\"} 1");
    assert!(edited("4LIST1"), "what is listed is defanged");
    daemon::wait_for("the list in the log", || {
        command_rig.logged().contains("names it (listed: feeds.bad)").then_some(())
    });
    // A newer file is seen without a reload, a broken one changes nothing.
    std::fs::write(&list, "evil.example.com\nworse.example.com\n").unwrap();
    entries("linkmilter_list_entries{list=\"bad\"} 2");
    std::fs::write(&list, "<html>\n").unwrap();
    entries("linkmilter_list_refreshes_total{list=\"bad\",result=\"failed\"} 1");
    entries("linkmilter_list_entries{list=\"bad\"} 2");
    // A list that was removed from the configuration is unused after the reload.
    std::fs::write(&list, "other.example.com\n").unwrap();
    command_rig.configure(&settings("other"));
    running.signal("HUP");
    entries("linkmilter_list_entries{list=\"other\"} 1");
    assert!(!edited("4LIST2"), "it is gone");
}

#[test]
fn a_server_that_hangs_holds_up_neither_other_lists_nor_the_end() {
    // It takes connections, and says nothing.
    let silent = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = silent.local_addr().unwrap().port();
    let site = daemon::Site::new("");
    let metrics = site.path("metrics.sock");
    let list = site.path("bad.txt");
    std::fs::write(&list, "evil.example.com\n").unwrap();
    site.configure(&format!(
        "metrics.listen = \"unix:{}\"\n[feeds.a]\nurl = \"https://127.0.0.1:{port}/\"\ntimeout = \"30m\"\n\
         [feeds.z]\nfile = {list:?}\n",
        metrics.display()
    ));
    let mut running = daemon::start(site.serve_at_socket());
    daemon::wait_for("the other list", || {
        use std::io::{Read, Write};
        let mut stream = std::os::unix::net::UnixStream::connect(&metrics).ok()?;
        stream.write_all(b"GET /metrics HTTP/1.0\r\n\r\n").ok()?;
        let mut text = String::new();
        stream.read_to_string(&mut text).ok()?;
        text.contains("linkmilter_list_entries{list=\"z\"} 1").then_some(())
    });
    running.end();
}

#[test]
fn the_log_names_what_a_list_has_of_ours() {
    let rig = daemon::Site::new("");
    let list = rig.path("bad.txt");
    std::fs::write(&list, "evil.example.com\nours.example.com\n").unwrap();
    rig.configure(&format!(
        "outbound.local_domains = [\"ours.example.com\"]\noutbound.restore = false\n\
         [feeds.bad]\nfile = {list:?}\nverdict = \"unsafe\"\n"
    ));
    let _running = daemon::start(rig.serve_at_socket());
    let said = "a list has names of yours";
    daemon::wait_for(said, || rig.logged().contains(said).then_some(()));
    let line = rig.logged().lines().find(|line| line.contains(said)).unwrap().to_owned();
    assert!(line.contains("list=bad") && line.contains("names=ours.example.com"), "{line}");
}
