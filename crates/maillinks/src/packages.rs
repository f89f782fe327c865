//! Documents that are ZIP archives of XML: office files (ECMA-376, OpenDocument), books (EPUB), XPS; and what the files of
//! an archive are, by their names. A link leads out of such a document by a relationship, a field, a formula or an
//! attribute; names of schemas are none.

use std::borrow::Cow;
use std::collections::BTreeMap;

use mailsplice::mime::{Charset, Endian};
use memchr::memmem;
use uts58::html::escape;

use crate::text_formats;
use crate::tnef::rtf::{Reached, Shown};
use crate::{FlatItem, flat_items, flat_relations};

/// What a file of an archive is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Member {
    /// A folder, or what holds no link: a picture, a font, a sound.
    Nothing,
    /// Relationships of a part of a document.
    Relations,
    /// A file that is read as if it were attached by itself.
    File,
    /// Any other one: its first bytes say what it is.
    Unknown,
}

/// Extensions of what holds no link that somebody opens.
#[rustfmt::skip]
const NO_LINKS: [&str; 33] = [
    "aac", "avi", "bmp", "css", "emf", "eot", "fntdata", "gif", "heic", "ico", "jpe", "jpeg", "jpg", "jxr", "m4a",
    "m4v", "mov", "mp3", "mp4", "odttf", "ogg", "otf", "png", "tif", "tiff", "ttf", "wav", "wdp", "webm", "webp",
    "wmf", "woff", "woff2",
];

/// Extensions of files that are read as if they were attached by themselves, beside those that their bytes tell.
#[rustfmt::skip]
const FILES: [&str; 42] = [
    "appinstaller", "asx", "contact", "csv", "desktop", "eml", "hta", "htm", "html", "ics", "iqy", "library-ms", "m3u",
    "m3u8", "markdown", "md", "mht", "mhtml", "odc", "oqy", "pls", "rdp", "rqy", "rtf", "scf", "sct", "search-ms",
    "searchconnector-ms", "settingcontent-ms", "shtml", "svg", "theme", "tsv", "txt", "url", "vcf", "vcs", "webloc",
    "website", "xht", "xhtml", "xml",
];

/// Files of documents that hold no link, by the beginning of their names: settings of printers, drawings of objects.
const BARE: [&str; 5] = [
    "mimetype", "layout-cache", "objectreplacements/", "xl/printersettings/",
    "ppt/printersettings/",
];

/// What a part has that leads out of a document: in front of any of these it is looked through for the rest.
const SIGNS: [&[u8]; 10] = [
    b"href", b"HRef", b"dest", b"hyperlink", b"HYPERLINK", b"instr", b"NavigateUri",
    b"HyperlinkBase", b"ddeService", b"webPr",
];
/// The same of formulas, which may be written in numbers of characters.
const NUMBERS: &[u8] = b"&#";

/// Steps of each link, formula or field of a part, known or not.
const ITEM_STEPS: u64 = 16;

/// Folders of relationships, and how they end.
const FOLDER: &str = "_rels/";
const ENDING: &str = ".rels";

/// What an archive is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A document.
    Package,
    /// Files.
    Archive,
}

impl Kind {
    /// What an archive with files of these names is; they are in lower case.
    pub fn of<'n>(mut names: impl Iterator<Item = &'n str>) -> Kind {
        const MARKS: [&str; 4] = [
            "[content_types].xml", "meta-inf/container.xml", "meta-inf/manifest.xml", "_rels/.rels",
        ];
        let is_mark = |name: &str| MARKS.contains(&name) || name.ends_with(ENDING);
        if names.any(is_mark) { Kind::Package } else { Kind::Archive }
    }
}

impl Member {
    /// What a file of this name is, in lower case.
    pub fn of(name: &str, kind: Kind) -> Member {
        let file = name.rsplit('/').next().unwrap_or_default();
        // Windows drops dots and blanks at the end.
        let extension = file.trim_end_matches(['.', ' ']).rsplit_once('.').map(|(_, it)| it);
        let is = |extensions: &[&str]| extension.is_some_and(|own| extensions.contains(&own));
        match kind {
            _ if name.ends_with('/') || is(&NO_LINKS) => Member::Nothing,
            Kind::Package if name.ends_with(ENDING) => Member::Relations,
            Kind::Package if BARE.iter().any(|bare| name.starts_with(bare)) => Member::Nothing,
            Kind::Package if is(&["xml"]) => Member::Unknown,
            _ if is(&FILES) => Member::File,
            _ => Member::Unknown,
        }
    }
}

/// The name of the part of which a file has the relationships; both in lower case. `None` of the package itself.
pub fn related_part(name: &str) -> Option<String> {
    let (folder, file) = name.rsplit_once(FOLDER)?;
    let part = file.strip_suffix(ENDING).filter(|part| !part.is_empty())?;
    Some([folder, part].concat())
}

