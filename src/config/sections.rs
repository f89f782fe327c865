//! Every section and key: what it does, its unit, its default and why.

use std::path::PathBuf;
use std::time::Duration;

use crate::engine::outcome::Disposition;
use crate::engine::policy::{
    HtmlAttachments, LinkAction, Linkify, MessageAction, Notice, OnAmbiguous, QrCodes,
    RestrictionLevel, Signed,
};
use crate::policy::{DefangFrom, Direction, Network, Pattern, Profile, Trust};

use super::schema::settings;
use super::setting::Size;
use super::types::{
    Actions, Address, DnsMode, DnsServer, Domain, FileMode, HttpsUrl, LogFormat, LogLevel,
    LogTarget, Schedule, SmtpTls, StatusCode, Transport, UndoLost, When,
};

settings! {
    /// The daemon: where it listens, what it bounds.
    pub struct Server {
        /// Where the MTA connects: `inet:PORT@HOST` or `unix:/PATH`, several if wanted.
        /// Sockets inherited from systemd come on top. Default: loopback, so that nothing is
        /// offered to the network unasked.
        listen: Vec<Address> = "[\"inet:8895@127.0.0.1\"]", Restart;
        /// Permission bits of unix sockets, in octal. Default: owner and group, since smtpd runs as
        /// another user than this daemon.
        socket_mode: FileMode = "\"0660\"", Restart;
        /// Group of unix sockets, by name; empty leaves the daemon's own.
        socket_group: Option<String> = "\"\"", Restart;
        /// Name of this host in our header fields; empty asks the system.
        host_name: Option<Domain> = "\"\"", Reload;
        /// Directory for what is kept: TLD table, journal, big undo recipes, pid file.
        /// Also where relative paths of such files begin.
        state_dir: PathBuf = "\"/var/lib/linkmilter\"", Restart;
        /// Connections at the same time. More wait in the listen queue. Default: ten times what
        /// Postfix's default process limit opens.
        max_connections: usize = "1000", Restart, 1..=100000;
        /// Threads that filter; 0 is one for each processor.
        workers: usize = "0", Restart, 0..=1024;
        /// Biggest message that is read, in bytes; a bigger one goes on unread and is counted.
        /// Default: twelve times Postfix's own default limit, so the MTA decides.
        max_message: Size = "\"128MiB\"", Reload, 65536..=4294967296;
        /// Message bodies held in memory at the same time, in bytes, over all connections, and half
        /// as much again for what is made of them while they are read. Beyond it messages are put
        /// off (451) or wait: load passes, and nobody gets mail through unread by filling the
        /// memory. The program itself needs some 160 MiB beside it under full load. Default: fits
        /// a small virtual machine.
        max_memory: Size = "\"512MiB\"", Reload, 1048576..=1099511627776;
        /// Longest silence of a connection, between messages. Default: above Postfix's 300 s, which
        /// then closes first.
        idle_timeout: Duration = "\"10m\"", Reload, 1000..=86400000;
        /// Longest time for a reply to be taken, before the connection is given up.
        write_timeout: Duration = "\"30s\"", Reload, 1000..=3600000;
        /// Longest time for the engine and the DNS on one message; after it `policy.on_exhausted` holds.
        /// Default: below Postfix's milter_content_timeout of 300 s.
        message_timeout: Duration = "\"60s\"", Reload, 100..=280000;
        /// Time for messages in flight when the daemon is told to stop.
        /// Default: below systemd's 90 s.
        drain: Duration = "\"30s\"", Reload, 0..=600000;
    }
}

settings! {
    /// Log lines: one a message, structured. Never bodies, paths, queries or local parts.
    pub struct Log {
        /// `journald`, `stderr`, or `auto`: the journal when the daemon runs under systemd.
        target: LogTarget = "\"auto\"", Restart;
        /// Form of the lines on stderr: `text` or `json`.
        format: LogFormat = "\"text\"", Restart;
        /// `error`, `warn`, `info`, `debug` or `trace`. Default: one line a message.
        level: LogLevel = "\"info\"", Reload;
    }
}

