//! The configuration as an operator meets it: layers, errors, the example file.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

#[path = "config/example.rs"]
mod example;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use linkmilter::config::{self, Config, Errors, Flag, Sources};

fn load(dir: &Path, file: &str) -> Result<Config, Errors> {
    config::load(&sources(dir, file))
}

fn sources(dir: &Path, file: &str) -> Sources {
    let path = dir.join("linkmilter.toml");
    std::fs::write(&path, file).unwrap();
    Sources { file: Some(path), ..Sources::default() }
}

fn complaints(dir: &Path, file: &str) -> Vec<String> {
    let Err(errors) = load(dir, file) else { panic!("accepted:\n{file}") };
    let here = format!("{}/", dir.display());
    errors.0.iter().map(|problem| problem.to_string().replace(&here, "")).collect()
}

#[test]
fn the_builtin_settings_are_valid_and_complete() {
    let config = config::builtin().unwrap();
    assert!(config.effective.len() > 80, "{}", config.effective.len());
    assert!(config.effective.iter().all(|setting| setting.origin == "built-in"));
    assert!(config.settings().is_ok());
}

#[test]
fn the_example_file_is_the_schema() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("conf/linkmilter.toml");
    let expected = example::example();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &expected).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == expected,
        "conf/linkmilter.toml differs from the schema; UPDATE=1 cargo test --test config writes it"
    );
}

#[test]
fn the_example_file_changes_nothing_commented_or_not() {
    let dir = tempfile::tempdir().unwrap();
    let builtin = config::builtin().unwrap();
    let commented = load(dir.path(), &example::example()).unwrap();
    assert_eq!(commented.effective, builtin.effective);
    let taken: String = example::example()
        .lines()
        .filter(|line| !line.contains('…'))
        .map(|line| {
            let assignment = line.starts_with('#') && !line.starts_with("# ") && line.len() > 1;
            format!("{}\n", if assignment { &line[1..] } else { line })
        })
        // Settings of a rule need its table.
        .map(|line| if line.starts_with("priority =") { String::new() } else { line })
        .collect();
    let taken = load(dir.path(), &taken).unwrap();
    let values = |config: &Config| -> BTreeMap<String, String> {
        let pairs = config.effective.iter();
        pairs.map(|setting| (setting.key.clone(), setting.value.clone())).collect()
    };
    assert_eq!(values(&taken), values(&builtin));
    // None of the files that the built-in values name is there.
    assert!(taken.settings().is_ok());
    for setting in taken.effective.iter().filter(|setting| setting.value != "{}") {
        assert!(setting.origin.contains("linkmilter.toml:"), "{setting:?}");
    }
}

