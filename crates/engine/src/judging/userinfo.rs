//! Text before an `@` that `homograph` takes for a host that poses, and that is none: a web address with a mail address
//! beside it, or a login. Only by its shape: whether readers know the host is for the caller.

use std::ops::Range;

use homograph::is_in_local_part;
use maillinks::programs::is_below;
use uts58::{Kind, Link, begins_with_www, percent};

/// The userinfo of a link that begins with a scheme or `www.`, if nothing of a URL follows the host.
fn lone_userinfo<'t>(text: &'t str, link: &Link) -> Option<(Range<usize>, &'t str)> {
    let user = link.user.clone()?;
    let written = text.get(user.clone())?;
    (link.kind.is_announced() && link.host.end == link.span.end).then_some((user, written))
}

/// Whether a character may be in a host of ASCII.
fn is_in_ascii_host(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '.')
}

/// The web address at the start of the userinfo, if a sign that no user name has is behind it, then nothing but words
/// and a local part: `https://example.com;ann@example.org` in a list of contacts. Nothing of a URL follows.
pub fn address_beside(text: &str, link: &Link) -> Option<Range<usize>> {
    let (user, written) = lone_userinfo(text, link)?;
    let is_in_host = |c: char| c.is_alphanumeric() || matches!(c, '-' | '.');
    // In scripts without blanks a word may follow a host of ASCII directly, and precede an address.
    let ascii = written.find(|c| !is_in_ascii_host(c))?;
    let attached = written.get(..ascii).is_some_and(|host| host.contains('.'))
        && written.get(ascii..).is_some_and(|rest| rest.starts_with(char::is_alphabetic))
        && ends_in_address(text, link);
    let end = if attached { ascii } else { written.find(|c| !is_in_host(c))? };
    let (host, rest) = written.split_at_checked(end)?;
    // Programs that link `www.` may read a colon as the end of the host.
    let colon = if link.kind == Kind::Www { rest.strip_prefix(':') } else { None };
    let is_host = host.contains('.') && !host.ends_with('.');
    let separate = attached || colon.is_some() || rest.starts_with(is_separator);
    let mut words = colon.unwrap_or(rest).split(is_separator);
    (is_host && separate && words.all(is_word)).then(|| user.start..user.start + end)
}

/// The web address at the start of the userinfo, if wide blanks, bullets or bars are behind it, then what somebody is
/// called on a service, a domain perhaps: `www.example.com • @ann.example.org`, `www.example.com|@ann@example.org`.
/// Nothing of a URL follows.
pub fn handle_beside(text: &str, link: &Link) -> Option<Range<usize>> {
    let (user, written) = lone_userinfo(text, link)?;
    let end = written.find(|c| !is_in_ascii_host(c))?;
    let (host, rest) = written.split_at_checked(end)?;
    let name = rest.trim_start_matches(|c: char| matches!(c, '•' | '·' | '|') || c.is_whitespace());
    let is_name = |name: &str| !name.is_empty() && name.chars().all(is_in_local_part);
    let is_handle = name.is_empty() || name.strip_prefix('@').is_some_and(is_name);
    (host.contains('.') && !host.ends_with('.') && name.len() < rest.len() && is_handle)
        .then(|| user.start..user.start + end)
}

/// Bytes of userinfo that are searched for what is left of an encoding.
const SEARCHED: usize = 256;

/// The web address at the start of the userinfo that something is behind which is left of an encoding or a form, and the
/// local part behind that: `https://example.com=0Aann@example.org`. Nothing of a URL follows.
pub fn before_leftover<'t>(text: &'t str, link: &Link) -> Option<(Range<usize>, &'t str)> {
    let (user, written) = lone_userinfo(text, link).filter(|(user, _)| user.len() <= SEARCHED)?;
    let mut leftovers = written.char_indices().filter_map(|(at, _)| {
        let behind = written.get(at..)?;
        let rest = without_leftovers(behind);
        (rest.len() < behind.len()).then_some((at, rest))
    });
    let (end, rest) = leftovers.next()?;
    let host = written.get(..end)?;
    let is_host =
        host.contains('.') && host.chars().all(is_in_ascii_host) && !host.ends_with(['.', '-']);
    let local = rest.rsplit(':').next().filter(|local| !local.is_empty())?;
    (is_host && is_word(rest)).then_some((user.start..user.start + end, local))
}

/// Characters that nobody sees, which programs leave where they turn HTML into text.
const UNSEEN: [char; 4] = ['\u{200B}', '\u{200C}', '\u{2060}', '\u{FEFF}'];

