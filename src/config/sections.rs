//! Every section and key: what it does, its unit, its default and why.

use std::path::PathBuf;
use std::time::Duration;

use crate::engine::outcome::Disposition;
use crate::engine::policy::{
    Actions, HtmlAttachments, LinkAction, Linkify, MessageAction, Notice, OnAmbiguous, QrCodes,
    RestrictionLevel, Signed,
};
use crate::milter::Endpoint;
use crate::policy::{DefangFrom, Direction, Network, Pattern, Profile, Trust};

use super::schema::settings;
use super::setting::Size;
use super::types::{
    DnsMode, DnsServer, Domain, FileMode, Final, HostName, HttpsUrl, LogFormat, LogLevel,
    LogTarget, ProtectedName, Schedule, SmtpTls, StatusCode, Transport, UndoLost, When,
};

settings! {
    /// The daemon: where it listens, and its limits.
    pub struct Server {
        /// Where the MTA connects: `inet:PORT@HOST` or `unix:/PATH`; may be several. Sockets
        /// inherited from systemd are used in addition. Default: loopback, so that nothing is
        /// offered to the network unless you ask for it.
        listen: Vec<Endpoint> = "[\"inet:8895@127.0.0.1\"]", Restart;
        /// Permission bits of unix sockets, in octal. Default: owner and group, because smtpd runs
        /// as another user than this daemon.
        socket_mode: FileMode = "\"0660\"", Restart;
        /// Group of unix sockets, by name; empty keeps the daemon's own.
        socket_group: Option<String> = "\"\"", Restart;
        /// Name of this host in our header fields and in the digest. Empty: the daemon asks the
        /// system; commands that write a message (`rewrite`, `scan --diff`) name no host, and say
        /// `localhost` or `-`.
        host_name: Option<Domain> = "\"\"", Reload;
        /// Directory for state files: TLD table, journal, large undo recipes, pid file. Relative
        /// paths of such files begin here.
        state_dir: PathBuf = "\"/var/lib/linkmilter\"", Restart;
        /// Limit of simultaneous connections. At the limit the longest idle one is closed for a new
        /// one; if none is idle, new ones wait in the listen queue. Default: ten times what
        /// Postfix's default process limit opens.
        max_connections: usize = "1000", Restart, 1..=100000;
        /// Worker threads; 0 is one per processor.
        workers: usize = "0", Restart, 0..=1024;
        /// Size limit of a message that is read, in bytes; a larger one is passed on unread and
        /// counted. Default: thirteen times Postfix's own default limit, so the MTA decides.
        max_message: Size = "\"128MiB\"", Reload, 65536..=4294967296;
        /// Limit of the message bodies in memory at the same time, in bytes, over all connections.
        /// Half as much again is used for what is made of them while they are read. Above it
        /// messages get a temporary failure (451) or wait: load passes, and nobody gets mail
        /// through unread by filling the memory. The program itself needs some 160 MiB in addition
        /// under full load. Default: fits a small virtual machine.
        max_memory: Size = "\"512MiB\"", Reload, 1048576..=1099511627776;
        /// Idle timeout of a connection, between messages. Default: above the 300 s that Postfix gives
        /// its client for a command. While a client sends the content, which the MTA passes on when
        /// it has all of it, a connection stays open for two hours.
        idle_timeout: Duration = "\"10m\"", Reload, 1000..=86400000;
        /// Timeout for sending a reply, after which the connection is closed.
        write_timeout: Duration = "\"30s\"", Reload, 1000..=3600000;
        /// Time limit of the engine and the DNS for one message; after it `policy.on_exhausted`
        /// applies. Default: below Postfix's milter_content_timeout of 300 s.
        message_timeout: Duration = "\"60s\"", Reload, 100..=280000;
        /// Time to finish the messages in progress when the daemon is told to stop. Default: below
        /// systemd's 90 s.
        drain: Duration = "\"30s\"", Reload, 0..=600000;
    }
}

settings! {
    /// Log lines: one per message, structured. Never bodies, paths, queries or local parts.
    pub struct Log {
        /// `journald`, `stderr`, or `auto`: the journal if the daemon runs under systemd.
        target: LogTarget = "\"auto\"", Restart;
        /// Format of the lines on stderr: `text` or `json`.
        format: LogFormat = "\"text\"", Restart;
        /// `error`, `warn`, `info`, `debug` or `trace`. Default: one line per message.
        level: LogLevel = "\"info\"", Reload;
    }
}

