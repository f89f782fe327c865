//! Text of scripts and JSON as their strings are read: escapes decoded (ECMA-262 §12.9.4, RFC 8259 §7). Strings are
//! not told from other code: outside of strings a backslash is only in regular expressions.

use std::ops::Range;

use super::mapped::{Builder, MappedText};
use uts58::percent;

/// The text with its escapes decoded.
pub fn unescaped(seen: MappedText<'_>) -> MappedText<'_> {
    let text = seen.as_str();
    if memchr::memchr(b'\\', text.as_bytes()).is_none() {
        return seen;
    }
    let mut plain = Builder::with_capacity(text.len());
    unescape_into(&mut plain, text, 0..text.len());
    plain.finish().through(&seen)
}

/// Adds a stretch of a text with its escapes decoded.
pub fn unescape_into(plain: &mut Builder, text: &str, stretch: Range<usize>) {
    let text = text.get(..stretch.end).unwrap_or(text);
    let mut done = stretch.start;
    while let Some(found) = text.get(done..).and_then(|rest| rest.find('\\')) {
        let at = done + found;
        plain.linear(text.get(done..at).unwrap_or_default(), done);
        let rest = text.get(at..).unwrap_or_default();
        if let Some(line_end) = continued(rest) {
            done = at + line_end;
            continue;
        }
        let (c, len) = escape(rest).unwrap_or(('\\', 1));
        plain.unit(c.encode_utf8(&mut [0; 4]), at..at + len);
        done = at + len;
    }
    plain.linear(text.get(done..).unwrap_or_default(), done);
}

/// The length of a backslash at the end of a line: a string goes on behind it.
fn continued(text: &str) -> Option<usize> {
    ["\\\r\n", "\\\n"].iter().find(|end| text.starts_with(**end)).map(|end| end.len())
}

/// The escape at the start of the text: its character and its length. `\uD83D\uDE00` is one.
pub fn escape(text: &str) -> Option<(char, usize)> {
    let after = text.strip_prefix('\\')?;
    if let Some(hex) = after.strip_prefix("u{") {
        let (digits, _) = hex.get(..hex.len().min(LONGEST)).unwrap_or(hex).split_once('}')?;
        return Some((char::from_u32(u32::from_str_radix(digits, 16).ok()?)?, digits.len() + 4));
    }
    if let Some(hex) = after.strip_prefix('u') {
        let unit = unit(hex)?;
        let Some(c) = char::from_u32(unit) else {
            let low = self::unit(hex.get(4..)?.strip_prefix("\\u")?)?;
            let pair = [u16::try_from(unit).ok()?, u16::try_from(low).ok()?];
            return Some((char::decode_utf16(pair).next()?.ok()?, 12));
        };
        return Some((c, 6));
    }
    if let Some(hex) = after.strip_prefix('x') {
        return Some((char::from_u32(number(hex, 2)?)?, 4));
    }
    if let Some(found) = octal(after) {
        return Some(found);
    }
    let c = after.chars().next()?;
    let plain = match c {
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'b' => '\u{8}',
        'f' => '\u{c}',
        c if c.is_ascii_alphanumeric() => return None,
        c => c,
    };
    Some((plain, 1 + c.len_utf8()))
}

/// The character of up to three octal digits behind a backslash (ECMA-262 §B.1.2), and the length of all. Controls are
/// left: `\1` stands for a group in a regular expression.
fn octal(digits: &str) -> Option<(char, usize)> {
    let most = if digits.starts_with(['0', '1', '2', '3']) { 3 } else { 2 };
    let length = digits.bytes().take(most).take_while(|byte| matches!(byte, b'0'..=b'7')).count();
    let code = u32::from_str_radix(digits.get(..length)?, 8).ok()?;
    let c = char::from_u32(code).filter(|c| !c.is_control())?;
    Some((c, 1 + length))
}

/// Whether a URL does nothing but call a function that only its original page has, or one of its objects, with
/// words and numbers: `javascript:popUp('profile.cfm?id=7')` does nothing in a message. Its escapes are those of URLs:
/// `javascript:unCrypt(%27x%27)`.
pub fn calls_page_function(url: &str) -> bool {
    let Some(written) = code_of(url) else { return false };
    let code = percent::decode_text(written);
    let call = code.trim_ascii().trim_end_matches(';').split_once('(');
    let Some((name, arguments)) = call else { return false };
    let name = name.trim_ascii();
    let Some(arguments) = arguments.trim_ascii_end().strip_suffix(')') else { return false };
    let holds_url = arguments.contains("//");
    let is_of_page = match name.split_once('.') {
        Some((object, method)) => {
            is_own_name(object, &OBJECTS) && is_own_name(method, &METHODS) && !holds_url
        }
        None => is_own_name(name, &BUILT_IN) && !(holds_url && has_escaped_quote(written)),
    };
    is_of_page && (are_literals(arguments) || is_new_object(arguments))
}

/// The code of a `javascript:` URL, as it is written.
fn code_of(url: &str) -> Option<&str> {
    let (scheme, code) = url.trim_ascii().split_once(':')?;
    scheme.eq_ignore_ascii_case("javascript").then_some(code)
}

fn has_escaped_quote(code: &str) -> bool {
    code.contains("%27") || code.contains("%22")
}

/// Whether an argument makes an object of the page out of words and numbers, as ASP.NET does:
/// `new WebForm_PostBackOptions("name", "", true)`.
fn is_new_object(argument: &str) -> bool {
    let made = argument.trim_ascii().strip_prefix("new ").and_then(|made| made.split_once('('));
    made.is_some_and(|(name, arguments)| {
        let name = name.trim_ascii();
        is_own_name(name, &BUILT_IN)
            && is_own_name(name, &OBJECTS)
            && !arguments.contains("//")
            && arguments.strip_suffix(')').is_some_and(are_literals)
    })
}

/// Whether it is a plain name that none of these is.
fn is_own_name(name: &str, known: &[&str]) -> bool {
    let is_word = name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_');
    is_word && !name.is_empty() && !known.iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// Whether a URL does nothing beside what a button of the client does: `javascript:;`, `javascript:history.back()`. Its
/// escapes are those of URLs (HTML §7.4.2.3.2): `javascript:void%200`.
pub fn does_nothing(url: &str) -> bool {
    code_of(url)
        .is_some_and(|code| percent::decode_text(code).split(';').map(str::trim_ascii).all(is_idle))
}

/// Whether a statement does nothing, or turns a page, scrolls, prints, closes or loads it again; also where what it gives
/// is thrown away: `void(window.print())`.
fn is_idle(statement: &str) -> bool {
    const NOTHING: [&str; 11] =
        ["", "//", "{}", "0", "false", "true", "null", "undefined", "''", "\"\"", "return"];
    let thrown_away = || {
        let void = statement.strip_prefix("void(").and_then(|rest| rest.strip_suffix(')'));
        void.or_else(|| statement.strip_prefix("void "))
            .or_else(|| statement.strip_prefix("return "))
    };
    let is_harmless = |code: &str| NOTHING.contains(&code) || is_call_of_window(code);
    is_harmless(statement) || thrown_away().is_some_and(|code| is_harmless(code.trim_ascii()))
}

/// Whether it calls what a button of the client does, of this window or one around it.
fn is_call_of_window(code: &str) -> bool {
    const CALLS: [&str; 8] = [
        "print()",
        "close()",
        "stop()",
        "history.back()",
        "history.forward()",
        "location.reload()",
        "location.reload(true)",
        "document.location.reload()",
    ];
    const OF_NUMBERS: [&str; 5] =
        ["history.go(", "history.back(", "history.forward(", "scroll(", "scrollTo("];
    const WINDOWS: [&str; 4] = ["window.", "self.", "parent.", "top."];
    let call = WINDOWS.into_iter().find_map(|of| code.strip_prefix(of)).unwrap_or(code);
    let numbers =
        OF_NUMBERS.into_iter().find_map(|name| call.strip_prefix(name)?.strip_suffix(')'));
    let is_number = |number: &str| number.trim_ascii().parse::<i32>().is_ok();
    CALLS.contains(&call) || numbers.is_some_and(|numbers| numbers.split(',').all(is_number))
}

/// Whether arguments are quoted words, numbers and truth values.
fn are_literals(arguments: &str) -> bool {
    let mut rest = arguments.trim_ascii_start();
    loop {
        let behind = match rest.split_at_checked(1) {
            Some((quote @ ("\"" | "'"), text)) => text
                .split_once(quote)
                .and_then(|(text, behind)| is_plain_string(text).then_some(behind)),
            _ => {
                let value = ["true", "false", "null"].iter().find_map(|it| rest.strip_prefix(it));
                let number = || rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
                Some(value.unwrap_or_else(number))
            }
        };
        let Some(behind) = behind.map(str::trim_ascii_start) else { return false };
        let Some(next) = behind.strip_prefix(',') else { return behind.is_empty() };
        rest = next.trim_ascii_start();
    }
}

/// Whether a string has no quotes, nothing of code, and no escapes but that of a slash. Pages hide a mail address with
/// words in brackets.
fn is_plain_string(text: &str) -> bool {
    const IN_ADDRESSES: [&str; 6] = ["(a)", "(at)", "(ät)", "(dot)", "(point)", "(punkt)"];
    let is_hidden_sign = |rest: &str| {
        let end = rest.find(')').map_or(0, |end| end + 1);
        let word = rest.get(..end).unwrap_or_default();
        IN_ADDRESSES.iter().any(|known| word.eq_ignore_ascii_case(known))
    };
    !text.contains(['"', '\'', '<', '`', '\n', '\r'])
        && text
            .match_indices('\\')
            .all(|(at, _)| text.get(at..).is_some_and(|it| it.starts_with("\\/")))
        && text.match_indices('(').all(|(at, _)| text.get(at..).is_some_and(is_hidden_sign))
}

/// Objects that every page has (HTML §7.2, ECMA-262 §19), by which a call does something.
const OBJECTS: [&str; 40] = [
    "ActiveXObject", "Array", "Atomics", "browser", "caches", "chrome", "clientInformation",
    "console", "cookieStore", "CSS", "customElements", "document", "event", "external", "frames",
    "Function", "globalThis", "history", "indexedDB", "JSON", "localStorage", "location",
    "navigation", "navigator", "Object", "opener", "parent", "Promise", "Proxy", "Reflect", "self",
    "sessionStorage", "speechSynthesis", "String", "this", "top", "trustedTypes", "URL",
    "WebAssembly", "window",
];

/// What every function has, and what leads elsewhere.
const METHODS: [&str; 10] = [
    "apply", "assign", "bind", "call", "constructor", "eval", "navigate", "open", "replace",
    "write",
];

/// Functions that every page has (HTML §7.2, ECMA-262 §19.2, and those of older browsers).
const BUILT_IN: [&str; 48] = [
    "addEventListener", "alert", "atob", "Array", "blur", "Boolean", "btoa", "close", "confirm",
    "createImageBitmap", "createPopup", "Date", "decodeURI", "decodeURIComponent", "encodeURI",
    "encodeURIComponent", "escape", "eval", "execScript", "fetch", "find", "focus", "Function",
    "getComputedStyle", "import", "importScripts", "matchMedia", "moveBy", "moveTo", "navigate",
    "open", "openDialog", "postMessage", "print", "prompt", "queueMicrotask", "RegExp",
    "reportError", "require", "resizeTo", "scrollTo", "setImmediate", "setInterval", "setTimeout",
    "showModalDialog", "stop", "structuredClone", "unescape",
];

/// Maximum bytes of `\u{…}` after its opening brace, with the closing one: six digits, and leading zeros.
const LONGEST: usize = 12;

/// The code unit of four digits after `\u`.
pub fn unit(hex: &str) -> Option<u32> {
    number(hex, 4)
}

fn number(text: &str, digits: usize) -> Option<u32> {
    let digits = text.get(..digits).filter(|hex| hex.bytes().all(|c| c.is_ascii_hexdigit()))?;
    u32::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_of_the_page_do_nothing_in_a_message() {
        for call in [
            "javascript:popUp('profile.cfm?id=7')",
            " JavaScript: rs(\"ss\", \"http://story.example.com/x\", 780, 580);",
            "javascript:doIt()",
            "javascript:linkTo_UnCryptMailto('ocknvq,kphq');",
            "javascript:UC_UI.showSecondLayer()",
            "javascript:klaro.show()",
            "javascript:linkTo_UnCryptMailto(%27nbjmup%2BuftuAfybnqmf%5C%2Fdpn%27);",
            "javascript:%20hideMail(%27info%27%2C%20%27example.com%27)",
            "javascript:decode('info(at)example.com')",
            "javascript:decode(%22info(At)example(dot)com%22)",
            "javascript:f('a\\/b')",
            "javascript:popUp('http://story.example.com/a%20b')",
            "javascript:__doPostBack(%27ctl00$Main$lnk%27,%27%27)",
            "javascript:WebForm_DoPostBackWithOptions(new WebForm_PostBackOptions(\"ctl00$x\", \"\", true, \"\", \"\", false, true))",
            "javascript:WebForm_DoPostBackWithOptions(new%20WebForm_PostBackOptions(%22x%22,%20null))",
        ] {
            assert!(calls_page_function(call), "{call}");
        }
        for call in [
            "javascript:open('https://example.com')",
            "javascript:Eval('x')",
            "javascript:location='https://example.com'",
            "javascript:window.open('x')",
            "javascript:top.x('y')",
            "javascript:document.write('x')",
            "javascript:Function.x('y')",
            "javascript:page.open('x')",
            "javascript:page.x('https://example.com')",
            "javascript:a.b.c('x')",
            "javascript:f('a','b)",
            "javascript:f('a'b)",
            "javascript:f(a,'b')",
            "javascript:f(g('x'))",
            "javascript:f('x');location='y')",
            "javascript:f('\\x61')",
            "javascript:f(document)",
            "javascript:f('a')(b)",
            "javascript:f(`x`)",
            "javascript:open(%27https://example.com%27)",
            "javascript:location=%27https://example.com%27",
            "javascript:location.assign(%27x%27)",
            "javascript:f(%27https://example.com%27)",
            "javascript:f(%27x%27);location=%27y%27",
            "javascript:f(%27x%27)//%0Aalert(1)",
            "javascript:f('a%27);alert(1);f(%27b')",
            "javascript:f('%0Aalert(1)')",
            "javascript:f(%27alert(1)%27)",
            "javascript:f('info(at)example.com(x)')",
            "javascript:f('a\\')",
            "javascript:f('a\\/\\')",
            "javascript:f('x'%2Balert(1))",
            "javascript:f(%2527x%2527)",
            "javascript:f(new Function('x'))",
            "javascript:f(new Image('x'),alert(1))",
            "javascript:f(new Options('//example.com'))",
            "javascript:f(new Options('x').y('z'))",
            "javascript:open(new Options('x'))",
            "javascript:f(truely)",
            "data:text/html,f('x')",
            "javascript:('x')",
            "javascript:",
        ] {
            assert!(!calls_page_function(call), "{call}");
        }
    }

    #[test]
    fn scripts_that_do_nothing() {
        for url in [
            "javascript:;",
            "javascript:",
            "JavaScript://",
            "javascript: void 0;",
            "javascript:void(0);return false;",
            "javascript:false;",
            "javascript:{}",
            "javascript:history.back()",
            "javascript:window.history.go(-1);",
            "javascript:window.print()",
            "javascript:window.close()",
            "javascript:print()",
            "javascript:history.back(-1)",
            "javascript:void(null);",
            "javascript:%20void(0)",
            "javascript:void%200",
            "javascript:''",
            "javascript:window.scrollTo(0, 0)",
            "javascript:parent.print()",
            "javascript:top.close();",
            "javascript:void(window.print())",
            "javascript:void(history.go(-1));",
            "javascript:return history.back()",
        ] {
            assert!(does_nothing(url), "{url}");
        }
        for url in [
            "javascript://example.com/%0aalert(1)",
            "javascript://\nalert(1)",
            "javascript:history.go('x')",
            "javascript:history.go(-1,alert(1))",
            "javascript:window.print(alert(1))",
            "javascript:;alert(1)",
            "javascript:{};location='https://example.com'",
            "javascript:void 0,alert(1)",
            "javascript:open()",
            "javascript:void(0),alert(1)",
            "javascript:void(alert(1))",
            "javascript:void(void(alert(1)))",
            "javascript:void(0)%3Balert(1)",
            "javascript:%2f%2f%0aalert(1)",
            "javascript:history.back(alert(1))",
            "javascript:scrollTo(0,alert(1))",
            "javascript:parent.location='https://example.com'",
            "javascript:top.open()",
            "javascript:'<b>x</b>'",
            "javascript:''+alert(1)",
            "vbscript:",
            "data:",
        ] {
            assert!(!does_nothing(url), "{url}");
        }
    }

    #[test]
    fn escapes_of_strings() {
        for (written, read) in [
            (r"https:\/\/example.com\/x", "https://example.com/x"),
            (r"\u0440\u0430ypal\x2ecom", "раypal.com"),
            (r"\u{440}\u{000430}ypal", "раypal"),
            (r"\uD83D\uDE00 \ud83d \u12", "\u{1F600} \\ud83d \\u12"),
            (r#"\"a\\b\n\d"#, "\"a\\b\n\\d"),
            (r"a\", "a\\"),
            (r"\é", "é"),
            (r"\150\164\57\57a\1\0\477\8", "ht//a\\1\\0'7\\8"),
            ("a\\\r\nb\\\nc", "abc"),
        ] {
            let seen = unescaped(MappedText::slice(written, 7));
            assert_eq!(seen.as_str(), read, "{written}");
        }
        let seen = unescaped(MappedText::slice(r"a\/b", 7));
        assert_eq!(
            (seen.source(0..1), seen.source(1..2), seen.source(2..3)),
            (7..8, 8..10, 10..11)
        );
    }
}
