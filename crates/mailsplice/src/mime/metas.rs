//! The charsets that a page names in its `<meta>` elements (WHATWG HTML §13.2.3.2), or in an XML declaration.

use memchr::memmem;

use super::charset::Charset;

/// `<meta>` elements that are read: one or two decoys may precede the effective one.
pub(super) const MAX_METAS: usize = 4;

/// Bytes in which browsers look for a `<meta>`.
const OPENING: usize = 1024;

/// The charsets of `<meta charset>` and `<meta http-equiv>` in the first KiB, those that are not in a comment first.
/// If there is none, `anywhere` asks for the first ones of the whole page: some programs search all of it.
pub(super) fn charsets(bytes: &[u8], anywhere: bool) -> Vec<Charset> {
    let opening = bytes.get(..OPENING).unwrap_or(bytes).to_ascii_lowercase();
    let mut shown = Vec::new();
    let mut in_comments = Vec::new();
    let mut metas = metas(&opening).peekable();
    while let Some(meta) = metas.next() {
        let end = metas.peek().map_or(opening.len(), |next| next.at);
        let found = opening.get(meta.at..end).map(charsets_of).into_iter().flatten().flatten();
        if meta.in_comment { in_comments.extend(found) } else { shown.extend(found) }
    }
    if shown.is_empty() && anywhere {
        let [first_shown, first_in_comment] = first_charsets(bytes);
        shown.extend(first_shown);
        in_comments.extend(first_in_comment);
    }
    shown.truncate(MAX_METAS);
    // Some programs take the first one even if it is in a comment.
    in_comments.truncate((MAX_METAS - shown.len()).max(1));
    shown.extend(in_comments);
    shown
}

/// The first charset named outside comments, and the first one in them.
fn first_charsets(bytes: &[u8]) -> [Option<Charset>; 2] {
    let mut found = [None, None];
    let mut tag_end = 0;
    for meta in metas(bytes) {
        let [shown, in_comment] = &mut found;
        let first = if meta.in_comment { in_comment } else { shown };
        if meta.at < tag_end || first.is_some() {
            continue;
        }
        // No tag is searched twice.
        let rest = bytes.get(meta.at..).unwrap_or_default();
        let tag = rest.get(..memchr::memchr(b'>', rest).unwrap_or(rest.len())).unwrap_or_default();
        tag_end = meta.at + tag.len();
        *first = charsets_of(&tag.to_ascii_lowercase()).into_iter().flatten().next();
        if found.iter().all(Option::is_some) {
            break;
        }
    }
    found
}

/// Where a `<meta` begins.
struct Meta {
    at: usize,
    in_comment: bool,
}

fn metas(bytes: &[u8]) -> impl Iterator<Item = Meta> {
    let mut comment_end = 0;
    memchr::memchr_iter(b'<', bytes).filter_map(move |at| {
        let rest = bytes.get(at..)?;
        if at >= comment_end && rest.starts_with(b"<!--") {
            // `<!-->` is a whole comment.
            let end = memmem::find(rest.get(2..)?, b"-->");
            comment_end = end.map_or(bytes.len(), |end| at + 2 + end + 3);
        }
        let is_meta = rest.get(..5).is_some_and(|tag| tag.eq_ignore_ascii_case(b"<meta"));
        is_meta.then_some(Meta { at, in_comment: at < comment_end })
    })
}

/// The charsets of the `<meta>` at the start of text in lower case: what an attribute or a parameter of this name says, and
/// what stands in front of it behind a name that ends so (`data-charset`), which some programs take.
fn charsets_of(meta: &[u8]) -> [Option<Charset>; 2] {
    const NAME: &[u8] = b"charset";
    let is_of_a_name = |at: usize| {
        let before = at.checked_sub(1).and_then(|before| meta.get(before));
        before.is_some_and(|byte| byte.is_ascii_alphanumeric() || b"-_:.".contains(byte))
    };
    let mut behind_others = None;
    for at in memmem::find_iter(meta, NAME) {
        let found = match meta.get(at + NAME.len()..).and_then(named) {
            // Text in which a <meta> can be read is not UTF-16.
            Some(Charset::Utf16(_)) => Some(Charset::Utf8),
            found => found,
        };
        if found.is_some() && !is_of_a_name(at) {
            return [found, behind_others];
        }
        behind_others = behind_others.or(found);
    }
    [behind_others, None]
}

