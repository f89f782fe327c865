//! Types of settings: addresses, domains, times of day, sets of actions.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Component, Path, PathBuf};

use ::config::ValueKind;

use crate::engine::outcome::{Disposition, Reason, Verdict};
use crate::engine::policy::{
    Actions, HtmlAttachments, LinkAction, Linkify, MessageAction, Notice, OnAmbiguous, QrCodes,
    RestrictionLevel, Signed,
};
use crate::milter::Endpoint;
use crate::policy::{
    DefangFrom, Direction, HeaderTest, Network, Pattern, Profile, Trust, ipv6_host, is_loopback,
};

use super::problem::{KNOWN_KEY, Problem, nearest};
use super::setting::{NumberRange, RawValue, Setting, TextSetting, choice};

/// A domain in lower-case A-label form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Domain(pub String);

/// A host in lower-case A-label form: a domain, or an address, that of IPv6 in brackets as in a URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostName(pub String);

/// A protected name in lower-case A-label form; `=name` protects the name as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProtectedName(pub String);

/// A DNS server: address and port (53 if not given).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DnsServer(pub SocketAddr);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpsUrl(pub String);

/// Permission bits of a socket, written in octal as text: `"0660"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileMode(pub u32);

/// A time of day in UTC, `"06:30"`, or `"off"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schedule {
    Off,
    /// Minutes since midnight UTC.
    Daily(u32),
}

/// An enhanced status code (RFC 3463) of a refusal, `5.7.1`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatusCode(pub String);

/// Conditions on the message itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct When {
    /// One of these must be true.
    pub header: Vec<HeaderTest>,
}

word_enum! {
    /// When the DNS is queried about a TLD.
    pub enum DnsMode {
        UnknownOnly = "unknown-only",
        Always = "always",
        Never = "never",
    }
}

word_enum! {
    /// Where log lines go.
    pub enum LogTarget {
        Auto = "auto",
        Journald = "journald",
        Stderr = "stderr",
    }
}

word_enum! {
    pub enum LogFormat {
        Text = "text",
        Json = "json",
    }
}

word_enum! {
    pub enum LogLevel {
        Error = "error",
        Warn = "warn",
        Info = "info",
        Debug = "debug",
        Trace = "trace",
    }
}

word_enum! {
    /// How digest mail is sent.
    pub enum Transport {
        Sendmail = "sendmail",
        Smtp = "smtp",
        File = "file",
    }
}

word_enum! {
    /// What happens to a message whose undo recipe cannot be stored.
    pub enum UndoLost {
        /// It is edited anyway.
        Edit = "edit",
        /// Signed parts are not edited: without the recipe the signature could not be made valid again.
        ReportSigned = "report-signed",
    }
}

word_enum! {
    /// Encryption of the SMTP connection.
    pub enum SmtpTls {
        /// None for a server on this host, STARTTLS for any other.
        Auto = "auto",
        /// No encryption, for a server on this host.
        None = "none",
        /// STARTTLS, or no mail is sent.
        Starttls = "starttls",
        /// TLS from the first byte.
        Implicit = "implicit",
    }
}

/// A disposition of what stays as it is: after a temporary failure every retry would end the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Final(pub Disposition);

choice!(DnsMode, LogTarget, LogFormat, LogLevel, Transport, UndoLost, SmtpTls);
choice!(Profile, Direction, DefangFrom, Trust);
choice!(RestrictionLevel {
    "ascii-only" = RestrictionLevel::AsciiOnly,
    "single-script" = RestrictionLevel::SingleScript,
    "highly-restrictive" = RestrictionLevel::HighlyRestrictive,
    "moderately-restrictive" = RestrictionLevel::ModeratelyRestrictive,
    "minimally-restrictive" = RestrictionLevel::MinimallyRestrictive,
    "unrestricted" = RestrictionLevel::Unrestricted,
});
choice!(LinkAction {
    "leave" = LinkAction::Leave,
    "percent-encode" = LinkAction::PercentEncode,
    "punycode" = LinkAction::Punycode,
    "unlink" = LinkAction::Unlink,
    "defang" = LinkAction::Defang,
});
choice!(MessageAction {
    "header" = MessageAction::Header,
    "subject-tag" = MessageAction::SubjectTag,
    "quarantine" = MessageAction::Dispose(Disposition::Quarantine),
    "reject" = MessageAction::Dispose(Disposition::Reject),
    "tempfail" = MessageAction::Dispose(Disposition::Tempfail),
    "discard" = MessageAction::Dispose(Disposition::Discard),
});
choice!(Disposition {
    "accept" = Disposition::Accept,
    "quarantine" = Disposition::Quarantine,
    "tempfail" = Disposition::Tempfail,
    "reject" = Disposition::Reject,
    "discard" = Disposition::Discard,
});
choice!(Final {
    "accept" = Final(Disposition::Accept),
    "quarantine" = Final(Disposition::Quarantine),
    "reject" = Final(Disposition::Reject),
    "discard" = Final(Disposition::Discard),
});
choice!(Signed { "edit-unsafe" = Signed::EditUnsafe, "report" = Signed::Report });
choice!(Linkify { "off" = Linkify::Off, "html" = Linkify::Html });
choice!(Notice { "off" = Notice::Off, "inline" = Notice::Inline });
choice!(OnAmbiguous {
    "accept" = OnAmbiguous::Accept,
    "defuse" = OnAmbiguous::Defuse,
    "quarantine" = OnAmbiguous::Quarantine,
});
choice!(QrCodes {
    "off" = QrCodes::Off,
    "report" = QrCodes::Report,
});
choice!(HtmlAttachments {
    "report" = HtmlAttachments::Report,
    "edit" = HtmlAttachments::Edit,
});