/// Whether a text begins with one of them.
pub fn begins_unseen(text: &str) -> bool {
    text.starts_with(UNSEEN)
}

/// A text without what is left of encodings at its start, characters that nobody sees, and rows of dots and lines.
fn without_leftovers(mut text: &str) -> &str {
    const ENCODED: [&str; 11] = [
        "=0A", "=0D", "=09", "=20", "=A0", "=C2=A0", "&nbsp;", "&#160;", "&lt;br&gt;",
        "&lt;br/&gt;", "&lt;br /&gt;",
    ];
    /// Signs of a row at least.
    const ROW: usize = 5;
    loop {
        let row = text.chars().next().filter(|c| matches!(c, '.' | '_' | '-' | '·' | '…'));
        let behind_row = row.map_or(text, |sign| text.trim_start_matches(sign));
        let is_row = row.is_some_and(|sign| text.len() >= behind_row.len() + ROW * sign.len_utf8());
        let encoded = ENCODED.iter().find_map(|encoded| text.strip_prefix(encoded));
        text = match encoded.or_else(|| text.strip_prefix(UNSEEN)) {
            Some(rest) => rest,
            None if is_row => behind_row,
            None => return text,
        };
    }
}

/// Whether a link of running text ends in a mail address: nothing follows the host, and a local part of ASCII is before
/// the `@`, behind something that is none: `https://example.comメール:ann@example.org`.
pub fn ends_in_address(text: &str, link: &Link) -> bool {
    let user = link.user.clone().and_then(|user| text.get(user)).unwrap_or_default();
    let before = user.trim_end_matches(is_in_local_part);
    link.host.end == link.span.end && !before.is_empty() && before.len() < user.len()
}

/// Whether the host at `shown` is in a cell of data beside that of the address, and no program takes what stands between
/// them for userinfo: `(https://example.com),[mail](mailto:ann@example.org)`.
pub fn is_cell(text: &str, link: &Link, shown: &Range<usize>) -> bool {
    let before = text.get(..link.span.start).and_then(|before| before.chars().next_back());
    let user_end = link.user.as_ref().map_or(shown.end, |user| user.end);
    let between = text.get(shown.end..user_end).unwrap_or_default();
    let mut behind = between.chars();
    let is_enclosed = match (before, behind.next()) {
        (Some('('), Some(')')) | (Some('['), Some(']')) | (Some('{'), Some('}')) => true,
        (Some(one), Some(other)) => one == other && matches!(one, '\'' | '`'),
        _ => false,
    };
    let is_apart = behind.next().is_some_and(|c| matches!(c, ',' | ';' | ')' | ']' | '}' | ' '));
    let opens =
        between.trim_end_matches(is_in_local_part).ends_with([':', '(', '[', '{', '\'', '`']);
    is_enclosed && is_apart && opens && ends_for_all(between)
}

/// Bytes of a row that are looked at on either side of a link.
const ROW: usize = 256;

/// Digits of a number that a row of contacts has.
const NUMBER: usize = 4;

/// Whether the host at `shown` and the address are cells of one row of data, with the same sign before, between and behind
/// them, and nothing else between them but what the address is called: `|www.example.com|ann@example.org|`,
/// `https://example.com,ann@example.org,+49 30 12`, `Tel:12;Web:https://example.com;Mail:ann@example.org`. Without a frame
/// of the sign the row holds a number, as that of a telephone, or is one of several alike.
pub fn is_in_row(text: &str, link: &Link, shown: &Range<usize>) -> bool {
    let Some(user) = &link.user else { return false };
    let between = text.get(shown.end..user.end).unwrap_or_default();
    let Some(sign) = between.chars().next().filter(|c| matches!(c, '|' | ',' | ';')) else {
        return false;
    };
    let local = between.trim_end_matches(is_in_local_part);
    let label = local.get(1..).unwrap_or_default();
    let is_label = label.is_empty()
        || label.strip_suffix(':').is_some_and(|name| {
            !name.is_empty() && name.chars().all(|c| c.is_alphabetic() || c == '-')
        });
    let start = text.ceil_char_boundary(link.span.start.saturating_sub(ROW));
    let before = text.get(start..link.span.start).unwrap_or_default();
    let before = before.rsplit('\n').next().unwrap_or_default();
    let end = text.floor_char_boundary(link.span.end.saturating_add(ROW));
    let behind = text.get(link.span.end..end).unwrap_or_default();
    let behind = behind.split(['\r', '\n']).next().unwrap_or_default();
    // What the site is called, as `Web:`.
    let named =
        before.strip_suffix(':').map_or(before, |name| name.trim_end_matches(char::is_alphabetic));
    let begins = named.is_empty() || named.ends_with(sign);
    let ends = behind.trim_end().is_empty() || behind.starts_with(sign);
    let is_framed = sign == '|' && named.ends_with(sign) && behind.starts_with(sign);
    let digits = [named, behind].into_iter().flat_map(str::chars).filter(char::is_ascii_digit);
    let has_number = digits.count() >= NUMBER;
    let is_row = || is_framed || has_number || is_like_its_neighbour(text, link, sign);
    is_label && local.len() < between.len() && begins && ends && is_row()
}