settings! {
    /// Prometheus metrics and `/healthz`.
    pub struct Metrics {
        /// `inet:PORT@HOST` on loopback, or `unix:/PATH`; empty is off.
        /// Default: off, nothing listens that nobody asked for.
        listen: Option<Address> = "\"\"", Restart;
        /// Whether the address may be another than a loopback one. Numbers of your mail then go over
        /// the network in clear: bind it to a network of your own, and set a token.
        beyond_loopback: bool = "false", Restart;
        /// File whose first line must come as `Authorization: Bearer …`; empty asks for none.
        token_file: Option<PathBuf> = "\"\"", Restart;
    }
}

settings! {
    /// Asking the DNS whether a top-level domain exists.
    pub struct Dns {
        /// `unknown-only` asks for names that the table lacks, `always` for every name, `never`
        /// relies on the table. Default: ordinary mail causes no query.
        mode: DnsMode = "\"unknown-only\"", Reload;
        /// Servers to ask, `ADDRESS` or `ADDRESS:PORT`; empty takes /etc/resolv.conf.
        servers: Vec<DnsServer> = "[]", Reload;
        /// Longest time for all questions of one message together; what is unanswered then counts
        /// as unverified. Default: unnoticed by people, enough for a resolver that must ask on.
        deadline: Duration = "\"2s\"", Reload, 10..=30000;
        /// Whether answers are validated by DNSSEC here. Default: the resolver's business.
        dnssec: bool = "false", Reload;
        /// DNSKEY records of the root, one a line as in a zone file, that `dnssec` trusts in the
        /// place of the built-in ones: for when the root's key changes before this program does.
        trust_anchor: Option<PathBuf> = "\"\"", Reload;
        /// Names kept in the cache. Default: about 1 MB; the root has 1,440 names.
        cache_entries: usize = "10000", Reload, 0..=1000000;
        /// Least time that "exists" is kept, whatever its TTL.
        positive_min: Duration = "\"15m\"", Reload, 0..=604800000;
        /// Most time that "exists" is kept.
        positive_max: Duration = "\"24h\"", Reload, 1000..=604800000;
        /// Least time that "does not exist" is kept: a typing error in a newsletter comes often.
        negative_min: Duration = "\"15m\"", Reload, 0..=604800000;
        /// Most time that "does not exist" is kept: a new TLD is seen within a day.
        negative_max: Duration = "\"24h\"", Reload, 1000..=604800000;
        /// Time that a name is not asked again after a timeout or a failure, so that a dead server
        /// costs its deadline once and not for every message.
        failure: Duration = "\"30s\"", Reload, 0..=3600000;
    }
}

settings! {
    /// The table of top-level domains.
    pub struct Tld {
        /// Where the table is fetched from. IANA's own by default.
        url: HttpsUrl = "\"https://data.iana.org/TLD/tlds-alpha-by-domain.txt\"", Reload;
        /// Time between two refreshes; 0 never asks. Default: daily, as UASG 001 recommends.
        refresh: Duration = "\"24h\"", Reload, 0..=2678400000;
        /// Longest time for one refresh.
        timeout: Duration = "\"30s\"", Reload, 100..=600000;
        /// Age of the last good check at which a warning is logged, daily.
        warn_age: Duration = "\"7d\"", Reload, 3600000..=31536000000;
        /// Certificates (PEM) trusted in the place of the built-in roots, for a mirror in your own
        /// house; empty trusts Mozilla's roots.
        ca_file: Option<PathBuf> = "\"\"", Reload;
    }
}