settings! {
    /// Prometheus metrics and `/healthz`.
    pub struct Metrics {
        /// `inet:PORT@HOST` on loopback, or `unix:/PATH`; empty is off. Default: off, so that
        /// nothing listens unless you ask for it.
        listen: Option<Endpoint> = "\"\"", Restart;
        /// Whether the address may be other than loopback. Statistics of your mail then go over the
        /// network unencrypted: use an internal network, and set a token.
        beyond_loopback: bool = "false", Restart;
        /// File whose first line clients must send as `Authorization: Bearer …`; empty requires no
        /// token.
        token_file: Option<PathBuf> = "\"\"", Restart;
    }
}

settings! {
    /// DNS queries: whether a top-level domain exists.
    pub struct Dns {
        /// `unknown-only` queries names that the table lacks, `always` every name, `never` relies
        /// on the table. A name that the table has exists, whatever the DNS says: with `always`
        /// `/healthz` says where the DNS denies one. Default: ordinary mail causes no query.
        mode: DnsMode = "\"unknown-only\"", Reload;
        /// DNS servers, `ADDRESS` or `ADDRESS:PORT`; empty uses /etc/resolv.conf.
        servers: Vec<DnsServer> = "[]", Reload;
        /// Time limit for all queries of one message together; a name without an answer counts as
        /// unverified. Default: people do not notice it, and it is enough for a resolver that must
        /// query other servers.
        deadline: Duration = "\"2s\"", Reload, 10..=30000;
        /// Whether answers are validated with DNSSEC here. Default: that is left to the resolver.
        dnssec: bool = "false", Reload;
        /// DNSKEY records of the root, one per line as in a zone file, that `dnssec` trusts instead
        /// of the built-in ones. Needed if the root's key changes before this program is updated.
        trust_anchor: Option<PathBuf> = "\"\"", Reload;
        /// Names in the cache. Default: about 1 MB; the root has 1,440 names.
        cache_entries: usize = "10000", Reload, 0..=1000000;
        /// Minimum time to keep "exists", whatever its TTL.
        positive_min: Duration = "\"15m\"", Reload, 0..=604800000;
        /// Maximum time to keep "exists".
        positive_max: Duration = "\"24h\"", Reload, 1000..=604800000;
        /// Minimum time to keep "does not exist": a typing error in a newsletter comes often.
        negative_min: Duration = "\"15m\"", Reload, 0..=604800000;
        /// Maximum time to keep "does not exist": a new TLD is seen within a day.
        negative_max: Duration = "\"24h\"", Reload, 1000..=604800000;
        /// Time without another query for a name after a timeout or a failure, so that a dead
        /// server costs its deadline once and not for every message.
        failure: Duration = "\"30s\"", Reload, 0..=3600000;
    }
}

settings! {
    /// The table of top-level domains.
    pub struct Tld {
        /// The URL of the table. IANA's own by default.
        url: HttpsUrl = "\"https://data.iana.org/TLD/tlds-alpha-by-domain.txt\"", Reload;
        /// Time between two refreshes; 0 never refreshes. Default: daily, as UASG 001 recommends.
        refresh: Duration = "\"24h\"", Reload, 0..=2678400000;
        /// Timeout of a refresh.
        timeout: Duration = "\"30s\"", Reload, 100..=600000;
        /// Age of the last successful check at which a warning is logged, daily.
        warn_age: Duration = "\"7d\"", Reload, 3600000..=31536000000;
        /// Certificates (PEM) to trust instead of the built-in roots, for a mirror of your own;
        /// empty trusts Mozilla's roots.
        ca_file: Option<PathBuf> = "\"\"", Reload;
    }
}