impl TextSetting for Endpoint {
    const EXPECTED: &'static str = "inet:PORT@HOST or unix:/PATH";

    fn parse(text: &str) -> Result<Endpoint, Option<String>> {
        if let Some(path) = text.strip_prefix("unix:").or_else(|| text.strip_prefix("local:")) {
            return if path.starts_with('/') && !path.contains('\0') {
                Ok(Endpoint::Unix(PathBuf::from(path)))
            } else {
                Err(Some("an absolute path after unix:".to_owned()))
            };
        }
        let rest = text.strip_prefix("inet:").or_else(|| text.strip_prefix("inet6:"));
        let (port, host) =
            rest.and_then(|rest| rest.split_once('@')).ok_or_else(|| milter_form(text))?;
        let port =
            port.parse().map_err(|_| Some("a port from 0 to 65535 after inet:".to_owned()))?;
        let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        if bare.parse::<IpAddr>().is_err() && Domain::parse(bare).is_err() {
            return Err(Some("a host name or an IP address after @".to_owned()));
        }
        Ok(Endpoint::Inet { host: bare.to_owned(), port })
    }
}

/// What an address in another form would be here, with what is expected: `127.0.0.1:9895`, `9895`, `/run/x.sock`.
fn milter_form(text: &str) -> Option<String> {
    let bare = text.strip_prefix("http://").unwrap_or(text).trim_end_matches('/');
    let (host, port) = bare.rsplit_once(':').unwrap_or(("", bare));
    let host = if matches!(host, "" | "inet" | "inet6") { "127.0.0.1" } else { host };
    let meant = match port.parse::<u16>() {
        Ok(port) => format!("inet:{port}@{host}"),
        Err(_) if text.starts_with('/') => format!("unix:{text}"),
        Err(_) => return None,
    };
    Endpoint::parse(&meant).ok()?;
    Some(format!("{}, {meant} say", Endpoint::EXPECTED))
}

/// Whether only this machine can connect to an address.
pub fn is_local(address: &Endpoint) -> bool {
    match address {
        Endpoint::Unix(_) => true,
        Endpoint::Inet { host, .. } => is_loopback(host),
    }
}

/// Whether two of the addresses cannot be listened at together, however they are written. Names other than `localhost`
/// are not resolved. Linear.
pub fn collide<'a>(addresses: impl Iterator<Item = &'a Endpoint>) -> bool {
    let (mut paths, mut hosts) = (HashSet::new(), HashSet::new());
    let mut ports: HashMap<u16, OnPort> = HashMap::new();
    for address in addresses {
        let is_new = match address {
            Endpoint::Unix(path) => paths.insert(plain(path)),
            // Any free port.
            Endpoint::Inet { port: 0, .. } => true,
            Endpoint::Inet { host, port } => {
                ports.entry(*port).or_default().add(host);
                hosts.insert((host.to_ascii_lowercase(), *port))
            }
        };
        if !is_new {
            return true;
        }
    }
    ports.values().any(OnPort::collides)
}

/// The IP addresses to listen at on one port.
#[derive(Debug, Default)]
struct OnPort {
    addresses: HashSet<IpAddr>,
    is_twice: bool,
    of_ipv4: usize,
}

