//! Text of the manual that is in no definition.

use crate::engine::outcome::Verdict;

pub const ABOUT: &[&str] = &[
    "linkmilter is a milter for Postfix and Sendmail. It finds every link and mail address of a \
     message, in every script, judges each host as a reader would see it, takes apart the ones \
     that deceive, and leaves every other byte of the message as it was.",
    "A message in which nothing is edited goes on byte for byte, so its signatures hold. What was \
     edited can be taken back by `linkmilter restore`. When anything fails, the mail goes on, and \
     header, log and counters say why; `policy.on_error` and its neighbours choose otherwise.",
    "Without a configuration `linkmilter serve` runs on built-in settings at \
     inet:8895@127.0.0.1. Sockets that systemd hands over come on top of those that are \
     configured.",
    "Nothing of a message is fetched or sent anywhere. The DNS is asked for unknown top-level \
     domains alone.",
];

pub const FIELDS: &[(&str, &str)] = &[
    (
        "`X-Linkmilter`",
        "One a message: version, host, worst verdict, numbers of links and of edits, reason codes, \
         `incomplete=` with what was not read, `opaque=` with the number of encrypted parts.",
    ),
    ("`X-Linkmilter-Link`", "At most ten: hosts of suspect and worse links, taken apart."),
    ("`X-Linkmilter-Undo`", "What `linkmilter restore` needs to take the edits back."),
];

pub const LAYERS: &[&str] = &[
    "Layers, later ones win: built-in settings; the file named by `--config`, else \
     /etc/linkmilter/linkmilter.toml if it is there; conf.d/*.toml beside that file, in the order \
     of their names; the environment (`LINKMILTER_DNS__MODE` is `dns.mode`); options of the \
     command line. Tables merge key by key, anything else is replaced.",
    "`linkmilter config check` says what was read and names everything that is wrong, \
     `linkmilter config print` shows every setting that holds and where it comes from. A reload \
     (SIGHUP) reads everything anew; with an error the old settings stay in force. Messages on \
     their way keep the settings they began with.",
    "The form is TOML. Units of time: ms s m h d. Units of size: B kB KiB MB MiB GB GiB, or a number \
     of bytes. Behind each key stands the built-in value.",
];

pub const JUDGING: &[&str] = &[
    "A host takes its worst label, a link the worst of its hosts, a message the worst of its \
     links. Every reason has a verdict, which the context can soften.",
    "By default `unsafe` and `invalid` are edited and everything else is reported. \
     `policy.profile` moves that line; `policy.actions` and `policy.message_actions` set it for a \
     verdict or for a reason code, and a reason beats a verdict. In linkmilter.toml(5): \
     actions = { userinfo = \"leave\", suspect = \"defang\" }.",
    "The codes stand in `X-Linkmilter`, in the log, in `linkmilter check` and in all JSON.",
];

pub const INCOMPLETE: &[(&str, &str)] = &[
    (
        "`limit:NAME`",
        "A bound of linkmilter.toml(5) was reached: what it bounds is not read further. What was \
         found before is edited all the same.",
    ),
    ("`undecodable:CAUSE`", "A part could not be decoded; it went on as it came."),
    ("`panic`", "The engine failed; the message went on as it came. Please report it."),
    ("`opaque=N`", "Parts that nobody can look into: encrypted, PKCS#7, archives."),
];

pub const fn verdict_words(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Ok => "Nothing to say.",
        Verdict::Notice => "Unusual, and told; a reader is not deceived.",
        Verdict::Suspect => "May deceive a reader. Told; edited by the profile strict.",
        Verdict::Unsafe => "Deceives a reader. Edited by the profiles enforce and strict.",
        Verdict::Invalid => "No client should follow it. Edited as unsafe is.",
    }
}