/// Signs of a row at least that is known by the row beside it: something stands in front of the site.
const SIGNS: usize = 2;

/// Whether the line of a link and the one before or behind it have the same number of cells, without blanks in front of
/// them, as in a file of data: `name,url,mail`.
fn is_like_its_neighbour(text: &str, link: &Link, sign: char) -> bool {
    let start = text.ceil_char_boundary(link.span.start.saturating_sub(ROW));
    let end = text.floor_char_boundary(link.span.end.saturating_add(ROW));
    let before = text.get(start..link.span.end).unwrap_or_default();
    let behind = text.get(link.span.end..end).unwrap_or_default();
    let mut upwards = before.rsplit('\n');
    let mut downwards = behind.split('\n');
    let own = [upwards.next(), downwards.next()].map(Option::unwrap_or_default).concat();
    let cells = |row: &str| {
        let is_data = !row.chars().zip(row.chars().skip(1)).any(|(c, d)| c == sign && d == ' ');
        Some(row.matches(sign).count()).filter(|count| is_data && *count >= SIGNS)
    };
    let own = cells(&own);
    own.is_some()
        && [upwards.next(), downwards.next()].into_iter().flatten().any(|row| cells(row) == own)
}

/// Whether each of the three programs that take the most for userinfo ends a URL in this text. Mozilla does so at
/// brackets and braces, but for those that it closes; programs that follow RFC 3986 to the letter, as those of Android, at
/// what that has in no userinfo; Roundcube at quotes, and at brackets that close nothing.
fn ends_for_all(between: &str) -> bool {
    let of_rfc = |c: char| c.is_ascii_alphanumeric() || "-._~%!$&'()*+,;=:".contains(c);
    let closes = |open: char, close: char| {
        let closing = between.find(close);
        closing.is_some_and(|at| between.find(open).is_none_or(|open| at < open))
    };
    let is_closed = closes('(', ')') || closes('[', ']');
    let mozilla = is_closed || between.contains(['{', '}', '[']);
    let roundcube = is_closed || between.contains('\'');
    mozilla && roundcube && !between.chars().all(of_rfc)
}

/// Whether a link is what a command in front of it connects to: `ssh www.example.com@ssh.example.org`,
/// `git clone https://example.com@example.org/team/repo.git`. Accounts of hosters are called by domains.
fn is_of_command(text: &str, link: &Link) -> bool {
    let before = text.get(..link.span.start).unwrap_or_default();
    let Some(before) = before.strip_suffix(' ') else { return false };
    let tail = text.get(link.tail.clone()).unwrap_or_default();
    let word = |name: &str| {
        let rest = before.strip_suffix(name);
        rest.is_some_and(|rest| rest.chars().next_back().is_none_or(char::is_whitespace))
    };
    match link.kind {
        Kind::Scheme => word("git clone") && tail.ends_with(".git"),
        _ => ["ssh", "sftp"].into_iter().any(word) && tail.is_empty(),
    }
}

/// A word, a local part, or one behind what it is: `e-mail:ann`.
fn is_word(word: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '+' | '-');
    let (label, local) = word.split_once(':').unwrap_or(("", word));
    label.chars().all(|c| c.is_alphabetic() || c == '-') && local.chars().all(plain)
}

/// Signs between the cells of a list, quotes, brackets and bullets. Of those that read as a slash or a colon, and that no
/// keyboard has, nobody makes a list: what stands behind seems to be a path or a port of the site.
fn is_separator(c: char) -> bool {
    ";,'\"|()[]{}<>=*~!&`$^".contains(c)
        || !c.is_ascii() && !c.is_alphanumeric() && !matches!(c, '⁄' | '∕' | '⧸' | '∶' | '꞉')
}