/// The charset of an XML declaration (XML 1.0 §4.3.3), which browsers read in HTML as well.
pub(super) fn declared(bytes: &[u8]) -> Option<Charset> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes).trim_ascii_start();
    let declaration = bytes.strip_prefix(b"<?xml")?;
    let end = memchr::memchr(b'>', declaration.get(..DECLARATION).unwrap_or(declaration))?;
    let declaration = declaration.get(..end)?.to_ascii_lowercase();
    let at = memmem::find(&declaration, b"encoding")? + b"encoding".len();
    // It was read as ASCII.
    named(declaration.get(at..)?).filter(|charset| charset.keeps_ascii())
}

/// Bytes in which an XML declaration ends.
const DECLARATION: usize = 256;

/// The charset named after an equals sign, blanks aside (WHATWG Encoding §4.2).
pub(super) fn named(rest: &[u8]) -> Option<Charset> {
    let value = rest.trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let value = value.strip_prefix(b"\"").or(value.strip_prefix(b"'")).unwrap_or(value);
    let value = value.trim_ascii_start();
    let length =
        value.iter().take_while(|b| b.is_ascii_alphanumeric() || b"-_.:".contains(b)).count();
    Charset::from_label(std::str::from_utf8(value.get(..length)?).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(page: &str, anywhere: bool) -> Vec<Charset> {
        charsets(page.as_bytes(), anywhere)
    }

    #[test]
    fn comments_do_not_count_and_are_read() {
        let [koi8, cyrillic] =
            ["koi8-r", "windows-1251"].map(|name| Charset::from_label(name).unwrap());
        let decoys = "<!--<meta charset=koi8-r>-->".repeat(9);
        let page = format!("<html>{decoys}<META http-equiv=x content='a; CHARSET=windows-1251'>");
        assert_eq!(names(&page, false), [cyrillic, koi8, koi8, koi8]);
        for other in ["<meta name=a>".repeat(9), "<!--><meta name=b>".to_owned()] {
            let page = format!("{other}<!--charset=koi8-r--><meta charset=windows-1251>");
            assert_eq!(names(&page, false).last(), Some(&cyrillic), "{page}");
        }
        let unended = "<!--<meta charset=koi8-r><meta charset=windows-1251>";
        assert_eq!(names(unended, false), [koi8, cyrillic]);
    }

    #[test]
    fn blanks_and_names_that_end_alike_do_not_hide_it() {
        let [koi8, cyrillic] =
            ["koi8-r", "windows-1251"].map(|name| Charset::from_label(name).unwrap());
        for meta in [
            "<meta charset=\" koi8-r \">",
            "<meta charset = '\t\nkoi8-r\n'>",
            "<meta http-equiv=content-type content=\"text/html; charset='  koi8-r '\">",
            "<meta http-equiv=content-type content=\"charset; charset=koi8-r\">",
            "<meta data-charset charset=koi8-r>",
            "<meta data-charset=none charset=none charset=koi8-r>",
        ] {
            assert_eq!(names(meta, false), [koi8], "{meta}");
        }
        let decoy = "<meta data-charset=windows-1251 charset=koi8-r>";
        assert_eq!(names(decoy, false), [koi8, cyrillic]);
        assert_eq!(names(&format!("{}{decoy}", " ".repeat(OPENING)), true), [koi8]);
        assert_eq!(names("<meta content=x-charset=koi8-r>", false), [koi8]);
    }

    #[test]
    fn a_page_is_searched_for_the_first_one() {
        let [koi8, cyrillic] =
            ["koi8-r", "windows-1251"].map(|name| Charset::from_label(name).unwrap());
        let far = " ".repeat(OPENING);
        let meta =
            "<meta name=a><Meta charset=none><meta Charset=\"koi8-r\"><meta charset=windows-1251>";
        assert_eq!(names(&format!("{far}{meta}"), false), []);
        assert_eq!(names(&format!("{far}{meta}"), true), [koi8]);
        let hidden = format!("<!--<meta charset=windows-1251>-->{far}{meta}");
        assert_eq!(names(&hidden, true).get(..2), Some(&[koi8, cyrillic][..]));
        assert_eq!(names(&format!("<meta charset=windows-1251>{far}{meta}"), true), [cyrillic]);
        assert_eq!(names(&"<meta".repeat(300_000), true), []);
        assert_eq!(names(&"<!--<meta charset".repeat(100_000), true), []);
    }
}
