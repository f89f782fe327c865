//! The configuration as an operator meets it: layers, errors, the example file.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

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
    let expected = config::example();
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
    let commented = load(dir.path(), &config::example()).unwrap();
    assert_eq!(commented.effective, builtin.effective);
    let taken: String = config::example()
        .lines()
        .filter(|line| !line.contains('…'))
        .map(|line| {
            let assignment = line.starts_with('#') && !line.starts_with("# ") && line.len() > 1;
            format!("{}\n", if assignment { &line[1..] } else { line })
        })
        // What belongs to a rule needs its table.
        .map(|line| if line.starts_with("priority =") { String::new() } else { line })
        .collect();
    let taken = load(dir.path(), &taken).unwrap();
    let values = |config: &Config| -> BTreeMap<String, String> {
        let pairs = config.effective.iter();
        pairs.map(|setting| (setting.key.clone(), setting.value.clone())).collect()
    };
    assert_eq!(values(&taken), values(&builtin));
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
        ]
    );
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
        ("server.workers", "\"3\"", "environment LINKMILTER_SERVER__WORKERS"),
        ("server.listen", "\"inet:2@127.0.0.1\"", "flag --listen"),
    ] {
        assert_eq!(origin(key), (value.to_owned(), from.to_owned()), "{key}");
    }
    assert_eq!(config.server.workers, 3);
    assert!(!config.lists.protected_builtin);
    assert_eq!(config.server.listen.len(), 1);
}