settings! {
    /// What is done. A rule can override it for some mail.
    pub struct PolicySection {
        /// `exempt` and `report-only` change nothing, `enforce` edits unsafe links, `strict` suspect
        /// ones as well. A careful operator starts with `report-only`.
        profile: Profile = "\"enforce\"", Reload;
        /// UTS #39 restriction level that a host must reach: `ascii-only`, `single-script`,
        /// `highly-restrictive`, `moderately-restrictive`, `minimally-restrictive`, `unrestricted`.
        /// Default: what browsers use.
        level: RestrictionLevel = "\"highly-restrictive\"", Reload;
        /// Action on a link, by verdict (`suspect`, `unsafe`, …) or reason code (`userinfo`, …):
        /// `leave`, `percent-encode`, `punycode`, `unlink`, `defang`. A reason beats a verdict.
        /// Default: what the profile says, `defang` for what it edits.
        actions: Actions<LinkAction> = "{}", Reload;
        /// Action on the message, by verdict or reason code: `header`, `subject-tag`,
        /// `quarantine`, `reject`, `tempfail`, `discard`. The strictest wins; what loses the message
        /// needs every recipient's settings to agree. Default: `header`, no mail is lost.
        message_actions: Actions<MessageAction> = "{}", Reload;
        /// In front of the Subject, for `subject-tag`.
        subject_tag: String = "\"[deceptive link]\"", Reload;
        /// Enhanced status code of a refusal (RFC 3463); 5.7.1 is "delivery not authorized".
        reject_code: StatusCode = "\"5.7.1\"", Reload;
        /// Text of a refusal, in ASCII.
        reject_text: String = "\"Message refused: it holds a deceptive link\"", Reload;
        /// Signed parts: `edit-unsafe` edits what is unsafe, reversibly; `report` never.
        /// Default: one junk signature would switch the filter off otherwise.
        signed: Signed = "\"edit-unsafe\"", Reload;
        /// `html` turns plain links in HTML text into anchors. Default `off`: no middleware should
        /// make links (UASG 001).
        linkify: Linkify = "\"off\"", Reload;
        /// `inline` puts a short explanation beside a dead link, in Arabic, Chinese, English, French,
        /// German, Japanese, Russian or Spanish. Default: a body holds no words of this filter.
        notice: Notice = "\"off\"", Reload;
        /// Language of that explanation, a BCP 47 primary tag (`de`); empty follows the message: its
        /// Content-Language or Accept-Language, then the script of its text, then English.
        language: Option<String> = "\"\"", Reload;
        /// File with your own words for that explanation and for banners, in TOML: a table for each language
        /// (`[nl]`) with `notice`, `notice_ascii` (for parts that hold ASCII alone), `links`, `external`
        /// and `first_contact`. What it does not say stays as it is.
        words_file: Option<PathBuf> = "\"\"", Reload;
        /// HTML files attached: `report` or `edit`. Default: one header line, which the sender writes, makes
        /// a part an attachment, and some mail programs show it all the same. Files of SVG are told only.
        html_attachments: HtmlAttachments = "\"edit\"", Reload;
        /// QR codes in pictures (PNG, JPEG, GIF): `off` or `report`, which judges and tells the links in them
        /// and edits nothing. Default: decoding pictures takes more time than all else that is done.
        qr_codes: QrCodes = "\"off\"", Reload;
        /// Biggest undo recipe in a header field, in bytes; a bigger one goes to the state
        /// directory. Default: leaves room below Sendmail's 32 KiB for all headers.
        undo_bytes: Size = "6000", Reload, 0..=16384;
        /// What happens when an undo recipe cannot be kept, on a full disk say: `edit` edits all
        /// the same and the header says `undo=lost`, `report-signed` leaves signed mail as it is.
        /// Default: a deceptive link does more harm than an edit that stays.
        undo_lost: UndoLost = "\"edit\"", Reload;
        /// File with a secret of at least 32 bytes that seals our header fields, so that sealed ones
        /// survive a second filter; empty removes all that come in.
        seal_key_file: Option<PathBuf> = "\"\"", Reload;
        /// Files with keys that were `seal_key_file` before: what they sealed is still ours, so that a
        /// key can be changed. Hosts with one key give back each other's originals.
        seal_old_key_files: Vec<PathBuf> = "[]", Reload;
        /// What a failure of the filter does to the message: `accept`, `quarantine`, `tempfail`,
        /// `reject`, `discard`. Default: when in doubt the mail goes on.
        on_error: Disposition = "\"accept\"", Reload;
        /// What it does to a message that it is too long to be read (`limit:max_message`), or to have a
        /// notice at every link (`limit:extras`). `tempfail` would end the same at every retry.
        on_limit: Disposition = "\"accept\"", Reload;
        /// What becomes of a message that used up its time, its steps, its memory, or another of the
        /// `limits` (`limit:message_timeout`, `limit:steps`, `limit:links`, `limit:parts`,
        /// `limit:depth`, …): nobody read the rest of it, and honest mail does not come near.
        /// One that ran out of time is put off (451) three times before, since load passes.
        on_exhausted: Disposition = "\"quarantine\"", Reload;
        /// What a part that cannot be read (encrypted, PKCS#7) does to it.
        on_opaque: Disposition = "\"accept\"", Reload;
        /// What becomes of a message with a link whose labels or delimiters programs read in different
        /// ways: `accept`, `defuse` (every link in it is taken apart) or `quarantine`. Default: what was
        /// found in any reading is edited all the same, and the message is suspect.
        on_ambiguous: OnAmbiguous = "\"accept\"", Reload;
    }
}

