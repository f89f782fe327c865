//! Text of the manual that is in no definition.

use crate::engine::outcome::Verdict;

pub const ABOUT: &[&str] = &[
    "linkmilter is a milter for Postfix and Sendmail. It finds every link and mail address of a \
     message, in every script, judges each host as a reader would see it, defangs the ones that \
     deceive, and leaves every other byte of the message unchanged.",
    "A message without edits is passed on unchanged, so its signatures stay valid. Edits can be \
     undone by `linkmilter restore`. A message that the filter fails on is delivered, one that used up \
     a limit of time, steps, memory or parts is held; header, log and counters say why. \
     `policy.on_error`, `policy.on_exhausted` and similar keys change that.",
    "Without a configuration `linkmilter serve` listens at inet:8895@127.0.0.1 with the built-in \
     settings. Sockets from systemd are used in addition to those that are configured.",
    "No link of a message is fetched, and no part of a message is sent anywhere. The DNS is \
     queried for unknown top-level domains only.",
];

pub const FIELDS: &[(&str, &str)] = &[
    (
        "`X-Linkmilter`",
        "One per message: version, host, worst verdict, numbers of links and of edits, reason \
         codes, `incomplete=` with what was not read, `opaque=` with the number of parts \
         that are encrypted, or of a kind that is not read, as office files, `broken=` with the \
         kinds of signatures that the edits break until they are undone: dkim, arc, smime, \
         pgp-mime, pgp-inline, multipart.",
    ),
    ("`X-Linkmilter-Link`", "At most ten: hosts of suspect and worse links, defanged."),
    ("`X-Linkmilter-Undo`", "What `linkmilter restore` needs to undo the edits."),
];

pub const LAYERS: &[&str] = &[
    "Layers, later ones win: built-in settings; the file given by `--config`, else \
     /etc/linkmilter/linkmilter.toml if it exists; conf.d/*.toml in the same directory, sorted by \
     name; the environment (`LINKMILTER_DNS__MODE` is `dns.mode`); command-line options. Tables \
     are merged key by key, other values are replaced.",
    "`linkmilter config check` prints what was read and reports everything that is wrong, \
     `linkmilter config print` shows every setting in force and its origin. A reload (SIGHUP) \
     reads everything again; with an error the old settings stay in force. Messages in progress \
     keep the settings that they started with.",
    "The format is TOML. Units of time: ms s m h d. Units of size: B kB KiB MB MiB GB GiB, or a \
     number of bytes. After each key the built-in value is shown.",
];

pub const JUDGING: &[&str] = &[
    "A host has the verdict of its worst label, a link that of its worst host, a message that of \
     its worst link. Every reason has a verdict, which the context can make milder.",
    "By default `unsafe` and `invalid` are edited and everything else is reported. \
     `policy.profile` changes that; `policy.actions` and `policy.message_actions` set the action \
     for a verdict or for a reason code, and a reason takes precedence over a verdict. In \
     linkmilter.toml(5): actions = { userinfo = \"leave\", suspect = \"defang\" }.",
    "The codes appear in `X-Linkmilter`, in the log, in `linkmilter check` and in all JSON.",
];

pub const INCOMPLETE: &[(&str, &str)] = &[
    (
        "`limit:NAME`",
        "A limit of linkmilter.toml(5) was reached: the affected part is not read further. What \
         was found before is edited anyway.",
    ),
    ("`undecodable:CAUSE`", "A part could not be decoded; it was passed on unchanged."),
    ("`panic`", "The engine failed; the message was passed on unchanged. Please report it."),
    (
        "`opaque=N`",
        "Parts that are encrypted, or of a kind that is not read, as office files: a multipart and \
         each part in it count.",
    ),
];

pub const fn verdict_words(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Ok => "Nothing to report.",
        Verdict::Notice => "Unusual, and reported; a reader is not deceived.",
        Verdict::Suspect => "May deceive a reader. Reported; edited by the profile strict.",
        Verdict::Unsafe => "Deceives a reader. Edited by the profiles enforce and strict.",
        Verdict::Invalid => {
            "No client should follow it. Edited like unsafe where some client opens it all the same."
        }
    }
}