/// Command lines that work as shown. A test makes the program parse each of them.
pub const EXAMPLES: &[(&str, &str, &str)] = &[
    (
        "linkmilter",
        "linkmilter serve --listen inet:8895@127.0.0.1",
        "Filter mail for an MTA at this port.",
    ),
    ("linkmilter", "linkmilter config check", "Say what a daemon would read, and what is wrong."),
    ("linkmilter", "linkmilter why 4XyzAB", "Say what was done to a message, by its queue id."),
    ("linkmilter", "linkmilter find example[.]com --since 7d", "Say who got a link to a host."),
    (
        "linkmilter-serve",
        "linkmilter serve --config /etc/linkmilter/linkmilter.toml",
        "Filter by this configuration.",
    ),
    ("linkmilter-rewrite", "linkmilter rewrite message.eml", "Write the filtered message."),
    (
        "linkmilter-rewrite",
        "linkmilter rewrite --defang-all --no-header message.eml",
        "Take every link apart, to share the message.",
    ),
    (
        "linkmilter-restore",
        "linkmilter restore filtered.eml",
        "Write the original, if its hash agrees.",
    ),
    (
        "linkmilter-recall",
        "linkmilter recall bad.example.com --maildir ~/Maildir --since 7d --dry-run",
        "Say in how many messages links to a host would be taken apart.",
    ),
    (
        "linkmilter-recall",
        "linkmilter recall bad.example.com --maildir ~/Maildir --give-back",
        "Undo it.",
    ),
    (
        "linkmilter-recall",
        "linkmilter recall bad.example.com --imap imaps://ann@mail.example.org --password-file secret",
        "Take links to a host apart in all folders of an account.",
    ),
    ("linkmilter-check", "linkmilter check xn--80ak6aa92e.com", "Judge a host in words."),
    (
        "linkmilter-check",
        "linkmilter check --json https://www.example.com@192.0.2.1/",
        "Judge a URL as JSON.",
    ),
    (
        "linkmilter-links",
        "linkmilter links --mark notes.txt",
        "Print a text with its links marked.",
    ),
    (
        "linkmilter-format",
        "linkmilter format https://example.com/%C3%A4",
        "Write a URL minimally escaped.",
    ),
    ("linkmilter-linkify", "linkmilter linkify notes.txt", "Turn text into HTML with anchors."),
    (
        "linkmilter-scan",
        "linkmilter scan --format summary Maildir archive.mbox.zst",
        "Tables of what is in archives.",
    ),
    (
        "linkmilter-scan",
        "linkmilter scan --resume scan.journal --out findings.jsonl archive.mbox",
        "A scan that can be taken up again.",
    ),
    ("linkmilter-tld", "linkmilter tld", "The version of the table, and where it is from."),
    (
        "linkmilter-tld-check",
        "linkmilter tld check com example.museum",
        "Say whether names are top-level domains.",
    ),
    ("linkmilter-tld-update", "linkmilter tld update", "Fetch a newer table."),
    ("linkmilter-config", "linkmilter config print", "Every setting with its origin."),
    (
        "linkmilter-config-migrate",
        "linkmilter config migrate --dry-run",
        "Say which keys have another name now.",
    ),
    ("linkmilter-health", "linkmilter health", "Ask the filter of this configuration."),
    (
        "linkmilter-health",
        "linkmilter health --address unix:/run/linkmilter.sock",
        "Ask behind a socket, whatever is configured.",
    ),
    (
        "linkmilter-config-check",
        "linkmilter config check --quiet",
        "Say nothing but what is wrong.",
    ),
    (
        "linkmilter-explain",
        "linkmilter explain --as ann@example.org,bob@example.com message.eml",
        "Parts, links, verdicts and edits, by the rule for this envelope.",
    ),
    ("linkmilter-why", "linkmilter why 4XyzAB", "By the MTA's queue id."),
    (
        "linkmilter-why",
        "linkmilter why <17@mail.example.org>",
        "By the Message-ID (quote it for the shell).",
    ),
    (
        "linkmilter-find",
        "linkmilter find hxxps://example[.]com/login",
        "By a host, as it stands in a report.",
    ),
    (
        "linkmilter-find",
        "linkmilter find --recipient-domain example.org --since 24h --json",
        "What went to a domain, as JSON.",
    ),
    ("linkmilter-allow", "linkmilter allow list", "What is never edited."),
    (
        "linkmilter-allow-add",
        "linkmilter allow add example.com",
        "Never edit a host and all below it.",
    ),
    ("linkmilter-allow-remove", "linkmilter allow remove example.com", "Judge it again."),
    ("linkmilter-block", "linkmilter block list", "What is unsafe because you say so."),
    (
        "linkmilter-block-add",
        "linkmilter block add example[.]com hxxp://example[.]net/x",
        "Take links to these hosts apart.",
    ),
    ("linkmilter-digest", "linkmilter digest --since 7d", "What was done in a week."),
    (
        "linkmilter-generate-man",
        "linkmilter generate man linkmilter.toml",
        "This manual's page of the settings.",
    ),
];