settings! {
    /// What is done to mail. A rule can override it for some mail.
    pub struct PolicySection {
        /// `exempt` and `report-only` change nothing, `enforce` edits unsafe links, `strict`
        /// suspect ones as well, but for bare words that no reader takes for another name. To be
        /// careful, start with `report-only`.
        profile: Profile = "\"enforce\"", Reload;
        /// UTS #39 restriction level that a host must reach: `ascii-only`, `single-script`,
        /// `highly-restrictive`, `moderately-restrictive`, `minimally-restrictive`, `unrestricted`.
        /// Default: what browsers use.
        level: RestrictionLevel = "\"highly-restrictive\"", Reload;
        /// Action on a link, by verdict (`suspect`, `unsafe`, …) or reason code (`userinfo`, …):
        /// `leave`, `percent-encode`, `punycode`, `unlink`, `defang`. A reason takes precedence
        /// over a verdict. `unlink` leaves the letters of a link and makes it none, in text as well;
        /// `defang` shows its host in Punycode besides. A link that is unsafe or invalid and that
        /// `percent-encode` or `punycode` cannot mend is defanged. Default: as the profile says,
        /// `defang` for what it edits.
        actions: Actions<LinkAction> = "{}", Reload;
        /// Action on the message, by verdict or reason code: `header`, `subject-tag`, `quarantine`,
        /// `reject`, `tempfail`, `discard`. The strictest applies; an action that loses the message
        /// needs the settings of all recipients to agree. Default: `header`, so that no mail is
        /// lost.
        message_actions: Actions<MessageAction> = "{}", Reload;
        /// Text in front of the Subject, for `subject-tag`.
        subject_tag: String = "\"[deceptive link]\"", Reload;
        /// Enhanced status code of a rejection (RFC 3463); 5.7.1 is "delivery not authorized".
        reject_code: StatusCode = "\"5.7.1\"", Reload;
        /// Text of a rejection because of links, in ASCII. A message that is refused because it was
        /// not read is told that, with the limit (`limit:steps`).
        reject_text: String = "\"Message refused: it holds a deceptive link\"", Reload;
        /// Signed parts: `edit-unsafe` edits what is unsafe, reversibly; `report` edits nothing.
        /// Default: otherwise one meaningless signature would switch the filter off.
        signed: Signed = "\"edit-unsafe\"", Reload;
        /// `html` turns plain links in HTML text into anchors. Default `off`: middleware should not
        /// create links (UASG 001).
        linkify: Linkify = "\"off\"", Reload;
        /// `inline` puts a short explanation beside a defanged link, in Arabic, Chinese, English,
        /// French, German, Japanese, Russian or Spanish. Default: this filter adds no words to a
        /// body.
        notice: Notice = "\"off\"", Reload;
        /// Language of that explanation, a BCP 47 primary tag (`de`); empty follows the message: its
        /// Content-Language or Accept-Language, then the script of its text, then English.
        language: Option<String> = "\"\"", Reload;
        /// File with your own words for that explanation and for banners, in TOML: a table for each
        /// language (`[nl]`) with `notice`, `notice_ascii` (for parts that allow ASCII only),
        /// `links`, `external` and `first_contact`. For missing words the built-in ones are used.
        words_file: Option<PathBuf> = "\"\"", Reload;
        /// Attached HTML files: `report` or `edit`. Default: one header line, which the sender
        /// writes, makes a part an attachment, and some mail programs show it anyway. Attached SVG
        /// files are reported only.
        html_attachments: HtmlAttachments = "\"edit\"", Reload;
        /// QR codes in pictures (PNG, JPEG, GIF): `off` or `report`, which judges and reports the
        /// links in them and edits nothing. Default: decoding pictures takes more time than
        /// everything else together.
        qr_codes: QrCodes = "\"off\"", Reload;
        /// Size limit of an undo recipe in a header field, in bytes; a larger one goes to the state
        /// directory. Default: leaves space below Sendmail's limit of 32 KiB for all headers, over
        /// which it refuses a message; with more than 8 KiB that may happen to mail with long
        /// headers. Postfix has no such limit.
        undo_bytes: Size = "6000", Reload, 0..=16384;
        /// What happens if an undo recipe cannot be stored, for example on a full disk: `edit`
        /// edits anyway, and the header says `undo=lost`; `report-signed` leaves signed mail
        /// unchanged. Default: a deceptive link does more harm than an edit that cannot be undone.
        undo_lost: UndoLost = "\"edit\"", Reload;
        /// File with a secret of at least 32 bytes that seals our header fields, so that sealed
        /// ones survive a second filter; empty removes all such fields from incoming mail.
        seal_key_file: Option<PathBuf> = "\"\"", Reload;
        /// Files with former keys of `seal_key_file`: their seals still count as ours, so that the
        /// key can be changed. Hosts with the same key can undo each other's edits.
        seal_old_key_files: Vec<PathBuf> = "[]", Reload;
        /// What happens to the message when the filter fails: `accept`, `quarantine`, `tempfail`,
        /// `reject`, `discard`. Default: in doubt the mail is delivered.
        on_error: Disposition = "\"accept\"", Reload;
        /// What happens to a message that is too large to be read (`limit:max_message`), or too
        /// large for a notice at every link (`limit:extras`).
        on_limit: Final = "\"accept\"", Reload;
        /// What happens to a message that used up its time, its steps, its memory, or another of
        /// the `limits` (`limit:message_timeout`, `limit:steps`, `limit:links`, `limit:parts`,
        /// `limit:depth`, …): the rest of it was not read, and honest mail does not come near these
        /// limits. A message that ran out of time first gets a temporary failure (451) three times,
        /// because load passes.
        on_exhausted: Final = "\"quarantine\"", Reload;
        /// What happens to a message with a part that is not read: encrypted, PKCS#7, a program, an
        /// archive or an office file in which something is not read. Such parts are common.
        on_opaque: Final = "\"accept\"", Reload;
        /// What happens to a message with a link whose labels or delimiters different programs read
        /// in different ways: `accept`, `defuse` (every link in it is defanged) or `quarantine`.
        /// Default: what was found in any reading is edited anyway, and the message is suspect.
        on_ambiguous: OnAmbiguous = "\"accept\"", Reload;
    }
}