settings! {
    /// Lists of names. Files hold one name a line, `#` begins a comment; they are read anew on
    /// reload. Relative paths begin at the directory of the configuration file.
    pub struct Lists {
        /// Hosts that are never edited, with all below them; `linkmilter allow add` extends it.
        allowed_file: PathBuf = "\"allow.txt\"", Reload;
        /// More such hosts.
        allowed: Vec<Domain> = "[]", Reload;
        /// Names to protect against look-alikes, beside the built-in ones.
        protected_file: PathBuf = "\"protected.txt\"", Reload;
        /// More such names.
        protected: Vec<Domain> = "[]", Reload;
        /// Whether the built-in list of names impersonated most is used. Which domains belong to one
        /// owner, and where anybody has an address, is known in any case.
        protected_builtin: bool = "true", Reload;
        /// Whether the recipients' own domains are protected.
        protect_recipients: bool = "true", Reload;
        /// Hosts that are unsafe because you say so, with all below them.
        blocked_file: PathBuf = "\"blocked.txt\"", Reload;
        /// More such hosts.
        blocked: Vec<Domain> = "[]", Reload;
    }
}

settings! {
    /// Mail that leaves the house gets its originals back: a message that this filter edited, and that
    /// is forwarded, redirected or sent on as it is, verifies at its next host.
    pub struct Outbound {
        /// Domains whose mail ends here, with all below them. Without any nothing is known to leave and
        /// nothing is given back. With them our recipes are sealed, by `policy.seal_key_file` or a key
        /// of this host's own in the state directory.
        local_domains: Vec<Domain> = "[]", Reload;
        /// Clients that hand out mail of the house without authenticating: mailbox servers, list servers.
        /// Authenticated clients, `exempt.networks` and mail made on this host count anyway.
        /// Default: this host, where a mailbox server hands redirected mail to its own MTA.
        networks: Vec<Network> = "[\"127.0.0.0/8\", \"::1\"]", Reload;
        /// Whether originals are given back. A message all of whose recipients are outside gets its
        /// body and header fields back when our own sealed recipe fits; else it stays as it is,
        /// and header and log say why.
        restore: bool = "true", Reload;
    }
}

settings! {
    /// Words on top of a message: in its first text and its first HTML, in every alternative, never
    /// in what is signed or encrypted. They are part of the recipe and go back with the original.
    pub struct Banner {
        /// Whether a message in which links were taken apart says so on top. Default: a body holds no
        /// words of this filter.
        links: bool = "false", Reload;
        /// Your words for that, in place of those in the language of the message: `{host}` stands for the
        /// hosts, taken apart, `{reason}` for why. Whom to ask, and a page of yours, belong here.
        links_text: Option<String> = "\"\"", Reload;
        /// Whether a message from outside says so on top. Needs `outbound.local_domains`: a mark in the body
        /// breaks every signature, so it must be taken off where the message leaves again.
        external: bool = "false", Reload;
        /// Your words for that, as they are.
        external_text: Option<String> = "\"\"", Reload;
        /// Whether a message from outside also says on top that its author is not known here: that none of
        /// its recipients has had mail from that address, or written to it, as far as this host remembers.
        /// Needs `banner.external`. Default: it is wrong for whoever is known elsewhere, and nothing is said
        /// in the first month.
        first_contact: bool = "false", Reload;
        /// Your words for that, as they are.
        first_contact_text: Option<String> = "\"\"", Reload;
    }
}