/// Whether userinfo is a login: a mail address (`ann%40example.org`), or the name of a person whose surname is a
/// top-level domain (`james.kim`); or what a command connects to.
pub fn is_login(text: &str, link: &Link) -> bool {
    let user = link.user.clone().and_then(|user| text.get(user)).unwrap_or_default();
    let decoded = percent::decode_text(user);
    // A second `@` may be in the password.
    let name = decoded.split(':').next().unwrap_or_default();
    let name = name.trim_start_matches('$').trim_matches(['{', '}', '<', '>']);
    let plain = |c: char| is_in_local_part(c) || c == '@';
    if name.is_empty() || !name.chars().all(plain) || !decoded.is_ascii() {
        return false;
    }
    if user == name && is_of_command(text, link) {
        return true;
    }
    if is_opened_by_no_browser(text, link) || is_at_folders(text, link) {
        return true;
    }
    // A password may be the host that is to be seen.
    if decoded.split_once(':').is_some_and(|(_, password)| password.contains('.')) {
        return false;
    }
    match name.split_once('@') {
        Some((local, host)) => {
            !local.is_empty()
                && !host.contains('@')
                && ![local, host].into_iter().any(begins_with_www)
        }
        None => {
            is_person(name)
                || is_of_two_words(name) && is_at_repository(text, link)
                || is_address_update(text, link)
        }
    }
}

/// Hosts where a router tells its address to who keeps its name: the login is the domain there, or its name. Nobody else has
/// pages there.
const ADDRESS_UPDATES: [&str; 6] = [
    "dyn.dns.he.net", "dyndns.strato.com", "members.dyndns.org", "update.dedyn.io",
    "update.spdyn.de", "update6.dedyn.io",
];

/// Whether a link tells such a host the address of the domain that is its login:
/// `https://example.org:key@dyn.dns.he.net/nic/update?hostname=example.org`.
pub fn is_address_update(text: &str, link: &Link) -> bool {
    let user = link.user.clone().and_then(|user| text.get(user)).unwrap_or_default();
    let (name, key) = user.split_once(':').unwrap_or_default();
    let tail = text.get(link.tail.clone()).unwrap_or_default();
    let query = tail.split_once('?').map_or("", |(_, query)| query);
    let mut named = query.split('&').filter_map(|field| field.strip_prefix("hostname="));
    // A login may keep several names below it.
    let is_of_name = |host: &str| {
        let rest = host.len().checked_sub(name.len());
        let (below, own) = rest.and_then(|at| host.split_at_checked(at)).unwrap_or_default();
        own.eq_ignore_ascii_case(name) && (below.is_empty() || below.ends_with('.'))
    };
    let host = link.host_str(text);
    link.kind == Kind::Scheme
        && ADDRESS_UPDATES.iter().any(|known| host.eq_ignore_ascii_case(known))
        && !name.is_empty()
        && !key.is_empty()
        && named.all(is_of_name)
}

/// Schemes of programs that log in, none of which is a browser. Hosters call their accounts by the domains of customers.
const PROGRAMS: [&str; 8] = ["ftp", "ftps", "git+ssh", "rsync", "scp", "sftp", "ssh", "svn+ssh"];

fn is_opened_by_no_browser(text: &str, link: &Link) -> bool {
    let before = text.get(link.span.start..link.host.start).unwrap_or_default();
    let is = |scheme: &str| PROGRAMS.iter().any(|known| scheme.eq_ignore_ascii_case(known));
    before.split_once(':').is_some_and(|(scheme, _)| is(scheme))
}

/// Hosts with calendars, addresses and files of customers, whose logins are addresses or domains. Nobody else has pages
/// there.
const FOLDER_HOSTS: [&str; 17] = [
    "apidata.googleusercontent.com",
    "caldav.calendar.yahoo.com",
    "caldav.fastmail.com",
    "caldav.gmx.net",
    "caldav.icloud.com",
    "caldav.web.de",
    "carddav.address.yahoo.com",
    "carddav.fastmail.com",
    "carddav.gmx.net",
    "carddav.web.de",
    "contacts.icloud.com",
    "dav.mailbox.org",
    "posteo.de",
    "webdav.hidrive.ionos.com",
    "webdav.hidrive.strato.com",
    "webdav.mailbox.org",
    "webdav.mc.gmx.net",
];