/// Command lines that work as shown. A test makes the program parse each of them.
pub const EXAMPLES: &[(&str, &str, &str)] = &[
    (
        "linkmilter",
        "linkmilter serve --listen inet:8895@127.0.0.1",
        "Filter mail for an MTA on this port.",
    ),
    ("linkmilter", "linkmilter config check", "Print what a daemon would read, and what is wrong."),
    ("linkmilter", "linkmilter why 4XyzAB", "Tell what was done to a message, by its queue id."),
    (
        "linkmilter",
        "linkmilter find example[.]com --since 7d",
        "Find out who got a link to a host.",
    ),
    (
        "linkmilter-serve",
        "linkmilter serve --config /etc/linkmilter/linkmilter.toml",
        "Filter with this configuration.",
    ),
    ("linkmilter-rewrite", "linkmilter rewrite message.eml", "Write the filtered message."),
    (
        "linkmilter-rewrite",
        "linkmilter rewrite --defang-all --no-header message.eml",
        "Defang every link, to share the message.",
    ),
    (
        "linkmilter-restore",
        "linkmilter restore filtered.eml",
        "Write the original, if its hash matches.",
    ),
    (
        "linkmilter-recall",
        "linkmilter recall bad.example.com --maildir ~/Maildir --since 7d --dry-run",
        "Print in how many messages links to a host would be defanged.",
    ),
    (
        "linkmilter-recall",
        "linkmilter recall bad.example.com --maildir ~/Maildir --give-back",
        "Undo it.",
    ),
    (
        "linkmilter-recall",
        "linkmilter recall bad.example.com --imap imaps://ann@mail.example.org --password-file \
         secret",
        "Defang links to a host in all folders of an account.",
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
        "Tables of the findings in archives.",
    ),
    (
        "linkmilter-scan",
        "linkmilter scan --resume scan.journal --out findings.jsonl archive.mbox",
        "A scan that can be resumed.",
    ),
    ("linkmilter-tld", "linkmilter tld", "The version of the table, and its origin."),
    (
        "linkmilter-tld-check",
        "linkmilter tld check com example.museum",
        "Check whether names are top-level domains.",
    ),
    ("linkmilter-tld-update", "linkmilter tld update", "Fetch a newer table."),
    ("linkmilter-config", "linkmilter config print", "Every setting with its origin."),
    (
        "linkmilter-config-migrate",
        "linkmilter config migrate --dry-run",
        "Print which keys have another name now.",
    ),
    ("linkmilter-health", "linkmilter health", "Check the filter of this configuration."),
    (
        "linkmilter-health",
        "linkmilter health --address unix:/run/linkmilter.sock",
        "Check this socket, whatever is configured.",
    ),
    ("linkmilter-config-check", "linkmilter config check --quiet", "Print only what is wrong."),
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
        "By a host, as it is written in a report.",
    ),
    (
        "linkmilter-find",
        "linkmilter find --recipient-domain example.org --since 24h --json",
        "Messages to a domain, as JSON.",
    ),
    ("linkmilter-allow", "linkmilter allow list", "The hosts that are never edited."),
    (
        "linkmilter-allow-add",
        "linkmilter allow add example.com",
        "Never edit a host and the hosts below it.",
    ),
    ("linkmilter-allow-remove", "linkmilter allow remove example.com", "Judge it again."),
    ("linkmilter-block", "linkmilter block list", "The hosts that you call unsafe."),
    (
        "linkmilter-block-add",
        "linkmilter block add example[.]com hxxp://example[.]net/x",
        "Defang links to these hosts.",
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
    (
        "/etc/linkmilter/conf.d/*.toml",
        "More configuration files, read after it in the order of their names.",
    ),
    (
        "/etc/linkmilter/allow.txt, blocked.txt, protected.txt",
        "Lists of hosts: one per line, with all hosts below it.",
    ),
    (
        "/var/lib/linkmilter",
        "State files (`server.state_dir`): the event journal, large undo recipes, the table of \
         top-level domains, the last good configuration, linkmilter.pid, reload.json with the \
         result of the last reload.",
    ),
    (
        "/run/linkmilter.sock, /var/spool/postfix/linkmilter.sock",
        "Sockets of linkmilter.socket; the second is for a chrooted smtpd.",
    ),
];

pub const ENVIRONMENT: &[(&str, &str)] = &[
    (
        "`LINKMILTER_SECTION__KEY`",
        "A setting: LINKMILTER_DNS__MODE=never is dns.mode. Lists are separated by commas. A name \
         that is not a setting is an error.",
    ),
    ("`NO_COLOR`", "No colors in `linkmilter explain`."),
    (
        "`LISTEN_FDS`, `NOTIFY_SOCKET`, `WATCHDOG_USEC`",
        "As systemd sets them for `linkmilter serve`; see sd_listen_fds(3) and sd_notify(3).",
    ),
    (
        "`MALLOC_MMAP_THRESHOLD_`",
        "From which size on glibc gives memory back when it is freed. Where neither it nor \
         `glibc.malloc.mmap_threshold` in GLIBC_TUNABLES is set, `linkmilter serve` sets it to 1 MiB \
         and begins once more in the same process.",
    ),
];

/// What the exit code 1 says, by the commands that have it.
pub const NEGATIVE: &[(&str, &str)] = &[
    ("check", "something is suspect or worse"),
    ("scan", "there are findings, or a message used up a limit"),
    ("restore", "the hash is another"),
    ("recall", "the journal knows of no such link (asked without `--maildir` and `--imap`)"),
    ("config check", "there are errors"),
    ("config migrate", "a name of an earlier version is left"),
    ("tld check", "a name does not exist"),
    ("why", "there is no such message"),
    ("find", "there is no such message"),
    ("allow remove", "there is no such line"),
    ("block add", "a host is allowed, which wins"),
    ("block remove", "there is no such line"),
    ("health", "no filter accepts mail"),
];

/// What the exit code 2 says.
pub const FAILED: &str = "An error; standard error says what was expected and found.";

/// The same of `recall`, which goes on with the other messages.
pub const FAILED_IN_PART: &str = "An error, or a message, a folder or an account could not be processed; standard error says which and why.";

/// What the exit code 3 says, of `serve`.
pub const TRY_LATER: &str = "`--inherited` found no sockets, or a daemon works with the state directory; another \
                             start may find them, or it gone.";

pub const SIGNALS: &[(&str, &str)] = &[
    (
        "`SIGHUP`",
        "Reads configuration, lists and keys again. With an error the old ones stay in force; log, \
         metrics and reload.json say so.",
    ),
    (
        "`SIGTERM`, `SIGINT`",
        "Finishes the messages in progress, for at most `server.drain`, and ends.",
    ),
    ("`SIGQUIT`, `SIGABRT`", "End it at once; the MTA defers the messages in progress."),
    (
        "`SIGUSR1`, `SIGUSR2` and others",
        "Ignored: each is logged once. The log is a stream (standard error, the journal); no \
         signal is needed after a rotation.",
    ),
];