settings! {
    /// Mail that is judged and reported, but never edited or refused.
    pub struct Exempt {
        /// Clients that authenticated (macro `{auth_authen}`).
        authenticated: bool = "true", Reload;
        /// Clients in these networks. Loopback is not exempt unless it stands here.
        networks: Vec<Network> = "[]", Reload;
        /// Senders (address of the From field), only when our own server says that DMARC passed.
        senders: Vec<Pattern> = "[]", Reload;
        /// The authserv-id of our own server in Authentication-Results; without it no sender is
        /// exempt. The verifier must run before this filter and remove forged fields (RFC 8601 §5).
        authserv_id: Option<String> = "\"\"", Reload;
        /// Recipients whose mail is report-only: they must see what is complained about.
        report_only: Vec<Pattern> = "[\"abuse@\", \"postmaster@\"]", Reload;
    }
}

settings! {
    /// Header fields of your own servers, for `when.header` of rules. Anybody can write a header field:
    /// this says which are yours.
    pub struct Upstream {
        /// `above-received`: those above the first Received field that none of your servers made. A
        /// stranger who connects to you directly writes there as well, so rules on such fields make a
        /// message's lot stricter, never milder. `anywhere`: all, since what runs before this filter
        /// removes those of strangers, or adds its own at the end. Fields of authentication results count by
        /// `exempt.authserv_id` alone.
        fields: Trust = "\"above-received\"", Reload;
        /// Your other servers as they stand behind `by` in Received, with all below them; the name of
        /// this host is known.
        hosts: Vec<Domain> = "[]", Reload;
    }
}

settings! {
    /// A rule for some mail: all conditions must hold, the first rule that fits decides.
    /// `NAME` is yours; it stands in header fields and in `linkmilter explain`.
    pub struct RuleSection {
        /// Rules are tried from the lowest number up, those of one number by name.
        priority: u64 = "100", Reload, 0..=1000000;
        /// Condition: the envelope sender. Domains (and below), addresses, `abuse@`, `<>`.
        senders: Vec<Pattern> = "", Reload;
        /// Condition: the recipient. One of several recipients is judged on its own; the stricter
        /// settings then serve all.
        recipients: Vec<Pattern> = "", Reload;
        /// Condition: the client's network.
        networks: Vec<Network> = "", Reload;
        /// Condition: whether the client authenticated. Needs `exempt.authenticated = false`.
        authenticated: Option<bool> = "", Reload;
        /// Condition: whether it is list mail (List-Id, List-Post, Precedence: list).
        list_mail: Option<bool> = "", Reload;
        /// Condition: `inbound`, `outbound` (authenticated or an exempt network), `local`.
        direction: Option<Direction> = "", Reload;
        /// Condition `when.header`, one text or several of which one must hold: what your own servers
        /// wrote into the header before this filter (`upstream` says which fields those are).
        /// `"X-Spam-Flag: YES"` is the whole value, `"X-Spam-Status: Yes*"` its beginning,
        /// `"X-Spam-Level: *****"` so many or more, `"X-Spam-Score: >= 5"` and
        /// `"X-Spam-Status: score >= 5"` compare a number, `"X-Spamd-Result: BAYES_SPAM"` is a symbol of
        /// rspamd, `"Authentication-Results: dmarc=fail"` what the server of `exempt.authserv_id` found.
        when: When = "", Reload;
        /// Which links of such a message are taken apart: `all` (nothing in it can be clicked, allowed
        /// hosts included), `suspect` and worse, `unsafe` and worse. Default: as the profile says.
        defang: Option<DefangFrom> = "", Reload;
        /// Hosts that are never edited in this mail, beside `lists.allowed`, with all below them. Of several
        /// recipients all must allow a host.
        allowed: Vec<Domain> = "", Reload;
        /// Hosts that are unsafe in this mail, beside `lists.blocked`, with all below them.
        blocked: Vec<Domain> = "", Reload;
        /// Names protected in this mail, beside `lists.protected`; at most 100.
        protected: Vec<Domain> = "", Reload;
        /// What `policy.profile` says otherwise.
        profile: Option<Profile> = "", Reload;
        /// What `policy.level` says otherwise.
        level: Option<RestrictionLevel> = "", Reload;
        /// On top of `policy.actions`.
        actions: Actions<LinkAction> = "", Reload;
        /// On top of `policy.message_actions`.
        message_actions: Actions<MessageAction> = "", Reload;
        /// What `policy.subject_tag` says otherwise.
        subject_tag: Option<String> = "", Reload;
        /// What `policy.signed` says otherwise.
        signed: Option<Signed> = "", Reload;
        /// What `policy.linkify` says otherwise.
        linkify: Option<Linkify> = "", Reload;
        /// What `policy.notice` says otherwise.
        notice: Option<Notice> = "", Reload;
        /// What `policy.html_attachments` says otherwise.
        html_attachments: Option<HtmlAttachments> = "", Reload;
    }
}