/// Whether a link leads to one of them.
pub fn is_at_folders(text: &str, link: &Link) -> bool {
    let host = link.host_str(text);
    link.kind == Kind::Scheme && FOLDER_HOSTS.iter().any(|known| host.eq_ignore_ascii_case(known))
}

/// Where folders of Nextcloud are.
const FOLDERS: [&str; 2] = ["/remote.php/dav", "/remote.php/webdav"];

/// Whether the users of what a link leads to have names with a dot: of a repository, an index of packages, a folder of
/// Nextcloud, a server that programs log in to.
pub fn has_accounts(text: &str, link: &Link) -> bool {
    let tail = text.get(link.tail.clone()).unwrap_or_default();
    is_at_repository(text, link)
        || is_package_index(text, link)
        || is_opened_by_no_browser(text, link)
        || FOLDERS.iter().any(|folder| tail.starts_with(folder))
}

/// Whether a link is the index of packages that a command or its settings name: `pip install --index-url https://…`.
fn is_package_index(text: &str, link: &Link) -> bool {
    let before = text.get(..link.span.start).unwrap_or_default();
    let before = before.trim_end_matches([' ', '=', '"', '\'']);
    let option = before.len().checked_sub("index-url".len()).and_then(|at| before.get(at..));
    link.kind == Kind::Scheme
        && option.is_some_and(|option| {
            ["index-url", "index_url"].iter().any(|known| option.eq_ignore_ascii_case(known))
        })
}

/// Hosts of repositories, whose addresses have the login of who copied them.
const REPOSITORIES: [&str; 7] = [
    "bitbucket.org", "codeberg.org", "dev.azure.com", "git.sr.ht", "github.com", "gitlab.com",
    "visualstudio.com",
];

/// Whether a link leads to a repository at one of them: below its owner's page.
fn is_at_repository(text: &str, link: &Link) -> bool {
    let tail = text.get(link.tail.clone()).unwrap_or_default();
    let path = tail.split(['?', '#', '@']).next().unwrap_or_default();
    let segments = path.split('/').filter(|segment| !segment.is_empty());
    link.kind == Kind::Scheme
        && is_below(link.host_str(text), &REPOSITORIES)
        && !path.contains('\\')
        && segments.count() > 1
}

/// A given name and a surname, or a machine and what it does: `ci.bot`.
fn is_of_two_words(name: &str) -> bool {
    name.split_once('.').is_some_and(|(first, second)| {
        !first.eq_ignore_ascii_case("www")
            && !first.is_empty()
            && !second.is_empty()
            && !second.contains('.')
    })
}

/// Local part and domain of a login that is a mail address, as programs escape one: `ann%40example.org`.
pub fn mailbox(user: &str) -> Option<(String, String)> {
    let decoded = percent::decode_text(user);
    let name = decoded.split(':').next().unwrap_or_default();
    let (local, domain) = name.split_once('@').filter(|_| !user.contains('@'))?;
    Some((local.to_owned(), domain.to_ascii_lowercase()))
}

/// The given name of a login that is `given.surname`.
pub fn given_name(user: &str) -> String {
    let decoded = percent::decode_text(user);
    decoded.split('.').next().unwrap_or_default().trim_matches(['$', '{']).to_owned()
}

/// Whether a login is a given name and the surname that a domain is called by: `ann.weber` at `weber.de`.
pub fn is_of_family(user: &str, domain: &str) -> bool {
    let name = user.split(':').next().unwrap_or_default();
    let label = domain.split('.').next().unwrap_or_default();
    is_of_two_words(name)
        && name.split_once('.').is_some_and(|(_, surname)| surname.eq_ignore_ascii_case(label))
}

/// A given name and a surname that is a top-level domain.
fn is_person(name: &str) -> bool {
    name.split_once('.').is_some_and(|(given, surname)| {
        !given.eq_ignore_ascii_case("www")
            && !given.is_empty()
            && SURNAMES.iter().any(|known| surname.eq_ignore_ascii_case(known))
    })
}

/// Top-level domains that are surnames, and `name` of placeholders.
const SURNAMES: [&str; 41] = [
    "abbott", "ba", "bond", "bosch", "cam", "chase", "cruise", "day", "dell", "do", "ferrari",
    "ford", "fox", "gallo", "ge", "gu", "hu", "hughes", "kim", "la", "li", "lincoln", "lu", "ly",
    "ma", "mo", "name", "ng", "page", "pohl", "rich", "sa", "schmidt", "schwarz", "so", "su",
    "walter", "wang", "weber", "xin", "ye",
];