pub const FILES: &[(&str, &str)] = &[
    ("/etc/linkmilter/linkmilter.toml", "The configuration; see linkmilter.toml(5)."),
    ("/etc/linkmilter/conf.d/*.toml", "Pieces of it, read after it by name."),
    (
        "/etc/linkmilter/allow.txt, blocked.txt, protected.txt",
        "Lists of hosts: one a line, with all below it.",
    ),
    (
        "/var/lib/linkmilter",
        "What is kept (`server.state_dir`): the event journal, big undo recipes, the table of \
         top-level domains, the last good configuration, linkmilter.pid, reload.json with what \
         became of the last reload.",
    ),
    (
        "/run/linkmilter.sock, /var/spool/postfix/linkmilter.sock",
        "Sockets of linkmilter.socket; the second is what a chrooted smtpd sees.",
    ),
];

pub const ENVIRONMENT: &[(&str, &str)] = &[
    (
        "`LINKMILTER_SECTION__KEY`",
        "A setting: LINKMILTER_DNS__MODE=never is dns.mode. Lists with commas. A name that is no \
         setting is an error.",
    ),
    ("`NO_COLOR`", "No colours in `linkmilter explain`."),
    (
        "`LISTEN_FDS`, `NOTIFY_SOCKET`, `WATCHDOG_USEC`",
        "As systemd sets them for `linkmilter serve`; see sd_listen_fds(3) and sd_notify(3).",
    ),
];

pub const EXIT_STATUS: &[(&str, &str)] = &[
    ("`0`", "Done. `rewrite`, `links`, `format` and `linkify` know 0 and 2 alone."),
    (
        "`1`",
        "The answer is no: `check` found something suspect or worse, `scan` has findings, \
         `restore` found another hash, `config check` found errors, `config migrate` left a name, \
         `tld check` a name that is not there, `why` and `find` no message, `allow remove` and \
         `block remove` no such line, `health` no filter.",
    ),
    ("`2`", "It could not be done; standard error says what was expected and found."),
    ("`3`", "`serve --inherited` found no sockets; another start may find them."),
];

pub const SIGNALS: &[(&str, &str)] = &[
    (
        "`SIGHUP`",
        "Reads configuration, lists and keys anew. With an error the old ones stay in force; log, \
         metrics and reload.json say so.",
    ),
    (
        "`SIGTERM`, `SIGINT`",
        "Finishes the messages that have begun, for `server.drain` at most, and ends.",
    ),
    ("`SIGQUIT`, `SIGABRT`", "End it at once; the MTA puts off the messages that have begun."),
    (
        "`SIGUSR1`, `SIGUSR2` and others",
        "Mean nothing: each is said once in the log and ignored. The log is a stream (standard \
         error, the journal); after a rotation there is nothing to be told.",
    ),
];