settings! {
    /// Bounds on hostile input. Reaching one stops the part that hit it; what was found before stays.
    pub struct LimitsSection {
        /// Nested parts. Real mail stays below 12.
        depth: usize = "100", Reload, 2..=100;
        /// Parts of a message.
        parts: usize = "10000", Reload, 1..=1000000;
        /// Bytes of one header block.
        header_bytes: Size = "\"1MiB\"", Reload, 4096..=67108864;
        /// Links kept of a message; the rest are counted.
        links: usize = "50000", Reload, 1..=10000000;
        /// Names asked of the DNS for one message.
        questions: usize = "8", Reload, 0..=64;
        /// Domains of links asked of each list of `blocklists` for one message.
        domains: usize = "20", Reload, 0..=100;
        /// Steps for each byte of the message; a step is one byte read by a layer or one code point
        /// judged.
        steps_per_byte: u64 = "20", Reload, 16..=1024;
        /// Steps on top, whatever the size.
        steps_base: u64 = "750000", Reload, 1000..=1000000000;
    }
}

settings! {
    /// The event journal: what was found, for `linkmilter why` and the digest. Hosts only.
    pub struct Journal {
        /// Days that events are kept; 0 keeps none.
        days: u64 = "30", Reload, 0..=3650;
        /// Bytes that the journal takes at most; the oldest days go first.
        max_size: Size = "\"256MiB\"", Reload, 65536..=1099511627776;
        /// Bytes that undo recipes in the state directory take at most, beside the journal; the
        /// oldest go first. Default: some thousand of the biggest.
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
        /// `smtp`, `sendmail` (the command below), or `file` (a directory, one file a digest).
        /// Default: under the shipped unit `sendmail` cannot work, since its command needs the
        /// rights of another group, which NoNewPrivileges= denies.
        transport: Transport = "\"smtp\"", Reload;
        /// The sendmail command. Default: where Postfix and Sendmail both put theirs.
        sendmail: PathBuf = "\"/usr/sbin/sendmail\"", Reload;
        /// Directory for `file`; relative paths begin at the state directory.
        directory: PathBuf = "\"digests\"", Reload;
        /// SMTP server. Default: the MTA that this daemon filters for.
        smtp_host: Domain = "\"localhost\"", Reload;
        /// Its port: 25 for a relay, 587 for submission, 465 for implicit TLS.
        smtp_port: u64 = "25", Reload, 1..=65535;
        /// `starttls` (or no mail), `implicit`, `none`, or `auto`: `none` for a server on this host,
        /// `starttls` for any other. Default: nothing leaves the host in clear.
        smtp_tls: SmtpTls = "\"auto\"", Reload;
        /// Login name; empty does not authenticate.
        smtp_user: Option<String> = "\"\"", Reload;
        /// File that holds the password in its first line, readable by the daemon only.
        smtp_password_file: Option<PathBuf> = "\"\"", Reload;
        /// Certificates (PEM) trusted beside the built-in roots, for a server of your own house.
        smtp_ca_file: Option<PathBuf> = "\"\"", Reload;
        /// Longest time to hand a digest over, from connecting to the last answer.
        smtp_timeout: Duration = "\"60s\"", Reload, 1000..=600000;
    }
}