impl OnPort {
    fn add(&mut self, host: &str) {
        match host.parse::<IpAddr>() {
            Ok(address) => self.add_address(address.to_canonical()),
            Err(_) if host.eq_ignore_ascii_case("localhost") => {
                self.add_address(Ipv4Addr::LOCALHOST.into());
                self.add_address(Ipv6Addr::LOCALHOST.into());
            }
            Err(_) => {}
        }
    }

    fn add_address(&mut self, address: IpAddr) {
        self.is_twice |= !self.addresses.insert(address);
        self.of_ipv4 += usize::from(address.is_ipv4());
    }

    /// Whoever listens at `0.0.0.0` listens at all addresses of IPv4, and at `[::]` at all.
    fn collides(&self) -> bool {
        let has = |address: IpAddr| self.addresses.contains(&address);
        self.is_twice
            || has(Ipv4Addr::UNSPECIFIED.into()) && self.of_ipv4 > 1
            || has(Ipv6Addr::UNSPECIFIED.into()) && self.addresses.len() > 1
    }
}

/// A path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            component => plain.push(component),
        }
    }
    plain
}

impl TextSetting for Domain {
    const EXPECTED: &'static str = "a host or domain name";

    fn parse(text: &str) -> Result<Domain, Option<String>> {
        match text.parse::<Pattern>() {
            Ok(Pattern::Domain(domain)) if !text.contains('@') => Ok(Domain(domain)),
            _ => Err(None),
        }
    }
}

impl TextSetting for HostName {
    const EXPECTED: &'static str = "a host or domain name, which stands for all below it as well";

    fn parse(text: &str) -> Result<HostName, Option<String>> {
        match ipv6_host(text) {
            Some(host) => Ok(HostName(host)),
            None => Domain::parse(text).map(|domain| HostName(domain.0)),
        }
    }
}

impl TextSetting for ProtectedName {
    const EXPECTED: &'static str =
        "a host or domain name, with = in front to protect it as a whole";

    fn parse(text: &str) -> Result<ProtectedName, Option<String>> {
        let (whole, bare) = text.strip_prefix('=').map_or(("", text), |bare| ("=", bare));
        let host = HostName::parse(bare).map_err(|_| None)?;
        Ok(ProtectedName(format!("{whole}{}", host.0)))
    }
}

impl Domain {
    /// Whether the name can only mean this machine.
    pub fn is_this_host(&self) -> bool {
        is_loopback(&self.0)
    }
}

impl TextSetting for DnsServer {
    const EXPECTED: &'static str =
        "an IP address, with a port or without (192.0.2.53, 192.0.2.53:5353, [2001:db8::53]:5353)";

    fn parse(text: &str) -> Result<DnsServer, Option<String>> {
        let with_port = text.parse::<SocketAddr>().ok();
        let bare = || text.parse::<IpAddr>().ok().map(|ip| SocketAddr::new(ip, 53));
        with_port.or_else(bare).map(DnsServer).ok_or(None)
    }
}

impl TextSetting for HttpsUrl {
    const EXPECTED: &'static str = "an https: URL";

    fn parse(text: &str) -> Result<HttpsUrl, Option<String>> {
        let url = url::Url::parse(text).map_err(|_| None)?;
        if url.scheme() == "https" && url.host().is_some() {
            Ok(HttpsUrl(url.into()))
        } else {
            Err(None)
        }
    }
}

impl TextSetting for FileMode {
    const EXPECTED: &'static str = "permission bits in octal, as text (\"0660\")";

    fn parse(text: &str) -> Result<FileMode, Option<String>> {
        let bits = u32::from_str_radix(text, 8).map_err(|_| None)?;
        if bits <= 0o777 && (3..=4).contains(&text.len()) { Ok(FileMode(bits)) } else { Err(None) }
    }
}

impl TextSetting for Schedule {
    const EXPECTED: &'static str = "\"off\" or a time of day in UTC (\"06:30\")";

    fn parse(text: &str) -> Result<Schedule, Option<String>> {
        if text == "off" {
            return Ok(Schedule::Off);
        }
        let (hours, minutes) = text.split_once(':').ok_or(None)?;
        let number = |digits: &str, below: u32| {
            let two = digits.len() == 2 && digits.bytes().all(|byte| byte.is_ascii_digit());
            digits.parse::<u32>().ok().filter(|number| two && *number < below).ok_or(None)
        };
        Ok(Schedule::Daily(number(hours, 24)? * 60 + number(minutes, 60)?))
    }
}

impl TextSetting for StatusCode {
    const EXPECTED: &'static str = "an enhanced status code of a permanent failure (5.7.1)";