#[test]
fn every_error_is_reported_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let file = "\
[dns]
mdoe = \"always\"
deadline = 30
dnssec = \"yes\"
servers = [\"192.0.2.53\", \"ns.example.com\"]
[policy]
profile = \"enforced\"
mode = 3
[policy.actions]
unsafe = \"remove\"
unsave = \"leave\"
[rules.partners]
recipient = [\"example.com\"]
networks = [\"192.0.2.1/24\"]
[plocy]
profile = \"strict\"
[servr]
nonesuch = 1
[metrics]
listen = \"inet:9895@0.0.0.0\"
[lists]
protected_file = \"nowhere.txt\"
[digest]
at = \"06:00\"
to = [\"nobody\"]
";
    assert_eq!(
        complaints(dir.path(), file),
        [
            "linkmilter.toml:2: dns.mdoe: expected a known key, found the key dns.mdoe; did you mean dns.mode?",
            "linkmilter.toml:3: dns.deadline: expected a duration from 10ms to 30s, such as \"500ms\", \"30s\", \"15m\", \"24h\", \"7d\", found 30",
            "linkmilter.toml:4: dns.dnssec: expected true or false, found \"yes\"",
            "linkmilter.toml:5: dns.servers: expected an IP address, with a port or without (192.0.2.53, 192.0.2.53:5353, [2001:db8::53]:5353), found \"ns.example.com\"",
            "linkmilter.toml:7: policy.profile: expected one of exempt, report-only, enforce, strict, found \"enforced\"",
            "linkmilter.toml:8: policy.mode: expected a known key, found the key policy.mode; did you mean dns.mode?",
            "linkmilter.toml:10: policy.actions.unsafe: expected one of leave, percent-encode, punycode, unlink, defang, found \"remove\"",
            "linkmilter.toml:11: policy.actions.unsave: expected a verdict or reason code, found the key unsave; did you mean policy.actions.unsafe?",
            "linkmilter.toml:13: rules.partners.recipient: expected a known key, found the key rules.partners.recipient; did you mean rules.partners.recipients?",
            "linkmilter.toml:14: rules.partners.networks: expected a network (192.0.2.0/24, 2001:db8::/32) or an IP address (the address has bits set beyond its prefix; did you mean 192.0.2.0/24?), found \"192.0.2.1/24\"",
            "linkmilter.toml:16: plocy.profile: expected a known key, found the key plocy.profile; did you mean policy.profile?",
            "linkmilter.toml:18: servr.nonesuch: expected a known key, found the key servr.nonesuch; did you mean server?",
            "linkmilter.toml:20: metrics.listen: expected a loopback address or unix:/PATH, or metrics.beyond_loopback = true with it, and metrics.token_file: else whoever connects may read, found \"inet:9895@0.0.0.0\"",
            "linkmilter.toml:22: lists.protected_file: nowhere.txt cannot be read: no such file",
            "linkmilter.toml:25: digest.to: expected mail addresses (ann@example.com), found [\"nobody\"]",
        ]
    );
}

/// Numbers of more bits than any setting has, wherever one may stand.
#[test]
fn a_number_that_is_too_large_is_refused_at_its_key() {
    let dir = tempfile::tempdir().unwrap();
    let huge = "9".repeat(60);
    let file = format!(
        "[limits]\nlinks = 99999999999999999999\nparts = -99999999999999999999\n\
         domains = 0xffff_ffff_ffff_ffff_ffff\nsteps_base = {huge}\n\
         [server]\nmax_message = 99999999999999999999\nmessage_timeout = 99999999999999999999\n\
         listen = [\"inet:1@127.0.0.1\", 99999999999999999999]\n\
         [policy]\nsubject_tag = 99999999999999999999\nundo_lost = 99999999999999999999\n\
         [policy.actions]\nunsafe = 99999999999999999999\n\
         [dns]\nmode = \"never\"\ndnssec = 99999999999999999999\nmdoe = 99999999999999999999\n"
    );
    let found = complaints(dir.path(), &file);
    for (line, key, value) in [
        (2, "limits.links: expected an integer from 1 to 10000000", "99999999999999999999"),
        (3, "limits.parts: expected an integer from ", "-99999999999999999999"),
        (4, "limits.domains: expected an integer from ", "1208925819614629174706175"),
        (5, "limits.steps_base: expected an integer from ", ""),
        (7, "server.max_message: expected a size from ", "99999999999999999999"),
        (8, "server.message_timeout: expected a duration from ", "99999999999999999999"),
        (9, "server.listen: expected ", "99999999999999999999"),
        (11, "policy.subject_tag: expected text", "99999999999999999999"),
        (12, "policy.undo_lost: expected one of ", "99999999999999999999"),
        (14, "policy.actions.unsafe: expected one of ", "99999999999999999999"),
        (17, "dns.dnssec: expected true or false", "99999999999999999999"),
        (18, "dns.mdoe: expected a known key", ""),
    ] {
        let said = format!("linkmilter.toml:{line}: {key}");
        let one = found.iter().find(|one| one.starts_with(&said));
        assert!(one.is_some_and(|one| one.contains(value)), "{said}: {found:#?}");
    }
    assert_eq!(found.len(), 12, "{found:#?}");
}

#[test]
fn layers_win_in_their_order_and_say_where_they_are() {
    let dir = tempfile::tempdir().unwrap();
    let mut sources = sources(
        dir.path(),
        "[dns]\nmode = \"never\"\ndeadline = \"1s\"\n[tld]\nrefresh = \"1h\"\n[log]\nlevel = \"warn\"\n",
    );
    let conf_d = dir.path().join("conf.d");
    std::fs::create_dir(&conf_d).unwrap();
    std::fs::write(conf_d.join("20-b.toml"), "[tld]\nrefresh = \"3h\"\n").unwrap();
    std::fs::write(conf_d.join("10-a.toml"), "[tld]\nrefresh = \"2h\"\n[log]\nlevel = \"debug\"\n")
        .unwrap();
    std::fs::write(conf_d.join("30-c.toml~"), "this is not read").unwrap();
    // A lock of an editor, and its copy.
    std::os::unix::fs::symlink("nobody@nowhere.1:2", conf_d.join(".#40-d.toml")).unwrap();
    std::fs::write(conf_d.join(".40-d.toml"), "this is not read").unwrap();
    sources.environment = BTreeMap::from([
        ("LINKMILTER_LOG__LEVEL".to_owned(), "error".to_owned()),
        ("LINKMILTER_LISTS__PROTECTED_BUILTIN".to_owned(), "false".to_owned()),
        ("LINKMILTER_SERVER__WORKERS".to_owned(), "3".to_owned()),
        ("LINKMILTER_SERVER__LISTEN".to_owned(), "inet:1@127.0.0.1, unix:/run/x".to_owned()),
    ]);
    sources.flags = vec![Flag {
        option: "--listen",
        key: "server.listen",
        values: vec!["inet:2@127.0.0.1".to_owned()],
    }];
    let config = config::load(&sources).unwrap();
    let origin = |key: &str| {
        let setting = config.effective.iter().find(|setting| setting.key == key).unwrap();
        (setting.value.clone(), setting.origin.replace(&format!("{}/", dir.path().display()), ""))
    };
    for (key, value, from) in [
        ("dns.mode", "\"never\"", "linkmilter.toml:2"),
        ("dns.deadline", "\"1s\"", "linkmilter.toml:3"),
        ("dns.dnssec", "false", "built-in"),
        ("tld.refresh", "\"3h\"", "conf.d/20-b.toml:2"),
        ("log.level", "\"error\"", "environment LINKMILTER_LOG__LEVEL"),
        ("server.workers", "3", "environment LINKMILTER_SERVER__WORKERS"),
        ("server.listen", "[\"inet:2@127.0.0.1\"]", "flag --listen"),
    ] {
        assert_eq!(origin(key), (value.to_owned(), from.to_owned()), "{key}");
    }
    assert_eq!(config.server.workers, 3);
    assert!(!config.lists.protected_builtin);
    assert_eq!(config.server.listen.len(), 1);
}

#[test]
fn built_in_knowledge_of_owners_stays_without_protected_names() {
    let dir = tempfile::tempdir().unwrap();
    let file = "[lists]\nprotected_builtin = false\nprotected = [\"example.com\"]\n";
    let settings = load(dir.path(), file).unwrap().settings().unwrap();
    let protected = &settings.policies.default_policy().protected;
    assert_eq!(protected.iter().collect::<Vec<_>>(), ["example.com"]);
    assert!(homograph::is_anybodys("gmail.com", protected));
    assert!(homograph::is_one_owner("paypal.com", "paypalobjects.com", protected));
}

#[test]
fn the_environment_is_text_and_still_checked() {
    let with = |name: &str, value: &str| {
        let environment = BTreeMap::from([(name.to_owned(), value.to_owned())]);
        let sources = Sources { environment, ..Sources::builtin_only() };
        config::load(&sources).map_err(|errors| errors.to_string())
    };
    assert_eq!(with("LINKMILTER_SERVER__WORKERS", "4").unwrap().server.workers, 4);
    assert!(!with("LINKMILTER_EXEMPT__AUTHENTICATED", "false").unwrap().exempt.authenticated);
    assert_eq!(with("LINKMILTER_POLICY__UNDO_BYTES", "4KiB").unwrap().policy.undo_bytes.0, 4096);
    assert_eq!(with("LINKMILTER_POLICY__UNDO_BYTES", "4096").unwrap().policy.undo_bytes.0, 4096);
    assert_eq!(
        with("LINKMILTER_EXEMPT__NETWORKS", "192.0.2.0/24,::1").unwrap().exempt.networks.len(),
        2
    );
    assert!(with("LINKMILTER_TESTDATA", "/x").is_ok(), "no setting");
    assert!(with("OTHER_DNS__MODE", "x").is_ok(), "not ours");
    for (name, value, complaint) in [
        (
            "LINKMILTER_SERVER__WORKERS",
            "many",
            "environment LINKMILTER_SERVER__WORKERS: server.workers: expected an integer from 0 to 1024, found \"many\"",
        ),
        (
            "LINKMILTER_EXEMPT__AUTHENTICATED",
            "yes",
            "environment LINKMILTER_EXEMPT__AUTHENTICATED: exempt.authenticated: expected true or false, found \"yes\"",
        ),
        (
            "LINKMILTER_DNS_MODE",
            "never",
            "environment LINKMILTER_DNS_MODE: dns_mode: expected a known key, found the key dns_mode; did you mean dns.mode?",
        ),
    ] {
        assert_eq!(with(name, value).unwrap_err(), complaint);
    }
}

#[test]
fn keys_that_need_a_restart_are_reported() {
    let dir = tempfile::tempdir().unwrap();
    let old = load(dir.path(), "").unwrap();
    let new = load(
        dir.path(),
        "[server]\nlisten = [\"unix:/run/x\"]\nworkers = 0\n[policy]\nprofile = \"strict\"\n\
         [metrics]\nlisten = \"inet:9000@::1\"\n",
    )
    .unwrap();
    assert_eq!(config::restart_needed(&old, &new), ["server.listen", "metrics.listen"]);
    assert_eq!(config::restart_needed(&new, &new), [""; 0]);
}

/// An address in the form of other programs: what it would be here.
#[test]
fn an_address_in_another_form_is_told_in_ours() {
    let dir = tempfile::tempdir().unwrap();
    for (address, meant) in [
        ("127.0.0.1:9895", ", inet:9895@127.0.0.1 say"),
        ("[::1]:9895", ", inet:9895@[::1] say"),
        ("localhost:9895", ", inet:9895@localhost say"),
        ("http://127.0.0.1:9895/", ", inet:9895@127.0.0.1 say"),
        ("inet:9895", ", inet:9895@127.0.0.1 say"),
        ("9895", ", inet:9895@127.0.0.1 say"),
        ("/run/x.sock", ", unix:/run/x.sock say"),
        ("x", ""),
        ("a b:9895", ""),
    ] {
        let complaint = format!(
            "metrics.listen: expected inet:PORT@HOST or unix:/PATH{meant}, found {address:?}"
        );
        let error = load(dir.path(), &format!("[metrics]\nlisten = {address:?}\n")).unwrap_err();
        assert!(error.to_string().contains(&complaint), "{complaint}: {error}");
    }
}

#[test]
fn invalid_combinations_of_values_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    for (file, complaint) in [
        ("[server]\nlisten = []", "server.listen: expected at least one address, found []"),
        (
            "[metrics]\nlisten = \"inet:9000@0.0.0.0\"",
            "metrics.listen: expected a loopback address or unix:/PATH, or metrics.beyond_loopback = true with it, and metrics.token_file: else whoever connects may read, found \"inet:9000@0.0.0.0\"",
        ),
        (
            "[server]\nlisten = [\"inet:8895@0.0.0.0\", \"inet:8895@127.0.0.1\"]",
            "server.listen: expected each address once, however it is written: a socket cannot be opened twice, found [\"inet:8895@0.0.0.0\", \"inet:8895@127.0.0.1\"]",
        ),
        (
            "[metrics]\nlisten = \"inet:8895@localhost\"",
            "metrics.listen: expected another address than those of server.listen, found \"inet:8895@localhost\"",
        ),
        (
            "[metrics]\nlisten = \"inet:8895@127.0.0.1\"",
            "metrics.listen: expected another address than those of server.listen, found \"inet:8895@127.0.0.1\"",
        ),
        (
            "[dns]\nnegative_min = \"2h\"\nnegative_max = \"1h\"",
            "dns.negative_min: expected at most dns.negative_max (1h), found \"2h\"",
        ),
        (
            "[policy]\non_limit = \"tempfail\"",
            "policy.on_limit: expected one of accept, quarantine, reject, discard, found \"tempfail\"",
        ),
        (
            "[exempt]\nsenders = [\"example.com\"]",
            "linkmilter.toml:2: exempt.authserv_id: expected the authserv-id of your server, since exempt.senders needs it, found \"\"",
        ),
        (
            "[server]\nlisten = [\"unix:/run/a\", \"inet:0@127.0.0.1\", \"inet:0@127.0.0.1\", \"unix:/run/a\"]",
            "linkmilter.toml:2: server.listen: expected each address once",
        ),
        (
            "[banner]\nlinks_text = \"{hots} bad\"",
            "linkmilter.toml:2: banner.links_text: expected no braces but those of {host} and {reason}, found \"{hots} bad\"",
        ),
        (
            "[banner]\nlinks_text = \"{host} bad {\"",
            "linkmilter.toml:2: banner.links_text: expected no braces but those of {host} and {reason}",
        ),
        ("\n[feeds.x]", "linkmilter.toml:2: feeds.x: expected either url or file, found neither"),
        ("\n[blocklists.x]", "linkmilter.toml:2: blocklists.x: expected a zone, found none"),
        (
            "[digest]\nat = \"06:30\"",
            "linkmilter.toml:2: digest.at: expected off without a recipient (digest.to), found \"06:30\"",
        ),
        (
            "[digest]\nat = \"25:00\"",
            "digest.at: expected \"off\" or a time of day in UTC (\"06:30\"), found \"25:00\"",
        ),
        (
            "[policy]\nsubject_tag = \"a\\r\\nBcc: x\"",
            "policy.subject_tag: expected text without control characters, found \"a\\r\\nBcc: x\"",
        ),
        ("[rules.default]\nprofile = \"strict\"", "expected a name of 1 to 40 letters"),
        ("[rules.\"a b\"]\nprofile = \"strict\"", "expected a name of 1 to 40 letters"),
        (
            "[rules.x]\nwhen.header = \"X-Spam: YES\"\nprofile = \"exempt\"",
            "rules.x.profile: expected enforce or strict with when.header, unless upstream.fields is",
        ),
        (
            "[rules.x]\ndefang = \"all\"\nprofile = \"report-only\"",
            "rules.x.defang: expected no defang with a profile that edits nothing, found \"all\"",
        ),
        (
            "[policy]\nprofile = \"report-only\"\n[rules.x]\ndefang = \"all\"",
            "linkmilter.toml:4: rules.x.defang: expected no defang with a profile that edits nothing",
        ),
        (
            "[rules.x]\nwhen.header = \"Received: from x\"",
            "linkmilter.toml:2: rules.x.when.header: expected another field than Received",
        ),
        (
            "[feeds.x]\nfile = \"x\"\ncolumn = 2",
            "linkmilter.toml:3: feeds.x.column: expected format = \"csv\" with it, found 2",
        ),
        (
            "[feeds.x]\nfile = \"x\"\nformat = \"csv\"\nmember = \"host\"",
            "linkmilter.toml:4: feeds.x.member: expected format = \"jsonl\" with it, found \"host\"",
        ),
        (
            "[feeds.x]\nfile = \"x\"\nformat = \"rpz\"\nholds = \"urls\"",
            "linkmilter.toml:4: feeds.x.holds: expected no holds beside format = \"rpz\"",
        ),
        (
            "[feeds.x]\nfile = \"x\"\ntimeout = \"5s\"",
            "linkmilter.toml:3: feeds.x.timeout: expected a URL with it",
        ),
        (
            "[rules.x]\nwhen.header = \"Authentication-Results: dmarc=fail\"",
            "exempt.authserv_id: expected the authserv-id of your server, since when.header of a rule",
        ),
        (
            "[rules.x]\nwhen.header = \"X-Spam-Score: >= high\"",
            "linkmilter.toml:2: rules.x.when.header: expected a number after the comparison, \"X-Spam-Score: >= 5.5\", found \"X-Spam-Score: >= high\"",
        ),
        (
            "[rules.x]\nwhen.header = [\"X-Spam-Flag: YES\", \"YES\"]",
            "rules.x.when.header: expected a header field and its value, \"X-Spam-Flag: YES\", found \"YES\"",
        ),
        (
            "[rules.x]\nwhen.haeder = \"X-Spam-Flag: YES\"",
            "rules.x.when.haeder: expected a known key, found the key rules.x.when.haeder; did you mean rules.x.when.header?",
        ),
        ("[rules.x]\nwhen = \"spam\"", "rules.x.when: expected a table: header = "),
        (
            "[rules.x]\ndefang = \"everything\"",
            "rules.x.defang: expected one of all, suspect, unsafe, found \"everything\"",
        ),
        (
            "[rules.x]\nallowed = [\"no host\"]",
            "rules.x.allowed: expected a host or domain name, which stands for all below it as well, found \"no host\"",
        ),
        (
            "[upstream]\nfields = \"mine\"",
            "upstream.fields: expected one of above-received, anywhere, found \"mine\"",
        ),
        ("rules = 3", "rules: expected tables [rules.NAME], found 3"),
        ("dns = \"never\"", "dns: expected a table [dns], found \"never\""),
        (
            "[dns]\nmode = [\"never\"]",
            "dns.mode: expected one of unknown-only, always, never, found [\"never\"]",
        ),
        ("[dns]\n[dns.mode]\n", "linkmilter.toml:2: dns.mode: expected one of unknown-only"),
        ("[dns]\n[dns.moed]\n", "linkmilter.toml:2: dns.moed: expected a known key"),
        (
            "[dns]\ncache_entries = -1",
            "dns.cache_entries: expected an integer from 0 to 1000000, found -1",
        ),
        (
            "[dns]\ncache_entries = 1.5",
            "dns.cache_entries: expected an integer from 0 to 1000000, found 1.5",
        ),
        ("[dns", "linkmilter.toml:1: expected TOML, found "),
        ("[dns]\nmode = 1\nmode = 2", "linkmilter.toml:3: expected TOML, found duplicate key"),
        ("[tld]\nurl = \"http://data.iana.org/\"", "tld.url: expected an https: URL"),
    ] {
        let found = complaints(dir.path(), file);
        assert!(found.len() == 1 && found[0].contains(complaint), "{file}\n{found:?}");
    }
}

#[test]
fn a_rule_protects_a_bounded_number_of_names() {
    let dir = tempfile::tempdir().unwrap();
    for (count, refused) in [(100, false), (101, true)] {
        let names: Vec<String> = (0..count).map(|n| format!("name{n}.example")).collect();
        let found = load(dir.path(), &format!("[rules.x]\nprotected = {names:?}\n"));
        assert_eq!(found.is_err(), refused, "{count}");
    }
}

#[test]
fn a_file_that_was_named_must_be_there() {
    let sources = Sources { file: Some("/nonexistent/l.toml".into()), ..Sources::default() };
    assert_eq!(
        config::load(&sources).unwrap_err().to_string(),
        "/nonexistent/l.toml: cannot be read: no such file"
    );
}

#[test]
fn every_block_of_the_documentation_is_a_valid_configuration() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/configuration.md");
    let text = std::fs::read_to_string(path).unwrap();
    let blocks: Vec<&str> =
        text.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert!(blocks.len() >= 8, "{}", blocks.len());
    for block in blocks {
        let dir = tempfile::tempdir().unwrap();
        let config = load(dir.path(), block).unwrap_or_else(|errors| panic!("{block}\n{errors}"));
        assert!(config.effective.iter().any(|setting| setting.origin != "built-in"), "{block}");
        config.settings().unwrap();
    }
}

proptest::proptest! {
    /// Any text gives a result, and every error has its place and what was expected.
    #[test]
    fn any_text_is_read_or_reported(file in hostile_toml()) {
        let dir = tempfile::tempdir().unwrap();
        if let Err(errors) = load(dir.path(), &file) {
            assert!(!errors.0.is_empty());
            for problem in errors.0 {
                assert!(!problem.origin.is_empty(), "{problem:?}");
                assert!(problem.expected.as_ref().is_none_or(|expected| !expected.is_empty()));
                assert!(!problem.found.is_empty(), "{problem:?}");
            }
        }
    }
}

/// Known and unknown sections, keys and values, combined at random.
fn hostile_toml() -> impl proptest::strategy::Strategy<Value = String> {
    use proptest::prelude::*;
    let section = prop_oneof![
        Just("dns".to_owned()),
        Just("server".to_owned()),
        Just("policy.actions".to_owned()),
        Just("rules.x".to_owned()),
        "[a-z.\"]{1,12}",
    ];
    let key = prop_oneof![
        Just("mode".to_owned()),
        Just("listen".to_owned()),
        Just("unsafe".to_owned()),
        Just("networks".to_owned()),
        Just("deadline".to_owned()),
        "[a-z_.\\[\\]0-9-]{1,12}",
    ];
    let value = prop_oneof![
        Just("\"strict\"".to_owned()),
        Just("[\"192.0.2.0/33\", 1, [], {}]".to_owned()),
        Just("18446744073709551616".to_owned()),
        Just("nan".to_owned()),
        Just("1979-05-27".to_owned()),
        Just("{ a = { b = 1 } }".to_owned()),
        Just("\"99999999999999999999d\"".to_owned()),
        "\\PC{0,12}",
    ];
    let line = prop_oneof![
        section.prop_map(|section| format!("[{section}]")),
        (key, value).prop_map(|(key, value)| format!("{key} = {value}")),
    ];
    proptest::collection::vec(line, 0..8).prop_map(|lines| lines.join("\n"))
}

// ---- the commands -------------------------------------------------------------------------

fn linkmilter(args: &[&str]) -> assert_cmd::Command {
    let mut command = assert_cmd::Command::cargo_bin("linkmilter").unwrap();
    command.args(args).env_remove("LINKMILTER_TESTDATA");
    command
}

#[test]
fn config_check_exits_0_for_good_and_1_for_bad() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("linkmilter.toml");
    let path = file.to_str().unwrap();
    let state = format!("server.state_dir = {:?}\n", dir.path().join("state"));
    std::fs::write(&file, format!("{state}dns.mode = \"never\"\n")).unwrap();
    let table = linkmilter::tld::builtin();
    let list = |name: &str| dir.path().join(name).display().to_string();
    let printed = format!(
        "{path}: 2 settings in force\n{}: 0 allowed hosts (not there)\n\
         {}: 0 protected hosts (not there)\n{}: 0 blocked hosts (not there)\n\
         the program: {} top-level domains, version {}\ngood\n",
        list("allow.txt"),
        list("protected.txt"),
        list("blocked.txt"),
        table.len(),
        table.version
    );
    linkmilter(&["config", "check", "--config", path]).assert().code(0).stdout(printed).stderr("");
    linkmilter(&["config", "check", "-q", "--config", path]).assert().code(0).stdout("").stderr("");
    std::fs::write(&file, "[dns]\nmdoe = \"never\"\n[polciy]\n").unwrap();
    linkmilter(&["config", "check", "--config", path]).assert().code(1).stdout("").stderr(format!(
        "{path}:2: dns.mdoe: expected a known key, found the key dns.mdoe; did you mean dns.mode?\n\
         {path}:3: polciy: expected a known key, found the key polciy; did you mean policy?\n\
         note: more is checked when this is mended\n"
    ));
    // What was read, layer by layer, and what is probably a mistake.
    std::fs::create_dir(dir.path().join("conf.d")).unwrap();
    std::fs::write(&file, "[dns]\nmode = \"never\"\n[log]\nlevel = \"warn\"\n").unwrap();
    std::fs::write(
        dir.path().join("conf.d/ours.toml"),
        "[log]\nlevel = \"error\"\n[lists]\nblocked = [\"evil.example\"]\nallowed = [\"com\"]\n\
         [policy]\nseal_key_file = \"seal.key\"\n[metrics]\ntoken_file = \"token\"\n[rules.board]\nprofile = \"strict\"\nallowed = [\"github.io\"]\n",
    )
    .unwrap();
    std::fs::write(dir.path().join("allow.txt"), "# ours\nexample.com\nco.uk\n").unwrap();
    std::fs::write(dir.path().join("seal.key"), [7; 32]).unwrap();
    // Files that the daemon reads only when it needs them.
    for (token, found) in [(None, "no such file"), (Some(""), "an empty file")] {
        token.iter().for_each(|token| std::fs::write(dir.path().join("token"), token).unwrap());
        let wrong = linkmilter(&["config", "check", "-q", "--config", path]).assert().code(1);
        let printed = String::from_utf8(wrong.get_output().stderr.clone()).unwrap();
        let expected = format!(
            "{}:9: metrics.token_file: expected the token of the metrics, found {}: {found}",
            list("conf.d/ours.toml"),
            list("token")
        );
        assert!(printed.starts_with(&expected), "{printed}");
    }
    std::fs::write(dir.path().join("token"), "12345").unwrap();
    let output = linkmilter(&["config", "check", "--config", path])
        .env("LINKMILTER_DNS__DEADLINE", "1s")
        .assert()
        .code(0);
    let printed = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    for line in [
        format!("{path}: 1 setting in force"),
        format!("{}: 7 settings in force", list("conf.d/ours.toml")),
        "environment LINKMILTER_DNS__DEADLINE: 1 setting in force".to_owned(),
        format!("{}: 2 allowed hosts, and 1 in the configuration", list("allow.txt")),
        format!(
            "note: {}:3: co.uk is a public suffix: every host below it is allowed",
            list("allow.txt")
        ),
        format!(
            "note: {}:5: lists.allowed: com is a public suffix: every host below it is allowed",
            list("conf.d/ours.toml")
        ),
        format!(
            "note: {}:12: rules.board.allowed: github.io is a public suffix: every host below it is allowed",
            list("conf.d/ours.toml")
        ),
        format!("{}: 0 blocked hosts (not there), and 1 in the configuration", list("blocked.txt")),
        "rules: board".to_owned(),
        format!("{}: the key of the seal, 32 bytes", list("seal.key")),
        format!("{}: the token of the metrics, 5 bytes", list("token")),
    ] {
        assert!(printed.lines().any(|printed| printed == line), "{line}\n{printed}");
    }
    std::fs::remove_dir_all(dir.path().join("conf.d")).unwrap();
    // The lists are read as well: the daemon would not start without them.
    std::fs::write(&file, "").unwrap();
    std::fs::write(dir.path().join("blocked.txt"), "a b\n").unwrap();
    linkmilter(&["config", "check", "--config", path]).assert().code(1);
    linkmilter(&["config", "print", "--config", "/nonexistent/x"]).assert().code(2);
}