settings! {
    /// Lists of names. Files have one name per line, `#` begins a comment. They are read again at a
    /// reload. Relative paths begin at the directory of the configuration file. An address of IPv6
    /// stands in brackets: `[2001:db8::1]`.
    pub struct Lists {
        /// Hosts that are never edited, with all hosts below them; `linkmilter allow add` extends
        /// it.
        allowed_file: PathBuf = "\"allow.txt\"", Reload;
        /// More such hosts.
        allowed: Vec<HostName> = "[]", Reload;
        /// Names to protect against look-alikes, in addition to the built-in ones.
        protected_file: PathBuf = "\"protected.txt\"", Reload;
        /// More such names. `=name`, in the file as well, protects the name as a whole and not its
        /// label.
        protected: Vec<ProtectedName> = "[]", Reload;
        /// Whether the built-in list of frequently impersonated names is used. The built-in
        /// knowledge of which domains belong to one owner, which domains give addresses to
        /// anybody, and what reads as the domain of such an owner, is always used.
        protected_builtin: bool = "true", Reload;
        /// Whether the recipients' own domains are protected.
        protect_recipients: bool = "true", Reload;
        /// Hosts that you call unsafe, with all hosts below them.
        blocked_file: PathBuf = "\"blocked.txt\"", Reload;
        /// More such hosts.
        blocked: Vec<HostName> = "[]", Reload;
    }
}

settings! {
    /// Outbound mail gets its original content back: the signature of a message that this filter
    /// edited, and that is forwarded, redirected or resent unchanged, is valid again at its next
    /// host.
    pub struct Outbound {
        /// Local domains, with all domains below them. Without any, no mail counts as outbound and
        /// nothing is restored. With them our recipes are sealed, by `policy.seal_key_file` or a
        /// key of this host's own in the state directory.
        local_domains: Vec<Domain> = "[]", Reload;
        /// Clients that send outbound mail without authentication: mailbox servers, list servers.
        /// Authenticated clients, `exempt.networks` and mail created on this host are included
        /// anyway. Default: this host, where a mailbox server gives redirected mail to its own MTA.
        networks: Vec<Network> = "[\"127.0.0.0/8\", \"::1\"]", Reload;
        /// Whether originals are restored. If all recipients of a message are outside, its body and
        /// header fields are restored from our own sealed recipe if it fits; otherwise the message
        /// stays unchanged, and header and log say why.
        restore: bool = "true", Reload;
    }
}

settings! {
    /// Text at the top of a message: in its first text part and its first HTML part, in every
    /// alternative, never in a signed or encrypted part. It is part of the recipe and is removed
    /// with the other edits.
    pub struct Banner {
        /// Whether a message with defanged links says so at the top. Default: this filter adds no
        /// words to a body.
        links: bool = "false", Reload;
        /// Your words for that, instead of those in the language of the message: `{host}` stands
        /// for the hosts, defanged, `{reason}` for the reason. Name a contact and a help page here.
        links_text: Option<String> = "\"\"", Reload;
        /// Whether a message from outside says so at the top. Needs `outbound.local_domains`: a
        /// banner in the body breaks every signature, so it must be removed from outbound mail.
        external: bool = "false", Reload;
        /// Your words for that, used unchanged.
        external_text: Option<String> = "\"\"", Reload;
        /// Whether a message from outside also says at the top that its author is unknown: that
        /// none of its recipients has received mail from that address, or written to it, as far as
        /// this host remembers. Needs `banner.external`. Default: it is wrong about people who are
        /// known elsewhere, and it says nothing in the first month.
        first_contact: bool = "false", Reload;
        /// Your words for that, used unchanged.
        first_contact_text: Option<String> = "\"\"", Reload;
    }
}