/// Whether a file of a document is one of its parts, by how it begins.
pub fn is_part(opening: &[u8]) -> bool {
    let blank = |byte: &&u8| {
        byte.is_ascii_whitespace() || matches!(byte, 0 | 0xEF | 0xBB | 0xBF | 0xFE | 0xFF)
    };
    opening.iter().find(|byte| !blank(byte)) == Some(&b'<')
}

/// What leads out of a part, by its relationships.
#[derive(Debug, Default)]
pub struct Relations {
    targets: BTreeMap<String, String>,
    /// Those whose name another one has as well.
    further: Vec<String>,
    /// How many bytes of the file they are from.
    bytes: usize,
}

impl Relations {
    /// The relationships that a file says.
    pub fn read(bytes: &[u8]) -> Relations {
        let mut relations = Relations { bytes: bytes.len(), ..Relations::default() };
        for relation in flat_relations(&decoded(bytes)) {
            if is_of_own_disk(&relation.target) {
                continue;
            }
            if let Some(other) = relations.targets.insert(relation.id, relation.target) {
                relations.further.push(other);
            }
        }
        relations
    }

    /// Whether nothing leads out.
    pub fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }
}

/// Whether a target is a file of the writer's own disk, as offices name templates and pictures that were there.
fn is_of_own_disk(target: &str) -> bool {
    let path = target.get(..5).filter(|scheme| scheme.eq_ignore_ascii_case("file:"));
    let path = path.and_then(|_| target.get(5..)).unwrap_or(target);
    let path = path.trim_start_matches(['/', '\\']);
    let mut characters = path.chars();
    characters.next().is_some_and(|drive| drive.is_ascii_alphabetic())
        && characters.next() == Some(':')
        && characters.next().is_some_and(|slash| matches!(slash, '/' | '\\'))
}

/// What a part reaches.
#[derive(Debug, Default)]
pub struct PartLinks {
    /// Links, as a page, and programs.
    pub reached: Reached,
    /// Whether what is shown for some links was left out: they repeat a long address too often.
    pub cut: bool,
    /// Steps of reading it.
    pub steps: u64,
}

/// Reads a part of a document with its relationships: links with what is shown for them, and all else that is related.
pub fn read_part(bytes: &[u8], relations: &Relations) -> PartLinks {
    let mut links = PartLinks::default();
    let has = |sign: &[u8]| memmem::find(bytes, sign).is_some();
    let is_wide = bytes.get(..64).unwrap_or(bytes).contains(&0);
    let mut used: BTreeMap<&str, ()> = BTreeMap::new();
    if is_wide
        || SIGNS.iter().any(|sign| has(sign))
        || has(NUMBERS)
        || text_formats::has_call(bytes)
    {
        let most = bytes.len().saturating_add(relations.bytes.saturating_mul(2));
        links.steps += bytes.len() as u64;
        let PartLinks { reached, cut, steps } = &mut links;
        let mut take = |item| match item {
            FlatItem::Link { url, shown } if !is_of_own_disk(&url) => {
                reached.add_link(&url, &shown)
            }
            FlatItem::Link { .. } => {}
            FlatItem::Formula(formula) => text_formats::formulas(&formula, &mut reached.anchors),
            FlatItem::Field { instruction, shown } => {
                let before = reached.anchors.len();
                reached.add(&instruction, Shown::whole(&shown));
                // A picture or a text that is loaded from a page.
                if reached.anchors.len() == before && instruction.contains(':') {
                    escape(&instruction, &mut reached.anchors);
                    reached.anchors.push(' ');
                }
            }
            FlatItem::Related { id, shown } => {
                let Some((id, target)) = relations.targets.get_key_value(&id) else { return };
                if reached.anchors.len() < most {
                    reached.add_link(target, &shown);
                    used.insert(id, ());
                } else {
                    *cut = true;
                }
            }
        };
        flat_items(&decoded(bytes), |item| {
            *steps += ITEM_STEPS;
            take(item);
        });
    }
    let others = relations.targets.iter().filter(|(id, _)| !used.contains_key(id.as_str()));
    let others = others.map(|(_, target)| target).chain(&relations.further);
    others.for_each(|target| links.reached.add_link(target, ""));
    let related = (relations.targets.len() + relations.further.len()) as u64;
    links.steps += (relations.bytes + links.reached.anchors.len()) as u64 + ITEM_STEPS * related;
    links
}

/// The text of XML: in UTF-16 by its first bytes, else in UTF-8.
fn decoded(bytes: &[u8]) -> Cow<'_, str> {
    let wide = match bytes {
        [0xFF, 0xFE, ..] | [b'<', 0, ..] => Some(Endian::Little),
        [0xFE, 0xFF, ..] | [0, b'<', ..] => Some(Endian::Big),
        _ => None,
    };
    match wide {
        Some(endian) => {
            let text = Charset::Utf16(endian).decode(Cow::Borrowed(bytes));
            Cow::Owned(text.as_str().to_owned())
        }
        None => String::from_utf8_lossy(bytes),
    }
}

#[cfg(test)]
mod tests;