    fn parse(text: &str) -> Result<StatusCode, Option<String>> {
        let mut parts = text.split('.');
        let number = |part: Option<&str>| {
            part.is_some_and(|part| {
                (1..=3).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
            })
        };
        let valid = parts.next() == Some("5")
            && number(parts.next())
            && number(parts.next())
            && parts.next().is_none();
        if valid { Ok(StatusCode(text.to_owned())) } else { Err(None) }
    }
}

impl TextSetting for Network {
    const EXPECTED: &'static str = "a network (192.0.2.0/24, 2001:db8::/32) or an IP address";

    fn parse(text: &str) -> Result<Network, Option<String>> {
        text.parse().map_err(|error: crate::policy::NetworkError| {
            Some(format!("{} ({error})", <Network as TextSetting>::expected()))
        })
    }
}

impl TextSetting for Pattern {
    const EXPECTED: &'static str =
        "a domain (example.com), an address (ann@example.com), a local part (abuse@) or <>";

    fn parse(text: &str) -> Result<Pattern, Option<String>> {
        text.parse().map_err(|_| None)
    }
}

impl TextSetting for HeaderTest {
    fn expected() -> String {
        crate::policy::HeaderTestError::Form.to_string()
    }

    fn parse(text: &str) -> Result<HeaderTest, Option<String>> {
        text.parse().map_err(|error: crate::policy::HeaderTestError| Some(error.to_string()))
    }
}

impl Setting for When {
    fn expected(_: Option<NumberRange>) -> String {
        format!("a table: header = {}, or a list of such", <HeaderTest as TextSetting>::expected())
    }

    fn read(at: RawValue<'_>, problems: &mut Vec<Problem>) -> Option<When> {
        let ValueKind::Table(table) = &at.value.kind else {
            return at.refuse(problems);
        };
        let before = problems.len();
        let mut when = When::default();
        let sorted: BTreeMap<_, _> = table.iter().collect();
        for (name, value) in sorted {
            let key = format!("{}.{name}", at.key);
            let at = RawValue { key: &key, value, range: None };
            if name != "header" {
                let mut problem = at.problem_with(KNOWN_KEY.to_owned(), format!("the key {key}"));
                problem.nearest =
                    nearest(name, ["header"]).map(|known| format!("{}.{known}", at_parent(&key)));
                problems.push(problem);
            } else if matches!(value.kind, ValueKind::Array(_)) {
                when.header.extend(Vec::read(at, problems).into_iter().flatten());
            } else {
                when.header.extend(HeaderTest::read(at, problems));
            }
        }
        (problems.len() == before).then_some(when)
    }

    fn absent() -> Option<When> {
        Some(When::default())
    }
}

/// In one table: `unsafe = "defang"`, `userinfo = "leave"`.
impl<A: TextSetting> Setting for Actions<A> {
    fn expected(_: Option<NumberRange>) -> String {
        format!("a table: verdict or reason code = {}", A::expected())
    }

    fn read(at: RawValue<'_>, problems: &mut Vec<Problem>) -> Option<Actions<A>> {
        let ValueKind::Table(table) = &at.value.kind else {
            return at.refuse(problems);
        };
        let mut entries: Vec<_> = table.iter().collect();
        entries.sort_by_key(|(name, _)| *name);
        let before = problems.len();
        let mut actions = Actions::default();
        for (name, value) in entries {
            let key = format!("{}.{name}", at.key);
            let action = A::read(RawValue { key: &key, value, range: None }, problems);
            match (Verdict::from_name(name), Reason::from_code(name)) {
                (Some(verdict), _) => {
                    actions.by_verdict.extend(action.map(|action| (verdict, action)));
                }
                (None, Some(reason)) => {
                    actions.by_reason.extend(action.map(|action| (reason, action)));
                }
                (None, None) => {
                    let at = RawValue { key: &key, value, range: None };
                    let found = format!("the key {name}");
                    let mut problem = at.problem_with("a verdict or reason code".to_owned(), found);
                    let names = Verdict::ALL.iter().map(|verdict| verdict.as_str());
                    let codes = Reason::ALL.iter().map(|reason| reason.code());
                    problem.nearest = nearest(name, names.chain(codes))
                        .map(|known| format!("{}.{known}", at_parent(&key)));
                    problems.push(problem);
                }
            }
        }
        (problems.len() == before).then_some(actions)
    }

    fn absent() -> Option<Actions<A>> {
        Some(Actions::default())
    }
}

fn at_parent(key: &str) -> &str {
    key.rsplit_once('.').map_or(key, |(parent, _)| parent)
}