settings! {
    /// Mail that is judged and reported, but never edited or rejected.
    pub struct Exempt {
        /// Clients that authenticated (macro `{auth_authen}`).
        authenticated: bool = "true", Reload;
        /// Clients in these networks. Loopback is not exempt unless it is listed here.
        networks: Vec<Network> = "[]", Reload;
        /// Senders (address of the From field), only if our own server says that DMARC passed.
        senders: Vec<Pattern> = "[]", Reload;
        /// The authserv-id of our own server in Authentication-Results; without it no sender is
        /// exempt. The verifier must run before this filter and remove forged fields (RFC 8601 §5).
        authserv_id: Option<String> = "\"\"", Reload;
        /// Recipients whose mail is report-only: they must see what people complain about.
        report_only: Vec<Pattern> = "[\"abuse@\", \"postmaster@\"]", Reload;
    }
}

settings! {
    /// Header fields of your own servers, for `when.header` of rules. Anybody can write a header
    /// field, so this says which ones are yours.
    pub struct Upstream {
        /// `above-received`: those above the first Received field that none of your servers made. A
        /// sender who connects to you directly can write there as well, so rules on such fields can
        /// only make the treatment of a message stricter, never milder. `anywhere`: all, because
        /// software before this filter removes fields from outside, or adds its own at the end.
        /// Fields of authentication results depend on `exempt.authserv_id` only.
        fields: Trust = "\"above-received\"", Reload;
        /// Your other servers as they appear after `by` in Received, with all hosts below them; the
        /// name of this host is known.
        hosts: Vec<Domain> = "[]", Reload;
    }
}

settings! {
    /// A rule for some mail: all conditions must be true, and the first matching rule applies.
    /// `NAME` is your choice; it appears in header fields and in `linkmilter explain`.
    pub struct RuleSection {
        /// Rules are tried from the lowest number up; with the same number they are sorted by name.
        priority: u64 = "100", Reload, 0..=1000000;
        /// Condition: the envelope sender. Domains (and below), addresses, `abuse@`, `<>`.
        senders: Vec<Pattern> = "", Reload;
        /// Condition: the recipient. With several recipients each is judged separately; then the
        /// stricter settings apply to all.
        recipients: Vec<Pattern> = "", Reload;
        /// Condition: the client's network.
        networks: Vec<Network> = "", Reload;
        /// Condition: whether the client authenticated. Needs `exempt.authenticated = false`.
        authenticated: Option<bool> = "", Reload;
        /// Condition: whether it is list mail (List-Id, List-Post, Precedence: list).
        list_mail: Option<bool> = "", Reload;
        /// Condition: `inbound`, `outbound` (authenticated or an exempt network), `local`.
        direction: Option<Direction> = "", Reload;
        /// Condition `when.header`, one text or several of which one must match: what your own
        /// servers wrote into the header before this filter (`upstream` says which fields those
        /// are). `"X-Spam-Flag: YES"` is the whole value, `"X-Spam-Status: Yes*"` its beginning,
        /// `"X-Spam-Level: *****"` at least so many, `"X-Spam-Score: >= 5"` and `"X-Spam-Status:
        /// score >= 5"` compare a number, `"X-Spamd-Result: BAYES_SPAM"` is a symbol of rspamd,
        /// `"Authentication-Results: dmarc=fail"` is a result of the server of
        /// `exempt.authserv_id`.
        when: When = "", Reload;
        /// Which links of such a message are defanged: `all` (nothing in it can be clicked, allowed
        /// hosts included), `suspect` and worse, `unsafe` and worse. Default: as the profile says.
        defang: Option<DefangFrom> = "", Reload;
        /// Hosts that are never edited in this mail, in addition to `lists.allowed`, with all hosts
        /// below them. If there are several recipients, the settings of all must allow a host.
        allowed: Vec<HostName> = "", Reload;
        /// Hosts that are unsafe in this mail, in addition to `lists.blocked`, with all hosts below
        /// them.
        blocked: Vec<HostName> = "", Reload;
        /// Names protected in this mail, in addition to `lists.protected`; at most 100.
        protected: Vec<ProtectedName> = "", Reload;
        /// Replaces `policy.profile`.
        profile: Option<Profile> = "", Reload;
        /// Replaces `policy.level`.
        level: Option<RestrictionLevel> = "", Reload;
        /// In addition to `policy.actions`.
        actions: Actions<LinkAction> = "", Reload;
        /// In addition to `policy.message_actions`.
        message_actions: Actions<MessageAction> = "", Reload;
        /// Replaces `policy.subject_tag`.
        subject_tag: Option<String> = "", Reload;
        /// Replaces `policy.signed`.
        signed: Option<Signed> = "", Reload;
        /// Replaces `policy.linkify`.
        linkify: Option<Linkify> = "", Reload;
        /// Replaces `policy.notice`.
        notice: Option<Notice> = "", Reload;
        /// Replaces `policy.html_attachments`.
        html_attachments: Option<HtmlAttachments> = "", Reload;
    }
}