#[test]
fn a_long_list_is_noted() {
    let dir = tempfile::tempdir().unwrap();
    let (file, list) = (dir.path().join("linkmilter.toml"), dir.path().join("blocked.txt"));
    std::fs::write(&file, "").unwrap();
    for (count, noted) in [(10_000, false), (10_001, true)] {
        let hosts: String = (0..count).map(|n| format!("h{n}.example\n")).collect();
        std::fs::write(&list, hosts).unwrap();
        let check = ["config", "check", "--config", file.to_str().unwrap()];
        let output = linkmilter(&check).assert().code(0);
        let printed = String::from_utf8(output.get_output().stdout.clone()).unwrap();
        assert_eq!(printed.contains("less memory as a feed"), noted, "{count}: {printed}");
    }
}

/// An address of IPv6 is a host like any other.
#[test]
fn addresses_of_ipv6_are_blocked_and_allowed() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("linkmilter.toml");
    let path = file.to_str().unwrap();
    let text = format!(
        "server.state_dir = {:?}\nlists.blocked = [\"2001:DB8:0::2\"]\nlists.allowed = [\"[2001:db8::3]\"]\n\
         [rules.board]\nrecipients = [\"example.org\"]\nblocked = [\"[2001:db8::4]\"]\n\
         [feeds.bad]\nfile = \"bad.txt\"\nverdict = \"unsafe\"\n",
        dir.path()
    );
    std::fs::write(&file, text).unwrap();
    std::fs::write(dir.path().join("bad.txt"), "2001:db8:0::5\n[2001:db8::6]\n").unwrap();
    let output = linkmilter(&["config", "check", "--config", path]).assert().code(0);
    let printed = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    assert!(printed.contains("bad.txt: 2 unsafe entries\n"), "{printed}");
    assert!(!printed.contains("public suffix"), "{printed}");
    let add = ["block", "add", "http://[2001:DB8::1]:8080/x", "--config", path];
    let output = linkmilter(&add).assert().code(0);
    let printed = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    assert!(printed.contains("blocked.txt: 2001[:]db8[:][:]1 added\n"), "{printed}");
    for (url, code) in [
        ("http://[2001:db8:0::1]/", 1),
        ("http://[2001:DB8::2]:81/x", 1),
        ("http://[2001:db8::7]/", 0),
    ] {
        linkmilter(&["check", url, "--config", path]).assert().code(code);
    }
    linkmilter(&["block", "remove", "2001:db8::1", "--config", path]).assert().code(0);
    assert_eq!(std::fs::read_to_string(dir.path().join("blocked.txt")).unwrap(), "");
}