settings! {
    /// Limits on hostile input. Reaching one stops the affected part; what was found before is
    /// kept.
    pub struct LimitsSection {
        /// Nesting depth of parts. Real mail stays below 12.
        depth: usize = "100", Reload, 2..=100;
        /// Number of parts of a message.
        parts: usize = "10000", Reload, 1..=1000000;
        /// Bytes of one header block.
        header_bytes: Size = "\"1MiB\"", Reload, 4096..=67108864;
        /// Links of a message that are listed in records; the rest are judged and edited as well,
        /// and only counted.
        links: usize = "50000", Reload, 1..=10000000;
        /// Names queried in the DNS for one message.
        questions: usize = "8", Reload, 0..=64;
        /// Domains of links queried at each list of `blocklists` for one message.
        domains: usize = "20", Reload, 0..=100;
        /// Steps per byte of the message; a step is one byte read by a layer or one code point
        /// judged.
        steps_per_byte: u64 = "20", Reload, 16..=1024;
        /// Steps in addition, whatever the size.
        steps_base: u64 = "750000", Reload, 1000..=1000000000;
    }
}

settings! {
    /// The event journal: what was found, for `linkmilter why` and the digest. Hosts only.
    pub struct Journal {
        /// Days to keep events; 0 keeps none.
        days: u64 = "30", Reload, 0..=3650;
        /// Size limit of the journal, in bytes; the oldest days are deleted first.
        max_size: Size = "\"256MiB\"", Reload, 65536..=1099511627776;
        /// Size limit of undo recipes in the state directory, in bytes, in addition to the journal;
        /// the oldest are deleted first. Default: some thousand of the largest.
        max_undo_size: Size = "\"1GiB\"", Reload, 65536..=1099511627776;
    }
}

settings! {
    /// The daily digest by mail.
    pub struct Digest {
        /// Time of day in UTC, or `off`.
        at: Schedule = "\"off\"", Reload;
        /// Recipients.
        to: Vec<String> = "[]", Reload;
        /// Sender; empty is linkmilter@ this host.
        from: Option<String> = "\"\"", Reload;
        /// `smtp`, `sendmail` (the command below), or `file` (a directory, one file per digest).
        /// Default: `sendmail` does not work in the shipped systemd unit, because its command needs
        /// the rights of another group, which NoNewPrivileges= denies.
        transport: Transport = "\"smtp\"", Reload;
        /// The sendmail command. Default: where Postfix and Sendmail both install theirs.
        sendmail: PathBuf = "\"/usr/sbin/sendmail\"", Reload;
        /// Directory for `file`; relative paths begin at the state directory.
        directory: PathBuf = "\"digests\"", Reload;
        /// SMTP server. Default: the MTA that this daemon filters for.
        smtp_host: Domain = "\"localhost\"", Reload;
        /// Its port: 25 for a relay, 587 for submission, 465 for implicit TLS.
        smtp_port: u64 = "25", Reload, 1..=65535;
        /// `starttls` (or no mail), `implicit`, `none`, or `auto`: `none` for a server on this
        /// host, `starttls` for any other. Default: nothing leaves the host unencrypted.
        smtp_tls: SmtpTls = "\"auto\"", Reload;
        /// Login name; empty means no authentication.
        smtp_user: Option<String> = "\"\"", Reload;
        /// File with the password in its first line, readable by the daemon only.
        smtp_password_file: Option<PathBuf> = "\"\"", Reload;
        /// Certificates (PEM) to trust in addition to the built-in roots, for a server of your own.
        smtp_ca_file: Option<PathBuf> = "\"\"", Reload;
        /// Timeout for delivering a digest, from connecting to the last reply.
        smtp_timeout: Duration = "\"60s\"", Reload, 1000..=600000;
    }
}