/// Problems with sockets that can be found without opening them.
#[test]
fn config_check_reports_sockets_that_cannot_be_opened() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("linkmilter.toml");
    let path = file.to_str().unwrap();
    std::fs::write(&file, "[server]\nsocket_group = \"nogroupxx\"\n").unwrap();
    linkmilter(&["config", "check", "-q", "--config", path]).assert().code(1).stderr(format!(
        "{path}:2: server.socket_group: expected a group of this host (/etc/group), found \"nogroupxx\"\n"
    ));
    // The service manager may still create a directory.
    std::fs::write(&file, "[server]\nlisten = [\"unix:/nonexistent/l.sock\"]\n").unwrap();
    let printed = linkmilter(&["config", "check", "--config", path]).assert().code(0);
    let printed = String::from_utf8(printed.get_output().stdout.clone()).unwrap();
    let note =
        format!("note: {path}:2: server.listen: expected a socket in a directory that is there");
    assert!(
        printed.contains(&note) && printed.contains("found no directory /nonexistent\n"),
        "{printed}"
    );
}

/// An invalid URL is one mistake. A key that is similar to none gets no suggestion.
#[test]
fn a_mistake_is_reported_once_with_a_suggestion() {
    let dir = tempfile::tempdir().unwrap();
    let said = complaints(dir.path(), "[feeds.x]\nurl = \"http://example.com/x\"\n");
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].contains("feeds.x.url: expected "), "{said:?}");
    let said = complaints(dir.path(), "[nonsense]\na = 1\n");
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].ends_with("expected a known key, found the key nonsense.a"), "{said:?}");
}

/// They still work, are reported, and one command writes the present names.
#[test]
fn keys_of_an_earlier_version_work_and_are_migrated() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("linkmilter.toml");
    let path = file.to_str().unwrap();
    std::fs::create_dir(dir.path().join("conf.d")).unwrap();
    let more = dir.path().join("conf.d/ours.toml");
    std::fs::write(&file, "# ours\n[lists]\nallow = [\"old.example\"] # why\n").unwrap();
    std::fs::write(&more, "lists.allow_file = \"mine.txt\"\nlists.allowed = [\"new.example\"]\n")
        .unwrap();
    std::fs::write(dir.path().join("mine.txt"), "example.com\n").unwrap();
    let more = more.display();
    let printed = linkmilter(&["config", "print", "--config", path]).assert().code(0);
    let printed = String::from_utf8(printed.get_output().stdout.clone()).unwrap();
    // The later layer wins, under either name.
    for line in [
        format!("lists.allowed = [\"new.example\"]  # {more}:2"),
        format!("lists.allowed_file = \"mine.txt\"  # {more}:1"),
    ] {
        assert!(printed.lines().any(|printed| printed == line), "{line}\n{printed}");
    }
    let printed = [
        format!("{path}:3: lists.allow is called lists.allowed now"),
        format!("{more}:1: lists.allow_file is called lists.allowed_file now"),
    ];
    let checked = linkmilter(&["config", "check", "--config", path]).assert().code(0);
    let checked = String::from_utf8(checked.get_output().stdout.clone()).unwrap();
    for line in &printed {
        let line = format!("note: {line}; linkmilter config migrate writes it");
        assert!(checked.lines().any(|checked| checked == line), "{line}\n{checked}");
    }
    let migrate = |more: &[&str]| {
        let mut line = vec!["config", "migrate", "--config", path];
        line.extend(more);
        linkmilter(&line)
    };
    let dry = format!("{}\n{}\n", printed[0], printed[1]);
    migrate(&["--dry-run"]).assert().code(1).stdout(dry).stderr("");
    assert!(std::fs::read_to_string(&file).unwrap().contains("allow = "));
    let written = format!("{}: written\n{}: written\n", printed[0], printed[1]);
    migrate(&[]).assert().code(0).stdout(written).stderr("");
    assert_eq!(
        std::fs::read_to_string(&file).unwrap(),
        "# ours\n[lists]\nallowed = [\"old.example\"] # why\n"
    );
    migrate(&[]).assert().code(0).stdout("every key has its present name\n");
    // An environment variable cannot be rewritten.
    let left = "environment LINKMILTER_LISTS__ALLOW: lists.allow is called lists.allowed now\n";
    migrate(&[]).env("LINKMILTER_LISTS__ALLOW", "env.example").assert().code(1).stdout(left);
    // If both names are used, it is unclear which value is intended.
    std::fs::write(&file, "[lists]\nallow = []\nallowed = []\n").unwrap();
    migrate(&[]).assert().code(2).stdout("").stderr(format!(
        "linkmilter: {path}:2: lists.allow: expected lists.allowed alone, its present name, \
         found both lists.allow and lists.allowed\n"
    ));
}

#[test]
fn config_print_shows_values_with_their_origins() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("linkmilter.toml");
    std::fs::write(&file, "[dns]\nmode = \"never\"\n[policy.actions]\nuserinfo = \"leave\"\n")
        .unwrap();
    let output = linkmilter(&["config", "print", "--config", file.to_str().unwrap()])
        .env("LINKMILTER_LOG__LEVEL", "debug")
        .assert()
        .code(0);
    let printed = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    for line in [
        format!("dns.mode = \"never\"  # {}:2", file.display()),
        "log.level = \"debug\"  # environment LINKMILTER_LOG__LEVEL".to_owned(),
        format!("policy.actions.userinfo = \"leave\"  # {}:4", file.display()),
        "dns.deadline = \"2s\"  # built-in".to_owned(),
    ] {
        assert!(printed.lines().any(|printed| printed == line), "{line}\n{printed}");
    }
    // The printed settings can be read again.
    let values: String = printed.lines().map(|line| format!("{line}\n")).collect();
    let again = load(dir.path(), &values).unwrap();
    assert_eq!(again.log.level, config::LogLevel::Debug);
}

#[test]
fn allow_add_extends_the_list_and_says_what_it_did() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("linkmilter.toml");
    std::fs::write(&file, format!("[server]\nstate_dir = {:?}\n", dir.path())).unwrap();
    let path = file.to_str().unwrap();
    let list = dir.path().join("allow.txt");
    let add = |host: &str| linkmilter(&["allow", "add", host, "--config", path]).assert();
    add("пример[.]example").code(0).stdout(format!(
        "{}: xn--e1afmkfd[.]example added\nno daemon is running according to {}; the list is changed, and takes effect when one starts or reloads\n",
        list.display(),
        dir.path().join("linkmilter.pid").display()
    ));
    add("www.xn--e1afmkfd.example")
        .code(0)
        .stdout(format!("{}:1: already covers it\n", list.display()));
    assert_eq!(std::fs::read_to_string(&list).unwrap(), "xn--e1afmkfd.example\n");
    // The pid of another process is not signalled: the signal would end this test.
    std::fs::write(dir.path().join("linkmilter.pid"), std::process::id().to_string()).unwrap();
    let said = add("example.com").code(0);
    let said = String::from_utf8(said.get_output().stdout.clone()).unwrap();
    assert!(said.contains("no daemon is running"), "{said}");
    // One that runs elsewhere, in a container: its number means nothing here.
    let locked = std::fs::File::open(dir.path()).unwrap();
    locked.try_lock().unwrap();
    let said = add("example.org").code(2);
    let said = String::from_utf8(said.get_output().stderr.clone()).unwrap();
    assert!(said.contains("keeps its old settings until it gets SIGHUP"), "{said}");
    assert!(std::fs::read_to_string(&list).unwrap().ends_with("example.org\n"));
}

/// The allow list wins over the block list: whoever makes an entry of that void is told, with both places.
#[test]
fn hosts_that_are_allowed_and_blocked_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("linkmilter.toml");
    let text = format!(
        "[server]\nstate_dir = {:?}\n[lists]\nallowed = [\"parent.example\"]\n",
        dir.path()
    );
    std::fs::write(&file, text).unwrap();
    let config = file.to_str().unwrap();
    let run = |args: &[&str], code: i32| {
        let ran = linkmilter(args).args(["--config", config]).assert().code(code);
        String::from_utf8(ran.get_output().stdout.clone()).unwrap()
    };
    let list = |name: &str| dir.path().join(name).display().to_string();
    let (allowed, blocked) = (list("allow.txt"), list("blocked.txt"));
    let vain = |place: &str, host: &str, at: &str, above: &str| {
        format!("{place}: {host} is blocked in vain: {at} allows {above}, and that wins\n")
    };
    let inline = format!("{config}:4 (lists.allowed)");
    // It is written, and its effect is none.
    let said = run(&["block", "add", "evil.parent.example", "other.example"], 1);
    let note = vain(&blocked, "evil[.]parent[.]example", &inline, "parent[.]example");
    assert!(said.contains(&note) && !said.contains("other[.]example is"), "{said}");
    assert!(std::fs::read_to_string(&blocked).unwrap().contains("evil.parent.example"));
    assert!(run(&["block", "add", "parent.example"], 1).contains("in vain"));
    // What is above a host that is allowed is blocked but for that.
    assert!(!run(&["allow", "add", "a.b.example"], 0).contains("in vain"));
    assert!(!run(&["block", "add", "b.example"], 0).contains("in vain"));
    // The allowed host is what was asked for.
    let said = run(&["allow", "add", "other.example"], 0);
    let note = vain(&format!("{blocked}:2"), "other[.]example", &allowed, "other[.]example");
    assert!(said.contains(&note), "{said}");
    let said = run(&["config", "check"], 0);
    for note in [
        vain(&format!("{blocked}:1"), "evil[.]parent[.]example", &inline, "parent[.]example"),
        vain(
            &format!("{blocked}:2"),
            "other[.]example",
            &format!("{allowed}:2"),
            "other[.]example",
        ),
        vain(&format!("{blocked}:3"), "parent[.]example", &inline, "parent[.]example"),
    ] {
        assert!(said.contains(&format!("note: {note}")), "{note}\n{said}");
    }
}

#[test]
fn allow_and_block_accept_urls_and_refuse_public_suffixes() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("linkmilter.toml");
    let text =
        format!("[server]\nstate_dir = {:?}\n[lists]\nblocked = [\"in.example\"]\n", dir.path());
    std::fs::write(&file, text).unwrap();
    let run = |args: &[&str]| linkmilter(args).args(["--config", file.to_str().unwrap()]).assert();
    for (command, name) in [("allow", "allow.txt"), ("block", "blocked.txt")] {
        let list = dir.path().join(name);
        // What is allowed is not blocked.
        let _ = std::fs::remove_file(dir.path().join("allow.txt"));
        for host in
            ["com", "co.uk", "CO[.]UK", "github.io", "hxxp://com/", "a b", "ann@example.com", ""]
        {
            let said = run(&[command, "add", "fine.example", host]).code(2).stdout("");
            let said = String::from_utf8(said.get_output().stderr.clone()).unwrap();
            assert!(said.contains("expected a host"), "{host}: {said}");
        }
        // One invalid host, and nothing is changed.
        assert!(!list.exists(), "{name}");
        run(&[
            command,
            "add",
            "hxxps://www[.]example[.]com/a?b",
            "example[.]org",
            "https://example.net/",
        ])
        .code(0);
        let names = "www.example.com\nexample.org\nexample.net\n";
        assert_eq!(std::fs::read_to_string(&list).unwrap(), names);
        run(&[command, "add", "--suffix", "zip"]).code(0);
        run(&[command, "remove", "zip", "hxxps://example[.]net"]).code(0);
        run(&[command, "remove", "a.example.org"]).code(1);
        run(&[command, "remove", "nonesuch.example"]).code(1);
        assert_eq!(std::fs::read_to_string(&list).unwrap(), "www.example.com\nexample.org\n");
        let printed = run(&[command, "list"]).code(0);
        let printed = String::from_utf8(printed.get_output().stdout.clone()).unwrap();
        assert!(
            printed.starts_with(&format!("www[.]example[.]com  # {}:1\n", list.display())),
            "{printed}"
        );
        assert_eq!(printed.contains("in[.]example  # "), command == "block", "{printed}");
        let printed = run(&[command, "list", "--json"]).code(0);
        let printed = String::from_utf8(printed.get_output().stdout.clone()).unwrap();
        let first: serde_json::Value =
            serde_json::from_str(printed.lines().next().unwrap()).unwrap();
        assert_eq!((&first["v"], &first["host"]), (&1.into(), &"www.example.com".into()));
    }
    // Hosts in the configuration itself are not removed.
    let said = run(&["block", "remove", "in.example"]).code(1);
    assert!(String::from_utf8_lossy(&said.get_output().stdout).contains("remove it there"));
}

#[test]
fn a_list_that_is_made_can_be_read_by_the_daemon_whatever_the_umask() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("linkmilter.toml");
    std::fs::write(&file, format!("[server]\nstate_dir = {:?}\n", dir.path())).unwrap();
    let shell = "umask 077; exec \"$0\" \"$@\"";
    for (command, name) in [("allow", "allow.txt"), ("block", "blocked.txt")] {
        let status = std::process::Command::new("sh")
            .args(["-c", shell])
            .arg(assert_cmd::cargo::cargo_bin("linkmilter"))
            .args([command, "add", &format!("{command}.example"), "--config"])
            .arg(&file)
            .env_remove("LINKMILTER_TESTDATA")
            .stdout(std::process::Stdio::null())
            .status();
        assert!(status.unwrap().success());
        let mode = std::fs::metadata(dir.path().join(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o644, "{name}");
    }
}

#[test]
fn allow_add_reloads_a_daemon_that_runs() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("linkmilter.toml");
    let state = dir.path().display();
    let text = format!(
        "[server]\nstate_dir = \"{state}\"\nlisten = [\"unix:{state}/socket\"]\n\
         [log]\ntarget = \"stderr\"\n[dns]\nmode = \"never\"\n[tld]\nrefresh = \"0\"\n"
    );
    std::fs::write(&file, text).unwrap();
    let log = dir.path().join("log");
    let mut daemon = std::process::Command::new(assert_cmd::cargo::cargo_bin("linkmilter"))
        .args(["serve", "--config"])
        .arg(&file)
        .stdout(std::process::Stdio::null())
        .stderr(std::fs::File::create(&log).unwrap())
        .env_remove("LINKMILTER_TESTDATA")
        .spawn()
        .unwrap();
    let logged = |what: &str| {
        (0..1_000).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(20));
            std::fs::read_to_string(&log).unwrap().contains(what)
        })
    };
    let started = (0..1_000).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(20));
        dir.path().join("linkmilter.pid").exists() && dir.path().join("socket").exists()
    });
    let said = linkmilter(&["allow", "add", "example.com", "--config", file.to_str().unwrap()])
        .output()
        .unwrap();
    let reloaded = logged("reload");
    // A list that the daemon cannot read makes it refuse the reload, and the command reports that.
    std::fs::write(dir.path().join("blocked.txt"), "a b\n").unwrap();
    let refused = linkmilter(&["allow", "add", "example.org", "--config", file.to_str().unwrap()])
        .output()
        .unwrap();
    let alive = daemon.try_wait().unwrap().is_none();
    daemon.kill().unwrap();
    daemon.wait().unwrap();
    let log = std::fs::read_to_string(&log).unwrap();
    assert!(started && alive, "{log}");
    let said = String::from_utf8(said.stdout).unwrap();
    assert!(said.contains(&format!("SIGHUP sent to process {}", daemon.id())), "{said}");
    assert!(said.contains("configuration 2 is in force"), "{said}");
    let said = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(said.contains("keeps its old settings") && said.contains("blocked.txt:1"), "{said}");
    assert!(reloaded, "{log}");
}

/// A banner in every body breaks DKIM when mail is forwarded, unless it is removed on the way out.
#[test]
fn an_external_banner_needs_local_domains() {
    let problems = |text: &str| {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("linkmilter.toml");
        std::fs::write(&file, text).unwrap();
        let sources = Sources { file: Some(file), ..Sources::default() };
        config::load(&sources).err().map(|errors| errors.to_string()).unwrap_or_default()
    };
    let refused = problems("banner.external = true\n");
    assert!(
        refused.contains("banner.external") && refused.contains("outbound.local_domains"),
        "{refused}"
    );
    let settings = "banner.external = true\noutbound.local_domains = [\"example.org\"]\n";
    assert_eq!(problems(settings), "");
    assert!(problems(&format!("{settings}outbound.restore = false\n")).contains("banner.external"));
    let refused = problems(&settings.replace("external", "first_contact"));
    assert!(
        refused.contains("banner.first_contact") && refused.contains("banner.external = true"),
        "{refused}"
    );
    assert_eq!(problems(&format!("{settings}banner.first_contact = true\n")), "");
    let long = format!("banner.links_text = \"{}\"\n", "x".repeat(401));
    assert!(problems(&long).contains("at most 400 characters"));
}

/// The file with the operator's words is read with the rest, and its errors are reported together.
#[test]
fn words_of_the_operator_are_checked_with_their_lines() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("linkmilter.toml");
    std::fs::write(&file, "[policy]\nnotice = \"inline\"\nwords_file = \"words.toml\"\n").unwrap();
    let words = dir.path().join("words.toml");
    let check = || {
        let out = linkmilter(&["config", "check"]).arg("--config").arg(&file).output().unwrap();
        let said = [out.stdout, out.stderr].concat();
        (out.status.code(), String::from_utf8(said).unwrap())
    };
    let (code, said) = check();
    assert!(code == Some(1) && said.contains("toml:3: policy.words_file: "), "{said}");
    assert!(said.contains("cannot be read: no such file"), "{said}");
    std::fs::write(&words, "[nl]\nnotice = \"misleidende link\"\n\n[el]\nnotise = \"x\"\n")
        .unwrap();
    let (code, said) = check();
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("words.toml:5: el.notise: expected one of notice"), "{said}");
    assert!(said.contains("did you mean notice?"), "{said}");
    std::fs::write(&words, "[nl]\nnotice = \"misleidende link\"\n").unwrap();
    assert_eq!(check().0, Some(0));
    let message = "Content-Language: nl\r\n\r\nhttps://xn--80ak6aa92e.com/ dag\r\n";
    let mut rewrite = linkmilter(&["rewrite", "--config"]);
    let out = rewrite.arg(&file).write_stdin(message).output().unwrap();
    let text = String::from_utf8(out.stdout).unwrap();
    assert!(text.contains("[.]com/ [misleidende link] dag"), "{text}");
}

/// A quadratic algorithm took minutes here.
#[test]
fn lists_and_rules_of_any_length() {
    use std::fmt::Write;
    let dir = tempfile::tempdir().unwrap();
    let mut file = "[server]\nlisten = [\n".to_owned();
    (0..50_000).for_each(|n| writeln!(file, "\"unix:/run/{n}\",").unwrap());
    file.push_str("]\n[lists]\nprotected = [\n");
    (0..50_000).for_each(|n| writeln!(file, "\"n{n}.example.com\",").unwrap());
    file.push_str("]\n");
    (0..5_000).for_each(|n| writeln!(file, "[rules.r{n}]\nprofile = \"strict\"").unwrap());
    let config = load(dir.path(), &file).unwrap();
    assert_eq!(config.lists.protected.len(), 50_000);
    let origin = |key: &str| {
        let setting = config.effective.iter().find(|setting| setting.key == key).unwrap();
        setting.origin.rsplit(':').next().unwrap().parse::<usize>().unwrap()
    };
    assert_eq!(["server.listen", "lists.protected"].map(origin), [2, 50_005]);
    assert_eq!(origin("rules.r4999.profile"), 110_006);
}

#[test]
fn addresses_that_collide_are_found_however_they_are_written() {
    let dir = tempfile::tempdir().unwrap();
    let load = |one: &str, other: &str| {
        load(dir.path(), &format!("[server]\nlisten = [{one:?}, {other:?}]\n"))
    };
    for (one, other) in [
        ("inet:1@0.0.0.0", "inet:1@127.0.0.1"),
        ("inet:1@localhost", "inet:1@127.0.0.1"),
        ("inet:1@LOCALHOST", "inet:1@::1"),
        ("inet:1@::", "inet:1@192.0.2.1"),
        ("inet:1@::", "inet:1@::1"),
        ("inet:1@::ffff:127.0.0.1", "inet:1@127.0.0.1"),
        ("inet:1@mx.example", "inet:1@MX.example"),
        ("unix:/run/a/../b.sock", "unix:/run/b.sock"),
        ("unix:/run//./b.sock", "unix:/run/b.sock"),
    ] {
        assert!(load(one, other).is_err(), "{one} {other}");
        assert!(load(other, one).is_err(), "{other} {one}");
    }
    for (one, other) in [
        ("inet:1@0.0.0.0", "inet:2@127.0.0.1"),
        ("inet:1@127.0.0.2", "inet:1@127.0.0.1"),
        ("inet:1@0.0.0.0", "inet:1@::1"),
        ("inet:0@127.0.0.1", "inet:0@localhost"),
        ("unix:/run/a/b.sock", "unix:/run/b.sock"),
    ] {
        assert!(load(one, other).is_ok(), "{one} {other}");
    }
}

/// Of two settings that do not fit each other that one is named which somebody wrote.
#[test]
fn a_combination_is_refused_at_the_key_that_was_written() {
    let dir = tempfile::tempdir().unwrap();
    for (text, said) in [
        (
            "[server]\nmax_memory = \"1MiB\"\n",
            "linkmilter.toml:2: server.max_memory: expected at least server.max_message (128MiB, built-in), found \"1MiB\"",
        ),
        (
            "[server]\nmessage_timeout = \"100ms\"\n",
            "linkmilter.toml:2: server.message_timeout: expected more than dns.deadline (2s, built-in), found \"100ms\"",
        ),
        (
            "[dns]\npositive_max = \"1s\"\n",
            "linkmilter.toml:2: dns.positive_max: expected at least dns.positive_min (15m, built-in), found \"1s\"",
        ),
        (
            "[server]\nmax_message = \"2MiB\"\nmax_memory = \"1MiB\"\n",
            "linkmilter.toml:2: server.max_message: expected at most server.max_memory (1MiB), found \"2MiB\"",
        ),
    ] {
        assert_eq!(complaints(dir.path(), text), [said]);
    }
}

/// As in the file: `=name` is the name as a whole.
#[test]
fn a_name_that_is_protected_as_a_whole_may_stand_in_the_configuration() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("linkmilter.toml");
    std::fs::write(
        &file,
        "lists.protected = [\"=harbour.org\", \"lighthouse.org\"]\nrules.x.protected = [\"=pier.org\"]\n\
         rules.x.recipients = [\"a@example.org\"]\n",
    )
    .unwrap();
    std::fs::write(dir.path().join("protected.txt"), "=quay.org\n# x\nbay.org\n").unwrap();
    let path = file.to_str().unwrap();
    let printed = linkmilter(&["config", "check", "--config", path]).assert().code(0);
    let printed = String::from_utf8(printed.get_output().stdout.clone()).unwrap();
    let count = "protected.txt: 2 protected hosts, and 2 in the configuration";
    assert!(printed.contains(count), "{printed}");
    linkmilter(&["check", "hárbour.org", "--config", path]).assert().code(1);
}

/// What `config check` says of a configuration in this folder: on standard output, and on standard error.
fn said_of(folder: &Path, text: &str) -> (String, String) {
    let file = folder.join("linkmilter.toml");
    std::fs::write(&file, text).unwrap();
    let output = linkmilter(&["config", "check", "--config", file.to_str().unwrap()]).output();
    let output = output.unwrap();
    (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn check_notes_what_cannot_be_meant_and_nothing_acts_on_a_terminal() {
    let dir = tempfile::tempdir().unwrap();
    let check = |text: &str| said_of(dir.path(), text);
    let (said, _) = check(
        "lists.allowed = [\"a.example\"]\nlists.blocked = [\"a.example\"]\n\
         dns.servers = [\"127.0.0.1:0\"]\ndigest.at = \"06:00\"\ndigest.to = [\"a@example.org\"]\n\
         digest.transport = \"sendmail\"\ndigest.sendmail = \"/nonexistent/sendmail\"\n\
         server.state_dir = \"state\"\npolicy.language = \"tlh\"\npolicy.undo_bytes = 8193\nrules.all.profile = \"strict\"\n\
         [rules.one]\nprofile = \"strict\"\nrecipients = [\"a@example.org\"]\n",
    );
    assert!(said.contains(": a[.]example is blocked in vain: "), "{said}");
    for note in [
        "dns.servers: expected",
        "digest.sendmail: expected",
        "server.state_dir: expected",
        "policy.language: expected",
        "policy.undo_bytes: expected at most 8 KiB: Sendmail refuses",
        "rules.all: it has no condition and applies to every message",
    ] {
        let noted = said.lines().any(|line| line.starts_with("note: ") && line.contains(note));
        assert!(noted, "{note} in\n{said}");
    }
    assert!(!said.contains("rules.one:"), "{said}");
    let notes = said.lines().skip_while(|line| !line.starts_with("note: "));
    assert!(notes.clone().filter(|line| !line.starts_with("note: ")).eq(["good"]), "{said}");
    // What has no effect, and what cannot work.
    let (said, _) = check(
        "policy.message_actions.ok = \"reject\"\n[rules.users]\nauthenticated = true\n\
         [rules.known]\nauthenticated = false\nmessage_actions.ok = \"quarantine\"\n",
    );
    for note in [
        "toml:1: policy.message_actions.ok: a message without a finding",
        "toml:3: rules.users.authenticated: mail of clients that authenticated is exempt",
        "toml:6: rules.known.message_actions.ok: a message without a finding",
    ] {
        assert!(said.contains(note), "{note}\n{said}");
    }
    assert_eq!(said.lines().filter(|line| line.starts_with("note: ")).count(), 3, "{said}");
    let path = dir.path().display();
    let (_, said) =
        check(&format!("server.listen = [\"unix:{path}\", \"unix:{path}/linkmilter.toml\"]\n"));
    assert!(said.contains(&format!("cannot listen at unix:{path}: it is a directory")), "{said}");
    assert!(said.contains(&format!("unix:{path}/linkmilter.toml: it is a file")), "{said}");
    let (_, said) = check("dns.trust_anchor = \"linkmilter.toml\"\n");
    assert!(said.contains("linkmilter.toml: expected DNSKEY records of the root: "), "{said}");
    let (said, _) = check("policy.language = \"de-AT\"\npolicy.undo_bytes = \"8KiB\"\n");
    assert!(!said.contains("policy."), "{said}");
    let (_, said) = check("\"\\u001b[31m\" = 1\n");
    assert!(said.contains("\\u{1b}") && !said.contains('\x1b'), "{said:?}");
    let (said, _) = check("[feeds.x]\nfile = \"a\\u001b[31m\"\n");
    assert!(said.contains("a\\u{1b}[31m: no such file") && !said.contains('\x1b'), "{said:?}");
}

/// What an administrator of other software writes, and what only shows when it is too late.
#[test]
fn check_names_conditions_secrets_and_certificates_that_will_not_do() {
    let dir = tempfile::tempdir().unwrap();
    let check = |text: &str| {
        let (notes, errors) = said_of(dir.path(), text);
        notes + &errors
    };
    for (name, mode) in [("open.key", 0o644), ("closed.key", 0o640)] {
        std::fs::write(dir.path().join(name), "k".repeat(32)).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(mode);
        std::fs::set_permissions(dir.path().join(name), mode).unwrap();
    }
    let said = check(
        "exempt.networks = [\"0.0.0.0/0\"]\npolicy.seal_key_file = \"open.key\"\n\
         policy.seal_old_key_files = [\"closed.key\"]\n\
         [rules.a]\nrecipients = [\"*@example.org\", \"example.net\"]\nnetworks = [\"::/0\"]\n",
    );
    for note in [
        "toml:1: exempt.networks: a network of prefix /0 is every client",
        "open.key: everybody may read this secret: its mode is 0644",
        "toml:5: rules.a.recipients: *@example.org is one address, of a user *: example.org stands for all at it",
        "toml:6: rules.a.networks: a network of prefix /0 is every client",
    ] {
        let noted = said.lines().any(|line| line.starts_with("note: ") && line.contains(note));
        assert!(noted, "{note}\n{said}");
    }
    assert_eq!(said.lines().filter(|line| line.starts_with("note: ")).count(), 4, "{said}");
    let said = check("tld.ca_file = \"open.key\"\n");
    assert!(said.contains("toml:1: tld.ca_file: ") && !said.contains("good"), "{said}");
    let said = check("[feeds.a]\nurl = \"https://lists.example/x\"\nca_file = \"none.pem\"\n");
    assert!(said.contains("toml:3: feeds.a.ca_file: ") && !said.contains("good"), "{said}");
    let said = check("[rule.board]\nprofile = \"strict\"\n");
    assert!(said.contains("rule.board; did you mean rules.board?"), "{said}");
    let said = check("metrics.token_file = \"a\\nb\"\n");
    assert!(said.contains("toml:1: metrics.token_file: expected a path"), "{said}");
    let long = format!("/tmp/{}", "x".repeat(103));
    let said = check(&format!("server.listen = [\"unix:{long}\"]\n"));
    assert!(said.contains("its path has 108 bytes, and that of a socket can have 107"), "{said}");
}
